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
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_RATE_HZ = 400
ENGINE_LOOP = ("run_busy_loop",)
HTTP_LOOP = ("uvloop/__init__.py", "asyncio/runners.py")  # whichever of them runs the server
_SHOWN = 28
_LONGEST_S = 120
_START_S = 5.0
_LEAST = 0.003  # of all that was seen; less is chance
_PLACE = re.compile(r"\((?:.*/)?([^/()]+):\d+\)$")


@dataclass(frozen=True, slots=True)
class Profile:
    """How often a function was seen on the stack below the loop, and while how much was done (steps, or tokens)."""

    seen: Counter[str]
    done: int

    def us_each(self, function: str) -> float:
        """µs a step, or a token, within this function and what it calls."""
        return self.seen[function] * 1e6 / _RATE_HZ / self.done if self.done else float("nan")


@contextlib.contextmanager
def profiling(pid: int, file: Path, roots: Sequence[str] = ENGINE_LOOP) -> Iterator[Counter[str]]:
    """Look meanwhile at this process's thread whose stack has one of `roots` in it; the counter is filled at the end.
    Raises RuntimeError without py-spy."""
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
        seen.update(read_raw(file.read_text(errors="replace"), roots))


def _wait_until_it_looks(looking: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while not log.stat().st_size and looking.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)


def read_raw(text: str, roots: Sequence[str] = ENGINE_LOOP) -> Counter[str]:
    """py-spy's raw format ("frame;frame;frame count") as samples of each function in stacks with one of `roots`, from
    the first of these on."""
    seen: Counter[str] = Counter()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        first = next((place for place, frame in enumerate(frames) if any(root in frame for root in roots)), None)
        if not count.isdigit() or first is None:
            continue
        for function in {_PLACE.sub(r"(\1)", frame) for frame in frames[first:]}:
            seen[function] += int(count)
    return seen


def difference(host: Profile, alone: Profile, unit: str) -> Iterator[str]:
    """The functions that most of the time went to or that differ most, as text; `unit` is what was counted."""
    functions = host.seen.keys() | alone.seen.keys()
    rows = [(host.us_each(name), alone.us_each(name), name) for name in functions]
    least = _LEAST * max((max(row[:2]) for row in rows), default=0.0)
    rows = [row for row in rows if max(row[:2]) >= least]
    if not rows:
        yield "       nothing was seen: py-spy's log says why"
        return
    rows.sort(key=lambda row: -abs(row[0] - row[1]))
    most = set(sorted(rows, key=lambda row: -max(row[:2]))[: _SHOWN // 2]) | set(rows[: _SHOWN // 2])
    for ours, theirs, name in sorted(most, key=lambda row: -max(row[:2])):
        yield f"       {ours:10,.2f} / {theirs:10,.2f} µs a {unit}, {ours - theirs:+9,.2f}  {name}"
