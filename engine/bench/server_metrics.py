"""What vLLM's /metrics say of a run: the change of its counters and histograms from before to after.

Requests of other clients are in them, too. A server without such a route, or of another make, says nothing: None.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import aiohttp
import numpy as np

from engine.bench.result import Spread

if TYPE_CHECKING:
    from collections.abc import Iterable

_LINE = re.compile(r"^(vllm:[\w:]+)(?:\{(.*)\})?\s+(\S+)")
_LE = re.compile(r'le="([^"]+)"')
_TIMEOUT = aiohttp.ClientTimeout(total=10)
_PREEMPTIONS = "vllm:num_preemptions_total"
_QUERIES, _HITS = "vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"
_HISTOGRAMS = {
    "queue": "vllm:request_queue_time_seconds",
    "prefill": "vllm:request_prefill_time_seconds",
    "decode": "vllm:request_decode_time_seconds",
}
_NAMES = {_PREEMPTIONS, _QUERIES, _HITS}


@dataclass(frozen=True, slots=True)
class Scrape:
    """Counters by name, and cumulative bucket counts by histogram and upper edge, summed over engines."""

    counters: dict[str, float] = field(default_factory=dict)
    buckets: dict[str, dict[float, float]] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EngineChange:
    """What happened in the engine between two scrapes; None where it does not tell."""

    preemptions: int | None = None
    prefix_hit_rate: float | None = None
    queue: Spread | None = None
    prefill: Spread | None = None
    decode: Spread | None = None


async def scrape(session: aiohttp.ClientSession, root: str) -> Scrape | None:
    """The metrics now, or None where the server has none."""
    try:
        async with session.get(f"{root}/metrics", timeout=_TIMEOUT) as response:
            if response.status != 200:
                return None
            return parse((await response.text(errors="replace")).splitlines())
    except (aiohttp.ClientError, OSError, TimeoutError):
        return None


def parse(lines: Iterable[str]) -> Scrape:
    """The Prometheus text format, of vLLM's metrics that matter here."""
    counters: dict[str, float] = defaultdict(float)
    buckets: dict[str, dict[float, float]] = defaultdict(lambda: defaultdict(float))
    sums: dict[str, float] = defaultdict(float)
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        name, labels, number = found[1], found[2] or "", float(found[3])
        if name in _NAMES:
            counters[name] += number
        elif name.endswith("_bucket") and (edge := _LE.search(labels)):
            buckets[name.removesuffix("_bucket")][float(edge[1])] += number
        elif name.endswith("_sum"):
            sums[name.removesuffix("_sum")] += number
    return Scrape(dict(counters), {name: dict(edges) for name, edges in buckets.items()}, dict(sums))


def change_between(before: Scrape | None, after: Scrape | None) -> EngineChange | None:
    """What happened between two scrapes of the same engine; None where one is missing or the engine was restarted."""
    if before is None or after is None:
        return None
    gone_back = any(after.counters.get(name, 0.0) < value for name, value in before.counters.items())
    if gone_back or not after.counters:
        return None

    def grown(name: str) -> float | None:
        return after.counters[name] - before.counters.get(name, 0.0) if name in after.counters else None

    preemptions, queries, hits = grown(_PREEMPTIONS), grown(_QUERIES), grown(_HITS)
    return EngineChange(
        preemptions=None if preemptions is None else round(preemptions),
        prefix_hit_rate=hits / queries if queries and hits is not None else None,
        **{phase: _spread(name, before, after) for phase, name in _HISTOGRAMS.items()},
    )


def _spread(name: str, before: Scrape, after: Scrape) -> Spread | None:
    """A distribution from the change of cumulative buckets; values within a bucket count as evenly spread, as far as
    the mean, which is exact, allows that.
    """
    edges = sorted(after.buckets.get(name, {}))
    if not edges:
        return None
    old = before.buckets.get(name, {})
    cumulative = np.array([after.buckets[name][edge] - old.get(edge, 0.0) for edge in edges])
    count = int(cumulative[-1])
    if count <= 0:
        return None
    upper = np.array(edges)
    if np.isinf(upper[-1]) and len(upper) > 1:
        upper[-1] = upper[-2]  # beyond the last edge nothing is known but that it is beyond
    lower = np.concatenate(([0.0], upper[:-1]))
    counts = np.diff(cumulative, prepend=0.0)
    mean = (after.sums.get(name, 0.0) - before.sums.get(name, 0.0)) / count
    middles = (lower + upper) / 2
    variance = float((counts * (middles - mean) ** 2).sum() / count)
    filled = np.nonzero(counts)[0]

    def percentile(share: float) -> float:
        place = int(np.searchsorted(cumulative, share * count))
        before_it = cumulative[place - 1] if place else 0.0
        within = (share * count - before_it) / counts[place] if counts[place] else 0.0
        # Markov's bound, which the exact mean gives: the first bucket of queue times is 300 ms wide.
        return float(min(lower[place] + within * (upper[place] - lower[place]), mean / (1.0 - share)))

    return Spread(
        count=count, mean=mean, deviation=float(np.sqrt(variance)), least=float(lower[filled[0]]),
        p50=percentile(0.5), p90=percentile(0.9), p95=percentile(0.95), p99=percentile(0.99),
        most=float(upper[filled[-1]]),
    )  # fmt: skip
