"""Distributions as numbers, histograms and heat maps, and the figures of any set of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.bench.result import Spread
from engine.bench.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from engine.bench.sample import Sample

LATENCIES = ("ttft", "tpot", "tpot_with_first", "itl", "e2e", "queue", "prefill", "decode", "lag")
_LEAST_S = 1e-5  # the lower end of a logarithmic axis: nothing that we measure is shorter than 10 µs


@dataclass(frozen=True, slots=True)
class Histogram:
    """`counts` int64 (n) of values between `edges` float64 (n + 1), in the values' unit."""

    counts: NDArray[np.int64]
    edges: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """How many values fell where: `counts` uint32 (rows, columns), row 0 the lowest values, column 0 the earliest.

    `time_edges` (columns + 1) are seconds on the run's clock, `value_edges` (rows + 1) in the values' unit.
    """

    counts: NDArray[np.uint32]
    time_edges: NDArray[np.float64]
    value_edges: NDArray[np.float64]


def spread_of(values: ArrayLike) -> Spread | None:
    """A distribution's numbers (percentiles interpolated linearly, as numpy and vLLM do); None of nothing."""
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        return None
    p50, p90, p95, p99 = (float(value) for value in np.percentile(array, (50, 90, 95, 99)))
    return Spread(
        count=int(array.size), mean=float(array.mean()), deviation=float(array.std()), least=float(array.min()),
        p50=p50, p90=p90, p95=p95, p99=p99, most=float(array.max()),
    )  # fmt: skip


def latency_of(sample: Sample, key: str) -> float | None:
    """One request's value of a latency of LATENCIES (not "itl", which has many) in seconds."""
    if key == "lag":
        return max(0.0, sample.sent_s - sample.due_s)
    value: float | None = getattr(sample, f"{key}_s")
    return value


def values_of(samples: Iterable[Sample], key: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """When and how long, for the successful requests: times on the run's clock at which a value was known, and values.

    `key` is one of LATENCIES. A request's value stands at its first token (TTFT), its sending (queue, prefill, lag) or
    its last token; each gap of "itl" stands where it ended. Both are float64 of the same length, in order of requests.
    """
    good = [sample for sample in samples if sample.outcome is Outcome.SUCCESSFUL]
    if key == "itl":
        return _gaps(good)
    pairs = [(_moment(sample, key), latency_of(sample, key)) for sample in good]
    known = [(at, value) for at, value in pairs if value is not None]
    table = np.array(known, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _moment(sample: Sample, key: str) -> float:
    if key == "ttft" and sample.first_token_s is not None:
        return sample.first_token_s
    if key in ("queue", "prefill", "lag"):
        return sample.sent_s
    return sample.ended_s if sample.last_token_s is None else sample.last_token_s


def _gaps(samples: list[Sample]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = [sample for sample in samples if sample.gaps and sample.first_token_s is not None]
    if not found:
        return np.empty(0), np.empty(0)
    gaps = [sample.gaps_s.astype(np.float64) for sample in found]
    times = [(sample.first_token_s or 0.0) + np.cumsum(each) for sample, each in zip(found, gaps, strict=True)]
    return np.concatenate(times), np.concatenate(gaps)


def edges_for(values: NDArray[np.float64], count: int, *, log: bool) -> NDArray[np.float64]:
    """`count` + 1 edges that hold every value; even on a logarithmic axis where `log`. Of nothing: up to 1."""
    if not values.size:
        return np.geomspace(1e-3, 1.0, count + 1) if log else np.linspace(0.0, 1.0, count + 1)
    least, most = float(values.min()), float(values.max())
    if log:
        least = max(least, _LEAST_S)
        return np.geomspace(least, max(most, least * 1.01), count + 1)
    return np.linspace(least, max(most, least + 1e-9), count + 1)


def histogram(values: NDArray[np.float64], bins: int = 60, *, log: bool = False) -> Histogram:
    """How often each stretch of values occurs. Values below a logarithmic axis count in its first bin."""
    edges = edges_for(values, bins, log=log)
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return Histogram(counts.astype(np.int64), edges)


def heat_map(
    times_s: NDArray[np.float64],
    values: NDArray[np.float64],
    *,
    columns: int = 120,
    rows: int = 48,
    log: bool = True,
    until_s: float | None = None,
) -> HeatMap:
    """How values lie over time; the time axis goes from 0 to `until_s` (None: to the last value)."""
    end = until_s if until_s is not None else float(times_s.max(initial=0.0))
    time_edges = np.linspace(0.0, max(end, 1e-3), columns + 1)
    value_edges = edges_for(values, rows, log=log)
    inside = np.clip(values, value_edges[0], value_edges[-1])
    counts, _, _ = np.histogram2d(inside, np.clip(times_s, 0.0, time_edges[-1]), (value_edges, time_edges))
    return HeatMap(counts.astype(np.uint32), time_edges, value_edges)
