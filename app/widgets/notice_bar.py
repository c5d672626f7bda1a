"""Messages that are no failure of the engine, one at a time, under the header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.widgets.icon import IconButton, IconLabel, PlainButton, Tint
from app.widgets.labels import role_label
from app.wording.engine import worded
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from app.bridge.store import Notice, Store
    from engine.domain.lifecycle import Lifecycle

_INFO_MS = 6000
_KEPT = 20
_OFFERS = 2
_ICONS = {"error": ("error", Tint.ERROR), "warning": ("warning", Tint.MUTED), "info": ("info", Tint.ACCENT)}


class NoticeBar(QWidget):
    """Shows the newest notice until it is dismissed; mere information goes by itself after a few seconds.

    `offer_taken` has the LoadRequest of the offer that was clicked, and its notice is gone then.
    """

    offer_taken = Signal(object)

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._waiting: list[Notice] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.dismiss)
        self._icon = IconLabel("info", 16)
        self._message = role_label("", "", wrap=True)
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._more = role_label("", "caption")
        self._close = IconButton("close", self.tr("Dismiss this message"))
        self._close.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._icon, alignment=Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._message, 1)
        self._buttons = tuple(PlainButton("", "") for _ in range(_OFFERS))
        for index, button in enumerate(self._buttons):
            button.clicked.connect(lambda _checked=False, index=index: self._take(index))
            row.addWidget(button)
        row.addWidget(self._more)
        row.addWidget(self._close)
        self.hide()
        self._load_id = store.lifecycle.load_id
        store.noticed.connect(self.add)
        store.lifecycle_changed.connect(self._lifecycle_changed)

    @property
    def notice(self) -> Notice | None:
        """What is shown at present."""
        return self._waiting[-1] if self._waiting else None

    def add(self, notice: Notice) -> None:
        """Show a notice above those that have not been dismissed; the same one twice is one."""
        if notice in self._waiting:
            self._waiting.remove(notice)
        self._waiting.append(notice)
        del self._waiting[:-_KEPT]
        self._show()

    def dismiss(self) -> None:
        """Take the present notice away and show the one before, if any."""
        if self._waiting:
            self._waiting.pop()
        self._show()

    def _lifecycle_changed(self, lifecycle: Lifecycle) -> None:
        """What was said of an earlier load is past when another one begins."""
        if lifecycle.phase is not Phase.LOADING or lifecycle.load_id == self._load_id:
            return
        self._load_id = lifecycle.load_id
        kept = [each for each in self._waiting if not each.until_load]
        if len(kept) < len(self._waiting):
            self._waiting = kept
            self._show()

    def _take(self, index: int) -> None:
        notice = self.notice
        if notice is not None and index < len(notice.offers):
            self.dismiss()
            self.offer_taken.emit(notice.offers[index][1])

    def _show(self) -> None:
        self._timer.stop()
        notice = self.notice
        self.setVisible(notice is not None)
        if notice is None:
            return
        name, tint = _ICONS.get(notice.level, _ICONS["info"])
        self._icon.show_icon(name, tint)
        text = f"{worded(notice.message)} {worded(notice.remedy)}".strip()
        self._message.setText(text)
        self.setAccessibleName(text)
        for button, (label, _) in zip(self._buttons, [*notice.offers, *[("", None)] * _OFFERS], strict=False):
            button.setText(worded(label))
            button.setVisible(bool(label))
        others = len(self._waiting) - 1
        self._more.setText(self.tr("%n more", "", others) if others else "")
        if self.property("level") != notice.level:
            self.setProperty("level", notice.level)
            self.style().unpolish(self)
            self.style().polish(self)
        if notice.level == "info":
            self._timer.start(_INFO_MS)
