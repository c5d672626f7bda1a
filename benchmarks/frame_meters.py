"""What the window's thread does from one frame to the next: the time between frames, its processor time, the map's."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.panels.cache import CachePanel
    from benchmarks.frame_causes import Causes

_SLOW_S = 0.004  # what takes the thread less keeps no frame waiting
_FEWEST = 3
_NAMED = 8
_SCHEDSTAT = Path("/proc/thread-self/schedstat")


class Frame(NamedTuple):
    """One frame, all in seconds: since the last had been read, of it without a core, processor time of the thread, of
    the map; and from the beginning of the last to its own.
    """

    apart: float
    waited: float
    thread: float
    map: float
    began: float


class Slow(NamedTuple):
    """Why a frame was slow: its own time, and what took it by event and by code, in seconds of processor time."""

    thread: float
    events: Counter[str]
    code: Counter[str]


class MapMeter:
    """Sums the processor time that the block map takes."""

    def __init__(self, panel: CachePanel) -> None:
        self.taken_s = 0.0
        view = panel.map
        panel.stage.show_snapshot = self._timed(panel.stage.show_snapshot)  # type: ignore[method-assign]
        view.image.fade = self._timed(view.image.fade)  # type: ignore[method-assign]
        view.paint = self._timed(view.paint)  # type: ignore[method-assign]

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            began = time.thread_time()
            try:
                return call(*arguments)
            finally:
                self.taken_s += time.thread_time() - began

        return timed


class FrameMeter:
    """Notes at every tick of the frame clock what happened since the last, and with `causes` what took the time."""

    def __init__(self, meter: MapMeter | None = None, causes: Causes | None = None) -> None:
        self._meter, self._causes = meter, causes
        self._last = self._now()
        self.frames: list[Frame] = []
        self._slow: list[Slow] = []

    def restart(self) -> None:
        """Begin a new measurement."""
        self.frames, self._slow = [], []
        if self._causes is not None:
            self._causes.take()
        self._last = self._now()

    def tick(self, began_ns: object) -> None:
        """A frame has begun at this moment, and its picture has been read and handed on."""
        assert isinstance(began_ns, int)
        now = self._now(began_ns / 1e9)
        frame = Frame(*(after - before for after, before in zip(now, self._last, strict=True)))
        self.frames.append(frame)
        if self._causes is not None:
            events, code = self._causes.take()
            if frame.thread > _SLOW_S:
                self._slow.append(Slow(frame.thread, events, code))
        self._last = now

    def slowest(self) -> list[Slow]:
        """The hundredth of the frames that took the thread longest, at least three; the longest first."""
        count = max(_FEWEST, len(self.frames) // 100)
        return sorted(self._slow, key=lambda one: one.thread, reverse=True)[:count]

    def _now(self, began_s: float | None = None) -> Frame:
        taken = self._meter.taken_s if self._meter is not None else 0.0
        began_s = time.monotonic() if began_s is None else began_s
        return Frame(time.perf_counter(), run_delay_s(), time.thread_time(), taken, began_s)


def run_delay_s() -> float:
    """How long this thread has been ready to run and had no core so far; 0 where the kernel does not count it."""
    try:
        with _SCHEDSTAT.open("rb") as stream:
            return int(stream.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def heading() -> str:
    """Of the lines that `summary` makes."""
    columns = "".join(f"{name:>20}" for name in ("began", "apart", "late", "thread", "map"))
    return f"{'milliseconds; p50, p99, longest':<32}{'frames':>7}{columns}"


def summary(name: str, frames: list[Frame]) -> tuple[dict[str, float], str]:
    """The figures of some frames in milliseconds, and as a line of text."""
    taken = np.array(frames) * 1000
    apart, waited, thread, on_map, began = taken.T if len(taken) else np.zeros((5, 1))
    busy = on_map[on_map > 0]
    figures, parts = {"frames": float(len(taken))}, []
    for key, values in (("began", began), ("apart", apart), ("late", apart - waited), ("thread", thread),
                        ("map", busy if len(busy) else np.zeros(1))):  # fmt: skip
        p50, p99 = np.percentile(values, (50, 99))
        figures |= {f"{key}_p50": float(p50), f"{key}_p99": float(p99), f"{key}_max": float(values.max())}
        parts.append(f"{p50:>8.1f}{p99:>6.1f}{values.max():>6.1f}")
    figures["over_50"] = float((apart > 50).sum())
    return figures, f"{name:<32}{len(taken):>7}{''.join(parts)}"


def causes_of(slow: list[Slow]) -> dict[str, dict[str, float]]:
    """What took the slow frames their time: milliseconds a frame by event and by code, the most first."""
    found = {}
    for book in ("events", "code"):
        whole: Counter[str] = Counter()
        for one in slow:
            whole.update(getattr(one, book))
        found[book] = {name: taken * 1000 / len(slow) for name, taken in whole.most_common(_NAMED)}
    return found


def causes_text(slow: list[Slow]) -> str:
    """The same as lines of text."""
    if not slow:
        return "    no frame took the thread more than 4 ms"
    mean = sum(one.thread for one in slow) * 1000 / len(slow)
    lines = [f"    the {len(slow)} frames that took the thread longest, {mean:.1f} ms a frame:"]
    for book, causes in causes_of(slow).items():
        lines += [f"      {taken:6.2f}  {'in ' if book == 'code' else ''}{name}" for name, taken in causes.items()]
    longest = ", ".join(f"{name} {taken:.1f}" for name, taken in causes_of(slow[:1])["events"].items())
    return "\n".join([*lines, f"      the longest, {slow[0].thread * 1000:.1f} ms: {longest}"])
