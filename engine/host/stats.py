"""Serving figures over the last seconds, collected from vLLM's own statistics."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.domain.lifecycle import ServingStats, SpeculationStats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

log = logging.getLogger(__name__)

_WINDOW_S = 10.0
_LATENCY_WINDOW_S = 60.0  # a slow engine finishes a request in more than ten seconds
_MOST_GAPS = 4
_PLENTY = 1024  # gaps; with so many of the last minute every second step is left out, with twice as many two of three
_SHORTEST_S = 1.0  # rates right after the first event would be wild


def percentile(values: Sequence[float], share: float) -> float | None:
    """The nearest-rank percentile (`share` from 0 to 1), or None of nothing."""
    return percentiles(values, share)[0]


def percentiles(values: Sequence[float], *shares: float) -> list[float | None]:
    """`percentile` for each share, looking through the values once."""
    last = len(values) - 1
    if last < 0:
        return [None] * len(shares)
    ranks = [min(last, max(0, -(-int(share * 100) * len(values) // 100) - 1)) for share in shares]
    ordered = np.partition(np.array(values), ranks)  # a third of what sorting thousands takes, on the host's loop
    return [float(ordered[rank]) for rank in ranks]


def _sample(values: Sequence[float]) -> Sequence[float]:
    """At most a few values, evenly spaced: in one step all gaps are nearly the step's time, and there may be 500."""
    return values if len(values) <= _MOST_GAPS else values[:: -(-len(values) // _MOST_GAPS)]


class _Recent:
    """Values with the moment they came, dropped when they leave the window."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._times: deque[float] = deque()
        self._values: deque[float] = deque()

    def __len__(self) -> int:
        return len(self._times)

    def add(self, now: float, value: float) -> None:
        self._times.append(now)
        self._values.append(value)
        self._forget(now)  # here, too: nobody may ask for hours

    def values(self, now: float) -> list[float]:
        self._forget(now)
        return list(self._values)

    def _forget(self, now: float) -> None:
        times, oldest = self._times, now - self._window_s
        while times and times[0] < oldest:
            times.popleft()
            self._values.popleft()


class _Drafts:
    """Drafted tokens of the last `window_s` seconds, and since the load."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._steps: deque[tuple[float, tuple[int, int, int], tuple[int, ...]]] = deque()
        self._recent = [0, 0, 0]  # drafts, drafted and accepted tokens of `_steps`
        self._places: list[int] = []
        self._totals = (0, 0, 0)

    def add(self, now: float, stats: Any) -> None:
        counts = (stats.num_drafts, stats.num_draft_tokens, stats.num_accepted_tokens)
        self._places += [0] * (int(stats.num_spec_tokens) - len(self._places))
        if counts[0]:
            accepted_at = tuple(stats.num_accepted_tokens_per_pos)
            self._steps.append((now, counts, accepted_at))
            self._count(counts, accepted_at, 1)
            before = self._totals
            self._totals = (before[0] + counts[0], before[1] + counts[1], before[2] + counts[2])
        self._forget(now)

    def now(self, now: float) -> SpeculationStats | None:
        if not self._places:
            return None
        self._forget(now)
        drafts, tokens, accepted = self._recent
        return SpeculationStats(self._window_s, drafts, tokens, accepted, tuple(self._places), *self._totals)

    def _forget(self, now: float) -> None:
        while self._steps and self._steps[0][0] < now - self._window_s:
            _, counts, accepted_at = self._steps.popleft()
            self._count(counts, accepted_at, -1)

    def _count(self, counts: tuple[int, int, int], accepted_at: tuple[int, ...], sign: int) -> None:
        for field, count in enumerate(counts):
            self._recent[field] += sign * count
        for place, count in enumerate(accepted_at[: len(self._places)]):
            self._places[place] += sign * count


class _Told:
    """Reads vLLM's statistics by name. What a release calls otherwise is said once, and is unknown, not zero."""

    def __init__(self) -> None:
        self.missing: set[str] = set()

    def get(self, owner: Any, name: str, figure: str, otherwise: Any) -> Any:
        """`owner.name`; `otherwise` where there is no such thing, and `figure` cannot be told from then on."""
        value = getattr(owner, name, self)
        if value is not self:
            return value
        if figure not in self.missing:
            self.missing.add(figure)
            log.warning("This vLLM's statistics have no %s: %s cannot be shown.", name, figure)
        return otherwise


class StatsWindow:
    """Takes in what vLLM records each step and answers with the figures of the last seconds. Thread-safe."""

    def __init__(self, window_s: float = _WINDOW_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._window_s = window_s
        self._clock = clock
        self._lock = threading.Lock()
        self._told = _Told()
        self._steps = 0
        self.reset()

    def reset(self) -> None:
        """Forget everything, as for a new engine."""
        with self._lock:
            self._began = self._clock()
            names = ("prompt", "generation", "finished", "ttft", "itl", "e2e", "queue")
            rates = ("prompt", "generation", "finished")
            longer = max(self._window_s, _LATENCY_WINDOW_S)
            self._recent = {name: _Recent(self._window_s if name in rates else longer) for name in names}
            self._engines: dict[int, tuple[int, int, float]] = {}  # running, waiting, usage of each data-parallel one
            self._finished_total = self._preempted_total = 0
            self._steps_left_out = 0
            self._drafts = _Drafts(longer)

    @property
    def steps(self) -> int:
        """How often something was recorded; grows with each step, and a new engine does not begin anew."""
        return self._steps

    def record(self, scheduler: Any, iteration: Any, engine: int = 0) -> None:
        """One step's SchedulerStats and IterationStats of vLLM, either of which may be None, of this engine."""
        now, told = self._clock(), self._told.get
        with self._lock:
            self._steps += 1
            if scheduler is not None:
                running = told(scheduler, "num_running_reqs", "running", 0)
                waiting = told(scheduler, "num_waiting_reqs", "waiting", 0)
                waiting += getattr(scheduler, "num_skipped_waiting_reqs", 0)
                self._engines[engine] = running, waiting, told(scheduler, "kv_cache_usage", "kv_cache_usage", 0.0)
                drafts = told(scheduler, "spec_decoding_stats", "speculation", None)
                if drafts is not None:
                    self._drafts.add(now, drafts)
            if iteration is not None:
                self._record_iteration(now, iteration)

    def _record_iteration(self, now: float, iteration: Any) -> None:
        recent, told = self._recent, self._told.get
        recent["prompt"].add(now, told(iteration, "num_prompt_tokens", "prompt_tokens_per_s", 0))
        recent["generation"].add(now, told(iteration, "num_generation_tokens", "generation_tokens_per_s", 0))
        self._preempted_total += told(iteration, "num_preempted_reqs", "preempted_total", 0)
        for value in told(iteration, "time_to_first_tokens_iter", "ttft_p50_s", ()):
            if self._can_be(now, value):
                recent["ttft"].add(now, value)
        self._record_gaps(now, told(iteration, "inter_token_latencies_iter", "itl_p50_s", ()))
        for finished in told(iteration, "finished_requests", "requests_per_s", ()):
            self._finished_total += 1
            recent["finished"].add(now, 1.0)
            for kind, name, figure in (("e2e", "e2e_latency", "e2e_p50_s"), ("queue", "queued_time", "queue_p50_s")):
                value = told(finished, name, figure, None)
                if value is not None and self._can_be(now, value):
                    recent[kind].add(now, value)

    def _can_be(self, now: float, latency_s: float) -> bool:
        """vLLM counts by the wall clock: where that was set by a day, a request seems to have taken a day, or less than
        nothing.
        """
        return 0.0 <= latency_s <= max(now - self._began, _LATENCY_WINDOW_S)

    def _record_gaps(self, now: float, gaps: Sequence[float]) -> None:
        """A fast engine makes 20,000 gaps a second. What is looked through twice a second is a sample of its steps."""
        held = self._recent["itl"]
        self._steps_left_out += 1
        if gaps and self._steps_left_out > len(held) // _PLENTY:
            self._steps_left_out = 0
            for value in _sample(gaps):
                held.add(now, value)

    def settle(self) -> None:
        """No request is left: vLLM says nothing more after the last one was aborted, and its last word would stand."""
        with self._lock:
            self._engines.clear()

    def now(self) -> ServingStats:
        """The figures as of this moment."""
        now = self._clock()
        with self._lock:
            span = min(self._window_s, max(_SHORTEST_S, now - self._began))
            of = {name: recent.values(now) for name, recent in self._recent.items()}
            ttft, itl = percentiles(of["ttft"], 0.5, 0.95), percentiles(of["itl"], 0.5, 0.95)
            return ServingStats(
                monotonic_ns=time.monotonic_ns(),
                window_s=self._window_s,
                prompt_tokens_per_s=sum(of["prompt"]) / span,
                generation_tokens_per_s=sum(of["generation"]) / span,
                requests_per_s=sum(of["finished"]) / span,
                ttft_p50_s=ttft[0],
                ttft_p95_s=ttft[1],
                itl_p50_s=itl[0],
                itl_p95_s=itl[1],
                e2e_p50_s=percentile(of["e2e"], 0.5),
                queue_p50_s=percentile(of["queue"], 0.5),
                running=sum(running for running, _, _ in self._engines.values()),
                waiting=sum(waiting for _, waiting, _ in self._engines.values()),
                kv_cache_usage=sum(usage for *_, usage in self._engines.values()) / max(1, len(self._engines)),
                finished_total=self._finished_total,
                preempted_total=self._preempted_total,
                speculation=self._drafts.now(now),
                untold=tuple(sorted(self._told.missing)),
            )


def stat_logger_class(base: Any, window: StatsWindow) -> Any:
    """A vLLM stat logger class that records into `window`; vLLM makes one per engine."""

    class KVDeckStatLogger(base):  # type: ignore[misc]
        def __init__(self, vllm_config: Any, engine_index: int = 0) -> None:
            self.vllm_config = vllm_config
            self.engine_index = engine_index

        def record(self, scheduler_stats: Any, iteration_stats: Any, *_: Any, **__: Any) -> None:
            window.record(scheduler_stats, iteration_stats, self.engine_index)

        def log_engine_initialized(self) -> None:
            window.reset()

    return KVDeckStatLogger
