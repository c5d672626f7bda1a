"""The editor of speculative decoding: method, draft checkpoint, tokens, n-gram lengths; or vLLM's JSON itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QSpinBox, QWidget

from app.widgets.labels import role_label, show_role
from app.widgets.parameter_fields import ChoiceField
from app.wording.engine import worded
from engine.domain.errors import ParameterInvalid
from engine.parameters.speculation import (
    DEFAULT_TOKENS,
    DRAFT,
    LOOKUP_DEFAULT,
    METHODS,
    MOST_LOOKUP,
    MOST_TOKENS,
    NEED_DRAFT,
    NGRAM,
    Speculation,
    read_speculation,
    with_method,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QWheelEvent

    from engine.checkpoints.drafts import DraftFit
    from engine.domain.lifecycle import ParameterValue

_OFF, _JSON = "", "json"
_START = 4


class _Count(QSpinBox):
    """A whole number; the wheel scrolls the table unless it has the focus."""

    def __init__(self, name: str, most: int) -> None:
        super().__init__()
        self.setRange(1, most)
        self.setKeyboardTracking(False)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(_START, 0, 0, 0)  # a style sheet's padding does not reach a spin box's text
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("88") + 40 + _START)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Not without the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class SpeculationField(QWidget):
    """Shows and edits the value of `speculative_config`. `drafts_asked` wants `show_drafts` for the model."""

    committed = Signal(object)
    drafts_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ParameterValue = None
        self._present: Speculation | None = None
        self._wanted = _OFF
        self._fits: tuple[DraftFit, ...] | None = None
        self._names: dict[str, str] = {}
        self.method = ChoiceField((), optional=False)
        self.method.addItem(self.tr("off"), _OFF)
        for method in METHODS:
            self.method.addItem(self._method_name(method), method)
        self.method.addItem(self.tr("as JSON"), _JSON)
        self.draft = ChoiceField((), optional=False)
        self.tokens = _Count(self.tr("Tokens guessed a step"), MOST_TOKENS)
        self.low = _Count(self.tr("Shortest n-gram looked up"), MOST_LOOKUP)
        self.high = _Count(self.tr("Longest n-gram looked up"), MOST_LOOKUP)
        self.json = QLineEdit()
        self.json.setPlaceholderText('{"method": "ngram", "num_speculative_tokens": 4}')
        self.note = role_label("", "caption", wrap=True)
        self._labels = {
            "draft": role_label(self.tr("draft"), "faint"),
            "tokens": role_label(self.tr("tokens"), "faint"),
            "low": role_label(self.tr("n-gram"), "faint"),
            "high": role_label("–", "faint"),
        }
        self._arrange()
        self._connect()
        self.setFocusProxy(self.method)
        self.show_value(None)

    # What the table asks of an editor

    def show_value(self, value: ParameterValue) -> None:
        """Show `value` without telling anyone."""
        self._shown = value
        try:
            self._present = read_speculation(value)
        except ParameterInvalid:
            self._present = None
            self._wanted = _JSON
        else:
            known = self._present is None or self._present.method in METHODS
            self._wanted = (self._present.method if self._present is not None else _OFF) if known else _JSON
        self._draw()

    def current(self) -> ParameterValue:
        """The value as vLLM takes it; None where nothing is guessed ahead."""
        return self._shown

    def setAccessibleName(self, name: str) -> None:
        """Name the parts, which are what a screen reader meets."""
        super().setAccessibleName(name)
        self.method.setAccessibleName(self.tr("{}: method").format(name))
        self.draft.setAccessibleName(self.tr("{}: draft checkpoint").format(name))
        self.json.setAccessibleName(self.tr("{} as JSON").format(name))

    # What the panel tells it

    def show_drafts(self, fits: Sequence[DraftFit] | None, names: dict[str, str]) -> None:
        """The checkpoints that were held against the model, by path; None: not looked at yet."""
        self._fits, self._names = None if fits is None else tuple(fits), names
        if self._wanted in NEED_DRAFT and self._present is None and self._fits is not None:
            first = next((fit for fit in self._fits if self._suits(fit) and fit.problem is None), None)
            if first is not None:
                self._commit(with_method(None, self._wanted, first.path))
                return
        self._draw()

    # Inside

    def _method_name(self, method: str) -> str:
        return {
            NGRAM: self.tr("n-grams of the request"),
            DRAFT: self.tr("draft model"),
            "eagle": "EAGLE",
            "eagle3": "EAGLE-3",
            "mtp": self.tr("the model's own layers (MTP)"),
        }[method]

    def _arrange(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        grid.addWidget(self.method, 0, 0, 1, 4)
        grid.addWidget(self._labels["draft"], 1, 0)
        grid.addWidget(self.draft, 1, 1, 1, 3)
        grid.addWidget(self._labels["tokens"], 2, 0)
        grid.addWidget(self.tokens, 2, 1)
        grid.addWidget(self._labels["low"], 3, 0)
        grid.addWidget(self.low, 3, 1)
        grid.addWidget(self._labels["high"], 3, 2)
        grid.addWidget(self.high, 3, 3)
        grid.addWidget(self.json, 4, 0, 1, 4)
        grid.addWidget(self.note, 5, 0, 1, 4)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)

    def _connect(self) -> None:
        self.method.committed.connect(lambda value: self._choose(str(value or _OFF)))
        self.draft.committed.connect(self._choose_draft)
        self.tokens.valueChanged.connect(lambda value: self._change(tokens=value))
        self.low.valueChanged.connect(lambda value: self._change(lookup_min=value))
        self.high.valueChanged.connect(lambda value: self._change(lookup_max=value))
        self.json.editingFinished.connect(self._take_json)

    def _choose(self, method: str) -> None:
        self._wanted = method
        if method == _OFF:
            self._commit(None)
        elif method == _JSON:
            self._draw()
            self.json.setFocus()
        elif method not in NEED_DRAFT:
            self._commit(with_method(self._present, method, None))
        else:
            self._present = None  # what fits is not known yet
            self._draw()
            self.drafts_asked.emit()
            if self._fits is not None:
                self.show_drafts(self._fits, self._names)

    def _choose_draft(self, path: object) -> None:
        if isinstance(path, str):
            self._commit(with_method(self._present, self._wanted, path))

    def _change(self, **values: int) -> None:
        if self._present is not None:
            changed = replace(self._present, **values)  # type: ignore[arg-type]  # of the names above
            low, high = changed.lookup_min, changed.lookup_max
            if low is not None and high is not None and low > high:
                both = {"lookup_max": low} if "lookup_min" in values else {"lookup_min": high}
                changed = replace(changed, **both)  # type: ignore[arg-type]
            self._commit(changed)

    def _take_json(self) -> None:
        text = self.json.text().strip() or None
        if self._wanted == _JSON and text != self._shown:
            self._shown = text
            self.committed.emit(text)

    def _commit(self, wanted: Speculation | None) -> None:
        text = None if wanted is None else wanted.text()
        self._present = wanted
        self._draw()
        if text != self._shown:
            self._shown = text
            self.committed.emit(text)

    def _suits(self, fit: DraftFit) -> bool:
        """Whether this checkpoint drafts by the chosen method (an EAGLE-3 head says so itself)."""
        return fit.method == self._wanted

    # Drawing

    def _draw(self) -> None:
        parts = (self.method, self.draft, self.tokens, self.low, self.high, self.json)
        for part in parts:
            part.blockSignals(True)
        method, present = self._wanted, self._present
        self.method.setCurrentIndex(max(0, self.method.findData(method)))
        self._draw_drafts()
        self.tokens.setValue((present.tokens if present is not None else None) or DEFAULT_TOKENS)
        low = present.lookup_min if present is not None else None
        high = present.lookup_max if present is not None else None
        self.low.setValue(low or high or LOOKUP_DEFAULT)
        self.high.setValue(high or low or LOOKUP_DEFAULT)
        self.json.setText("" if self._shown is None else str(self._shown))
        self.json.setCursorPosition(0)
        for part in parts:
            part.blockSignals(False)
        guessing = method not in (_OFF, _JSON)
        shown = {
            "draft": method in NEED_DRAFT,
            "tokens": guessing and present is not None,
            "low": method == NGRAM,
            "high": method == NGRAM,
        }
        for name, is_shown in shown.items():
            self._labels[name].setVisible(is_shown)
            getattr(self, name).setVisible(is_shown)
        self.json.setVisible(method == _JSON)
        self._draw_note()

    def _draw_drafts(self) -> None:
        present = self._present.model if self._present is not None else None
        self.draft.clear()
        for fit in self._fits or ():
            if self._suits(fit):
                self.draft.addItem(self._names.get(fit.path, fit.path), fit.path)
                index = self.draft.count() - 1
                self.draft.setItemData(index, worded(fit.problem or fit.advice), Qt.ItemDataRole.ToolTipRole)
                item = self.draft.model().item(index)  # type: ignore[attr-defined]  # a combo's own model has items
                item.setEnabled(fit.problem is None)
        if present is not None and self.draft.findData(present) < 0:
            self.draft.addItem(self._names.get(present, present), present)
        self.draft.setCurrentIndex(-1 if present is None else self.draft.findData(present))

    def _draw_note(self) -> None:
        text, role = self._note()
        self.note.setText(text)
        show_role(self.note, role)
        self.note.setVisible(bool(text))

    def _note(self) -> tuple[str, str]:
        if self._wanted not in NEED_DRAFT:
            return "", "caption"
        if self._fits is None:
            return self.tr("Looking for checkpoints that fit…"), "caption"
        chosen = self._present.model if self._present is not None else None
        fit = next((each for each in self._fits if each.path == chosen), None)
        if fit is not None:
            return (worded(fit.problem), "error") if fit.problem else (worded(fit.advice), "warning")
        suited = [each for each in self._fits if self._suits(each)]
        if any(each.problem is None for each in suited):
            return self.tr("Choose the draft."), "caption"
        if suited:
            return self.tr("No checkpoint of the library fits: {}").format(worded(suited[0].problem or "")), "warning"
        words = QLocale().quoteString(self._method_name(self._wanted))
        return self.tr("The library has no checkpoint for {}.").format(words), "warning"
