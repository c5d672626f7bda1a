"""Prefix-cache queries and hits since the engine started, as vLLM itself counts them."""

from __future__ import annotations

from typing import Any


class PrefixTotals:
    """Sums vLLM's own statistics, which start anew each time that vLLM hands them out.

    Zero throughout where vLLM keeps none (disable_log_stats).
    """

    def __init__(self, kv_cache_manager: Any) -> None:
        self._manager = kv_cache_manager
        self._before = (0, 0, 0, 0)

    def absorb(self) -> None:
        """vLLM is about to hand out its present statistics and begin new ones."""
        self._before = self.now()

    def now(self) -> tuple[int, int, int, int]:
        """Queried and found tokens of first-time requests, then of those computed again after a preemption."""
        stats = self._manager.prefix_cache_stats
        before = self._before
        if stats is None:
            return before
        return (
            before[0] + stats.queries,
            before[1] + stats.hits,
            before[2] + stats.preempted_queries,
            before[3] + stats.preempted_hits,
        )
