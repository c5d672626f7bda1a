"""The servers and windows that a benchmark starts: ended with all that they started, however the benchmark ends."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
from typing import TYPE_CHECKING, Any

from engine.host import guardian
from engine.page.scratch import make_scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_PATIENCE_S = 10.0  # one that still loads does not listen
_TRACKER_S = 2.0
_TOLD_TO_END = 128 + signal.SIGTERM
_told_to_end = threading.Event()


def end_in_order() -> None:
    """Let SIGTERM, as of `timeout`, end everything that was started, too. Call it in the main thread."""
    signal.signal(signal.SIGTERM, _end_in_order)


def _end_in_order(*_: object) -> None:
    # `timeout` sends it twice, to its child and to its group: the second may not end what the first has begun.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _told_to_end.set()
    sys.exit(_TOLD_TO_END)


@contextlib.contextmanager
def child(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """One program in a session of its own with a folder of its own for temporary files; its output goes to `log`.

    It is ended at the end of the block, and by a guard where this process is killed before.
    """
    scratch = make_scratch()
    compiled = f"{tempfile.gettempdir()}/torchinductor_{getpass.getuser()}"  # where Torch would keep it otherwise
    own = {"TORCHINDUCTOR_CACHE_DIR": compiled, **environment, "TMPDIR": str(scratch)}
    guard: subprocess.Popen[bytes] | None = None
    try:
        with log.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out, env=own, start_new_session=True)
        try:
            guard = guardian.start("", str(scratch), process.pid)
            yield process
        finally:
            end(process)
    finally:
        if guard is not None:
            guard.kill()
            guard.wait()
        shutil.rmtree(scratch, ignore_errors=True)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a session in good order, then by force; Python's resource tracker last: it removes what others left."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE_S)
    process.kill()
    process.wait()
    guardian.end_processes(process.pid, process.pid)
    deadline = time.monotonic() + _TRACKER_S
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)


def wait_until(condition: Any, limit_s: float, what: str, process: subprocess.Popen[bytes] | None = None) -> None:
    """Poll until `condition()`; raises TimeoutError with `what`, or RuntimeError when the process has ended.

    In a thread, too, it ends by SystemExit when this process is told to end.
    """
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if _told_to_end.is_set():
            raise SystemExit(_TOLD_TO_END)
        if process is not None and process.poll() is not None:
            raise RuntimeError(f"{what}: the process ended with {process.returncode}")
        with contextlib.suppress(urllib.error.URLError, ConnectionError, OSError):
            if condition():
                return
        time.sleep(0.1)
    raise TimeoutError(what)
