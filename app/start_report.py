"""The time of the first paint, for the benchmark and the tour."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def write_start_report(target: str, visible_s: float, painted_monotonic_s: float) -> None:
    """Write both times as JSON to a file, or to standard output where `target` is "-".

    `visible_s` counts from the creation of the process; the monotonic time lets whoever started it count for itself;
    the processor time does not depend on what else the machine does.
    """
    times = {
        "window_visible_s": round(visible_s, 4),
        "painted_monotonic_s": painted_monotonic_s,
        "cpu_s": round(time.process_time(), 4),
    }
    text = json.dumps(times)
    if target == "-":
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    else:
        Path(target).write_text(text + "\n", encoding="utf-8")
