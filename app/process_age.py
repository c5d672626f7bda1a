"""How long this process has existed, for the time from a user's start of the program to its window."""

from __future__ import annotations

import os
import time
from pathlib import Path


def process_age_s() -> float:
    """Seconds since this process was created, to a hundredth. Raises OSError where the system cannot say."""
    stat = Path("/proc/self/stat")
    if stat.exists():
        start_ticks = int(stat.read_text(encoding="ascii").rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - start_ticks / os.sysconf("SC_CLK_TCK")
    import psutil  # late: only where there is no /proc

    return float(time.time() - psutil.Process().create_time())
