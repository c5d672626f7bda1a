"""The conversation on the screen: cards in a column that follows the answer as it grows."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.widgets.chat_message import Divider, MessageCard
from app.widgets.icon import IconButton

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent, QShowEvent

    from app.theme.themes import Themes
    from app.widgets.chat_lines import Line
    from engine.chat.transcript import Message

_MOUNT = 4  # messages that become widgets in one go: a card takes some milliseconds to make
_KEEP = 60  # messages that stay widgets at most, where they fill four times the view
_LOWEST = 40  # pixels: about what a message of one word takes
_SETTLE_MS = 120  # messages were mounted: after this, look whether more are needed
_WIDEST = 860  # pixels; longer lines are hard to follow
_NEAR = 24  # pixels from the end that still count as "at the end"


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
        self._first = self._end = 0  # the mounted part of the lines
        self._cards: dict[str, MessageCard] = {}
        self._dividers: list[Divider] = []
        self._last_divider = ""
        self._busy = False
        self._following = True
        # A card, and where it stands in the viewport: held until the user scrolls, since a layout may come late.
        self._anchor: tuple[str, int] | None = None
        self._moving = False  # by the view itself, not by the user
        self._settling = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settling.timeout.connect(self._settle)
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
        at_end = self._end >= len(self._lines)
        shared = sum(1 for old, new in zip(self._lines, lines, strict=False) if old.message.id == new.message.id)
        count = len(lines)
        if not shared or self._first >= count:
            self._first, self._end = max(0, count - _MOUNT), count
        else:
            self._end = count if at_end or self._end > count else self._end
            self._first = max(self._first, self._end - self._keep)
        self._lines = list(lines)
        self._mount()

    def show_growth(self, message: Message) -> None:
        """Show more of an answer that streams."""
        card = self._cards.get(message.id)
        if card is not None:
            card.show_growth(message)

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._following = True
        self._let_go()
        count = len(self._lines)
        if self._end < count or count - self._first > self._keep // 2:
            self._first, self._end = max(0, count - _MOUNT), count
            self._mount()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._newest.hide()

    def reveal(self, message_id: str) -> None:
        """Scroll to a message, mounting it and its neighbours if need be."""
        place = next((place for place, line in enumerate(self._lines) if line.message.id == message_id), None)
        if place is None:
            return
        self._following = False
        if not self._first <= place < self._end:
            self._first, self._end = max(0, place - 2), min(len(self._lines), place - 2 + _MOUNT)
            self._mount()
        self._hold((message_id, 8))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep lines readable in a wide pane, and the button in its place."""
        super().resizeEvent(event)
        side = max(4, (self.viewport().width() - _WIDEST) // 2)
        if self._column.contentsMargins().left() != side:
            self._column.setContentsMargins(side, 8, side, 8)
        self._place_button()

    def showEvent(self, event: QShowEvent) -> None:
        """Mount what there was no place for while hidden."""
        super().showEvent(event)
        self._settling.start()

    def _mount(self) -> None:
        self._moving = True  # the bar's range may change with every card
        self._place_cards(self._lines[self._first : self._end])
        self._moving = False
        QTimer.singleShot(0, self, self._fill)

    def _place_cards(self, wanted: Sequence[Line]) -> None:
        ids = {line.message.id for line in wanted}
        for message_id in [known for known in self._cards if known not in ids]:
            self._drop(self._cards.pop(message_id))
        if self._anchor is not None and self._anchor[0] not in ids:
            self._let_go()
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
        if self._last_divider and self._end == len(self._lines):
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

    # Where the view stands

    def _range_changed(self, _low: int, high: int) -> None:
        if self._anchor is not None:
            self._return_to_anchor()
        elif self._following:
            self.verticalScrollBar().setValue(high)
        self._show_way_down()

    def _scrolled(self, value: int) -> None:
        if not self._moving:
            self._let_go()
            bar = self.verticalScrollBar()
            self._following = value >= bar.maximum() - _NEAR and self._end == len(self._lines)
            self._mount_more(value, bar.maximum())
        self._show_way_down()

    def _fill(self) -> None:
        """Go on mounting, a few messages a turn of the loop, until there is enough to scroll in."""
        if self._anchor is None:
            bar = self.verticalScrollBar()
            self._mount_more(bar.value(), bar.maximum())

    def _mount_more(self, value: int, most: int) -> None:
        """Make the next messages in the direction in which the user is about to run out of them."""
        if not self.isVisible():
            return
        if not self._is_laid_out:
            self._settling.start()
            return
        room = self.viewport().height()
        if value < room and self._first > 0:
            if not self._following:
                self._anchor_here()
            self._first = max(0, self._first - _MOUNT)
            self._end = max(min(self._end, self._first + self._keep), self._end if self._following else 0)
            self._mount()
        elif value > most - room and self._end < len(self._lines):
            self._anchor_here()
            self._end = min(len(self._lines), self._end + _MOUNT)
            self._first = max(self._first, self._end - self._keep)
            self._mount()

    def _anchor_here(self) -> None:
        """Whatever is mounted next, the message now at the top of the view is to stay where it is."""
        if self._anchor is not None:
            self._hold(self._anchor)
            return
        top = self.verticalScrollBar().value()
        shown = [line.message.id for line in self._lines[self._first : self._end]]
        for message_id in shown:
            card = self._cards[message_id]
            if card.y() + card.height() > top:
                self._hold((message_id, card.y() - top))
                return

    def _hold(self, anchor: tuple[str, int]) -> None:
        self._anchor = anchor
        self._settling.start()
        QTimer.singleShot(0, self, self._return_to_anchor)

    def _return_to_anchor(self) -> None:
        if self._anchor is None:
            return
        card = self._cards.get(self._anchor[0])
        if card is not None and not self._moving:
            self._moving = True
            self.verticalScrollBar().setValue(max(0, card.y() - self._anchor[1]))
            self._moving = False

    def _settle(self) -> None:
        self._return_to_anchor()
        self._mount_more(self.verticalScrollBar().value(), self.verticalScrollBar().maximum())

    @property
    def _keep(self) -> int:
        return max(_KEEP, 4 * self.viewport().height() // _LOWEST)

    @property
    def _is_laid_out(self) -> bool:
        """Whether the cards stand below each other: those just mounted wait for the layout at the top."""
        cards = map(self._cards.__getitem__, (line.message.id for line in self._lines[self._first : self._end]))
        return all(card.y() + card.height() <= below.y() for card, below in pairwise(cards))

    def _let_go(self) -> None:
        self._settling.stop()
        self._anchor = None

    def _show_way_down(self) -> None:
        self._newest.setVisible(self.verticalScrollBar().maximum() > 0 and not self._following)

    def _place_button(self) -> None:
        size = self._newest.sizeHint()
        x = (self.viewport().width() - size.width()) // 2
        self._newest.setGeometry(x, self.viewport().height() - size.height() - 8, size.width(), size.height())
        self._newest.raise_()
