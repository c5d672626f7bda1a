"""The row between the figures and the block map: colour mode, pause, zoom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.widgets.block_map_group_choice import GroupChoice
from app.widgets.block_map_palette import ColourMode
from app.widgets.icon import IconButton
from app.widgets.labels import role_label
from app.widgets.segmented import Segmented

if TYPE_CHECKING:
    from engine.domain.kv_groups import KvCacheGroup


class BlockMapToolbar(QWidget):
    """Colour mode at the leading side, pause and zoom at the trailing one."""

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
        row.addWidget(self.modes)
        row.addSpacing(6)
        row.addWidget(self.groups)
        row.addStretch(1)
        row.addWidget(self.paused_note)
        row.addSpacing(4)
        for button in (self.pause, out, into, fit):
            row.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
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

    def next_mode(self, mode: ColourMode) -> ColourMode:
        """The colour mode after this one, of those that there are buttons for."""
        modes = [one for one in ColourMode if not self.modes.button(one.value).isHidden()]
        return modes[(modes.index(mode) + 1) % len(modes)] if mode in modes else modes[0]

    def show_groups(self, groups: tuple[KvCacheGroup, ...]) -> None:
        """Offer these KV-cache groups, where there are several."""
        self.groups.show_groups(groups)
        self.modes.button(ColourMode.GROUP.value).setVisible(len(groups) > 1)

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
