"""The settings of outgoing models: whether they are kept, and how many of them at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QSpinBox, QWidget

from app.preferences import KEEP, KEEP_GIB, KEEP_GIB_LIMIT, KEEP_MOST, KEEP_MOST_LIMIT
from app.widgets.labels import role_label
from app.widgets.segmented import Segmented
from engine.domain.sleepers import Keep

if TYPE_CHECKING:
    from app.preferences import Preferences

_GIB = 1 << 30


class KeepFields(QWidget):
    """Two rows for a form: `choice` and `limits`. In force from the next switch on."""

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hide()  # its two parts are what is shown
        self._preferences = preferences
        self.choice = Segmented(
            self.tr("Outgoing model"),
            (
                (Keep.OFF.value, self.tr("end it")),
                (Keep.ON.value, self.tr("keep it warm")),
                (Keep.MEMORY.value, self.tr("if memory allows")),
            ),
        )
        self.choice.show_key(preferences.keep.keep.value)
        self.choice.setToolTip(
            self.tr(
                "A model that is kept is back in a moment. On a GPU it sleeps with its weights in main memory, on the "
                "CPU it stays there as it is."
            )
        )
        self.limits = QWidget()
        self._most = QSpinBox()
        self._bytes = QDoubleSpinBox()
        self._arrange()
        self.choice.chosen.connect(self._choose)
        self._most.valueChanged.connect(lambda value: preferences.set(KEEP_MOST, value))
        self._bytes.valueChanged.connect(lambda value: preferences.set(KEEP_GIB, value))

    def _choose(self, key: str) -> None:
        self._preferences.set(KEEP, key)
        self.limits.setEnabled(key != Keep.OFF.value)

    def _arrange(self) -> None:
        policy = self._preferences.keep
        self._most.setAccessibleName(self.tr("Most models that wait"))
        self._most.setRange(0, KEEP_MOST_LIMIT)
        self._most.setSpecialValueText(self.tr("automatic"))
        self._most.setValue(policy.most or 0)
        self._bytes.setAccessibleName(self.tr("Main memory of models that wait"))
        self._bytes.setRange(0, KEEP_GIB_LIMIT)
        self._bytes.setDecimals(1)
        self._bytes.setSuffix(self.tr(" GiB"))
        self._bytes.setSpecialValueText(self.tr("automatic"))
        self._bytes.setValue((policy.most_bytes or 0) / _GIB)
        for field in (self._most, self._bytes):
            field.lineEdit().setTextMargins(6, 0, 6, 0)  # a style sheet's padding does not reach a spin box's text
            field.ensurePolished()
            field.setMinimumWidth(field.sizeHint().width() + 14)  # nor do the margins reach its size hint
        self.limits.setEnabled(policy.keep is not Keep.OFF)
        self.limits.setToolTip(self.tr("Over a limit, the one used least recently is ended."))
        row = QHBoxLayout(self.limits)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._most)
        row.addWidget(role_label(self.tr("models,"), "muted"))
        row.addWidget(self._bytes)
        row.addWidget(role_label(self.tr("of main memory"), "muted"))
        row.addStretch(1)
