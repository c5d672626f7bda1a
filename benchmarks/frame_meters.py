"""What the window's thread does from one frame to the next: the time between frames, its processor time, the map's."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.panels.cache import CachePanel

_SCHEDSTAT = Path("/proc/thread-self/schedstat")


class Frame(NamedTuple):
    """One frame, all in seconds: since the last, of it without a core, processor time of the thread, of the map."""

    apart: float
    waited: float
    thread: float
    map: float


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
    """Notes at every tick of the frame clock what happened since the last."""

    def __init__(self, meter: MapMeter | None = None) -> None:
        self._meter = meter
        self._last = self._now()
        self.frames: list[Frame] = []

    def restart(self) -> None:
        """Begin a new measurement."""
        self.frames = []
        self._last = self._now()

    def tick(self, _now_ns: object) -> None:
        """A frame begins."""
        now = self._now()
        self.frames.append(Frame(*(after - before for after, before in zip(now, self._last, strict=True))))
        self._last = now

    def _now(self) -> Frame:
        taken = self._meter.taken_s if self._meter is not None else 0.0
        return Frame(time.perf_counter(), run_delay_s(), time.thread_time(), taken)


def run_delay_s() -> float:
    """How long this thread has been ready to run and had no core so far; 0 where the kernel does not count it."""
    try:
        with _SCHEDSTAT.open("rb") as stream:
            return int(stream.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def heading() -> str:
    """Of the lines that `summary` makes."""
    columns = "".join(f"{name:>20}" for name in ("apart", "late", "thread", "map"))
    return f"{'milliseconds; p50, p99, longest':<32}{'frames':>7}{columns}"


def summary(name: str, frames: list[Frame]) -> tuple[dict[str, float], str]:
    """The figures of some frames in milliseconds, and as a line of text."""
    taken = np.array(frames) * 1000
    apart, waited, thread, on_map = taken.T if len(taken) else np.zeros((4, 1))
    busy = on_map[on_map > 0]
    figures, parts = {"frames": float(len(taken))}, []
    for key, values in (("apart", apart), ("late", apart - waited), ("thread", thread),
                        ("map", busy if len(busy) else np.zeros(1))):  # fmt: skip
        p50, p99 = np.percentile(values, (50, 99))
        figures |= {f"{key}_p50": float(p50), f"{key}_p99": float(p99), f"{key}_max": float(values.max())}
        parts.append(f"{p50:>8.1f}{p99:>6.1f}{values.max():>6.1f}")
    figures["over_50"] = float((apart > 50).sum())
    return figures, f"{name:<32}{len(taken):>7}{''.join(parts)}"
