"""The body of a message: rich text and code blocks, which grow while an answer streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QTextBrowser, QVBoxLayout, QWidget

from app.theme.fonts import mono_family
from app.widgets.chat_highlight import highlighted
from app.widgets.chat_markdown import MarkdownSplitter, Segment, document_style
from app.widgets.icon import IconButton
from app.widgets.labels import role_label
from app.widgets.line_breaks import wrap_mode

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent, QWheelEvent

    from app.theme.themes import Themes

_COPIED_MS = 1500
_INDENT = 22  # pixels a level of a list


class ChatText(QTextBrowser):
    """Read-only text that is as high as its content; it loads nothing from anywhere."""

    def __init__(self, *, wrap: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatText")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.anchorClicked.connect(_open_link)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(_INDENT)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        option = self.document().defaultTextOption()
        if wrap:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            option.setWrapMode(wrap_mode(""))
            option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        else:
            self.setLineWrapMode(QTextBrowser.LineWrapMode.NoWrap)
            option.setTextDirection(Qt.LayoutDirection.LeftToRight)
            self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.document().setDefaultTextOption(option)

    def make_room_for(self, text: str) -> None:
        """Call it before a text is shown that is broken into lines."""
        option = self.document().defaultTextOption()
        mode = wrap_mode(text)
        if option.wrapMode() is not mode:
            option.setWrapMode(mode)
            self.document().setDefaultTextOption(option)

    def loadResource(self, _type: int, _name: QUrl | str) -> object:
        """Nothing: neither files nor addresses that a model writes are opened."""
        return None

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(40, 16)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Vertical turns belong to the conversation."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the width with the height."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        bar = self.horizontalScrollBar()
        extra = bar.sizeHint().height() if bar.maximum() > 0 else 0
        height = int(self.document().size().height() + 0.999) + extra + 2 * self.frameWidth()
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(max(height, self.fontMetrics().height()))


class CodeBlock(QFrame):
    """A code block: its language, a copy button, and lines that scroll sideways instead of breaking."""

    def __init__(self, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatCode")
        self._themes = themes
        self._segment = Segment(True, "")
        self._language = role_label("", "caption")
        self._copy = IconButton("copy", self.tr("Copy this code"), size=14)
        self._copy.clicked.connect(self._copy_code)
        self._reset = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._reset.timeout.connect(lambda: self._copy.show_icon("copy"))
        self._text = ChatText(wrap=False)
        self._text.setAccessibleName(self.tr("Code"))
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        head = QHBoxLayout()
        head.addWidget(self._language, 1)
        head.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 2, 6, 8)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self._text)

    def show_segment(self, segment: Segment) -> None:
        """Show this code."""
        self._segment = segment
        self._language.setText(segment.language or self.tr("code"))
        code = highlighted(segment.source, segment.language, self._themes.current)
        self._text.setHtml(f"<pre style=\"font-family:'{mono_family()}'; margin:0\">{code}</pre>")

    def _copy_code(self) -> None:
        QGuiApplication.clipboard().setText(self._segment.source)
        self._copy.show_icon("check")
        self._reset.start()


class MessageBody(QWidget):
    """Shows Markdown (or plain text, for what the user wrote) as a column of segments."""

    def __init__(self, themes: Themes, *, markdown: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self._markdown = markdown
        self._splitter = MarkdownSplitter()
        self._text: str | None = None
        self._segments: list[Segment] = []
        self._widgets: list[ChatText | CodeBlock] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.changed.connect(self._redraw)

    def show_text(self, text: str) -> None:
        """Show `text`; where it only grew, only its last segments are drawn again."""
        if text == self._text:
            return
        self._text = text
        segments = self._splitter.split(text) if self._markdown else [Segment(False, text)]
        for index, segment in enumerate(segments):
            if index < len(self._segments) and self._segments[index] == segment:
                continue
            self._show(index, segment)
        for widget in self._widgets[len(segments) :]:
            self._column.removeWidget(widget)
            widget.deleteLater()
        del self._widgets[len(segments) :]
        self._segments = segments

    def _show(self, index: int, segment: Segment) -> None:
        widget = self._widgets[index] if index < len(self._widgets) else None
        if widget is None or isinstance(widget, CodeBlock) != segment.is_code:
            fresh = CodeBlock(self._themes) if segment.is_code else self._new_text()
            if widget is not None:
                self._column.removeWidget(widget)
                widget.deleteLater()
                self._widgets[index] = fresh
            else:
                self._widgets.append(fresh)
            self._column.insertWidget(index, fresh)
            widget = fresh
        if isinstance(widget, CodeBlock):
            widget.show_segment(segment)
            return
        widget.make_room_for(segment.source)
        if self._markdown:
            widget.setHtml(self._splitter.html(segment, self._themes.current))
        else:
            widget.setPlainText(segment.source)

    def _new_text(self) -> ChatText:
        text = ChatText(wrap=True)
        text.document().setDefaultStyleSheet(document_style(self._themes.current, mono_family()))
        return text

    def _redraw(self) -> None:
        for index, segment in enumerate(self._segments):
            widget = self._widgets[index]
            if isinstance(widget, ChatText):
                widget.document().setDefaultStyleSheet(document_style(self._themes.current, mono_family()))
            self._show(index, segment)


def _open_link(url: QUrl) -> None:
    if url.scheme() in ("http", "https", "mailto"):
        QDesktopServices.openUrl(url)
