"""The program's loop: reads requests, carries each out in a thread, writes answers."""

from __future__ import annotations

import logging
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import msgspec
from huggingface_hub import constants

from engine.domain.errors import KVDeckError
from engine.hub.catalog import Catalog, delete
from engine.hub.faults import explained
from engine.hub.fetch import Fetch
from engine.hub.records import Download, DownloadState, HubAnswer, HubFault, HubRequest, HubSetup, Query

log = logging.getLogger(__name__)
_QUESTIONS_AT_ONCE = 4
_END_S = 5.0  # a socket that brings nothing any more would be waited for, and tried again, for a minute


class Program:
    """Serves one client on two streams. Ends, pausing every download, when `requests` ends."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests = requests
        self._answers = answers
        self._lock = threading.Lock()
        self._fetches: dict[str, Fetch] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._cache = Path(constants.HF_HUB_CACHE)

    def run(self) -> int:
        """Serve until the client has gone; the exit code is 0."""
        setup = msgspec.json.decode(self._requests.readline() or b"{}", type=HubSetup)
        self._catalog = Catalog(setup.token, setup.endpoint)
        with ThreadPoolExecutor(_QUESTIONS_AT_ONCE, thread_name_prefix="hub") as questions:
            for line in self._requests:
                request = msgspec.json.decode(line, type=HubRequest)
                questions.submit(self._serve, request)
            for fetch in list(self._fetches.values()):
                fetch.stop()
            _end_in_time()
        for thread in list(self._threads.values()):
            thread.join()
        return 0

    def _serve(self, request: HubRequest) -> None:
        try:
            answer = self._carried_out(request)
        except KVDeckError as error:
            answer = _faulty(request.id, error)
        except Exception as error:
            log.exception("%s failed", request.do)
            answer = _faulty(request.id, explained(error, request.repo))
        self._write(answer)

    def _carried_out(self, request: HubRequest) -> HubAnswer:
        if request.do == "search":
            return HubAnswer(id=request.id, models=self._catalog.search(request.query or Query()))
        if request.do == "details":
            return HubAnswer(id=request.id, details=self._catalog.details(request.repo, request.revision))
        if request.do == "download":
            return HubAnswer(id=request.id, download=self._download(request))
        if request.do == "pause":
            return HubAnswer(id=request.id, download=self._pause(request.repo))
        if request.do == "delete":
            self._pause(request.repo)
            if thread := self._threads.get(request.repo):
                thread.join()
            return HubAnswer(id=request.id, freed_bytes=delete(request.repo, self._cache))
        raise KVDeckError(f"The hub program knows no {request.do!r}.", remedy="Update KVDeck.")

    def _download(self, request: HubRequest) -> Download:
        with self._lock:
            running = self._threads.get(request.repo)
            if running is None or not running.is_alive():
                fetch = Fetch(self._catalog, self._cache, request.repo, request.revision, self._tell)
                self._fetches[request.repo] = fetch
                thread = threading.Thread(target=fetch.run, name=f"download-{request.repo}")
                self._threads[request.repo] = thread
                thread.start()
        return Download(repo=request.repo, state=DownloadState.RUNNING)

    def _pause(self, repo: str) -> Download | None:
        if fetch := self._fetches.get(repo):
            fetch.stop()
        return None

    def _tell(self, state: Download) -> None:
        self._write(HubAnswer(id=0, download=state))

    def _write(self, answer: HubAnswer) -> None:
        line = msgspec.json.encode(answer) + b"\n"
        with self._lock:
            try:
                self._answers.write(line)
                self._answers.flush()
            except (BrokenPipeError, ValueError):
                for fetch in self._fetches.values():
                    fetch.stop()


def _end_in_time() -> None:
    """Nobody listens any more: what has arrived is in its files, and all else can be asked for again."""
    timer = threading.Timer(_END_S, os._exit, (0,))
    timer.daemon = True
    timer.start()


def _faulty(number: int, error: KVDeckError) -> HubAnswer:
    fault = HubFault(kind=error.kind, message=error.message, remedy=error.remedy, details=error.details)
    return HubAnswer(id=number, fault=fault)
