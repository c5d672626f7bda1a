"""The hub program for a window: started when it is first needed, asked over a pipe, followed to its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import TYPE_CHECKING

import msgspec

from engine.domain.child_program import ChildProgram, Ending, hand_over
from engine.domain.errors import KVDeckError
from engine.hub.records import DownloadState, HubAnswer, HubRequest, HubSetup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.hub.records import Download, HubDetails, HubModel, Query

_END_S = 3.0


class HubFailed(KVDeckError):
    """The hub's answer was an error; `kind` is the program's (engine.hub.faults)."""

    def __init__(self, kind: str, message: str, *, remedy: str = "", details: str = "") -> None:
        super().__init__(message, remedy=remedy, details=details)
        self.kind = kind


class HubClient:
    """One hub program at most. Every coroutine raises HubFailed; `on_download` is called on the asking loop."""

    def __init__(
        self,
        on_download: Callable[[Download], None] = lambda _: None,
        *,
        endpoint: str | None = None,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._on_download = on_download
        self._endpoint = endpoint
        self._python = python
        self._environment = environment
        self._process: ChildProgram | None = None
        self._token: str | None = None
        self._waiting: dict[int, tuple[ChildProgram, asyncio.Future[HubAnswer]]] = {}
        self._running: dict[str, tuple[ChildProgram, Download]] = {}
        self._number = 0

    def follow(self, on_download: Callable[[Download], None]) -> None:
        """Tell somebody else of downloads from now on."""
        self._on_download = on_download

    def use_token(self, token: str | None) -> None:
        """Ask with this token from now on (None: with none of our own). Downloads under way are paused by a change."""
        if token != self._token:
            self._token = token
            self.close()

    async def search(self, query: Query) -> tuple[HubModel, ...]:
        """Find models."""
        return (await self._ask("search", query=query)).models or ()

    async def details(self, repo: str, revision: str = "") -> HubDetails:
        """Look at one repository."""
        details = (await self._ask("details", repo=repo, revision=revision)).details
        assert details is not None
        return details

    async def download(self, repo: str, revision: str = "") -> None:
        """Start or go on with a download; how it goes comes through `on_download`."""
        await self._ask("download", repo=repo, revision=revision)

    async def pause(self, repo: str) -> None:
        """Stop a download; what has arrived stays."""
        await self._ask("pause", repo=repo)

    async def delete(self, repo: str) -> int:
        """Delete a model from the cache; returns the bytes that are free again."""
        return (await self._ask("delete", repo=repo)).freed_bytes or 0

    def close(self) -> None:
        """End the program; downloads stop where they are, and nothing of them is lost. Returns at once."""
        process, self._process = self._process, None
        if process is None:
            return
        process.close(_END_S)

    async def _ask(self, do: str, **fields: object) -> HubAnswer:
        loop = asyncio.get_running_loop()
        process = self._process if self._process is not None else self._start(loop)
        self._number += 1
        number = self._number
        future: asyncio.Future[HubAnswer] = loop.create_future()
        self._waiting[number] = (process, future)
        try:
            process.tell(msgspec.json.encode(HubRequest(id=number, do=do, **fields)))  # type: ignore[arg-type]
            answer = await future
        finally:
            self._waiting.pop(number, None)
        if answer.fault is not None:
            raise HubFailed(
                answer.fault.kind, answer.fault.message, remedy=answer.fault.remedy, details=answer.fault.details
            )
        return answer

    def _start(self, loop: asyncio.AbstractEventLoop) -> ChildProgram:
        environment = dict(os.environ if self._environment is None else self._environment)
        # Not for it: the token comes over the pipe, where no other program can read it.
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN") if self._token else ():
            environment.pop(name, None)
        decoder = msgspec.json.Decoder(HubAnswer)

        def take(line: bytes) -> None:
            with contextlib.suppress(msgspec.DecodeError):
                hand_over(loop, self._take, process, decoder.decode(line))

        def end(ending: Ending) -> None:
            hand_over(loop, self._ended, process, ending)

        process = ChildProgram(
            "hub", ["engine.hub"], take, end, python=self._python, environment=environment, told=True
        )  # fmt: skip
        process.tell(msgspec.json.encode(HubSetup(token=self._token, endpoint=self._endpoint)))
        self._process = process
        process.follow()
        return process

    def _take(self, process: ChildProgram, answer: HubAnswer) -> None:
        if answer.id == 0 and answer.download is not None:
            if answer.download.state is DownloadState.RUNNING:
                self._running[answer.download.repo] = (process, answer.download)
            else:
                self._running.pop(answer.download.repo, None)
            self._on_download(answer.download)
        elif (waiting := self._waiting.get(answer.id)) and not waiting[1].done():
            waiting[1].set_result(answer)

    def _ended(self, process: ChildProgram, ending: Ending) -> None:
        """What still waits gets an error; downloads that were running are paused: they go on from where they are."""
        if self._process is process:
            self._process = None
        fault = HubFailed(
            "hub_ended",
            "The hub's helper program has ended" + (f" (exit code {ending.code})." if ending.code else "."),
            remedy="Try again; downloads go on from where they are.",
            details="".join(ending.errors),
        )
        for asked, future in self._waiting.values():
            if asked is process and not future.done():
                future.set_exception(fault)
        for repo, (fetching, state) in tuple(self._running.items()):
            if fetching is process:
                del self._running[repo]
                self._on_download(msgspec.structs.replace(state, state=DownloadState.PAUSED, bytes_per_s=None, note=""))

