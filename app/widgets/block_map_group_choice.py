"""Which KV-cache groups the block map shows: all in one map, all side by side, or one alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from app.widgets.kv_group_words import group_name
from app.widgets.named_combo import NamedCombo

if TYPE_CHECKING:
    from engine.domain.kv_groups import KvCacheGroup

ALL = -1
SIDE_BY_SIDE = -2


class GroupChoice(NamedCombo):
    """Hidden where there is one group. `chosen` carries ALL, SIDE_BY_SIDE or a group's number."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[KvCacheGroup, ...] = ()
        self.setAccessibleName(self.tr("KV-cache groups shown"))
        self.setToolTip(self.tr("The layers of this model keep their cache in several groups, which share one pool"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()
        self.activated.connect(lambda place: self.chosen.emit(self.itemData(place)))

    @property
    def choice(self) -> int:
        """What is chosen now."""
        return ALL if self.currentIndex() < 0 else int(self.currentData())

    def show_groups(self, groups: tuple[KvCacheGroup, ...]) -> None:
        """Offer these; another model's begin with all. The same again costs nothing."""
        if groups == self._groups:
            return
        self._groups = groups
        self.clear()
        self.addItem(self.tr("All groups"), ALL)
        self.addItem(self.tr("Side by side"), SIDE_BY_SIDE)
        for index, group in enumerate(groups):
            self.addItem(group_name(index, group), index)
        self.setVisible(len(groups) > 1)
        self.chosen.emit(ALL)
