"""Keeps count of a run while it goes: windows of time, progress, and the samples that have not been told yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.bench.messages import Progress
from engine.bench.result import Window
from engine.bench.sample import Outcome
from engine.bench.tally import Tally, is_good

if TYPE_CHECKING:
    from typing import Literal

    from engine.bench.clock import RunClock
    from engine.bench.sample import Sample
    from engine.bench.workload import Workload

MOST_WINDOWS = 3600


class Book:
    """All that is known of a run. Its lists of windows and samples are bounded: see `windows` and `take_samples`."""

    def __init__(self, workload: Workload, clock: RunClock, total: int | None) -> None:
        self.tally = Tally(workload.slos)
        self.sent = self.running = self.most_running = 0
        self.last_end_s = 0.0
        self._workload = workload
        self._clock = clock
        self._total = total
        self._untold: list[Sample] = []
        self._windows: list[Window] = []
        self._begin_window(0.0)

    # What happens

    def began_request(self) -> None:
        """One more is under way."""
        self.sent += 1
        self._now_sent += 1
        self.running += 1
        self.most_running = max(self.most_running, self.running)

    def took_piece(self, ttft_s: float | None, gap_s: float | None) -> None:
        """A piece with a token came: the request's first, or a later one."""
        self._now_tokens += 1
        if ttft_s is not None:
            self._now_ttft.append(ttft_s)
        if gap_s is not None:
            self._now_gaps.append(gap_s)

    def ended_request(self, sample: Sample) -> None:
        """One ended."""
        self.running -= 1
        self.last_end_s = max(self.last_end_s, sample.ended_s)
        self.tally.add(sample)
        self._untold.append(sample)
        self._now_ended.append(sample)

    # What is told

    def take_samples(self) -> list[Sample]:
        """Samples since the last call; ask about once a second."""
        samples, self._untold = self._untold, []
        return samples

    @property
    def windows(self) -> tuple[Window, ...]:
        """Every window so far; from 3,600 on, neighbours are merged."""
        return tuple(self._windows)

    def close_window(self) -> Window:
        """End the present window and begin the next."""
        now = self._clock.now_s
        ended = self._now_ended
        e2e = [sample.e2e_s for sample in ended if sample.outcome is Outcome.SUCCESSFUL and sample.e2e_s is not None]
        slos = self._workload.slos
        window = Window(
            start_s=self._now_began,
            seconds=max(1e-9, now - self._now_began),
            sent=self._now_sent,
            successful=sum(sample.outcome is Outcome.SUCCESSFUL for sample in ended),
            incomplete=sum(sample.outcome is Outcome.INCOMPLETE for sample in ended),
            failed=sum(sample.outcome is Outcome.FAILED for sample in ended),
            tokens_in=sum(sample.prompt_tokens or 0 for sample in ended if sample.outcome is Outcome.SUCCESSFUL),
            tokens_out=self._now_tokens,
            running=self.running,
            **_percentiles("ttft", self._now_ttft),
            **_percentiles("itl", self._now_gaps),
            **_percentiles("e2e", e2e),
            good=sum(is_good(sample, slos) for sample in ended) if slos.asked else None,
        )
        self._windows = [*bounded((*self._windows, window))]
        self._begin_window(now)
        return window

    def progress(self, phase: Literal["preparing", "warming_up", "running", "paused", "finishing"]) -> Progress:
        """How far it is, and how long it will still take."""
        active = self._clock.active_s
        ended = sum(self.tally.count(outcome) for outcome in Outcome)
        estimates: list[tuple[float | None, float | None]] = []
        if self._total:
            done = min(1.0, ended / self._total)
            estimates.append((done, active / done - active if done else None))
        if self._workload.duration_s is not None:
            left = max(0.0, self._workload.duration_s - active)
            estimates.append((min(1.0, active / self._workload.duration_s), left))
        share, left_s = max(estimates, key=lambda estimate: estimate[0] or 0.0, default=(None, None))
        return Progress(
            phase=phase,
            elapsed_s=self._clock.now_s,
            sent=self.sent,
            running=self.running,
            successful=self.tally.count(Outcome.SUCCESSFUL),
            incomplete=self.tally.count(Outcome.INCOMPLETE),
            failed=self.tally.count(Outcome.FAILED),
            total=self._total,
            share=share,
            left_s=left_s,
        )

    def _begin_window(self, now_s: float) -> None:
        self._now_began = now_s
        self._now_sent = self._now_tokens = 0
        self._now_ttft: list[float] = []
        self._now_gaps: list[float] = []
        self._now_ended: list[Sample] = []


def bounded(windows: tuple[Window, ...]) -> tuple[Window, ...]:
    """The same, or with neighbours merged where there are more than 3,600."""
    if len(windows) <= MOST_WINDOWS:
        return windows
    pairs = zip(windows[::2], windows[1::2], strict=False)
    return (*(_merged(one, other) for one, other in pairs), *(windows[-1:] if len(windows) % 2 else ()))


def _percentiles(name: str, values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    median, high = np.percentile(values, (50, 95))
    return {f"{name}_p50_s": float(median), f"{name}_p95_s": float(high)}


def _merged(one: Window, other: Window) -> Window:
    """Two neighbours as one: counts add up, medians are averaged, of the 95th percentiles the higher stays."""
    counts = ("sent", "successful", "incomplete", "failed", "tokens_in", "tokens_out")
    values: dict[str, Any] = {name: getattr(one, name) + getattr(other, name) for name in counts}
    for name in ("ttft", "itl", "e2e"):
        for part in ("p50", "p95"):
            key = f"{name}_{part}_s"
            known = [value for value in (getattr(one, key), getattr(other, key)) if value is not None]
            values[key] = (max(known) if part == "p95" else sum(known) / len(known)) if known else None
    good = None if one.good is None else one.good + (other.good or 0)
    seconds = other.start_s + other.seconds - one.start_s
    return Window(start_s=one.start_s, seconds=seconds, running=other.running, good=good, **values)
