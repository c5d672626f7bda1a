"""What bounds the running mix, and which parameter would move it. Each finding carries the numbers it rests on.

A rule that lacks one of its numbers, or whose condition does not hold, says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.metrics.roofline import Bound, Part, Roof, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from engine.domain.lifecycle import EngineFacts, LiveLimits
    from engine.domain.telemetry import Counters
    from engine.metrics.roofline import ModelCost
    from engine.metrics.roofline_window import Standing

_FEWEST_STEPS = 8
_MOSTLY = 0.8  # of the steps
_LONGER = 2.5  # times a decode step
_LARGE = 0.5  # of the bytes
_ONE_BYTE = ("fp8", "int8")


class Rule(StrEnum):
    """What a finding says."""

    STANDS = "stands"  # where one part stands, and what bounds it
    OVER_ROOF = "over_roof"  # more than was measured: the measurement is not this machine's limit
    RAISE_SEQS = "raise_seqs"
    RAISE_BUDGET = "raise_budget"
    LOWER_BUDGET = "lower_budget"
    SMALLER_KV = "smaller_kv"
    SMALLER_WEIGHTS = "smaller_weights"
    COMPILE = "compile"
    PREEMPTED = "preempted"


@dataclass(frozen=True, slots=True)
class Variant:
    """Another checkpoint of the same family that runs here as it is stored, and what a step would read of it."""

    name: str
    path: str
    step_bytes: float


@dataclass(frozen=True, slots=True)
class Situation:
    """All that the rules look at. `roof` is None before the device was measured; `variants` are smaller ones."""

    standing: Standing
    cost: ModelCost
    facts: EngineFacts
    roof: Roof | None = None
    limits: LiveLimits | None = None
    counters: Counters | None = None
    variants: tuple[Variant, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `parameter` is the one that would move it, by its catalog name, and `wanted` a value to try.

    `checkpoint` is a checkpoint to load instead. `figures` are the rule's own numbers (bytes, seconds, counts).
    """

    rule: Rule
    part: Part
    work: Work
    roof: Roof | None = None
    bound: Bound | None = None
    parameter: str | None = None
    wanted: int | str | bool | None = None
    checkpoint: Variant | None = None
    figures: Mapping[str, float] = field(default_factory=dict)


def findings(situation: Situation) -> tuple[Finding, ...]:
    """Where the parts stand first, then what would move them, the strongest first."""
    return tuple(finding for rule in _RULES for finding in rule(situation))


def _stands(now: Situation) -> Iterator[Finding]:
    for part in (Part.DECODE, Part.PREFILL):
        work = now.standing.work(part)
        if work is None:
            continue
        bound = now.roof.bound(work) if now.roof is not None else None
        yield Finding(Rule.STANDS, part, work, now.roof, bound)


def _over_roof(now: Situation) -> Iterator[Finding]:
    work = _busy(now, Part.DECODE)
    if work is not None and now.roof is not None and work.bytes_per_s > 1.05 * now.roof.bytes_per_s:
        yield Finding(Rule.OVER_ROOF, Part.DECODE, work, now.roof)


def _raise_seqs(now: Situation) -> Iterator[Finding]:
    """Requests wait for a place, and one more would read weights that are read anyway."""
    work, limits, standing = _busy(now, Part.DECODE), now.limits, now.standing
    if work is None or limits is None or now.roof is None or standing.waiting < 1 or standing.at_limit < _MOSTLY:
        return
    if now.roof.bound(work) is Bound.COMPUTE or not _has_room(now, work):
        return
    wanted = limits.max_num_seqs + max(1, round(standing.waiting))
    wanted = max(limits.max_num_seqs + 1, min(wanted, 4 * limits.max_num_seqs))
    yield Finding(
        Rule.RAISE_SEQS, Part.DECODE, work, now.roof, now.roof.bound(work), "max_num_seqs", wanted,
        figures={"limit": limits.max_num_seqs, "waiting": standing.waiting,
                 "capacity": limits.max_num_seqs_capacity},
    )  # fmt: skip


