"""The sampling options of a conversation, in a popover; an empty field leaves the model's own default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QDoubleValidator, QIntValidator, QPainter, QPalette
from PySide6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.widgets.icon import PlainButton
from app.widgets.labels import role_label
from engine.chat.transcript import SamplingOptions

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QPaintEvent

_SEED_MAX = 2**31 - 1
_TOKENS_MAX = 16_777_216


class OptionsPopover(QFrame):
    """Four fields. `changed` carries the new SamplingOptions when the popover closes with other values."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("chatOptions")
        self._before = SamplingOptions()
        self._temperature = self._field(self.tr("Temperature"), 0.0, 2.0)
        self._top_p = self._field(self.tr("Top p"), 0.0, 1.0)
        self._max_tokens = self._whole(self.tr("Longest answer in tokens"), 1, _TOKENS_MAX)
        self._seed = self._whole(self.tr("Seed"), 0, _SEED_MAX)
        self._arrange()

    def open_at(self, options: SamplingOptions, anchor: QWidget) -> None:
        """Show `options` above `anchor`, inside the screen."""
        self._before = options
        self._show(options)
        self.adjustSize()
        above = anchor.mapToGlobal(QPoint(0, -self.height() - 4))
        available = anchor.screen().availableGeometry()
        x = min(max(above.x(), available.left()), available.right() - self.width())
        self.move(x, max(above.y(), available.top()))
        self.show()
        self._temperature.setFocus()

    def options(self) -> SamplingOptions:
        """What the fields say; one that is empty or out of its range counts as empty."""
        return SamplingOptions(
            temperature=_number(self._temperature),
            top_p=_number(self._top_p) or None,  # 0 would leave no token to choose
            max_tokens=_whole_number(self._max_tokens),
            seed=_whole_number(self._seed),
        )

    def hideEvent(self, event: QHideEvent) -> None:
        """Closing it is what applies it."""
        super().hideEvent(event)
        options = self.options()
        if options != self._before:
            self._before = options
            self.changed.emit(options)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A raised surface with a line around it, which popups do not get from the style sheet."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.setBrush(self.palette().color(QPalette.ColorRole.AlternateBase))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _show(self, options: SamplingOptions) -> None:
        locale = _locale()
        for field, value in ((self._temperature, options.temperature), (self._top_p, options.top_p)):
            field.setText("" if value is None else locale.toString(value, "g", 6))
        for field, whole in ((self._max_tokens, options.max_tokens), (self._seed, options.seed)):
            field.setText("" if whole is None else locale.toString(whole))

    def _field(self, name: str, low: float, high: float) -> QLineEdit:
        validator = QDoubleValidator(low, high, 4, self)
        validator.setNotation(QDoubleValidator.Notation.StandardNotation)
        validator.setLocale(_locale())
        return self._line(name, validator, f"{low:g} – {high:g}")

    def _whole(self, name: str, low: int, high: int) -> QLineEdit:
        validator = QIntValidator(low, high, self)
        validator.setLocale(_locale())
        return self._line(name, validator, "")

    def _line(self, name: str, validator: QDoubleValidator | QIntValidator, hint: str) -> QLineEdit:
        field = QLineEdit()
        field.setValidator(validator)
        field.setAccessibleName(name)
        field.setPlaceholderText(self.tr("model's default"))
        field.setToolTip(hint)
        field.setClearButtonEnabled(True)
        field.setMaximumWidth(160)
        return field

    def _arrange(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        rows = (
            ("temperature", self._temperature, self.tr("0 always takes the likeliest token; higher is more varied.")),
            ("top_p", self._top_p, self.tr("Only the likeliest tokens that together reach this share are drawn from.")),
            ("max_tokens", self._max_tokens, self.tr("The answer ends after so many tokens at the latest.")),
            ("seed", self._seed, self.tr("The same seed, prompt and batch draw the same tokens.")),
        )
        for name, field, sentence in rows:
            label = role_label(name, "mono")
            for part in (label, field):
                part.setToolTip(
                    " ".join(text for text in (sentence, field.toolTip() and f"({field.toolTip()})") if text)
                )
            label.setBuddy(field)
            form.addRow(label, field)
        reset = PlainButton(self.tr("Model's defaults"), "link")
        reset.clicked.connect(lambda: self._show(SamplingOptions()))
        done = PlainButton(self.tr("Done"))
        done.clicked.connect(self.close)
        row = QHBoxLayout()
        row.addWidget(reset)
        row.addStretch(1)
        row.addWidget(done)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(10)
        column.addWidget(role_label(self.tr("How answers are sampled"), "panelTitle"))
        column.addLayout(form)
        column.addLayout(row)


def _locale() -> QLocale:
    """The user's locale without group separators, which a seed should not have."""
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator | QLocale.NumberOption.RejectGroupSeparator)
    return locale


def _number(field: QLineEdit) -> float | None:
    if not field.text().strip() or not field.hasAcceptableInput():
        return None
    value, valid = _locale().toDouble(field.text())
    return value if valid else None


def _whole_number(field: QLineEdit) -> int | None:
    value = _number(field)
    return None if value is None else int(value)
