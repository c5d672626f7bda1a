"""A real engine host as a child process of the tests, and what a test asks of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
import psutil

from engine.domain.lifecycle import HostStatus, Lifecycle, LogRecord, ParameterValue, Phase
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable

LOAD_S = 240.0
GENTLE = {"cpu_kvcache_space_gib": 1.0, "max_num_seqs": 32}

_TIDIES_UP = ("resource_tracker", "engine/host/guardian.py")  # Python's own, and the host's: they outlive an engine


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer: status and JSON (or raw bytes where it is none)."""

    status: int
    value: Any


class RunningHost:
    """One `python -m engine.host`. Everything blocks: async tests use `url` and `headers` with aiohttp."""

    def __init__(self, process: subprocess.Popen[bytes], home: Path, url: str, token: str, log_path: Path) -> None:
        self.process = process
        self.home = home
        self.url = url
        self.token = token
        self.log_path = log_path

    @property
    def pid(self) -> int:
        """The host's pid."""
        return self.process.pid

    @property
    def headers(self) -> dict[str, str]:
        """What lets a request pass."""
        return {"Authorization": f"Bearer {self.token}"}

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        """One request; `body` is sent as JSON (bytes as they are)."""
        parts = urlsplit(self.url)
        connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=PATIENCE_S)
        data = body if body is None or isinstance(body, bytes) else msgspec.json.encode(body)
        try:
            connection.request(method, path, data, self.headers if headers is None else headers)
            response = connection.getresponse()
            raw = response.read()
        finally:
            connection.close()
        try:
            return Answer(response.status, json.loads(raw))
        except ValueError:
            return Answer(response.status, raw)

    def get(self, path: str) -> Answer:
        """GET with the token."""
        return self.ask("GET", path)

    def post(self, path: str, body: Any = None) -> Answer:
        """POST with the token."""
        return self.ask("POST", path, body)

    def status(self) -> HostStatus:
        """GET /kvdeck/status."""
        return msgspec.convert(self.get("/kvdeck/status").value, HostStatus)

    @property
    def lifecycle(self) -> Lifecycle:
        """The engine's present state."""
        return self.status().lifecycle

    def log(self, after: int = 0) -> tuple[LogRecord, ...]:
        """The log as the host keeps it."""
        return tuple(msgspec.convert(self.get(f"/kvdeck/log?after={after}").value["records"], list[LogRecord]))

    def load(self, checkpoint: Path, parameters: dict[str, ParameterValue] | None = None, **more: Any) -> Answer:
        """POST /kvdeck/load, gently to a small machine unless told otherwise."""
        values = {**GENTLE, **(parameters or {})}
        return self.post("/kvdeck/load", {"checkpoint": str(checkpoint), "parameters": values, **more})

    def wait_until(self, condition: Callable[[Lifecycle], bool], timeout_s: float = LOAD_S) -> Lifecycle:
        """Wait for a state; fails with the log where it does not come."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            lifecycle = self.lifecycle
            if condition(lifecycle):
                return lifecycle
            time.sleep(0.05)
        tail = "\n".join(record.text for record in self.log()[-60:])
        raise AssertionError(f"the host is still {self.lifecycle}\n{tail}")

    def wait_for(self, *phases: Phase, timeout_s: float = LOAD_S) -> Lifecycle:
        """Wait for one of these phases; a load that fails unexpectedly fails at once."""

        def reached(lifecycle: Lifecycle) -> bool:
            if lifecycle.phase is Phase.FAILED and Phase.FAILED not in phases:
                raise AssertionError(f"the load failed: {lifecycle.failure}")
            return lifecycle.phase in phases

        return self.wait_until(reached, timeout_s)

    def family(self) -> list[psutil.Process]:
        """The host's living descendants: engine processes, Python's resource tracker, the host's guardian."""
        if self.process.poll() is not None:
            return []
        return [process for process in psutil.Process(self.pid).children(recursive=True) if _lives(process)]

    def engine_family(self) -> list[psutil.Process]:
        """Its engines' living processes: all of its family but what tidies up after it."""
        return [process for process in self.family() if not tidies_up(process.pid)]

    def stop(self, timeout_s: float = PATIENCE_S) -> int:
        """SIGTERM, and the exit code. Kills what does not end, and fails then."""
        # Not the resource tracker: it removes what the others leave behind, and ends after them.
        family = [process.pid for process in self.engine_family()]
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout_s)
            wait_gone(family)
        finally:
            self.process.kill()
            for pid in alive(family):
                os.kill(pid, signal.SIGKILL)
        return code


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def command_of(pid: int) -> str:
    """A process's command line; "" where there is none any more."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def tidies_up(pid: int) -> bool:
    """Whether it is one of those that outlive an engine to tidy up after it."""
    return any(each in command_of(pid) for each in _TIDIES_UP)


def environment(home: Path) -> dict[str, str]:
    """The environment of a host in a test: its own folders, nobody else's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "KVDECK_"))}
    return {**kept, "KVDECK_HOME": str(home), "HF_HUB_OFFLINE": "1"}


def start_host(
    home: Path, *arguments: str, parent_pid: int | None = None, variables: dict[str, str] | None = None
) -> RunningHost:
    """Start a host on a free port and wait until it answers."""
    home.mkdir(parents=True, exist_ok=True)
    address_file, log_path = home / "address.json", home / "host-output.log"
    command = [sys.executable, "-m", "engine.host", "--port", "0", "--address-file", str(address_file)]
    command += ["--parent-pid", str(parent_pid or os.getpid()), *arguments]
    with log_path.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**environment(home), **(variables or {})},
        )
    deadline = time.monotonic() + PATIENCE_S
    while not address_file.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise AssertionError(f"the host did not start:\n{log_path.read_text()}")
        time.sleep(0.01)
    found = json.loads(address_file.read_text())
    return RunningHost(process, home, found["address"], found["token"], log_path)


def alive(pids: list[int]) -> list[int]:
    """Those of `pids` that still run (zombies do not)."""
    left = []
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                left.append(pid)
        except psutil.NoSuchProcess:
            continue
    return left


def wait_gone(pids: list[int]) -> None:
    """Return when none of `pids` runs; fails where one stays."""
    began = time.monotonic()
    while alive(pids):
        if time.monotonic() - began > PATIENCE_S:
            raise AssertionError(f"still running after {PATIENCE_S} s: {[psutil.Process(pid) for pid in alive(pids)]}")
        time.sleep(0.01)


def pages(home: Path) -> list[Path]:
    """Telemetry pages of hosts under `home`."""
    return sorted((home / "run").glob("page-*"))
