"""Adds up a run as it goes: exact figures at the end, in bounded memory however long it goes on."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engine.bench.figures import latency_of, spread_of
from engine.bench.result import Figures, Spread
from engine.bench.sample import Outcome
from engine.bench.workload import Slos

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from engine.bench.sample import Sample
    from engine.bench.server_metrics import EngineChange

_MOST_EXACT_GAPS = 4_000_000  # 16 MB
_MOST_EXACT = 1_000_000  # requests: 8 MB a figure
_MOST_REASONS = 20
_SINGLE = ("ttft", "tpot", "tpot_with_first", "e2e", "queue", "prefill", "decode", "lag")


def is_good(sample: Sample, slos: Slos) -> bool:
    """Whether a request succeeded and kept every SLO. As in vLLM, an answer of one token has no TPOT to miss."""
    if sample.outcome is not Outcome.SUCCESSFUL:
        return False
    pairs = ((slos.ttft_s, sample.ttft_s), (slos.tpot_s, sample.tpot_s or 0.0), (slos.e2e_s, sample.e2e_s))
    return all(limit is None or (value is not None and value <= limit) for limit, value in pairs)


class ValueTally:
    """All values of a figure, or all gaps of a run. Up to some number they are kept; beyond that in bins of 0.1 %,
    which bounds the error.
    """

    _EDGES = np.exp(np.arange(np.log(1e-7), np.log(1e4), 1e-3))

    def __init__(self, most_exact: int = _MOST_EXACT_GAPS, kind: Literal["f", "d"] = "f") -> None:
        self._most_exact = most_exact
        self._exact: array[float] | None = array(kind)
        self._bins = np.zeros(len(self._EDGES) + 1, dtype=np.int64)
        self._count, self._sum, self._squares = 0, 0.0, 0.0
        self._least, self._most = np.inf, 0.0

    def add(self, found: NDArray[np.floating[Any]] | float) -> None:
        """Take in one value, or the gaps of one request."""
        values = np.atleast_1d(np.asarray(found, dtype=np.float64))
        if not values.size:
            return
        self._count += values.size
        self._sum += float(values.sum())
        self._squares += float((values * values).sum())
        self._least = min(self._least, float(values.min()))
        self._most = max(self._most, float(values.max()))
        if self._exact is None:
            self._bin(values)
            return
        self._exact.extend(values.tolist())
        if self._count > self._most_exact:
            self._bin(np.asarray(self._exact, dtype=np.float64))
            self._exact = None

    def spread(self) -> Spread | None:
        """The distribution, None of nothing."""
        if not self._count:
            return None
        if self._exact is not None:
            return spread_of(np.asarray(self._exact, dtype=np.float64))
        mean = self._sum / self._count
        p50, p90, p95, p99 = (self._percentile(share) for share in (0.5, 0.9, 0.95, 0.99))
        return Spread(
            count=self._count, mean=mean, deviation=float(np.sqrt(max(0.0, self._squares / self._count - mean * mean))),
            least=self._least, p50=p50, p90=p90, p95=p95, p99=p99, most=self._most,
        )  # fmt: skip

    def _bin(self, values: NDArray[np.float64]) -> None:
        self._bins += np.bincount(np.searchsorted(self._EDGES, values), minlength=self._bins.size)

    def _percentile(self, share: float) -> float:
        place = int(np.searchsorted(np.cumsum(self._bins), share * self._count))
        return float(np.clip(self._EDGES[min(place, len(self._EDGES) - 1)], self._least, self._most))


class Tally:
    """The figures of a run's samples, one by one. Bytes: about 80 a request up to a million requests, then no more."""

    def __init__(self, slos: Slos | None = None) -> None:
        self._slos = slos or Slos()
        self._values = {name: ValueTally(_MOST_EXACT, "d") for name in _SINGLE}
        self._gaps = ValueTally()
        self._outcomes: Counter[Outcome] = Counter()
        self._reasons: Counter[str] = Counter()
        self._tokens_in = self._tokens_out = self._cached = self._cached_of = 0
        self._good = 0

    def count(self, outcome: Outcome) -> int:
        """How many requests ended so."""
        return self._outcomes[outcome]

    def add(self, sample: Sample) -> None:
        """Take in one request that ended."""
        self._outcomes[sample.outcome] += 1
        if sample.outcome is not Outcome.SUCCESSFUL:
            known = sample.reason in self._reasons or len(self._reasons) < _MOST_REASONS
            if sample.outcome is Outcome.FAILED and known:
                self._reasons[sample.reason] += 1
            return
        for name, values in self._values.items():
            value = latency_of(sample, name)
            if value is not None:
                values.add(value)
        self._gaps.add(sample.gaps_s)
        self._tokens_in += sample.prompt_tokens or 0
        self._tokens_out += sample.output_tokens or 0
        if sample.cached_tokens is not None and sample.prompt_tokens:
            self._cached += sample.cached_tokens
            self._cached_of += sample.prompt_tokens
        self._good += is_good(sample, self._slos)

    def figures(self, duration_s: float, *, most_running: int = 0, change: EngineChange | None = None) -> Figures:
        """The figures so far over `duration_s`, with what the engine's own counters say."""
        spreads = {name: values.spread() for name, values in self._values.items()}
        source = "requests" if spreads["queue"] is not None else None
        if source is None and change is not None and change.queue is not None:
            source = "histograms"
            spreads |= {"queue": change.queue, "prefill": change.prefill, "decode": change.decode}
        successful, failed = self._outcomes[Outcome.SUCCESSFUL], self._outcomes[Outcome.FAILED]
        seconds = max(duration_s, 1e-9)
        good = self._good if self._slos.asked else None
        ended = successful + failed
        return Figures(
            duration_s=duration_s,
            sent=self._outcomes.total(),
            successful=successful,
            incomplete=self._outcomes[Outcome.INCOMPLETE],
            failed=failed,
            tokens_in=self._tokens_in,
            tokens_out=self._tokens_out,
            requests_per_s=successful / seconds,
            tokens_in_per_s=self._tokens_in / seconds,
            tokens_out_per_s=self._tokens_out / seconds,
            itl=self._gaps.spread(),
            phases_from=source,
            good=good,
            goodput_per_s=None if good is None else good / seconds,
            good_share=None if good is None or not ended else good / ended,
            preemptions=None if change is None else change.preemptions,
            prefix_hit_rate=None if change is None else change.prefix_hit_rate,
            cached_share=self._cached / self._cached_of if self._cached_of else None,
            most_running=most_running,
            failures=dict(self._reasons),
            **spreads,
        )


def figures_of(samples: Iterable[Sample], slos: Slos | None = None, duration_s: float | None = None) -> Figures:
    """The figures of any samples, for example of those between two moments of a run.

    `duration_s` None takes the time from the first sending to the last end.
    """
    tally = Tally(slos)
    begin, end = np.inf, 0.0
    for sample in samples:
        tally.add(sample)
        begin, end = min(begin, sample.sent_s), max(end, sample.ended_s)
    return tally.figures(max(0.0, end - begin) if duration_s is None and end else duration_s or 0.0)
