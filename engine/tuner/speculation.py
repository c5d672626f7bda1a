"""Speculation against none of it, on one small load: what it gains here, in numbers with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.bench.workload import ClosedLoop, Fixed, Workload
from engine.tuner.spec import ABSpec

if TYPE_CHECKING:
    from engine.tuner.outcome import ABResult
    from engine.tuner.spec import Spec

_NAME = "speculative_config"
OBJECTIVE = "tokens_out_per_s"
LOAD = Workload(
    name="Speculation", arrival=ClosedLoop(clients=1), prompt=Fixed(tokens=192), output=Fixed(tokens=96), requests=3,
    warm_up_requests=1,
)  # fmt: skip
"""One client, short questions: where speculation gains most. A busy engine gains less of it."""


class Verdict(StrEnum):
    """What the measurement shows."""

    FASTER = "faster"
    SLOWER = "slower"
    NOT_SHOWN = "not_shown"  # the interval leaves both open


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """Tokens/s with speculation over tokens/s without, with its interval; None where a run came to nothing."""

    verdict: Verdict
    ratio: float | None
    low: float | None
    high: float | None
    without_per_s: float | None
    with_per_s: float | None
    confidence: float


def speculation_ab(value: str) -> ABSpec:
    """Without speculation against with this one, on the same requests, the engine reloaded between."""
    return ABSpec(
        workload=LOAD, a={_NAME: None}, b={_NAME: value}, blocks=3, objective=OBJECTIVE, restarts=True,
        title="Speculation against off",
    )  # fmt: skip


def is_of_speculation(spec: Spec) -> bool:
    """Whether a comparison answers this question: off against on, and nothing else."""
    return isinstance(spec, ABSpec) and set(spec.a) == set(spec.b) == {_NAME} and not spec.a[_NAME]


def speed_up(result: ABResult) -> SpeedUp | None:
    """What an A/B of `speculation_ab` came to; None where it has no difference to tell (cancelled early)."""
    found = next((each for each in result.differences if each.key == result.objective), None)
    if found is None or found.ratio is None:
        return None
    verdict = Verdict.NOT_SHOWN
    if found.shown:
        verdict = Verdict.FASTER if found.better == "b" else Verdict.SLOWER
    return SpeedUp(verdict, found.ratio, found.low, found.high, found.mean_a, found.mean_b, result.confidence)
