"""One row of the parameter table: mark, name, editor, unit, the engine's present value, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QSlider, QWidget

from app.theme.fonts import tabular
from app.widgets.figures import UNKNOWN, count
from app.widgets.gpu_field import GpuField
from app.widgets.icon import IconLabel, Tint
from app.widgets.labels import role_label, show_role
from app.widgets.offer_buttons import OfferButtons
from app.widgets.parameter_editors import editor_for
from app.widgets.parameter_fields import NumberField
from app.widgets.parameter_words import change_source, short_value, unit_name
from app.widgets.speculation_field import SpeculationField
from engine.domain.errors import ParameterInvalid
from engine.parameters.spec import Applies, ParameterSpec

if TYPE_CHECKING:
    from PySide6.QtGui import QWheelEvent

    from app.tables.parameters import RowState
    from engine.domain.lifecycle import ParameterValue
    from engine.parameters.offer import Offer

_SLIDER_STEPS = 1000
_EDITOR_WIDTH = 220
_NAME_WIDTH = 200
_UNBOUNDED = 16_777_215


class ParameterRow(QWidget):
    """`edited` carries a value that fits the row; one that does not is explained in place and goes nowhere."""

    edited = Signal(str, object)
    invalid_changed = Signal()

    def __init__(self, spec: ParameterSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self.setObjectName("parameterRow")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._is_live = spec.applies is Applies.LIVE
        self._state: RowState | None = None
        self._invalid = ""
        self._problem = ""
        self._mark = IconLabel("live" if self._is_live else "reload", 12, Tint.ACCENT if self._is_live else Tint.FAINT)
        self._mark.setToolTip(
            self.tr("Live: in force within one step, up to the capacity fixed at load")
            if self._is_live
            else self.tr("In force after a reload")
        )
        # A name as vLLM spells it is one word: it may break after an underscore where it does not fit.
        self._name = role_label(spec.name.replace("_", "_\u200b"), "", wrap=True)
        self._name.setAccessibleName(spec.name)
        self.field = editor_for(spec)
        self.field.setObjectName(f"param_{spec.name}")
        self.field.setAccessibleName(spec.name)
        self.field.setAccessibleDescription(spec.help)
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._unit = role_label(unit_name(spec.unit), "faint")
        self._present = role_label(UNKNOWN, "muted")
        self._present.setFont(tabular(self._present.font()))
        self._present.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self._note = role_label("", "caption", wrap=True)
        self.offers = OfferButtons()
        self.slider = _slider(self) if self._is_live and isinstance(self.field, NumberField) else None
        self._editor = self._make_editor()
        self._grid = QGridLayout(self)
        self._wide: bool | None = None
        self._explain()
        self._connect()
        self.show_wide(False)

    def show_state(self, state: RowState) -> None:
        """Show the newest values; an invalid text that is being written stays."""
        if state == self._state:
            return
        self._state = state
        if not self._invalid:
            self.field.show_value(state.shown)
        self._present.setText(self._present_text(state))
        self._present.setToolTip(self._present_tip(state))
        self._draw_slider(state)
        self._mark.show_icon("live" if self._is_live and (state.live or not state.runs) else "reload")
        _set_flag(self, "edited", state.is_edited)
        self._draw_note()

    def show_problem(self, text: str, *, blocking: bool, offers: tuple[Offer, ...] = ()) -> None:
        """Say what contradicts another row ("" for nothing), with the changes that would mend it."""
        self._problem = text
        self.offers.show_offers(offers)
        self._draw_note(role="error" if blocking else "warning")

    def show_wide(self, wide: bool) -> None:
        """One line where there is room, else the editor under the name."""
        if wide == self._wide:
            return
        self._wide = wide
        grid = self._grid
        for part in (self._mark, self._name, self._editor, self._unit, self._present, self._note, self.offers):
            grid.removeWidget(part)
        middle = Qt.AlignmentFlag.AlignVCenter
        grid.addWidget(self._mark, 0, 0, middle)
        if wide:
            grid.addWidget(self._name, 0, 1)
            grid.addWidget(self._editor, 0, 2)
            grid.addWidget(self._unit, 0, 3)
            grid.addWidget(self._present, 0, 4)
            grid.addWidget(self._note, 1, 1, 1, 4)
            grid.addWidget(self.offers, 2, 1, 1, 4)
        else:
            grid.addWidget(self._name, 0, 1, 1, 3)
            grid.addWidget(self._present, 0, 4)
            grid.addWidget(self._editor, 1, 1, 1, 4 if isinstance(self.field, SpeculationField | GpuField) else 2)
            grid.addWidget(self._unit, 1, 3, 1, 2)
            grid.addWidget(self._note, 2, 1, 1, 4)
            grid.addWidget(self.offers, 3, 1, 1, 4)
        grid.setColumnStretch(1, 1)
        unit = self.fontMetrics().horizontalAdvance("requests_")  # the longest, so that all editors end in one line
        self._unit.setMinimumWidth(unit)
        grid.setColumnMinimumWidth(4, unit if wide else 0)
        self._name.setMinimumWidth(_NAME_WIDTH if wide else 20)
        if wide:
            self._editor.setFixedWidth(_EDITOR_WIDTH)
        else:
            self._editor.setMinimumWidth(0)
            self._editor.setMaximumWidth(_UNBOUNDED)

    # Inside

    def _make_editor(self) -> QWidget:
        if self.slider is None:
            return self.field
        editor = QWidget()
        row = QHBoxLayout(editor)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.slider, 1)
        row.addWidget(self.field, 1)
        return editor

    def _connect(self) -> None:
        self._grid.setContentsMargins(16, 4, 14, 4)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(3)
        self.field.committed.connect(self._committed)
        if isinstance(self.field, NumberField):
            self.field.typed.connect(self._check)
        if self.slider is not None:
            self.slider.valueChanged.connect(self._slid)

    def _committed(self, value: ParameterValue) -> None:
        if self._check(value):
            self.edited.emit(self.spec.name, value)

    def _check(self, value: ParameterValue) -> bool:
        before = self._invalid
        try:
            self.spec.check(value)
        except ParameterInvalid:
            self._invalid = self._range_text()
        else:
            self._invalid = ""
        self._draw_note(role="error")
        if before != self._invalid:
            self.invalid_changed.emit()
        return not self._invalid

    def _range_text(self) -> str:
        """What fits, in the user's language and figures."""
        low, high = self.spec.minimum, self.spec.maximum
        if low is None or high is None:
            return self.tr("needs a value")
        empty = " " + self.tr("or auto") if self.spec.optional else ""
        return self.tr("from {low} to {high}{empty}").format(low=_number(low), high=_number(high), empty=empty)

    def revert(self) -> None:
        """Forget what cannot be taken over, and show what is in force."""
        self._invalid = ""
        if self._state is not None:
            self.field.show_value(self._state.shown)
        self._draw_note()

    @property
    def is_invalid(self) -> bool:
        """Whether the editor holds a value that does not fit the row."""
        return bool(self._invalid)

    def _slid(self, step: int) -> None:
        capacity = self._state.capacity if self._state is not None else None
        if capacity is not None:
            low = int(self.spec.minimum or 1)
            value = step if capacity <= _SLIDER_STEPS else max(low, round(capacity * step / _SLIDER_STEPS))
            self._invalid = ""
            self.edited.emit(self.spec.name, value)

    def _draw_slider(self, state: RowState) -> None:
        if self.slider is None:
            return
        self.slider.setVisible(state.capacity is not None)
        if state.capacity is None:
            return
        capacity = max(1, state.capacity)
        fine = capacity <= _SLIDER_STEPS
        shown = state.shown if isinstance(state.shown, int | float) else capacity
        value = min(max(0, shown), capacity)
        self.slider.blockSignals(True)
        self.slider.setRange(int(self.spec.minimum or 1) if fine else 1, capacity if fine else _SLIDER_STEPS)
        self.slider.setPageStep(max(1, self.slider.maximum() // 8))
        self.slider.setValue(round(value if fine else value / capacity * _SLIDER_STEPS))
        self.slider.blockSignals(False)

    def _draw_note(self, role: str = "error") -> None:
        state = self._state
        text, kind = self._invalid or self._problem, role
        if not text and state is not None and state.capacity is not None:
            text, kind = self._capacity_text(state, state.capacity)
        self._note.setText(text)
        self._note.setVisible(bool(text))
        if text:  # restyling what is not seen, twice a row, took most of the time that the panel takes to draw
            show_role(self._note, kind)
        _set_flag(self.field, "invalid", bool(self._invalid))

    def _capacity_text(self, state: RowState, capacity: int) -> tuple[str, str]:
        if state.is_edited and isinstance(state.shown, int | float):
            if state.shown > capacity:
                return self.tr("over the capacity {}: needs a reload").format(count(capacity)), "warning"
            if isinstance(state.present, int | float) and state.shown < state.present:
                return self.tr("lowering it frees no memory: the capacity {} stays").format(count(capacity)), "caption"
        return self.tr("capacity {}; more needs a reload").format(count(capacity)), "caption"

    def _present_tip(self, state: RowState) -> str:
        told, change = self.tr("What the engine reports"), state.changed
        if short_value(self.spec.name, state.present):
            told += f"\n{state.present}"
        if change is None:
            return told
        time = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(change.unix_s)).time())
        noted = self.tr("{before} → {after} at {time}, step {step}").format(
            before=self._value_text(change.before), after=self._value_text(change.after), time=time,
            step=count(change.step),
        )  # fmt: skip
        if change.preempted:
            noted += " · " + self.tr("{} preempted").format(count(change.preempted))
        if change.by:
            noted += " · " + change_source(change.by)
        return f"{told}\n{noted}"

    def _present_text(self, state: RowState) -> str:
        short = short_value(self.spec.name, state.present)
        return (short or self._value_text(state.present)) if state.runs else UNKNOWN

    def _value_text(self, value: ParameterValue) -> str:
        if value is None:
            return self.tr("auto") if self.spec.optional else UNKNOWN
        if isinstance(value, bool):
            return self.tr("on") if value else self.tr("off")
        if isinstance(value, int):
            return count(value)
        if isinstance(value, float):
            return _number(value)
        return str(value)

    def _explain(self) -> None:
        for part in (self._name, self.field):
            part.setToolTip(self.spec.help)
        self._present.setToolTip(self.tr("What the engine reports"))
        self._present.setAccessibleName(self.tr("{} in force").format(self.spec.name))


def _set_flag(widget: QWidget, name: str, on: bool) -> None:
    """A property that the style sheet asks for; styling again is slow, so only for a change."""
    if bool(widget.property(name) == "true") != on:
        widget.setProperty(name, "true" if on else "false")
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def _number(value: float) -> str:
    return count(value) if value == round(value) else QLocale().toString(value, "g", 4)


def _slider(parent: ParameterRow) -> QSlider:
    slider = _QuietSlider(Qt.Orientation.Horizontal)
    slider.setAccessibleName(parent.spec.name)
    slider.setMinimumWidth(60)
    slider.hide()
    return slider


class _QuietSlider(QSlider):
    """A slider that leaves the wheel to the table."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Not for this slider."""
        event.ignore()
