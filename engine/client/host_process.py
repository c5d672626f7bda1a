"""The engine host as a child process: start it, know when it ends and why, leave nothing of it behind."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import json
import logging
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from engine.client import faults
from engine.domain.errors import DiskFull, HostUnreachable, KVDeckError
from engine.domain.paths import log_dir, runtime_dir

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import psutil

log = logging.getLogger(__name__)

_POLL_S = 0.05
_EMPTY_GRACE_S = 0.5
_KILLED_S = 15.0  # freeing its memory takes processor time, of which a busy machine gives it little
_LOG_TAIL_BYTES = 64 * 1024
_MOST_HOSTS = 9  # with a log of their own
_OWN_END_S = 1.0  # engine processes end with their host
_TRACKER_END_S = 0.5
_TRACKER = "multiprocessing.resource_tracker"
_GUARD = "guardian.py"  # engine.host.guardian


@dataclass(frozen=True, slots=True)
class HostOptions:
    """How to start a host. Port 0 lets the host pick a free one. `environment` is added to this process's own."""

    address: str = "127.0.0.1"
    port: int = 8000
    python: str = sys.executable
    start_timeout_s: float = 60.0
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HostAddress:
    """Where a host answers: `url` is "http://127.0.0.1:8000"."""

    pid: int
    url: str
    token: str


