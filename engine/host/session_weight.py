"""How much of the cores the host and its engine ask for: less than everybody else, until an engine is ready."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import re
from pathlib import Path

from engine.domain.lifecycle import Phase

log = logging.getLogger(__name__)

_AUTOGROUP = Path("/proc/self/autogroup")
_WHILE_LOADING = 5  # a third of the usual weight: with a tenth, a load beside another busy session took minutes
_USUAL = 0
_AGAIN_S = 0.15  # Linux takes one change in a tenth of a second, from all programs together
_TRIES = 40
_SERVING = frozenset({Phase.READY, Phase.ASLEEP})


class SessionWeight:
    """Makes way for the window while a model loads.

    A load keeps every core busy for half a minute, and the window, which needs one for a few milliseconds at a time,
    waited for up to a second (measured on two cores). Linux shares the cores between sessions, and any program may
    lower its session's weight and raise it to the usual again, which a process's own nice value does not allow. Cores
    that nobody else wants are used as before, so the load takes no longer.

    Only a session of the host's own is touched: a host that was started in a shell shares the shell's. Where Linux
    groups processes in another way (control groups), there is nothing to do here.
    """

    def __init__(self, file: Path = _AUTOGROUP) -> None:
        self._file = file
        self._ours = os.getsid(0) == os.getpid() and file.exists()
        self._wanted: int | None = None
        self._retry: asyncio.TimerHandle | None = None

    def follow(self, phase: Phase) -> None:
        """The engine is in this phase now. Call it in the host's loop."""
        wanted = _USUAL if phase in _SERVING else _WHILE_LOADING
        if self._ours and wanted != self._wanted:
            self._wanted = wanted
            self._cancel()
            self._put(_TRIES)

    @property
    def present(self) -> int | None:
        """The session's nice value, None where Linux does not tell."""
        try:
            found = re.search(r"nice (-?\d+)", self._file.read_text(encoding="ascii"))
        except OSError:
            return None
        return int(found[1]) if found else None

    def close(self) -> None:
        """Try nothing more."""
        self._cancel()

    def _put(self, tries: int) -> None:
        self._retry = None
        try:
            self._file.write_text(str(self._wanted), encoding="ascii")
        except OSError as error:
            # A ready engine is not left slow, however long it takes.
            if error.errno == errno.EAGAIN and (tries > 1 or self._wanted == _USUAL):
                self._retry = asyncio.get_running_loop().call_later(_AGAIN_S, self._put, tries - 1)
            else:
                self._ours = error.errno == errno.EAGAIN  # the next change may be taken
                log.warning("The weight of the engine's session stays at %s: %s", self.present, error)

    def _cancel(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
