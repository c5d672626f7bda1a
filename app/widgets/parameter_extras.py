"""What stands between the rows of the parameter table: speculation at work, adapters, and what special editors need."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.widgets.adapters_card import AdaptersCard
from app.widgets.gpu_field import GpuField
from app.widgets.lab_sentences import sentence
from app.widgets.speculation_card import SpeculationCard, speed_words
from app.widgets.speculation_field import SpeculationField
from app.wording.engine import worded
from engine.domain.lifecycle import Phase
from engine.tuner.outcome import ABResult
from engine.tuner.speculation import is_of_speculation, speculation_ab, speed_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.bridge.adapter_desk import AdapterDesk
    from app.bridge.lab import Lab
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.theme.tokens import Theme
    from app.widgets.parameter_row import ParameterRow
    from engine.checkpoints.drafts import DraftFit
    from engine.domain.gpu import GpuLink

_SPECULATION, _GPUS, _AFTER_ADAPTERS = "speculative_config", "gpu_uuids", "max_lora_rank"


class ParameterExtras(QObject):
    """Feeds the special editors and the cards under their rows from the Store; the panel calls `draw` while visible."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        lab: Lab | None,
        adapters: AdapterDesk | None,
        theme: Theme,
        rows: Mapping[str, ParameterRow],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._panel = parent
        self._store, self._tasks, self._lab = store, tasks, lab
        self.speculation = SpeculationCard(theme)
        self.adapters = AdaptersCard()
        self._places = {_SPECULATION: _place(self.speculation), _AFTER_ADAPTERS: _place(self.adapters)}
        speculation, gpus = rows[_SPECULATION].field, rows[_GPUS].field
        assert isinstance(speculation, SpeculationField)
        assert isinstance(gpus, GpuField)
        self._field, self._gpus = speculation, gpus
        self._links: tuple[GpuLink, ...] | None = None
        self._looked_for: tuple[str, ...] = ()
        speculation.drafts_asked.connect(self._look_for_drafts)
        self.speculation.measure_asked.connect(self._measure)
        self.adapters.setEnabled(adapters is not None)  # in a recording they are only shown
        if adapters is not None:
            self.adapters.load_asked.connect(adapters.load)
            self.adapters.unload_asked.connect(adapters.unload)
            self.adapters.find_asked.connect(adapters.find)
        for signal in (store.serving_changed, store.lab_job_changed, store.adapters_changed, store.hardware_changed):
            signal.connect(self.draw)

    def after(self, name: str) -> tuple[QWidget, ...]:
        """What stands under this row."""
        return (self._places[name],) if name in self._places else ()

    def show_after(self, name: str, *, shown: bool) -> None:
        """Show or hide what stands under this row, as the row itself is."""
        if name in self._places:
            self._places[name].setVisible(shown)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.speculation.use_theme(theme)

    def draw(self) -> None:
        """Show the newest; costs nothing while the table cannot be seen."""
        if not self._panel.isVisible():
            return
        self.adapters.show_state(self._store.adapters)
        self._draw_speculation()
        self._draw_gpus()

    # Speculation

    def _in_force(self) -> str | None:
        facts = self._store.lifecycle.facts
        value = facts.parameters.get(_SPECULATION) if facts is not None else None
        return value if isinstance(value, str) and value else None

    def _draw_speculation(self) -> None:
        serving, ready = self._store.serving, self._store.lifecycle.phase is Phase.READY
        runs = ready and self._in_force() is not None
        stats = serving.speculation if serving is not None else None
        job = self._store.lab_job
        ours = job is not None and is_of_speculation(job.spec)
        self.speculation.show_stats(stats, runs=runs)
        text, role, going = "", "caption", job is not None and job.going
        if job is not None and ours:
            if job.going:
                update = job.update
                text = sentence(update.saying) if update is not None else self.tr("Measuring…")
            elif isinstance(job.result, ABResult):
                text, role = speed_words(speed_up(job.result))
            elif job.message:
                text, role = f"{worded(job.message)} {worded(job.remedy)}".strip(), "error"
        wanted = runs or bool(self._asked())
        can = self._lab is not None and self._store.replay is None and ready and not going and wanted
        self.speculation.show_outcome(text, role, can_measure=can)
        self.speculation.setVisible(runs or bool(text) or can)

    def _asked(self) -> str | None:
        """What would be measured: the edit, else what is in force."""
        edits = self._store.edits.values
        value = edits.get(_SPECULATION) if _SPECULATION in edits else self._in_force()
        return value if isinstance(value, str) and value else None

    def _measure(self) -> None:
        value = self._asked() or self._in_force()
        if value is not None and self._lab is not None:
            self._lab.search.start(speculation_ab(value))

    def _look_for_drafts(self) -> None:
        library, lifecycle = self._store.library, self._store.lifecycle
        target = lifecycle.checkpoint or lifecycle.previous_checkpoint
        known = library.checkpoints if library is not None else ()
        names = {each.path: f"{each.name} · {each.quantization.label}" for each in known}
        if target is None:
            self._field.show_drafts((), names)
            return
        paths = tuple(each.path for each in known if each.problem is None and each.path != target)
        self._tasks.start(self._hold_against(target, paths, names), self.tr("Look for drafts"))

    async def _hold_against(self, target: str, paths: tuple[str, ...], names: dict[str, str]) -> None:
        self._field.show_drafts(await asyncio.to_thread(_fits, target, paths), names)

    # GPUs

    def _draw_gpus(self) -> None:
        hardware = self._store.hardware
        if hardware is None or not hardware.gpus:
            return
        if self._links is None:
            self._links = ()
            if len(hardware.gpus) > 1:
                self._tasks.start(self._read_links(), self.tr("GPUs"))
        self._gpus.show_gpus(hardware.gpus, self._links)

    async def _read_links(self) -> None:
        self._links = await asyncio.to_thread(_links)
        self.draw()


def _place(card: QWidget) -> QWidget:
    """Where a card stands: hidden with its row, whatever the card itself has to say."""
    place = QWidget()
    column = QVBoxLayout(place)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(card)
    return place


def _fits(target: str, paths: tuple[str, ...]) -> tuple[DraftFit, ...]:
    from engine.checkpoints.drafts import fitting_drafts  # late: reads tokenizers, in the thread

    return fitting_drafts(target, paths)


def _links() -> tuple[GpuLink, ...]:
    from engine.gpu.nvml import Nvml

    nvml = Nvml()
    try:
        return nvml.read_links()
    finally:
        nvml.close()
