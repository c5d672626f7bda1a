"""A wall clock that is set while requests wait changes no duration."""

from __future__ import annotations

import pytest

from engine.probe.arrival_clock import ArrivalClock

SECOND = 1_000_000_000


class Clocks:
    """Both clocks in the test's hands."""

    def __init__(self) -> None:
        self.unix_s = 1_796_000_000.0
        self.ns = 50 * SECOND

    def pass_s(self, seconds: float) -> None:
        """Time goes by, for both."""
        self.unix_s += seconds
        self.ns += int(seconds * SECOND)


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def clock(clocks: Clocks) -> ArrivalClock:
    return ArrivalClock(lambda: clocks.unix_s, lambda: clocks.ns)


def waited_s(clock: ArrivalClock, clocks: Clocks, unix_s: float) -> float:
    return (clocks.ns - clock.monotonic_ns(unix_s)) / SECOND


@pytest.mark.parametrize("jump_s", [-86_400.0, -30.0, 0.0, 30.0, 86_400.0, 30 * 86_400.0])
def test_a_clock_that_is_set_while_a_request_waits(clock: ArrivalClock, clocks: Clocks, jump_s: float) -> None:
    arrived = clocks.unix_s
    clocks.pass_s(2.0)
    clocks.unix_s += jump_s
    assert waited_s(clock, clocks, arrived) == pytest.approx(2.0, abs=1e-3)
    arrived = clocks.unix_s
    clocks.pass_s(3.0)
    assert waited_s(clock, clocks, arrived) == pytest.approx(3.0, abs=1e-3)


def test_an_arrival_is_never_in_the_future(clock: ArrivalClock, clocks: Clocks) -> None:
    assert clock.monotonic_ns(clocks.unix_s + 7.0) == clocks.ns


def test_drift_is_followed(clock: ArrivalClock, clocks: Clocks) -> None:
    for _ in range(1000):
        clocks.pass_s(1.0)
        clocks.unix_s += 0.001
        assert waited_s(clock, clocks, clocks.unix_s - 0.5) == pytest.approx(0.5, abs=2e-3)
