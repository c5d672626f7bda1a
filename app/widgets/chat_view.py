"""The conversation on the screen: cards in a column that follows the answer as it grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.widgets.chat_message import Divider, MessageCard
from app.widgets.icon import IconButton

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from app.theme.themes import Themes
    from engine.chat.transcript import Message

_MOUNT = 30  # messages that are widgets at first; earlier ones become widgets as the user scrolls up to them
_NEAR = 24  # pixels from the end that still count as "at the end"


@dataclass(frozen=True, slots=True)
class Line:
    """One message as the view needs it: its place among its versions, and the words of a divider above it."""

    message: Message
    index: int = 0
    versions: int = 1
    divider: str = ""


class ChatView(QScrollArea):
    """Shows the chosen path. Only the last messages are widgets, so that long chats stay quick."""

    regenerate_asked = Signal(str)
    edited = Signal(str, str)
    version_asked = Signal(str, int)
    delete_asked = Signal(str)
    new_chat_asked = Signal()

    def __init__(self, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatView")
        self.setAccessibleName(self.tr("Conversation"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._themes = themes
        self._lines: list[Line] = []
        self._first = 0
        self._cards: dict[str, MessageCard] = {}
        self._dividers: list[Divider] = []
        self._last_divider = ""
        self._busy = False
        self._following = True
        self._keep_from_end: int | None = None
        self._body = QWidget()
        self._body.setObjectName("scrollBody")
        self._column = QVBoxLayout(self._body)
        self._column.setContentsMargins(4, 8, 4, 8)
        self._column.setSpacing(8)
        self._column.addStretch(1)
        self.setWidget(self._body)
        self._newest = IconButton("chevron-down", self.tr("To the newest message"), parent=self)
        self._newest.setObjectName("chatNewest")
        self._newest.clicked.connect(self.follow)
        self._newest.hide()
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._scrolled)
        self._restyle()
        themes.changed.connect(self._restyle)

    @property
    def following(self) -> bool:
        """Whether the view stays at the end while text arrives."""
        return self._following

    def card(self, message_id: str) -> MessageCard | None:
        """The widget of a message, None while it is not mounted."""
        return self._cards.get(message_id)

    def show_lines(self, lines: Sequence[Line], *, last_divider: str = "", busy: bool = False) -> None:
        """Show this path. Cards of messages that were shown before stay as they are."""
        self._busy, self._last_divider = busy, last_divider
        shared = sum(1 for old, new in zip(self._lines, lines, strict=False) if old.message.id == new.message.id)
        if not shared or self._first > len(lines):
            self._first = max(0, len(lines) - _MOUNT)
        self._lines = list(lines)
        self._mount()

    def show_growth(self, message: Message) -> None:
        """Show more of an answer that streams."""
        card = self._cards.get(message.id)
        if card is not None:
            card.show_growth(message)

    def follow(self) -> None:
        """Go to the end and stay there; messages far above are widgets no longer."""
        self._following = True
        if len(self._lines) - self._first > 2 * _MOUNT:
            self._first = len(self._lines) - _MOUNT
            self._mount()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._newest.hide()

    def reveal(self, message_id: str) -> None:
        """Scroll to a message, mounting it if need be."""
        places = [place for place, line in enumerate(self._lines) if line.message.id == message_id]
        if not places:
            return
        self._following = False
        if places[0] < self._first:
            self._first = max(0, places[0] - 2)
            self._mount()
        QTimer.singleShot(0, self, lambda: self._show_card(message_id))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the button in its corner."""
        super().resizeEvent(event)
        self._place_button()

    def _show_card(self, message_id: str) -> None:
        card = self._cards.get(message_id)
        if card is not None:
            self.verticalScrollBar().setValue(max(0, card.y() - 8))

    def _mount(self) -> None:
        wanted = self._lines[self._first :]
        ids = {line.message.id for line in wanted}
        for message_id in [known for known in self._cards if known not in ids]:
            self._drop(self._cards.pop(message_id))
        for divider in self._dividers:
            self._drop(divider)
        self._dividers = []
        place = 0
        for line in wanted:
            if line.divider:
                place = self._put_divider(line.divider, place)
            card = self._cards.get(line.message.id)
            if card is None:
                card = self._new_card(line)
                self._column.insertWidget(place, card)
            elif self._column.indexOf(card) != place:
                self._column.insertWidget(place, card)
            card.show_message(line.message, line.index, line.versions)
            card.show_busy(self._busy)
            place += 1
        if self._last_divider:
            self._put_divider(self._last_divider, place)

    def _put_divider(self, text: str, place: int) -> int:
        divider = Divider(text)
        self._dividers.append(divider)
        self._column.insertWidget(place, divider)
        return place + 1

    def _new_card(self, line: Line) -> MessageCard:
        card = MessageCard(line.message, self._themes)
        card.regenerate_asked.connect(self.regenerate_asked)
        card.edited.connect(self.edited)
        card.version_asked.connect(self.version_asked)
        card.delete_asked.connect(self.delete_asked)
        card.new_chat_asked.connect(self.new_chat_asked)
        self._cards[line.message.id] = card
        return card

    def _drop(self, widget: QWidget) -> None:
        self._column.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _range_changed(self, _low: int, high: int) -> None:
        bar = self.verticalScrollBar()
        if self._keep_from_end is not None:
            bar.setValue(high - self._keep_from_end)
        elif self._following:
            bar.setValue(high)
        self._newest.setVisible(high > 0 and not self._following)

    def _scrolled(self, value: int) -> None:
        bar = self.verticalScrollBar()
        if self._keep_from_end is None:
            self._following = value >= bar.maximum() - _NEAR
        self._newest.setVisible(bar.maximum() > 0 and not self._following)
        if value < self.viewport().height() // 2 and self._first > 0 and self._keep_from_end is None:
            self._keep_from_end = bar.maximum() - value
            self._first = max(0, self._first - _MOUNT)
            self._mount()
            QTimer.singleShot(50, self, self._earlier_mounted)

    def _earlier_mounted(self) -> None:
        self._keep_from_end = None

    def _place_button(self) -> None:
        size = self._newest.sizeHint()
        x = (self.viewport().width() - size.width()) // 2
        self._newest.setGeometry(x, self.viewport().height() - size.height() - 8, size.width(), size.height())
        self._newest.raise_()

    def _restyle(self) -> None:
        theme = self._themes.current
        self.setStyleSheet(
            "QTextBrowser#chatText, QTextBrowser#chatText:focus { background: transparent; border: none; padding: 0; }"
            f"QFrame#chatUser {{ background: {theme.raised}; border-radius: 6px; }}"
            f"QFrame#chatCode {{ background: {theme.window}; border: 1px solid {theme.line}; border-radius: 4px; }}"
            f"QFrame#chatRule {{ background: {theme.line}; }}"
            f"QToolButton#chatNewest {{ background: {theme.raised}; border: 1px solid {theme.line}; padding: 4px; }}"
        )
