"""One click records; a red dot, the time and the size say that it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.widgets import figures
from app.widgets.icon import IconButton, Tint
from app.widgets.labels import TabularLabel

if TYPE_CHECKING:
    from app.bridge.store import RecordingState, Store


class RecordButton(QWidget):
    """Draws the RecordingState; `asked` says that a recording is to begin or to end."""

    asked = Signal()

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = IconButton("record", "")
        self.button.setObjectName("recordButton")
        self.button.setEnabled(False)
        self.button.clicked.connect(self.asked)
        self.words = TabularLabel("00:00 · 0.00\u202fMiB", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.button)
        row.addWidget(self.words)
        store.recording_changed.connect(self._show)
        self._show(store.recording)

    def use(self) -> None:
        """From now on a click is heard."""
        self.button.setEnabled(True)

    def _show(self, state: RecordingState) -> None:
        records = state.path is not None
        self.button.show_icon("recording" if records else "record", Tint.ERROR if records else Tint.MUTED)
        label = self.tr("Stop recording (Ctrl+R)") if records else self.tr("Record what happens (Ctrl+R)")
        self.button.setToolTip(f"{label}\n{state.path}" if records else label)
        self.button.setAccessibleName(label)
        self.words.setVisible(records)
        if records:
            mib = figures.significant(state.size_bytes / 1024**2)
            self.words.show_text(f"{clock_text(state.elapsed_s)} · {mib}\u202fMiB")


def clock_text(seconds: float, *, tenths: bool = False) -> str:
    """A time of a recording: minutes and seconds, hours where there are any ("1:02:03"), with tenths if asked."""
    whole = int(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"
    return f"{text}.{int(seconds * 10) % 10}" if tenths else text
