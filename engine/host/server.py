"""Puts the host together and serves it: one uvicorn.Server of ours, from the first answer to the last process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
from importlib import metadata
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.config import WS_PROTOCOLS

from engine.checkpoints.installed_vllm import InstalledVllm
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import Phase
from engine.domain.paths import cache_dir, runtime_dir
from engine.domain.sleepers import PATIENCE_S
from engine.domain.whole_file import write_whole
from engine.gpu.nvml import Nvml
from engine.host import guardian
from engine.host.adapters import AdapterCommands
from engine.host.adopted import AdoptedReaper
from engine.host.application import HostApplication
from engine.host.events import EventHub
from engine.host.family import Family
from engine.host.http_protocol import http_protocol
from engine.host.launch import Launcher, page_prefix, pages_of, prepare_environment
from engine.host.listen import url_of
from engine.host.live import LiveCommands
from engine.host.load_times import LoadTimes
from engine.host.memory import MemoryMeter
from engine.host.mount import Mount
from engine.host.preflight import Preflight
from engine.host.pulse import LogBridge, Pulse
from engine.host.rest_meter import RestMeter
from engine.host.routes import ControlRoutes
from engine.host.security import Gate
from engine.host.service import EngineService
from engine.host.session_weight import SessionWeight
from engine.host.shelf import Shelf
from engine.host.state import HostState
from engine.host.stats import StatsWindow
from engine.host.vllm_import import VllmImport
from engine.host.vllm_names import import_vllm
from engine.page.scratch import SCRATCH, make_scratch, remove_scratch, remove_stale_scratch, use_scratch
from engine.page.stale import remove_stale_pages

if TYPE_CHECKING:
    import socket
    import subprocess
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from engine.domain.lifecycle import LoadRequest
    from engine.host.journal import Journal
    from engine.host.vllm_names import VllmNames

log = logging.getLogger(__name__)
_KEEP_ALIVE_S = 75


class _Server(uvicorn.Server):
    """uvicorn's server without its signal handlers: the host ends its engine first."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HostServer:
    """The whole host on its sockets. `run` serves until SIGTERM, SIGINT or /kvdeck/shutdown."""

    def __init__(
        self,
        address: str,
        sockets: Sequence[socket.socket],
        token: str,
        address_file: Path | None,
        journal: Journal,
        patience_s: float = PATIENCE_S,
        parent_pid: int | None = None,
    ) -> None:
        self._address = address
        self._sockets = list(sockets)
        self._token = token
        self._address_file = address_file
        self._journal = journal
        self._patience_s = patience_s
        self._parent_pid = parent_pid
        self._url = url_of(sockets)
        self._stopping = asyncio.Event()
        self._shell = dict(os.environ)
        self._service: EngineService | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    def remove_files(self) -> None:
        """Take away this host's address file, its engines' pages and temporary files; harmless when they are gone."""
        if self._address_file is not None:
            guardian.remove_address(self._address_file, os.getpid())
        for path in pages_of(os.getpid()):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        remove_scratch(os.environ)

    def dismiss_guard(self) -> None:
        """Nothing is left that would have to be ended."""
        if self._guard is not None:
            self._guard.kill()
            self._guard.wait()

    async def run(self, first: LoadRequest | None) -> None:
        """Serve until told to stop; then leave nothing behind."""
        prepare_environment(os.environ)
        self._tidy()
        weight = SessionWeight()

        def announce(topic: str, value: Any) -> None:
            if topic == "lifecycle":
                weight.follow(Phase.READY if value.warm else value.phase)  # a switch of a moment needs no way made
            events.publish(topic, value)

        state = HostState(metadata.version("kvdeck"), os.getpid(), self._url, announce)
        events = EventHub(state.status, lambda: {"sleepers": state.sleepers})
        weight.follow(state.phase)  # importing vLLM takes every core, too
        stats, mount = StatsWindow(), Mount()
        vllm = VllmImport(self._import_engine)
        nvml = Nvml()
        preflight = Preflight(nvml, InstalledVllm(cache_dir()), self._shell)
        family, meter = Family(), MemoryMeter(nvml)
        rest_meter = RestMeter(meter, self._journal)
        shelf = Shelf(family, rest_meter, state.set_sleepers, self._patience_s)
        adapters = AdapterCommands(lambda: service.running)
        service = EngineService(
            state,
            vllm,
            preflight,
            meter,
            self._journal,
            mount,
            stats=stats,
            times=LoadTimes(),
            family=family,
            shelf=shelf,
            rest_meter=rest_meter,
            adapters=adapters,
        )
        live = LiveCommands(lambda: service.running, state)
        routes = ControlRoutes(state, service, live, adapters, shelf, self._journal, self._stopping.set)
        gate = Gate(self._token, self._address, open_paths=("/health",))
        server = _Server(self._config(HostApplication(gate, routes, events, mount)))
        bridge = LogBridge(asyncio.get_running_loop(), service.feed_line, lambda record: events.publish("log", record))
        self._journal.on_line(bridge.put_line)
        self._journal.on_record(bridge.put_record)
        self._catch_signals()
        serving = asyncio.ensure_future(server.serve(sockets=self._sockets))
        await self._announce(server)
        pulse, reaper = Pulse(service, stats, events), AdoptedReaper()
        pulse.start()
        reaper.start()
        vllm.start()
        await self._begin(service, first)
        await self._wait_for_end(serving)
        log.info("The host was told to end")
        await service.close()
        log.info("Its engines have ended")
        nvml.close()
        pulse.stop()
        reaper.stop()
        events.close()
        weight.close()
        server.should_exit = True
        await serving
        log.info("Its connections are closed")

    def _tidy(self) -> None:
        """Remove what killed hosts left, make a place for this one's temporary files, and have it guarded."""
        for stale in (*remove_stale_pages(runtime_dir()), *remove_stale_scratch()):
            log.info("Removed %s, whose engine is dead", stale)
        try:
            use_scratch(make_scratch(), os.environ)
        except OSError as error:
            log.warning("vLLM's sockets stay in the temporary folder: %s", error)
        try:
            pages, scratch = page_prefix(os.getpid()), os.environ.get(SCRATCH, "")
            address = str(self._address_file.absolute()) if self._address_file else ""
            self._guard = guardian.start(pages, scratch, parent=self._parent_pid, address=address)
        except OSError as error:
            log.warning("Nobody ends the engine if this host is killed while a model loads: %s", error)

    def _import_engine(self) -> tuple[VllmNames, Launcher]:
        names = import_vllm()
        return names, Launcher(names, self._shell)

    @staticmethod
    def _config(app: HostApplication) -> uvicorn.Config:
        return uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="websockets-sansio" if "websockets-sansio" in WS_PROTOCOLS else "auto",  # the older one is deprecated
            http=http_protocol(),
            proxy_headers=False,  # there is no proxy in front whose word about the client would count
            ws_max_size=1 << 20,
            ws_per_message_deflate=False,  # frames of a few hundred bytes
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=3,
            server_header=False,
        )

    async def _announce(self, server: _Server) -> None:
        """Write the address file once the server answers."""
        while not server.started:  # noqa: ASYNC110 - uvicorn offers no event
            await asyncio.sleep(0.005)
        log.info("KVDeck's engine host answers at %s", self._url)
        if self._address_file is None:
            return
        content = json.dumps({"pid": os.getpid(), "address": self._url, "token": self._token})
        write_whole(self._address_file, content.encode(), mode=0o600)

    @staticmethod
    async def _begin(service: EngineService, first: LoadRequest | None) -> None:
        if first is None:
            return
        try:
            await service.load(first)
        except KVDeckError as error:
            log.error("%s cannot be loaded: %s", first.checkpoint, error)  # noqa: TRY400 - a message, no traceback

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._stopping.set)

    async def _wait_for_end(self, serving: asyncio.Future[None]) -> None:
        serving.add_done_callback(lambda _: self._stopping.set())  # a server that ends by itself ends the host
        await self._stopping.wait()
