"""A clock for what asks how much time has passed."""

from __future__ import annotations


class HandClock:
    """Set by hand, in seconds."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s
