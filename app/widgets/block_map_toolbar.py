"""The row between the figures and the block map: colour mode, pause, zoom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLayout, QSizePolicy, QWidget

from app.widgets.block_map_group_choice import GroupChoice
from app.widgets.block_map_palette import ColourMode
from app.widgets.icon import IconButton
from app.widgets.labels import role_label
from app.widgets.named_combo import NamedCombo
from app.widgets.segmented import Segmented

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from engine.domain.kv_groups import KvCacheGroup

_SPACES = 28  # between the parts of the row


class BlockMapToolbar(QWidget):
    """Colour mode at the leading side, pause and zoom at the trailing one.

    Where there is no room for a button for each colour mode, a list has them.
    """

    mode_chosen = Signal(str)
    pause_toggled = Signal(bool)
    zoom_asked = Signal(int)
    fit_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.modes = Segmented(self.tr("Colour by"), (
            (ColourMode.STATE.value, self.tr("State")), (ColourMode.REQUEST.value, self.tr("Request")),
            (ColourMode.AGE.value, self.tr("Age")), (ColourMode.OWNERS.value, self.tr("Owners")),
            (ColourMode.REUSE.value, self.tr("Reuse")), (ColourMode.GROUP.value, self.tr("Group")),
        ))
        self.modes.button(ColourMode.GROUP.value).hide()
        self.mode_list = NamedCombo()
        self.mode_list.setAccessibleName(self.tr("Colour by"))
        self.mode_list.hide()
        self.mode_list.activated.connect(lambda place: self.mode_chosen.emit(self.mode_list.itemData(place)))
        self.groups = GroupChoice()
        self.modes.chosen.connect(self.mode_chosen)
        self._explain_modes()
        self.paused_note = role_label(self.tr("paused"), "warning")
        self.paused_note.setToolTip(self.tr("The view is frozen; the engine and its data go on."))
        self.pause = IconButton("pause", self.tr("Pause the view (Space)"))
        self.pause.setCheckable(True)
        self.pause.toggled.connect(self.pause_toggled)
        out = IconButton("remove", self.tr("Zoom out (-)"))
        into = IconButton("add", self.tr("Zoom in (+)"))
        fit = IconButton("fit", self.tr("Show all blocks (0)"))
        out.clicked.connect(lambda: self.zoom_asked.emit(-1))
        into.clicked.connect(lambda: self.zoom_asked.emit(1))
        fit.clicked.connect(self.fit_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        row.addWidget(self.modes)
        row.addWidget(self.mode_list)
        row.addSpacing(6)
        row.addWidget(self.groups)
        row.addStretch(1)
        row.addWidget(self.paused_note)
        row.addSpacing(4)
        self._trailing = (self.pause, out, into, fit)
        self._choices: tuple[QComboBox, ...] = (self.groups,)
        for button in self._trailing:
            row.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._list_modes()
        self.show_paused(paused=False)

    def _explain_modes(self) -> None:
        meanings = {
            ColourMode.STATE: self.tr("Colour blocks by free, cached, used, shared"),
            ColourMode.REQUEST: self.tr("A colour for each request; shared blocks keep their own"),
            ColourMode.AGE: self.tr("How many steps ago a block was last used"),
            ColourMode.OWNERS: self.tr("How many requests own a block"),
            ColourMode.REUSE: self.tr("How often a later request found what the block holds in the prefix cache"),
            ColourMode.GROUP: self.tr("Which KV-cache group a block belongs to; dimmed where it is only cached"),
        }
        for mode, meaning in meanings.items():
            self.modes.button(mode.value).setToolTip(self.tr("{0} (C goes to the next)").format(meaning))

    def add_choice(self, choice: QComboBox) -> None:
        """One more list beside that of the KV-cache groups."""
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        row.insertWidget(row.indexOf(self.groups), choice)
        self._choices = (*self._choices, choice)

    def next_mode(self, mode: ColourMode) -> ColourMode:
        """The colour mode after this one, of those that there are buttons for."""
        modes = [one for one in ColourMode if not self.modes.button(one.value).isHidden()]
        return modes[(modes.index(mode) + 1) % len(modes)] if mode in modes else modes[0]

    def show_groups(self, groups: tuple[KvCacheGroup, ...]) -> None:
        """Offer these KV-cache groups, where there are several."""
        self.groups.show_groups(groups)
        several = len(groups) > 1
        if self.modes.button(ColourMode.GROUP.value).isHidden() == several:
            self.modes.button(ColourMode.GROUP.value).setVisible(several)
            self._list_modes()
            self._make_room()

    def show_mode(self, mode: ColourMode) -> None:
        """Show which colour mode is in force."""
        self.modes.show_key(mode.value)
        self.mode_list.setCurrentIndex(self.mode_list.findData(mode.value))

    def _list_modes(self) -> None:
        present = self.modes.key
        self.mode_list.clear()
        for mode in ColourMode:
            button = self.modes.button(mode.value)
            if not button.isHidden():
                self.mode_list.addItem(button.text(), mode.value)
        self.mode_list.setCurrentIndex(self.mode_list.findData(present))

    def _make_room(self) -> None:
        """Buttons where there is room for all of them, else the list."""
        row = self.layout()
        assert row is not None
        there = [*self._choices, self.paused_note, *self._trailing]
        beside = sum(one.sizeHint().width() for one in there if not one.isHidden() or one is self.paused_note)
        fits = self.modes.sizeHint().width() + beside + _SPACES <= self.width()
        self.modes.setVisible(fits)
        self.mode_list.setVisible(not fits)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Buttons or list."""
        super().resizeEvent(event)
        self._make_room()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs another width."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and self.layout() is not None:
            self._make_room()

    def minimumSizeHint(self) -> QSize:
        """As narrow as the list makes it."""
        return QSize(200, self.sizeHint().height())

    def show_paused(self, *, paused: bool) -> None:
        """Show whether the view is frozen."""
        self.pause.setChecked(paused)
        self.pause.show_icon("play" if paused else "pause")
        text = self.tr("Go on (Space)") if paused else self.tr("Pause the view (Space)")
        self.pause.setToolTip(text)
        self.pause.setAccessibleName(text)
        policy = self.paused_note.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.paused_note.setSizePolicy(policy)
        self.paused_note.setVisible(paused)
        self.paused_note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not paused)
