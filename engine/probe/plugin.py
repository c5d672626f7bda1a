"""What runs early in every process of a KVDeck engine: vLLM calls `register` through its plugin entry point.

Outside KVDeck (KVDECK_HOST_PID not set) it does nothing at all.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from importlib import import_module
from pathlib import Path

from engine.page.liveness import start_ticks, wait_for_end
from engine.page.scratch import remove_own_segments, remove_scratch

_log = logging.getLogger(__name__)
_HOST_DIED = 70  # EX_SOFTWARE, only ever seen in a log


def register() -> None:
    """Tie this process to the engine host's life; teach vLLM to unpack weights that no kernel here can read, and the
    CPU's model runner to rewind a seeded request.

    vLLM may call it more than once in a process; only the first call counts.
    """
    host = os.environ.get("KVDECK_HOST_PID", "")
    if not host.isdecimal():
        return
    _watch_host(int(host))
    _install("engine.quantize.unpack", "Packed weights cannot be unpacked at load")
    if int(host) != os.getpid():  # the host samples nothing, and need not import what does
        _install("engine.probe.seed_rewind", "A request with a seed and a long prompt may end an engine on the CPU")


def _install(module: str, otherwise: str) -> None:
    try:
        import_module(module).install()
    except ImportError as error:
        _log.warning("%s: %s", otherwise, error)


def _watch_host(pid: int) -> None:
    if pid == os.getpid() or any(thread.name == HostWatch.NAME for thread in threading.enumerate()):
        return
    ticks = start_ticks(pid)
    if ticks is None:
        _end()
    else:
        HostWatch(pid, ticks).start()


class HostWatch(threading.Thread):
    """Ends this process as soon as the host is gone: vLLM itself lets its processes outlive a killed parent.

    The signal that Linux sends on a parent's death does not serve: it comes when the parent's *thread* ends, and the
    host loads in a thread; and a worker's parent is the EngineCore.
    """

    NAME = "kvdeck-host-watch"

    def __init__(self, pid: int, ticks: int) -> None:
        super().__init__(name=self.NAME, daemon=True)
        self._pid = pid
        self._ticks = ticks

    def run(self) -> None:
        """Wait for the host's end, then end this process."""
        wait_for_end(self._pid, self._ticks)
        _end()


def _end() -> None:
    page = os.environ.get("KVDECK_PAGE")
    if page:
        with contextlib.suppress(OSError):
            Path(page).unlink()
    remove_scratch(os.environ)
    remove_own_segments()
    os._exit(_HOST_DIED)
