"""A row of joined buttons of which exactly one is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

_STEPS: dict[int, tuple[int, bool]] = {  # where an arrow key leads to, and whether it does so sideways
    Qt.Key.Key_Left: (-1, True), Qt.Key.Key_Right: (1, True), Qt.Key.Key_Up: (-1, False), Qt.Key.Key_Down: (1, False),
}  # fmt: skip
_SIDES = 26  # padding, border and margin of a button, both sides


class Segmented(QWidget):
    """Choice between a few values. `choices` are pairs of key and text; arrow keys move between them."""

    chosen = Signal(str)

    def __init__(self, name: str, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("segmented")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._buttons: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        for key, text in choices:
            button = QToolButton()
            button.setText(text)
            button.setCheckable(True)
            button.setAccessibleName(f"{name}: {text}")
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.toggled.connect(self._lead_tab)
            button.installEventFilter(self)
            button.clicked.connect(lambda _checked=False, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self._buttons[key] = button
            row.addWidget(button)
        self._fit()

    @property
    def key(self) -> str | None:
        """The key that is on, None before one is."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), None)

    def button(self, key: str) -> QToolButton:
        """The button of one key."""
        return self._buttons[key]

    def changeEvent(self, event: QEvent) -> None:
        """Keep room for the bold text of the button that is on."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        for button in self._buttons.values():
            button.ensurePolished()
            font = QFont(button.font())
            font.setBold(True)
            button.setMinimumWidth(QFontMetrics(font).horizontalAdvance(button.text()) + _SIDES)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys choose the next one that can be chosen, or the one before."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _STEPS:
            step, is_sideways = _STEPS[event.key()]
            mirrored = is_sideways and self.layoutDirection() is Qt.LayoutDirection.RightToLeft
            self._step(watched, -step if mirrored else step)
            return True
        return super().eventFilter(watched, event)

    def _step(self, origin: QObject, step: int) -> None:
        buttons = [button for button in self._buttons.values() if button.isEnabled() and not button.isHidden()]
        place = next((index for index, button in enumerate(buttons) if button is origin), 0) + step
        if 0 <= place < len(buttons):
            buttons[place].setFocus(Qt.FocusReason.OtherFocusReason)
            buttons[place].click()

    def _lead_tab(self) -> None:
        """Tab comes to the one that is on, and from there to what follows; arrow keys go to the others."""
        for button in self._buttons.values():
            is_stop = button.isChecked() or self._group.checkedButton() is None
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_stop else Qt.FocusPolicy.ClickFocus)

    def show_key(self, key: str) -> None:
        """Put one on without emitting `chosen`."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)
