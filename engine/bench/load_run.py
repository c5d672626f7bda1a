"""One run inside the load process: prepare, warm up, send, report."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import msgspec

from engine.bench.book import Book
from engine.bench.checks import require_valid
from engine.bench.clock import RunClock
from engine.bench.datasets import read_dataset
from engine.bench.keeping import SampleKeeper
from engine.bench.messages import Began, Done, Finished, Pause, Resume, Stop, Tick
from engine.bench.requests import RequestSource
from engine.bench.result import RunResult
from engine.bench.sending import Sender
from engine.bench.server_metrics import change_between, scrape
from engine.bench.store import RunStore
from engine.bench.traffic import Traffic, total_requests
from engine.bench.vocabulary import choose_counter, learn_vocabulary
from engine.bench.workload import ClosedLoop, Synthetic, WorkloadInvalid
from engine.domain.errors import HostUnreachable, KVDeckError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from engine.bench.messages import Command, Message, Start
    from engine.bench.server_metrics import Scrape

_PROGRESS_S = 0.25
_WINDOW_EVERY = 4
_KEEP_ALIVE_S = 4.0  # vLLM's server closes after 5 s: a request sent at that moment would fail
_WARM_UP_CONVERSATION = 1_000_000_000  # far from the run's own, so that their prompts are not in the prefix cache


class ServerRefused(KVDeckError):
    """The server answers, but not with what is needed."""

    kind = "server_refused"


class LoadRun:
    """Carries out one Start. `tell` takes the messages; it must not block."""

    def __init__(self, start: Start, tell: Callable[[Message], None]) -> None:
        self._start = start
        self._tell = tell
        self._clock = RunClock()
        self._book = Book(start.workload, self._clock, start.workload.requests)
        self._traffic: Traffic | None = None
        self._phase: Literal["preparing", "warming_up", "running", "paused", "finishing"] = "preparing"
        self._stopped = False
        self._root = start.target.url.rstrip("/").removesuffix("/v1")
        self._store: RunStore | None = None
        self._keeper = SampleKeeper(None, "")

    def obey(self, command: Command) -> None:
        """Pause, Resume or Stop, at any time."""
        if isinstance(command, Pause):
            self._clock.pause()
        elif isinstance(command, Resume):
            self._clock.resume()
        elif isinstance(command, Stop):
            self._stopped = True
            self._clock.resume()
            if self._traffic is not None:
                self._traffic.stop()
        self._say_progress()

    async def carry_out(self) -> None:
        """Run to the end; the last message is Done. Raises KVDeckError where it cannot be sent."""
        require_valid(self._start.workload)
        self._say_progress()
        token = self._start.target.token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=30)
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout, headers=headers) as session:
            try:
                await self._open_store()
                await self._carry_out(session)
            finally:
                await self._keeper.end()
                if self._store is not None:
                    await asyncio.to_thread(self._store.close)

    async def _carry_out(self, session: aiohttp.ClientSession) -> None:
        workload = self._start.workload
        model = self._start.target.model or await self._first_model(session)
        source = await self._source(session, model)
        sender = Sender(
            session, self._root, self._clock, timeout_s=workload.request_timeout_s,
            keep_text=not isinstance(workload.dataset, Synthetic) or workload.dataset.turns > 1,
            on_piece=lambda ttft, gap: self._book.took_piece(ttft, gap),
        )  # fmt: skip
        name = f"bench-{self._start.run_id or secrets.token_hex(4)}"
        if workload.warm_up_requests and not self._stopped:
            await self._warm_up(source, sender, name)
        before = await scrape(session, self._root)
        total = total_requests(workload, source)
        self._clock.restart()
        self._book = Book(workload, self._clock, total)
        self._phase = "running"
        self._tell(Began(self._clock.origin_ns, model))
        self._traffic = Traffic(workload, source, sender, self._clock, self._book, name=name, total=total)
        if not self._stopped:
            await self._watched(self._traffic)
        await self._finish(session, before)

    async def _warm_up(self, source: RequestSource, sender: Sender, name: str) -> None:
        """Requests of the same kind, several at once, that count nowhere."""
        self._phase = "warming_up"
        workload = self._start.workload
        arrival = workload.arrival
        clients = min(workload.warm_up_requests, arrival.clients if isinstance(arrival, ClosedLoop) else 8)
        alike = msgspec.structs.replace(
            workload, arrival=ClosedLoop(clients), duration_s=None, cut_at_end=False, requests=workload.warm_up_requests
        )
        self._book = Book(alike, self._clock, workload.warm_up_requests)
        self._traffic = Traffic(
            alike, source, sender, self._clock, self._book, name=f"{name}-warm-up",
            total=workload.warm_up_requests, first_conversation=_WARM_UP_CONVERSATION,
        )  # fmt: skip
        await self._watched(self._traffic, windows=False)

    async def _watched(self, traffic: Traffic, *, windows: bool = True) -> None:
        """Run the traffic and tell how it goes."""
        watch = asyncio.create_task(self._watch(traffic, windows=windows), name="telling progress")
        sending = asyncio.create_task(traffic.run(), name="sending")
        try:
            done, _ = await asyncio.wait({watch, sending}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            await sending
        finally:
            watch.cancel()
            traffic.stop()
            await asyncio.gather(watch, sending, return_exceptions=True)

    async def _watch(self, traffic: Traffic, *, windows: bool) -> None:
        for beat in range(1, 1 << 62):
            await asyncio.sleep(_PROGRESS_S)
            if windows:
                self._phase = "paused" if self._clock.paused else "finishing" if traffic.all_sent else "running"
            self._say_progress()
            if windows and beat % _WINDOW_EVERY == 0:
                self._tell(Tick(self._book.close_window()))
                self._pass_on_samples()
            elif not windows:
                self._book.take_samples()

    async def _finish(self, session: aiohttp.ClientSession, before: Scrape | None) -> None:
        change = change_between(before, await scrape(session, self._root))
        paused = self._clock.paused_s
        book = self._book
        self._tell(Tick(book.close_window()))
        self._pass_on_samples()
        await self._keeper.finish()
        figures = book.tally.figures(
            max(0.0, book.last_end_s - paused), most_running=book.most_running, change=change
        )
        self._say_progress()
        self._tell(Done(RunResult(figures, book.windows, self._clock.origin_ns, self._stopped)))

    def _pass_on_samples(self) -> None:
        samples = self._book.take_samples()
        if samples:
            self._tell(Finished(tuple(msgspec.structs.replace(sample, gaps=b"") for sample in samples)))
        self._keeper.add(samples)

    async def _open_store(self) -> None:
        if self._start.store is None or self._start.run_id is None:
            return
        self._store = RunStore(Path(self._start.store))
        await asyncio.to_thread(self._store.open)
        self._keeper = SampleKeeper(self._store, self._start.run_id)

    async def _source(self, session: aiohttp.ClientSession, model: str) -> RequestSource:
        target, workload = self._start.target, self._start.workload
        try:
            counter = await choose_counter(session, self._root, model, target.tokenizer)
            vocabulary = await learn_vocabulary(counter)
        except (OSError, ValueError) as error:
            raise WorkloadInvalid(
                f"The tokenizer cannot be used: {error}.", remedy="Choose a folder with a tokenizer.json, or none."
            ) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._unreachable(error) from error
        conversations = await asyncio.to_thread(read_dataset, workload.dataset)
        return RequestSource(workload, model, vocabulary, conversations)

    async def _first_model(self, session: aiohttp.ClientSession) -> str:
        try:
            async with session.get(f"{self._root}/v1/models", timeout=aiohttp.ClientTimeout(total=60)) as response:
                body = await response.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise self._unreachable(error) from error
        if response.status in (401, 403):
            raise ServerRefused("The server asks for another key.", remedy="Give its key, and try again.")
        try:
            return str(msgspec.json.decode(body)["data"][0]["id"])
        except (msgspec.MsgspecError, KeyError, IndexError, TypeError) as error:
            said = body[:300].decode("utf-8", "replace")
            raise ServerRefused(
                f"{self._root} serves no model (HTTP {response.status}).",
                remedy="Load a model, or check the address.",
                details=said,
            ) from error

    def _unreachable(self, error: Exception) -> HostUnreachable:
        return HostUnreachable(
            f"Nothing answers at {self._root} ({type(error).__name__}: {error}).",
            remedy="Check the address, and that the server runs.",
        )

    def _say_progress(self) -> None:
        with contextlib.suppress(ValueError):
            self._tell(self._book.progress(self._phase))
