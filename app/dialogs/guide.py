"""The user guide in a window: its sections on the left, the text beside them, a search through it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.widgets.panel_splitter import PanelSplitter
from app.widgets.screen_room import within_screen

if TYPE_CHECKING:
    from pathlib import Path

_PLACE = Qt.ItemDataRole.UserRole
_SIZE = QSize(1020, 700)
_PADDING = 18.0
_WIDEST_PICTURE = 760
_WIDEST_SECTION = 340


class GuideDialog(QDialog):
    """Shows a Markdown file and those beside it that it links to. `page` is the file."""

    def __init__(self, page: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("User guide"))
        self.sections = QListWidget()
        self.sections.setAccessibleName(self.tr("Sections"))
        self.sections.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.sections.currentItemChanged.connect(self._go_to)
        self.text = QTextBrowser()
        self.text.setAccessibleName(self.tr("User guide"))
        self.text.setOpenLinks(False)
        self.text.viewport().installEventFilter(self)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)  # a path has no spaces
        self.text.anchorClicked.connect(self._follow)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search the guide"))
        self.search.setAccessibleName(self.tr("Search the guide"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search_anew)
        self.search.returnPressed.connect(self._search_on)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.search.setFocus)
        self._page = page
        self._arrange()
        self.show_page(page)
        self.sections.setFocus()

    def show_page(self, page: Path) -> None:
        """Show another file."""
        self._page = page
        self.text.setSearchPaths([str(page.parent)])
        self.text.document().setBaseUrl(QUrl.fromLocalFile(f"{page.parent}/"))
        self.text.setMarkdown(_fitted(page.read_text(encoding="utf-8")))
        self.text.document().setDocumentMargin(_PADDING)
        self._wrap_code()
        self._fit_pictures()
        self._list_sections()

    def _wrap_code(self) -> None:
        """Long commands go on in the next line: nobody scrolls sideways in a text."""
        block = self.text.document().begin()
        while block.isValid():
            form = block.blockFormat()
            if form.nonBreakableLines():
                form.setNonBreakableLines(False)
                QTextCursor(block).setBlockFormat(form)
            block = block.next()

    def _list_sections(self) -> None:
        self.sections.clear()
        block = self.text.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() == 2:
                item = QListWidgetItem(block.text())
                item.setData(_PLACE, block.position())
                self.sections.addItem(item)
            block = block.next()
        needed = self.sections.sizeHintForColumn(0) + 2 * self.sections.frameWidth() + round(_PADDING)
        self.sections.setMinimumWidth(min(needed, _WIDEST_SECTION))

    def _go_to(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        cursor = self.text.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self.text.setTextCursor(cursor)  # from below, the heading then comes to the top
        cursor.setPosition(item.data(_PLACE))
        self.text.setTextCursor(cursor)
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.value() + self.text.cursorRect(cursor).top() - round(_PADDING))

    def _follow(self, link: QUrl) -> None:
        target = self._page.parent / link.path()
        if link.scheme() in ("http", "https"):
            QDesktopServices.openUrl(link)
        elif target.suffix == ".md" and target.is_file():
            self.show_page(target)

    def _search_anew(self, words: str) -> None:
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        self._mark(not words or self.text.find(words))

    def _search_on(self) -> None:
        words = self.search.text()
        if words and not self.text.find(words):
            self._search_anew(words)

    def _mark(self, found: bool) -> None:
        self.search.setToolTip("" if found else self.tr("The guide does not say this."))
        if self.search.property("invalid") != (not found):
            self.search.setProperty("invalid", not found)
            self.search.style().unpolish(self.search)
            self.search.style().polish(self.search)

    def _arrange(self) -> None:
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self.sections, 1)
        splitter = PanelSplitter(Qt.Orientation.Horizontal, ((side, 23), (self.text, 77)))
        splitter.setStretchFactor(0, 0)
        splitter.setChildrenCollapsible(False)
        self.resize(within_screen(self, _SIZE))
        splitter.setSizes([self.width() * 23 // 100, self.width() * 77 // 100])
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 16, 16, 16)
        row.addWidget(splitter)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pictures keep within the text's width, whoever changes it."""
        handled = super().eventFilter(watched, event)
        if event.type() is QEvent.Type.Resize:
            self._fit_pictures()
        return handled

    def _fit_pictures(self) -> None:
        document: QTextDocument = self.text.document()
        width = min(_WIDEST_PICTURE, round(self.text.viewport().width() - 2 * _PADDING - 4))
        block = document.begin()
        while block.isValid():
            pieces = block.begin()
            while not pieces.atEnd():
                fragment = pieces.fragment()
                picture = fragment.charFormat().toImageFormat()
                if picture.isValid() and picture.width() != width > 0:
                    picture.setWidth(width)
                    cursor = QTextCursor(document)
                    cursor.setPosition(fragment.position())
                    cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                    cursor.setCharFormat(picture)
                    break
                pieces += 1
            block = block.next()


def _fitted(markdown: str) -> str:
    """Without the title, which the window has."""
    return markdown.partition("\n")[2] if markdown.startswith("# ") else markdown
