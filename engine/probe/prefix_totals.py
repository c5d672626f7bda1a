"""Prefix-cache queries and hits since the engine started, as vLLM itself counts them."""

from __future__ import annotations

from typing import Any


class PrefixTotals:
    """Sums vLLM's own statistics, which start anew each time that vLLM hands them out.

    Zero throughout where vLLM keeps none (disable_log_stats).
    """

    def __init__(self) -> None:
        self.counting: Any = None  # what vLLM counted in at the end of the last step
        self._before = (0, 0, 0, 0)

    def follow(self, stats: Any) -> None:
        """vLLM counts in these statistics now. It only counts while it schedules, so those before are whole."""
        self._before = self.now()
        self.counting = stats

    def now(self) -> tuple[int, int, int, int]:
        """Queried and found tokens of first-time requests, then of those computed again after a preemption."""
        stats, before = self.counting, self._before
        if stats is None:
            return before
        return (
            before[0] + stats.queries,
            before[1] + stats.hits,
            before[2] + stats.preempted_queries,
            before[3] + stats.preempted_hits,
        )
