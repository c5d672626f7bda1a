"""A run's clock: seconds since its beginning, and how much of that was time to send in."""

from __future__ import annotations

import asyncio
import time


class RunClock:
    """`now_s` goes on during a pause, as the engine does; `active_s` stands still."""

    def __init__(self) -> None:
        self.origin_ns = time.monotonic_ns()
        self._paused_s = 0.0
        self._since: float | None = None
        self._open = asyncio.Event()
        self._open.set()

    @property
    def now_s(self) -> float:
        """Seconds since the beginning."""
        return (time.monotonic_ns() - self.origin_ns) / 1e9

    @property
    def paused_s(self) -> float:
        """How much of it was paused, up to now."""
        return self._paused_s + (0.0 if self._since is None else self.now_s - self._since)

    @property
    def active_s(self) -> float:
        """Seconds in which requests could be sent."""
        return self.now_s - self.paused_s

    @property
    def paused(self) -> bool:
        """Whether it stands still now."""
        return self._since is not None

    def restart(self) -> None:
        """Begin at 0 again (after the warm-up); a pause goes on."""
        self.origin_ns = time.monotonic_ns()
        self._paused_s = 0.0
        self._since = None if self._since is None else 0.0

    def pause(self) -> None:
        """Let `wait_until` and `opened` wait."""
        if self._since is None:
            self._since = self.now_s
            self._open.clear()

    def resume(self) -> None:
        """Go on."""
        if self._since is not None:
            self._paused_s += self.now_s - self._since
            self._since = None
            self._open.set()

    async def opened(self) -> None:
        """Wait for the end of a pause."""
        await self._open.wait()

    async def wait_until(self, active_s: float) -> float:
        """Wait until that much sending time has gone by; returns the moment (in `now_s`) at which it was due."""
        while True:
            await self._open.wait()
            left = active_s - self.active_s
            if left <= 0:
                return active_s + self._paused_s
            await asyncio.sleep(left)
