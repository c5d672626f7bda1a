"""Whether a process is the one that it was: a pid alone may have been given to another program since."""

from __future__ import annotations

import contextlib
import os
import select
import time
from pathlib import Path

_DEAD_STATES = frozenset("ZXx")
_POLL_S = 0.2


def stat_fields(pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat from the state on (field 3 is index 0), or None for no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    # The command name is in parentheses and may itself hold spaces and parentheses.
    return text[text.rfind(")") + 2 :].split()


def start_ticks(pid: int) -> int | None:
    """When the process was started, in clock ticks since boot; None where there is no such process."""
    fields = stat_fields(pid)
    return int(fields[19]) if fields and len(fields) > 19 else None


def is_alive(pid: int, ticks: int) -> bool:
    """Whether process `pid` still runs and is the one that started at `ticks`. A zombie counts as dead."""
    fields = stat_fields(pid)
    if not fields or len(fields) <= 19 or fields[0] in _DEAD_STATES:
        return False
    return int(fields[19]) == ticks


def wait_for_end(pid: int, ticks: int) -> None:
    """Return when the process `pid` that started at `ticks` is gone, within milliseconds. Blocks.

    `engine.host.guardian`, which can import nothing, has one of its own.
    """
    with contextlib.suppress(OSError, AttributeError):  # gone, or a kernel that cannot tell: ask again and again
        descriptor = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        # The pid may have been given away between the two looks; the second one is at the process we hold.
        while is_alive(pid, ticks):
            poll.poll(1000)
        os.close(descriptor)
    while is_alive(pid, ticks):
        time.sleep(_POLL_S)


def own_identity() -> tuple[int, int]:
    """This process's pid and start ticks (0 where the system does not tell)."""
    pid = os.getpid()
    return pid, start_ticks(pid) or 0