def _has_room(now: Situation, work: Work) -> bool:
    """Whether the KV cache holds one more request as long as the ones that run."""
    if now.counters is None or work.context is None:
        return False
    blocks = -(-work.context // now.facts.block_size) + 1
    return now.counters.num_free + now.counters.num_cached >= blocks


def _raise_budget(now: Situation) -> Iterator[Finding]:
    """Prompts wait, every prefill step is full, and the arithmetic has room."""
    work, limits, standing = _busy(now, Part.PREFILL, 3), now.limits, now.standing
    if work is None or limits is None or now.roof is None or standing.full < _MOSTLY or standing.waiting < 1:
        return
    if standing.at_limit >= _MOSTLY or work.flops_per_s > 0.7 * now.roof.flops_per_s:
        return
    yield Finding(
        Rule.RAISE_BUDGET, Part.PREFILL, work, now.roof, now.roof.bound(work), "max_num_batched_tokens",
        2 * limits.max_num_batched_tokens,
        figures={"budget": limits.max_num_batched_tokens, "waiting": standing.waiting,
                 "capacity": limits.max_num_batched_tokens_capacity},
    )  # fmt: skip


def _lower_budget(now: Situation) -> Iterator[Finding]:
    """Requests that decode beside prompts wait for them: a step with prompts takes several times as long."""
    mixed, alone, limits = _busy(now, Part.PREFILL, 3), _busy(now, Part.DECODE), now.limits
    if mixed is None or alone is None or limits is None or mixed.requests < 1:
        return
    tokens = mixed.prefill_tokens / mixed.steps
    if mixed.step_s < _LONGER * alone.step_s or tokens < 0.25 * limits.max_num_batched_tokens or tokens < 128:
        return
    yield Finding(
        Rule.LOWER_BUDGET, Part.PREFILL, mixed, now.roof, parameter="max_num_batched_tokens",
        wanted=max(64, int(tokens / 2) // 64 * 64),
        figures={"mixed_s": mixed.step_s, "alone_s": alone.step_s, "tokens": tokens,
                 "budget": limits.max_num_batched_tokens, "capacity": limits.max_num_batched_tokens_capacity},
    )  # fmt: skip


def _smaller_kv(now: Situation) -> Iterator[Finding]:
    work = _bandwidth_bound(now)
    if work is None or now.facts.device != "cuda" or work.kv_bytes < _LARGE * work.num_bytes:
        return
    if str(now.facts.parameters.get("kv_cache_dtype", "auto")).startswith(_ONE_BYTE):
        return
    yield Finding(
        Rule.SMALLER_KV, Part.DECODE, work, now.roof, Bound.BANDWIDTH, "kv_cache_dtype", "fp8",
        figures={"kv": work.kv_bytes / work.steps, "weights": work.weight_bytes / work.steps},
    )  # fmt: skip


def _smaller_weights(now: Situation) -> Iterator[Finding]:
    """Nobody waits for a larger batch; weights are most of what is read, and there are smaller ones."""
    work = _bandwidth_bound(now)
    if work is None or now.standing.waiting >= 1 or work.weight_bytes < _LARGE * work.num_bytes:
        return
    smaller = [one for one in now.variants if one.step_bytes < 0.8 * now.cost.step_bytes]
    if smaller:
        best = min(smaller, key=lambda one: one.step_bytes)
        yield Finding(
            Rule.SMALLER_WEIGHTS, Part.DECODE, work, now.roof, Bound.BANDWIDTH, checkpoint=best,
            figures={"weights": work.weight_bytes / work.steps, "smaller": best.step_bytes},
        )  # fmt: skip


def _compile(now: Situation) -> Iterator[Finding]:
    """The GPU waits for its orders: without CUDA graphs each kernel is launched by itself."""
    work = _busy(now, Part.DECODE)
    if work is None or now.roof is None or now.roof.bound(work) is not Bound.NEITHER:
        return
    if now.facts.device == "cuda" and now.facts.parameters.get("enforce_eager") is True:
        yield Finding(
            Rule.COMPILE, Part.DECODE, work, now.roof, Bound.NEITHER, "enforce_eager", False,
            figures={"best_s": now.roof.best_s(work) / work.steps},
        )  # fmt: skip


def _preempted(now: Situation) -> Iterator[Finding]:
    """Requests lose their blocks and are computed again: the KV cache bounds, whatever the roof says."""
    work, counters = now.standing.mix, now.counters
    if work is None or counters is None or now.standing.preemptions < 1 or now.standing.running < 2:
        return
    wanted = max(1, int(now.standing.running) - 1)
    yield Finding(
        Rule.PREEMPTED, Part.MIX, work, now.roof, parameter="max_num_seqs", wanted=wanted,
        figures={"preemptions": now.standing.preemptions, "running": now.standing.running,
                 "usage": counters.usage},
    )  # fmt: skip


def _busy(now: Situation, part: Part, fewest: int = _FEWEST_STEPS) -> Work | None:
    work = now.standing.work(part)
    return work if work is not None and work.steps >= fewest else None


def _bandwidth_bound(now: Situation) -> Work | None:
    work = _busy(now, Part.DECODE)
    if work is None or now.roof is None or now.roof.bound(work) is not Bound.BANDWIDTH:
        return None
    return work


_RULES: tuple[Callable[[Situation], Iterator[Finding]], ...] = (
    _stands, _preempted, _raise_seqs, _raise_budget, _lower_budget, _smaller_kv, _smaller_weights, _compile, _over_roof,
)  # fmt: skip