class HostProcess:
    """One host process, from spawn to its end. A second start needs a second object.

    The child is started beside the window, which on a busy machine would stand still for a tenth of a second. A host
    that is sent a parent-death signal, which counts the thread that started it, looks whether the process is gone.
    """

    def __init__(self, options: HostOptions) -> None:
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._log_path = log_dir() / "host.log"
        self._address_file = runtime_dir() / f"host-{os.getpid()}-{secrets.token_hex(4)}.json"

    @property
    def pid(self) -> int | None:
        """The host's pid, None before the start."""
        return None if self._process is None else self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    async def start(self) -> HostAddress:
        """Spawn the host and wait until it answers. Raises what stopped it (PortInUse, EngineMissing, ...)."""
        spawning = asyncio.ensure_future(asyncio.to_thread(self._spawn))
        try:
            await asyncio.shield(spawning)
            return await self._wait_for_address(time.monotonic() + self._options.start_timeout_s)
        except BaseException:
            await asyncio.gather(spawning, return_exceptions=True)  # cancelled in the middle, it is there all the same
            await self.stop(grace_s=0)
            raise

    async def _wait_for_address(self, deadline: float) -> HostAddress:
        while time.monotonic() < deadline:
            address = self._read_address()
            if address is not None:
                return address
            if not self.running:
                raise self.failure()
            await asyncio.sleep(_POLL_S)
        raise HostUnreachable(
            f"The engine host did not answer within {self._options.start_timeout_s:.0f} s.",
            remedy="Look at the log, and try again when the machine is less busy.",
            details=self._log_tail(),
        )

    def failure(self) -> KVDeckError:
        """Why the host ended; only meaningful once it has."""
        code = self._process.returncode if self._process is not None else None
        found = faults.from_exit(0 if code is None else code, self._log_tail())
        full = next((each.parent for each in (self._log_path, self._address_file) if _is_full(each.parent)), None)
        if full is None or not isinstance(found, HostUnreachable):
            return found
        return DiskFull(  # which its log could not say any more
            f"The engine host ended: there is no room left in {full}.",
            remedy="Free some disk space, and start it again.",
            details=found.details,
        )

    async def stop(self, grace_s: float = 8.0) -> None:
        """Wait `grace_s` for the host, which was told to end, then end it and everything it started; never raises.

        The host ends the engine's processes itself; what outlives it is killed here. Without a grace it is told here.
        """
        process = self._process
        if process is None:
            return
        family = await asyncio.to_thread(_engines_of, process.pid)
        # A host without an engine has nothing to put in order, but may be in the middle of importing vLLM for seconds.
        if not await self._ended_within(grace_s if family else min(grace_s, _EMPTY_GRACE_S)):
            await self._end_by_force(process, family, was_told=grace_s > 0)
        await asyncio.to_thread(_end_all, family)
        await asyncio.to_thread(_tidy)
        self._address_file.unlink(missing_ok=True)

    async def _end_by_force(
        self, process: subprocess.Popen[bytes], family: list[psutil.Process], *, was_told: bool
    ) -> None:
        if family:
            log.info("The engine host (pid %d) did not end by itself in time and is stopped.", process.pid)
            if not was_told:
                _signal(process, signal.SIGTERM)
                if await self._ended_within(2.0):
                    return
            family += await asyncio.to_thread(_engines_of, process.pid)
        _signal(process, signal.SIGKILL)
        await self._ended_within(_KILLED_S)

    async def _ended_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.running and time.monotonic() < deadline:  # noqa: ASYNC110 - a process has no event to wait on
            await asyncio.sleep(_POLL_S)
        return not self.running

    def _spawn(self) -> None:
        options = self._options
        command = [options.python, "-m", "engine.host", "--address", options.address, "--port", str(options.port)]
        command += ["--parent-pid", str(os.getpid()), "--address-file", str(self._address_file)]
        try:
            # A file and not a pipe: nobody has to read it, and a host that outlives us for a moment does not die of it.
            with self._open_log() as output:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **options.environment},
                    start_new_session=True,  # Ctrl+C in a terminal is for the window, which then ends the host in order
                )
        except OSError as error:
            remedies = {
                errno.ENOSPC: "Free some disk space, and start it again.",
                **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "Make that place writable for you."),
            }
            raise HostUnreachable(
                f"The engine host could not be started: {error}.",
                remedy=remedies.get(error.errno or 0, "Install KVDeck again, with make run."),
            ) from error

    def _open_log(self) -> BinaryIO:
        """Empty, and this host's alone as long as it or an engine of its lives: another window may have a host, too."""
        path = self._log_path
        for number in range(1, _MOST_HOSTS + 1):
            path = path.with_name("host.log" if number == 1 else f"host-{number}.log")
            output = path.open("ab")
            with contextlib.suppress(OSError):  # somebody's
                fcntl.flock(output, fcntl.LOCK_EX | fcntl.LOCK_NB)
                output.truncate(0)
                self._log_path = path
                return output
            output.close()
        self._log_path = path
        return path.open("ab")

    def _read_address(self) -> HostAddress | None:
        try:
            record = json.loads(self._address_file.read_text(encoding="utf-8"))
            address = str(record["address"])
            url = address if "://" in address else f"http://{address}"
            return HostAddress(int(record["pid"]), url.rstrip("/"), str(record["token"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None  # not there yet, or caught half written

    def _log_tail(self) -> str:
        with contextlib.suppress(OSError), self._log_path.open("rb") as stream:
            stream.seek(max(0, self._log_path.stat().st_size - _LOG_TAIL_BYTES))
            return stream.read().decode("utf-8", "replace")
        return ""


def _is_full(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free < _LOG_TAIL_BYTES
    return False


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)


def _engines_of(pid: int) -> list[psutil.Process]:
    """What a host has started, but for its guard, which ends after it."""
    import psutil  # here: 30 ms that the window's first second does not have

    try:
        children: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [child for child in children if not _is(child, _GUARD)]


def _tidy() -> None:
    """Remove what a killed host left in the temporary folder."""
    from engine.page.scratch import remove_stale_scratch  # here: not in the first frame

    remove_stale_scratch()


def _end_all(family: list[psutil.Process]) -> None:
    """Kill what is left of these processes; psutil compares start times, so a reused pid is safe.

    Python's resource tracker is let be: it ends by itself after all the others, and until then removes the shared
    memory that killed ones leave behind, hundreds of megabytes.
    """
    if not family:
        return
    import psutil

    trackers = [each for each in family if _is(each, _TRACKER)]
    alive = _left_after(_OWN_END_S, [each for each in family if each not in trackers])
    for process in alive:
        log.info("A process of the engine (pid %d) outlived its host and is killed.", process.pid)
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    _left_after(_KILLED_S, alive)
    _left_after(_TRACKER_END_S, trackers)


def _left_after(seconds: float, processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run then. One that has ended is gone, also where nobody collects it for a while."""
    deadline = time.monotonic() + seconds
    while (alive := [each for each in processes if _runs(each)]) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return alive


def _runs(process: psutil.Process) -> bool:
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _is(process: psutil.Process, program: str) -> bool:
    import psutil

    try:
        return program in " ".join(process.cmdline())
    except psutil.Error:
        return False
