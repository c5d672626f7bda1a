"""When a request arrived: vLLM notes the wall clock, which can be set while requests wait."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SET_NS = 500_000_000  # a change of the wall clock that is no mere drift
_REMEMBERED_NS = 600_000_000_000  # how long requests of before it may still wait
_ROUNDING_NS = 1_000_000  # of seconds since 1970 as a float


class ArrivalClock:
    """Turns vLLM's arrival times into CLOCK_MONOTONIC.

    After the wall clock was set, an arrival may be of before or after that: of the two ages, the one that is no
    arrival in the future and the shorter is taken.
    """

    def __init__(
        self, wall: Callable[[], float] = time.time, monotonic_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._wall = wall
        self._monotonic_ns = monotonic_ns
        self._offset_ns = self._before_ns = self._now_offset_ns(monotonic_ns())
        self._forget_ns = 0

    def monotonic_ns(self, unix_s: float) -> int:
        """The monotonic time of an arrival at this wall-clock time, never later than now."""
        now_ns = self._monotonic_ns()
        offset_ns = self._now_offset_ns(now_ns)
        if abs(offset_ns - self._offset_ns) > _SET_NS:
            self._before_ns, self._forget_ns = self._offset_ns, now_ns + _REMEMBERED_NS
        elif now_ns >= self._forget_ns:
            self._before_ns = offset_ns
        self._offset_ns = offset_ns
        arrived_ns = int(unix_s * 1e9)
        if self._before_ns == offset_ns:
            return min(now_ns, arrived_ns + offset_ns)  # what follows comes to the same, and takes far longer
        ages = (now_ns - arrived_ns - each for each in (self._before_ns, offset_ns))
        return now_ns - max(0, min((age for age in ages if age >= -_ROUNDING_NS), default=0))

    def _now_offset_ns(self, now_ns: int) -> int:
        return now_ns - int(self._wall() * 1e9)
