"""The row between the figures and the block map: colour mode, pause, zoom."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.widgets.block_map_palette import ColourMode
from app.widgets.icon import IconButton
from app.widgets.labels import role_label
from app.widgets.segmented import Segmented


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
        ))
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
        }
        for mode, meaning in meanings.items():
            self.modes.button(mode.value).setToolTip(meaning)

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
