"""What the KV cache panel says while no engine runs, with the one act that brings blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.widgets.empty_state import EmptyState
from app.widgets.stage_names import stage_name
from app.wording.engine import worded
from engine.checkpoints.find import name_of
from engine.domain.checkpoint import VerdictKind
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.lifecycle import Lifecycle


class CacheEmpty(EmptyState):
    """Follows lifecycle and library: loads what was last loaded, or the first checkpoint that runs, or builds one."""

    def __init__(self, store: Store, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__("cache", "", "", "", parent)
        self._store = store
        self._commands = commands
        self.activated.connect(self._act)
        for signal in (store.lifecycle_changed, store.library_changed, store.starter_changed):
            signal.connect(self._show)
        self._show()

    def _show(self, *_topic: object) -> None:
        lifecycle = self._store.lifecycle
        title = self.tr("Every block of the KV cache, live")
        if lifecycle.phase in (Phase.FAILED, Phase.CRASHED):
            failure = lifecycle.failure
            title = self.tr("The engine died") if lifecycle.phase is Phase.CRASHED else self.tr("The load failed")
            text = f"{worded(failure.message)} {worded(failure.remedy)}" if failure is not None else ""
            self.show_state("warning", title, text.strip(), self.tr("Load again"))
        elif lifecycle.phase is Phase.LOADING:
            self.show_state("cache", title, self._loading_text(lifecycle))
        elif lifecycle.phase is Phase.UNLOADING:
            self.show_state("cache", title, self.tr("The engine is ending and giving its memory back."))
        elif lifecycle.phase is Phase.ASLEEP and lifecycle.checkpoint is not None:
            text = self.tr("{0} is asleep. Its blocks are here as soon as it is awake.")
            self.show_state("cache", title, text.format(name_of(lifecycle.checkpoint)), self.tr("Wake"))
        elif lifecycle.phase in (Phase.READY, Phase.ASLEEP):
            self.show_state("cache", title, self.tr("Waiting for the engine's first picture of its cache."))
        else:
            self._show_offer(title)

    def _loading_text(self, lifecycle: Lifecycle) -> str:
        running = [timing.stage for timing in lifecycle.stages if timing.ended_s is None]
        if not running:
            return self.tr("The model is loading. The map appears when vLLM has laid out the cache.")
        return self.tr("The model is loading: {0}. The map appears when vLLM has laid out the cache.").format(
            stage_name(running[-1])
        )

    def _show_offer(self, title: str) -> None:
        text = self.tr(
            "One cell a block: free, cached, used by one request or shared by several. Load a model, and it fills "
            "as requests run."
        )
        checkpoint = self._candidate()
        if checkpoint is not None:
            self.show_state("cache", title, text, self.tr("Load {0}").format(checkpoint.name))
        elif self._store.starter is not None and self._store.starter.running:
            self.show_state("cache", title, text + " " + self.tr("The starter model is being built."))
        elif self._store.library is not None and not self._store.library.scanning:
            self.show_state("cache", title, text, self.tr("Build the starter model"))
        else:
            self.show_state("cache", title, text)

    def _candidate(self) -> Checkpoint | None:
        library = self._store.library
        if library is None:
            return None
        able = [one for one in library.checkpoints
                if one.problem is None and one.verdict.kind is not VerdictKind.REFUSED]
        last = self._store.lifecycle.previous_checkpoint or self._store.lifecycle.checkpoint
        return next((one for one in able if one.path == last), able[0] if able else None)

    def _act(self) -> None:
        if self._store.lifecycle.phase in (Phase.FAILED, Phase.CRASHED):
            self._commands.reload()
            return
        if self._store.lifecycle.phase is Phase.ASLEEP and self._store.lifecycle.checkpoint is not None:
            self._commands.load(self._store.lifecycle.checkpoint)
            return
        checkpoint = self._candidate()
        if checkpoint is not None:
            self._commands.load(checkpoint.path)
        else:
            self._commands.build_starter()
