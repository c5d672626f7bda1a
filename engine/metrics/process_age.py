"""How long this process has been running, from the operating system: the honest start of every start-up figure."""

from __future__ import annotations

import os
import time
from pathlib import Path

_STARTTIME_FIELD = 19  # field 22 of proc(5) stat, counted after the name's closing parenthesis (field 3 is index 0)


def process_age_s() -> float | None:
    """Seconds since the kernel started this process (resolution 10 ms), or None where /proc does not tell.

    Counted from exec of the interpreter, so that importing Python's own start-up is in it; time.perf_counter() in the
    first line of a program is not.
    """
    try:
        text = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace")
        ticks = int(text.rpartition(")")[2].split()[_STARTTIME_FIELD])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
