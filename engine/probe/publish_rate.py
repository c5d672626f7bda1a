"""When to publish: at the rate of a screen, with a small reserve for a quick step before a slow one."""

from __future__ import annotations


class PublishRate:
    """A budget of publications that refills at `per_s` and holds at most `reserve`; `next_ns` is when it has the next.

    A step is published when it starts. Under a strict interval a short step would swallow the publication of the long
    one right after it, and the page would show the past for as long as that one takes.
    """

    def __init__(self, per_s: float, reserve: float) -> None:
        self._per_ns = per_s / 1e9
        self._reserve = reserve
        self._budget = reserve
        self._last_ns = 0
        self.next_ns = 0

    def take(self, now_ns: int) -> None:
        """Take one publication off the budget, which has it: `next_ns` has come."""
        budget = min(self._budget + (now_ns - self._last_ns) * self._per_ns, self._reserve) - 1
        self._budget, self._last_ns = budget, now_ns
        self.next_ns = now_ns if budget >= 1 else now_ns + int((1 - budget) / self._per_ns)
