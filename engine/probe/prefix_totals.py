"""Prefix-cache queries and hits since the engine started, as vLLM itself counts them."""

from __future__ import annotations

from typing import Any


class PrefixTotals:
    """Sums vLLM's own statistics, which start anew each time that vLLM hands them out.

    Zero throughout where vLLM keeps none (disable_log_stats). Whoever sees that vLLM counts in other statistics than in
    the last of `seen` adds them to it. It only counts while it schedules, so those before the last are whole.
    """

    def __init__(self) -> None:
        self.seen: list[Any] = [None]
        self._before = (0, 0, 0, 0)

    def now(self) -> tuple[int, int, int, int]:
        """Queried and found tokens of first-time requests, then of those computed again after a preemption."""
        seen = self.seen
        if len(seen) > 1:
            for stats in seen[:-1]:
                self._before = self._with(stats)
            del seen[:-1]
        return self._with(seen[0])

    def _with(self, stats: Any) -> tuple[int, int, int, int]:
        before = self._before
        if stats is None:
            return before
        return (
            before[0] + stats.queries,
            before[1] + stats.hits,
            before[2] + stats.preempted_queries,
            before[3] + stats.preempted_hits,
        )
