"""What a panel asks for, carried out: the one implementation of `app.bridge.commands.Commands`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from app.bridge.cache_questions import CacheQuestions
from app.bridge.saved_parameters import read_parameters, save_parameters
from app.bridge.sleeper_commands import SleeperCommands
from app.bridge.store import Edits, Notice
from engine.domain.errors import Cancelled, EngineBusy, KVDeckError
from engine.domain.lifecycle import Lifecycle, LoadRequest, Phase
from engine.parameters.catalog import LIVE_NAMES
from engine.parameters.changes import live_value
from engine.parameters.preset import presets
from engine.parameters.values import deviations, spec_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine, Sequence
    from pathlib import Path
    from typing import Any

    from PySide6.QtCore import QObject

    from app.bridge.engine_feed import EngineFeed
    from app.bridge.library_watch import LibraryWatch
    from app.bridge.starter_build import StarterBuild
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.client.engine import ChatDelta, ChatMessage, ChatOptions, EngineClient
    from engine.domain.lifecycle import LimitsRequest, LiveLimits, ParameterValue

log = logging.getLogger(__name__)


class EngineCommands(CacheQuestions, SleeperCommands):
    """Turns a panel's wishes into calls of the engine client; each is one task with an owner.

    Edits are wishes: they leave the Store when the engine reports them as in force, and what a load asked for is
    saved for its checkpoint once that load has become ready.
    """

    def __init__(
        self,
        *,
        store: Store,
        engine: EngineClient,
        feed: EngineFeed,
        tasks: Tasks,
        library: LibraryWatch,
        starter: StarterBuild,
        profile_folder: Path,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._feed = feed
        self._tasks = tasks
        self._library = library
        self._starter = starter
        self._profile_folder = profile_folder
        self._asked: LoadRequest | None = None
        self._unsaved: LoadRequest | None = None
        store.lifecycle_changed.connect(self._on_lifecycle)

    # --- The engine's life -------------------------------------------------------------------------------------

    def load(self, checkpoint: str) -> None:
        """Load or switch to a checkpoint with its saved parameters and the edits on top."""
        self._start(self._load(checkpoint), self.tr("Load"))

    def reload(self, changes: dict[str, ParameterValue] | None = None, *, end_sleepers: bool = False) -> None:
        """Load the present (or last) checkpoint again, with the edits and these changes on top of what it had."""
        self._start(self._reload(dict(changes or {}), end_sleepers=end_sleepers), self.tr("Reload"))

    def load_as(self, request: LoadRequest) -> None:
        """Load exactly this: a change that was offered when a load was refused."""
        self._start(self._send(request.checkpoint, dict(request.parameters)), self.tr("Load"))

    def reach_host(self, *, any_port: bool = False) -> None:
        """Bring the engine host up where none is there; `any_port`: on a free port, where the usual one is taken."""
        if any_port:
            self._engine.take_any_port()
        self._start(self._feed.connect_host(), self.tr("Engine host"))

    def cancel_load(self) -> None:
        """Stop the load in progress."""
        self._start(self._engine.cancel_load(), self.tr("Cancel"))

    def unload(self) -> None:
        """End the engine."""
        self._start(self._engine.unload(), self.tr("Unload"))

    def show_engine(self, rank: int) -> None:
        """Show this one of several data-parallel engines; says so where it publishes nothing."""
        self._feed.show_engine(rank)

    async def _load(self, checkpoint: str) -> None:
        saved = await asyncio.to_thread(read_parameters, self._profile_folder, checkpoint)
        for note in saved.notes:
            self._store.publish(Notice("warning", note))
        await self._send(checkpoint, {**saved.values, **self._store.edits.values})

    async def _reload(self, changes: dict[str, ParameterValue], *, end_sleepers: bool) -> None:
        lifecycle = self._store.lifecycle
        checkpoint = lifecycle.checkpoint or lifecycle.previous_checkpoint
        asked = self._asked
        if checkpoint is None and asked is not None:
            checkpoint = asked.checkpoint
        if checkpoint is None:
            raise EngineBusy(self.tr("No model has been loaded yet."), remedy=self.tr("Choose one in Models."))
        if asked is not None and asked.checkpoint == checkpoint:
            base = asked.parameters
        else:
            base = (await asyncio.to_thread(read_parameters, self._profile_folder, checkpoint)).values
        if end_sleepers:
            self._store.publish(await self._engine.end_sleeper())
        await self._send(checkpoint, {**base, **self._store.edits.values, **changes})

    async def _send(self, checkpoint: str, parameters: dict[str, ParameterValue]) -> None:
        request = LoadRequest(checkpoint, deviations(parameters))
        await self._feed.connect_host()
        try:
            await self._engine.load(request)
        except Cancelled:
            raise
        except KVDeckError as error:
            if self._is_shown(error):
                return
            log.warning("Load: %s", error)
            offers = tuple(
                (label, LoadRequest(checkpoint, deviations({**parameters, **changes})))
                for label, changes in error.offers
            )
            self._store.publish(Notice("error", error.message, error.remedy, offers, until_load=True))
            return
        self._asked = self._unsaved = request

    def _on_lifecycle(self, lifecycle: Lifecycle) -> None:
        facts = lifecycle.facts
        if lifecycle.phase is Phase.READY and facts is not None and facts.request is not None:
            self._asked = facts.request  # also of an engine that was woken, or that serves again
        request = self._unsaved
        if request is None or lifecycle.phase is not Phase.READY or lifecycle.checkpoint != request.checkpoint:
            return
        self._unsaved = None
        self._drop_edits(request.parameters)
        self._start(
            asyncio.to_thread(save_parameters, self._profile_folder, request.checkpoint, request.parameters),
            self.tr("Save parameters"),
        )

    # --- Parameters --------------------------------------------------------------------------------------------

    def apply_limits(self, request: LimitsRequest) -> None:
        """Change the live limits; the Store then holds what the scheduler reports."""
        self._start(self._apply_limits(request), self.tr("Apply limits"))

    async def _apply_limits(self, request: LimitsRequest) -> None:
        limits = await self._engine.set_limits(replace(request, by=request.by or "window"))
        self._store.publish(limits)
        self._drop_edits(_in_force(limits))

    def edit(self, name: str, value: ParameterValue) -> None:
        """Edit one parameter; raises ParameterInvalid at once, changes nothing then."""
        checked = spec_of(name).check(value)
        values = dict(self._store.edits.values)
        if self._is_in_force(name, checked):
            values.pop(name, None)
        else:
            values[name] = checked
        self._publish_edits(values)

    def revert_edits(self) -> None:
        """Forget all edits that are not yet in force."""
        self._publish_edits({})

    def apply_preset(self, key: str) -> None:
        """Put a preset's values into the edits; what it leaves alone goes back to its default."""
        wanted = presets()[key].values(self._store.device or "cpu")
        facts = self._store.lifecycle.facts
        present = self._asked.parameters if self._asked is not None and facts is not None else {}
        values = {name: spec_of(name).default for name in present if name not in wanted}
        values |= {name: value for name, value in wanted.items() if not self._is_in_force(name, value)}
        self._publish_edits(values)

    def _is_in_force(self, name: str, value: ParameterValue) -> bool:
        """Whether an edit to this value would change nothing, so that it is none."""
        limits, facts = self._store.limits, self._store.lifecycle.facts
        if limits is not None and name in LIVE_NAMES:
            return bool(live_value(name, limits) == value)
        if facts is not None:
            asked = self._asked.parameters if self._asked is not None else {}
            return facts.parameters.get(name, spec_of(name).default) == value or (
                value is None and asked.get(name) is None
            )
        return value == spec_of(name).default

    def _drop_edits(self, in_force: dict[str, ParameterValue]) -> None:
        """Forget the edits that ask for what is now in force; what was edited since stays."""
        kept = {
            name: value
            for name, value in self._store.edits.values.items()
            if name not in in_force or in_force[name] != value
        }
        self._publish_edits(kept)

    def _publish_edits(self, values: dict[str, ParameterValue]) -> None:
        if values != self._store.edits.values:
            self._store.publish(Edits(values))

    # --- Requests ----------------------------------------------------------------------------------------------

    def set_priority(self, request_id: str, priority: int) -> None:
        """Give one request another priority; says so where the policy does not look at it."""
        self._start(self._set_priority(request_id, priority), self.tr("Priority"))

    async def _set_priority(self, request_id: str, priority: int) -> None:
        await self._engine.set_priority(request_id, priority, "window")
        limits = self._store.limits
        if limits is not None and limits.policy != "priority":
            self._store.publish(
                Notice(
                    "info",
                    self.tr("Priorities count once scheduling_policy is priority."),
                    self.tr("Change it in Parameters; it is live."),
                )
            )

    def abort(self, request_id: str) -> None:
        """Abort one request in the engine."""
        self._start(self._engine.abort(request_id), self.tr("Abort"))

    def reset_prefix_cache(self) -> None:
        """Drop every reusable prefix; says so when running requests held some of it."""
        self._start(self._reset_prefix_cache(), self.tr("Reset prefix cache"))

    async def _reset_prefix_cache(self) -> None:
        if not await self._engine.reset_prefix_cache():
            self._store.publish(
                Notice(
                    "warning",
                    self.tr("The prefix cache was not reset: running requests use it."),
                    self.tr("Wait until they have finished, or stop them."),
                )
            )

    async def chat(
        self, messages: Sequence[ChatMessage], options: ChatOptions, *, request_id: str | None = None
    ) -> AsyncGenerator[ChatDelta, None]:
        """Stream an answer from the running engine; closing the iterator aborts the request."""
        deltas = self._engine.chat(messages, options, request_id=request_id)
        async with contextlib.aclosing(deltas) as stream:  # type: ignore[type-var]
            async for delta in stream:
                yield delta

    # --- Files -------------------------------------------------------------------------------------------------

    def build_starter(self, variants: Sequence[str] = ()) -> None:
        """Build the starter model's variants (all when empty), resuming what is half done."""
        self._start(self._starter.build(tuple(variants)), self.tr("Build the starter model"))

    def cancel_starter(self) -> None:
        """Stop the starter's build; what is done stays."""
        self._starter.cancel()

    def add_folder(self, path: str) -> None:
        """Look for checkpoints in one more folder, now and from now on."""
        self._library.add_folder(path)

    def remove_folder(self, path: str) -> None:
        """Look there no longer."""
        self._library.remove_folder(path)

    def rescan(self) -> None:
        """Look at all folders again."""
        self._library.rescan()

    def _start(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.start(self._shown_once(work), name, inner=work)

    async def _shown_once(self, work: Coroutine[Any, Any, Any]) -> None:
        """What the lifecycle already shows as a failure is not said a second time in the notice bar."""
        try:
            await work
        except KVDeckError as error:
            if not self._is_shown(error):
                raise

    def _is_shown(self, error: KVDeckError) -> bool:
        failure = self._store.lifecycle.failure
        return failure is not None and failure.message == error.message


def _in_force(limits: LiveLimits) -> dict[str, ParameterValue]:
    return {name: live_value(name, limits) for name in LIVE_NAMES}
