"""From the engine's events to the Store: one task that follows the host, and says so when it is gone."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge.silence_watch import SilenceWatch
from app.bridge.store import Address, EngineShown, Notice
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import Failure, HostStatus, Lifecycle, LiveLimits, LogRecord, Phase, ServingStats
from engine.domain.sleepers import Sleepers
from engine.page.ranks import page_of_rank

if TYPE_CHECKING:
    from app.bridge.frame_clock import FrameClock
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.client.engine import EngineClient, Event
    from engine.domain.lifecycle import EngineFacts

log = logging.getLogger(__name__)

_RUNNING = (Phase.READY, Phase.ASLEEP)
_ALIVE = (Phase.READY, Phase.ASLEEP, Phase.UNLOADING)
_TAIL_LINES = 40
_SLICE_S = 0.005
_ANSWER_S = 10.0


class EngineFeed(QObject):
    """Starts the host, follows its events and publishes them; opens and closes the telemetry page with the engine."""

    def __init__(
        self, store: Store, engine: EngineClient, clock: FrameClock, tasks: Tasks, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._clock = clock
        self._tasks = tasks
        self._starting = asyncio.Lock()
        self._follower: asyncio.Task[None] | None = None
        self._page: str | None = None
        self._rank = 0
        self._silence = SilenceWatch(store, self, ask=self._ask)
        self._asking: asyncio.Task[None] | None = None

    @property
    def following(self) -> bool:
        """Whether a host is connected and followed."""
        return self._follower is not None and not self._follower.done()

    async def connect_host(self) -> None:
        """Make sure that a host is there and followed. Raises why it is not (the Store shows it, too)."""
        async with self._starting:
            if self.following:
                return
            before = self._store.lifecycle
            self._store.publish(
                Lifecycle(Phase.CONNECTING, previous_checkpoint=before.checkpoint or before.previous_checkpoint)
            )
            try:
                # Imported here and in a thread: in the first frame of a new engine it would hold the window up.
                await asyncio.to_thread(import_module, "engine.page.reader")
                status = await self._engine.start()
            except KVDeckError as error:
                self._show_lost(error)
                raise
            except asyncio.CancelledError:
                self._store.publish(Lifecycle(Phase.OFFLINE, previous_checkpoint=before.previous_checkpoint))
                raise
            self._store.publish(Address(self._engine.address, self._engine.token))
            self._take(status)
            self._follower = self._tasks.start(self._follow(), self.tr("Engine events"))

    async def connect_at_start(self) -> None:
        """`connect_host` that nobody asked for: why there is no host is said once, by the lifecycle's failure."""
        try:
            await self.connect_host()
        except KVDeckError as error:
            log.warning("No engine host: %s %s", error, error.details)

    async def stop(self) -> None:
        """Stop following; the host itself is ended by the client's `close`."""
        follower, self._follower = self._follower, None
        if follower is not None:
            follower.cancel()
            await asyncio.gather(follower, return_exceptions=True)
        self._clock.follow_page(None)

    async def _follow(self) -> None:
        try:
            self._silence.start()
            events = self._engine.events()
            rested = time.monotonic()
            async with contextlib.aclosing(events) as stream:  # type: ignore[type-var]
                async for event in stream:
                    self._silence.heard()
                    self._take(event)
                    if time.monotonic() - rested > _SLICE_S:  # a log of thousands of lines comes without a pause
                        await asyncio.sleep(0)
                        rested = time.monotonic()
        except KVDeckError as error:
            log.warning("The engine host was lost: %s %s", error, error.details)
            self._show_lost(error)
        finally:
            self._silence.stop()

    def _ask(self) -> None:
        if self._asking is None or self._asking.done():
            self._asking = self._tasks.start(self._ask_host(), self.tr("Engine events"))

    async def _ask_host(self) -> None:
        """The event stream is silent: where the host answers otherwise, it is the stream that hangs; open it anew."""
        silent_s = self._silence.silent_s
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._engine.status()
        except (KVDeckError, TimeoutError) as error:
            log.warning("The engine host has said nothing for %.1f s, and gives no answer: %r", silent_s, error)
            return
        if self._silence.silent_s >= silent_s:  # nothing was heard meanwhile either
            log.warning("The engine host answers, but its events were silent for %.1f s: opened anew", silent_s)
            await self._engine.reopen_events()

    def _take(self, event: Event) -> None:
        match event:
            case HostStatus():
                self._take_lifecycle(event.lifecycle)
                if event.limits is not None:
                    self._store.publish(event.limits)
            case Lifecycle():
                self._take_lifecycle(event)
            case LiveLimits() | LogRecord() | ServingStats() | Sleepers():
                self._store.publish(event)

    def _take_lifecycle(self, lifecycle: Lifecycle) -> None:
        facts = lifecycle.facts
        if lifecycle.phase in _RUNNING and facts is not None:
            if self._page != facts.page_path:
                self._clear_engine()  # another engine's: after a warm switch it still stands
            self._page = facts.page_path
            self._follow_rank(self._rank, facts)
        elif not (lifecycle.phase is Phase.LOADING and lifecycle.warm):  # a moment: the last picture stays for it
            self._clear_engine()
        self._store.publish(lifecycle)

    def show_engine(self, rank: int) -> None:
        """Follow this one of several data-parallel engines; the present one on, where it publishes nothing here."""
        facts, present = self._store.lifecycle.facts, self._rank
        if self._page is None or facts is None or rank == present:
            return
        for wanted in (rank, present):
            self._store.clear_cache()
            self._follow_rank(wanted, facts)
            self._clock.read()
            if self._store.cache is not None:
                return
            number = wanted + 1
            self._store.publish(Notice("warning", self.tr("Engine {number} shows nothing here.").format(number=number)))

    def _follow_rank(self, rank: int, facts: EngineFacts) -> None:
        ranks = facts.parameters.get("data_parallel_size")
        shown = EngineShown(rank, ranks if isinstance(ranks, int) else 1)
        self._rank = rank
        self._clock.follow_page(str(page_of_rank(Path(facts.page_path), rank)))
        if shown != self._store.engine_shown:
            self._store.publish(shown)

    def _clear_engine(self) -> None:
        self._page = None
        self._rank = 0
        self._clock.follow_page(None)
        store = self._store
        if store.cache is not None or store.limits is not None or store.serving is not None:
            store.clear_engine()

    def _show_lost(self, error: KVDeckError) -> None:
        """The host is gone, and an engine with it: CRASHED where one was running, else OFFLINE with the reason."""
        before = self._store.lifecycle
        self._clear_engine()
        self._store.publish(Sleepers())
        failure = Failure(
            kind=error.kind,
            message=error.message,
            remedy=error.remedy,
            log_tail=tuple(error.details.splitlines()[-_TAIL_LINES:]),
        )
        self._store.publish(
            dataclasses.replace(
                Lifecycle(Phase.CRASHED if before.phase in _ALIVE else Phase.OFFLINE),
                failure=failure,
                load_id=before.load_id,
                previous_checkpoint=before.checkpoint or before.previous_checkpoint,
            )
        )
