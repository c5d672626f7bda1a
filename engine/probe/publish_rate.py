"""When to publish: at the rate of a screen, with a small reserve for a quick step before a slow one."""

from __future__ import annotations


class PublishRate:
    """A budget of publications that refills at `per_s` and holds at most `reserve`.

    A step is published when it starts. Under a strict interval a short step would swallow the publication of the long
    one right after it, and the page would show the past for as long as that one takes.
    """

    def __init__(self, per_s: float, reserve: float) -> None:
        self._per_ns = per_s / 1e9
        self._reserve = reserve
        self._budget = reserve
        self._last_ns = 0

    def is_due(self, now_ns: int) -> bool:
        """Whether a publication may be made now; if so it is taken off the budget."""
        budget = self._budget + (now_ns - self._last_ns) * self._per_ns
        self._last_ns = now_ns
        self._budget = min(budget, self._reserve)
        if self._budget < 1:
            return False
        self._budget -= 1
        return True
