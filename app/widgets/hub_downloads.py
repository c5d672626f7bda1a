"""The downloads under way: one line each, with its progress and what can be done about it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.widgets.elided_label import ElidedLabel
from app.widgets.figures import duration, per_second, size
from app.widgets.icon import IconButton, Tint
from app.widgets.tab_order import tab_through
from app.wording.engine import worded
from engine.hub.records import DownloadState

if TYPE_CHECKING:
    from app.bridge.hub_desk import HubDesk
    from engine.hub.records import Download

_STEPS = 1000


class DownloadRow(QWidget):
    """One download: name, bar, words, and buttons to pause, go on, or take it out of the list."""

    def __init__(self, repo: str, desk: HubDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._repo, self._desk = repo, desk
        self.name = ElidedLabel("")
        self.name.show_text(repo)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(self.tr("Progress of {model}").format(model=repo))
        self.words = ElidedLabel("caption")
        self.toggle = IconButton("pause", self.tr("Pause"))
        self.remove = IconButton("clear", self.tr("Take out of the list"))
        self.toggle.clicked.connect(self._toggle)
        self.remove.clicked.connect(partial(desk.forget, repo))
        texts = QVBoxLayout()
        texts.setContentsMargins(0, 0, 0, 0)
        texts.setSpacing(3)
        for widget in (self.name, self.bar, self.words):
            texts.addWidget(widget)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(8)
        row.addLayout(texts, 1)
        row.addWidget(self.toggle, alignment=Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.remove, alignment=Qt.AlignmentFlag.AlignVCenter)

    def show_state(self, state: Download) -> None:
        """Draw it as it stands."""
        share = state.done_bytes / state.total_bytes if state.total_bytes else 0.0
        self.bar.setValue(round(_STEPS * min(1.0, share)))
        self.words.show_text(self._said(state))
        self.setToolTip("\n".join(filter(None, (worded(state.message), worded(state.remedy), state.path))))
        running = state.state is DownloadState.RUNNING
        self.toggle.show_icon("pause" if running else "play", Tint.ERROR if state.message else Tint.MUTED)
        label = self.tr("Pause") if running else self.tr("Go on")
        self.toggle.setToolTip(label)
        self.toggle.setAccessibleName(label)
        self.toggle.setVisible(state.state is not DownloadState.DONE)
        self.remove.setVisible(not running)

    def _said(self, state: Download) -> str:
        if state.state is DownloadState.DONE:
            return self.tr("{size}, complete and checked").format(size=size(state.total_bytes))
        if state.state is DownloadState.FAILED:
            return f"{worded(state.message)} {worded(state.remedy)}"
        amount = self.tr("{done} of {total}").format(done=size(state.done_bytes), total=size(state.total_bytes))
        if state.state is DownloadState.PAUSED:
            return self.tr("Paused at {amount}").format(amount=amount)
        parts = [amount]
        if state.bytes_per_s:
            parts.append(per_second(state.bytes_per_s / 2**20, "MiB"))
            parts.append(self.tr("{time} left").format(time=duration(state.remaining_s)))
        return "  ·  ".join([*parts, *([state.note] if state.note else [])])

    def _toggle(self) -> None:
        state = self._desk.downloads.get(self._repo)
        if state is not None and state.state is DownloadState.RUNNING:
            self._desk.pause(self._repo)
        else:
            self._desk.download(self._repo)


class HubDownloads(QWidget):
    """All downloads of this session, newest last; hidden while there is none."""

    def __init__(self, desk: HubDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._rows: dict[str, DownloadRow] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        desk.downloads_changed.connect(self._show)
        for repo in desk.downloads:
            self._show(repo)
        self.setVisible(bool(self._rows))

    def _show(self, repo: str) -> None:
        state = self._desk.downloads.get(repo)
        row = self._rows.get(repo)
        if state is None:
            if row is not None:
                del self._rows[repo]
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()
        else:
            if row is None:
                row = self._rows[repo] = DownloadRow(repo, self._desk)
                self._column.addWidget(row)
                tab_through(self, self._rows.values())
            row.show_state(state)
        self.setVisible(bool(self._rows))
