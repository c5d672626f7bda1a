"""Notices an engine that has requests and makes no step: what it runs hangs, or something has stopped its process."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

_PATIENCE_S = 10.0  # on most machines no prefill takes that long
_MOST_PATIENCE_S = 120.0
_LATE_S = 2.5  # between two looks: the host itself was held up, and hears of the steps of that time only now


class StepWatch:
    """For how long an engine has owed a step. `clock` gives seconds that only grow.

    A large model takes a minute for a step of a long prefill where there is no GPU: what was such a step once is no
    reason to worry until it takes twice as long.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked_s = clock()
        self._owed_s = 0.0
        self._longest_s = 0.0  # that it owed a step, and made it
        self._steps = 0
        self._told = False

    def look(self, unfinished: int, steps: int) -> float | None:
        """Seconds since the newest step, or since there are requests, once that is long; else None.

        Call it about twice a second with how many requests there are, and a number that grows with each step.
        """
        now = self._clock()
        passed_s, self._looked_s = now - self._looked_s, now
        goes_on, self._steps = steps != self._steps, steps
        if not unfinished or goes_on or passed_s > _LATE_S:
            self._end(goes_on=goes_on)
        else:
            self._owed_s += passed_s
        if self._owed_s < min(max(_PATIENCE_S, 2 * self._longest_s), _MOST_PATIENCE_S):
            return None
        if not self._told:
            self._told = True
            log.warning("The engine has made no step for %.0f s, and has %d requests", self._owed_s, unfinished)
        return self._owed_s

    def _end(self, *, goes_on: bool) -> None:
        """It owes nothing more; that it goes on is said only where it does: it may have been ended, or have died."""
        if goes_on:
            self._longest_s = max(self._longest_s, self._owed_s)
            if self._told:
                log.info("The engine goes on after %.1f s without a step", self._owed_s)
        self._told = False
        self._owed_s = 0.0
