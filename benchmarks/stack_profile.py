"""Where a thread of another process is, many times a second: by py-spy, where it is installed, from outside.

It reads the other process's memory and stops it for a moment at most; it is an own turn all the same, whose tokens/s
do not count.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_RATE_HZ = 200
_ROOT = "run_busy_loop"
_SHOWN = 28
_LONGEST_S = 120
_START_S = 5.0
_LEAST_US = 20.0  # a step; less is chance
_PLACE = re.compile(r"\((?:.*/)?([^/()]+):\d+\)$")


@dataclass(frozen=True, slots=True)
class Profile:
    """How often a function was seen on the stack below the engine's loop, and in how many steps."""

    seen: Counter[str]
    steps: int

    def us_a_step(self, function: str) -> float:
        """µs a step within this function and what it calls."""
        return self.seen[function] * 1e6 / _RATE_HZ / self.steps if self.steps else float("nan")


@contextlib.contextmanager
def profiling(pid: int, file: Path) -> Iterator[Counter[str]]:
    """Look at this process meanwhile; the counter is filled at the end. Raises RuntimeError without py-spy."""
    program = shutil.which("py-spy")
    if program is None:
        raise RuntimeError("--profile needs py-spy on the PATH")
    file.parent.mkdir(parents=True, exist_ok=True)
    words = [program, "record", "--pid", str(pid), "--rate", str(_RATE_HZ), "--duration", str(_LONGEST_S)]
    words += ["--format", "raw", "--output", str(file), "--nonblocking"]
    seen: Counter[str] = Counter()
    with file.with_suffix(".log").open("wb") as log:
        looking = subprocess.Popen(words, stdout=log, stderr=log)
        try:
            _wait_until_it_looks(looking, file.with_suffix(".log"))
            yield seen
        finally:
            if looking.poll() is None:
                looking.send_signal(signal.SIGINT)  # it writes what it has
            try:
                looking.wait(30)
            except subprocess.TimeoutExpired:
                looking.kill()
                looking.wait()
    if file.exists():
        seen.update(read_raw(file.read_text(errors="replace")))


def _wait_until_it_looks(looking: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while not log.stat().st_size and looking.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)


def read_raw(text: str) -> Counter[str]:
    """py-spy's raw format ("frame;frame;frame count") as samples of each function in stacks with the engine's loop."""
    seen: Counter[str] = Counter()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        if not count.isdigit() or _ROOT not in stack:
            continue
        frames = [_PLACE.sub(r"(\1)", frame) for frame in stack.split(";")]
        first = next(place for place, frame in enumerate(frames) if _ROOT in frame)
        for function in set(frames[first:]):
            seen[function] += int(count)
    return seen


def difference(host: Profile, alone: Profile) -> Iterator[str]:
    """The functions that most of the time went to or that differ most, as text."""
    functions = host.seen.keys() | alone.seen.keys()
    rows = [(host.us_a_step(name), alone.us_a_step(name), name) for name in functions]
    rows = [row for row in rows if max(row[:2]) >= _LEAST_US]
    if not rows:
        yield "       nothing was seen: py-spy's log says why"
        return
    rows.sort(key=lambda row: -abs(row[0] - row[1]))
    most = set(sorted(rows, key=lambda row: -max(row[:2]))[: _SHOWN // 2]) | set(rows[: _SHOWN // 2])
    for ours, theirs, name in sorted(most, key=lambda row: -max(row[:2])):
        yield f"       {ours:9,.0f} / {theirs:9,.0f} µs a step, {ours - theirs:+8,.0f}  {name}"
