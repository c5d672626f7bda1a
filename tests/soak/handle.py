"""A soak's window as its parent sees it: a child process, its lines, and the last of what it said."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from tests.soak.machine import Identity, family, identity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_OPEN_S = 120.0


class WindowFailed(Exception):
    """The window did not come up, or did not come to what a round waits for."""


class WindowHandle:
    """Starts one window and follows it. `lifecycle` is the last that it told, `error` its last notice of one."""

    def __init__(self, home: Path, parameters: Mapping[str, object]) -> None:
        self.home = home
        self.saved: dict[str, str] = {}
        self.setting = 0
        self.lifecycle: dict[str, Any] = {}
        self.error = ""
        self._events: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "KVDECK_"))}
        for name in ("VLLM_USE_FLASHINFER_SAMPLER", "VLLM_ATTENTION_BACKEND"):  # what a GPU machine may need
            if name in os.environ:
                kept[name] = os.environ[name]
        with (home / "window.log").open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.soak.window", json.dumps(dict(parameters))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**kept, "KVDECK_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "HF_HUB_OFFLINE": "1"},
            )
        self.itself = identity(self.process.pid)
        threading.Thread(target=self._read, daemon=True).start()
        self.wait_for(lambda event: event["kind"] == "open", _OPEN_S, "it to open")

    @property
    def alive(self) -> bool:
        """Whether the window runs."""
        return self.process.poll() is None

    @property
    def host_pid(self) -> int | None:
        """Its engine host's pid."""
        pid: int | None = self.lifecycle.get("host")
        return pid

    @property
    def engines(self) -> dict[str, int]:
        """The running engine's processes by name; empty while none is ready."""
        return {name: int(pid) for pid, name in self.lifecycle.get("processes", {}).items()}

    def everything(self) -> tuple[Identity, ...]:
        """The window and all its descendants."""
        return (*((self.itself,) if self.itself and self.itself.alive else ()), *family(self.process.pid))

    def address(self) -> tuple[str, str]:
        """The host's URL and token, from the file that it wrote for this window."""
        for path in (self.home / "run").glob(f"host-{self.process.pid}-*.json"):
            record = json.loads(path.read_text())
            if record["pid"] == self.host_pid:
                return record["address"], record["token"]
        raise WindowFailed(f"the host {self.host_pid} has written no address")

    def tell(self, do: str, **values: str) -> None:
        """Give an order."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **values}) + "\n")
        self.process.stdin.flush()

    def mark(self) -> int:
        """A place in what the window says: `wait_for` looks at what comes after it."""
        with self._changed:
            return len(self._events)

    def has_said(self, wanted: Callable[[dict[str, Any]], bool], after: int) -> bool:
        """Whether any line since `after` is wanted."""
        with self._changed:
            return any(wanted(event) for event in self._events[after:])

    def wait_for(
        self, wanted: Callable[[dict[str, Any]], bool], timeout_s: float, what: str, after: int = 0
    ) -> dict[str, Any]:
        """The first line since `after` that is wanted. Raises WindowFailed."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            seen = after
            while True:
                for event in self._events[seen:]:
                    if wanted(event):
                        return event
                seen = len(self._events)
                left = deadline - time.monotonic()
                if left <= 0 or (not self.alive and not self._changed.wait(0.5)):
                    state = "runs" if self.alive else f"ended with {self.process.returncode}"
                    raise WindowFailed(f"the window ({state}) was waited for: {what}; last {self.lifecycle}")
                self._changed.wait(min(left, 1.0))

    def wait_phase(self, *phases: str, timeout_s: float, after: int) -> dict[str, Any]:
        """The first lifecycle since `after` in one of these phases."""
        return self.wait_for(
            lambda event: event["kind"] == "lifecycle" and event["phase"] in phases,
            timeout_s,
            " or ".join(phases),
            after,
        )

    def close(self, timeout_s: float = 30.0) -> int:
        """Close the window as a user would; its exit status (-9 where it had to be killed)."""
        if self.alive:
            self.tell("close")
            try:
                self.process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.reap()

    def reap(self) -> int:
        """Collect the ended process; its exit status."""
        code = self.process.wait()
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                try:
                    event = json.loads(line)
                except ValueError:  # cut off by the kill
                    continue
                with self._changed:
                    self._take(event)
                    self._changed.notify_all()

    def _take(self, event: dict[str, Any]) -> None:
        if event["kind"] == "saved":
            self.saved |= event["messages"]
        elif event["kind"] == "setting":
            self.setting = event["count"]
        else:
            if event["kind"] == "lifecycle":
                self.lifecycle = event
            elif event.get("level") == "error":
                self.error = event["message"]
            self._events.append(event)
