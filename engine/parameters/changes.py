"""What a set of edits means for the engine that runs: what is live, what needs a reload, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from engine.domain.lifecycle import LimitsRequest
from engine.parameters.catalog import LIVE_NAMES
from engine.parameters.spec import Applies
from engine.parameters.values import merge, spec_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import EngineFacts, LiveLimits, ParameterValue

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Change:
    """One parameter that differs from the running engine. `reason` is a sentence for the row's tooltip."""

    name: str
    before: ParameterValue
    after: ParameterValue
    applies: Applies
    reason: str


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """All changes in table order; `limits` carries the live ones to the host, None when there are none."""

    changes: tuple[Change, ...]
    limits: LimitsRequest | None

    @property
    def reload_names(self) -> tuple[str, ...]:
        """The parameters that need a reload."""
        return tuple(change.name for change in self.changes if change.applies is Applies.RESTART)

    @property
    def needs_reload(self) -> bool:
        """Whether anything needs a reload."""
        return bool(self.reload_names)


def plan_changes(
    edits: Mapping[str, ParameterValue],
    facts: EngineFacts,
    limits: LiveLimits | None,
    loaded: Mapping[str, ParameterValue] | None = None,
) -> ChangePlan:
    """Sort `edits` into live changes and reloads, for the engine that `facts` and `limits` describe.

    `loaded` are the values that the load asked for (default: `facts.parameters`). An edit to "vLLM decides" is a
    change only where the load had asked for something else. Raises ParameterInvalid for a value that does not fit
    its row.
    """
    asked = facts.parameters if loaded is None else loaded
    wanted = merge(edits, device=facts.device)
    found = []
    for name in wanted:
        if name in edits:
            change = _change(name, wanted[name], facts, limits, asked)
            if change is not None:
                found.append(change)
    live = {change.name: change.after for change in found if change.applies is Applies.LIVE}
    return ChangePlan(tuple(found), limits_request(live) if live else None)


def _change(
    name: str,
    after: ParameterValue,
    facts: EngineFacts,
    limits: LiveLimits | None,
    asked: Mapping[str, ParameterValue],
) -> Change | None:
    if name in LIVE_NAMES and limits is not None and live_value(name, limits) is not None:
        return _live_change(name, after, limits, asked)
    before = facts.parameters.get(name, spec_of(name).default)
    if after == before or (after is None and asked.get(name) is None):
        return None
    return Change(name, before, after, Applies.RESTART, f"{name} is fixed at load: changing it needs a reload.")


def _live_change(
    name: str, after: ParameterValue, limits: LiveLimits, asked: Mapping[str, ParameterValue]
) -> Change | None:
    before, capacity = live_value(name, limits), live_capacity(name, limits)
    if after is None:
        if asked.get(name) is not None:
            reason = f"{name} was given at load; to let vLLM choose its capacity needs a reload."
            return Change(name, before, None, Applies.RESTART, reason)
        after = capacity
    if after == before or after is None:
        return None
    if capacity is not None and isinstance(after, int) and after > capacity:
        reason = f"Raising {name} past its capacity {capacity:,} needs a reload."
        return Change(name, before, after, Applies.RESTART, reason)
    lowered = capacity is not None and isinstance(after, int) and isinstance(before, int) and after < before
    reason = f"In force within one step, up to the capacity {capacity:,}." if capacity else "In force within one step."
    if lowered:
        reason += " Lowering it frees no memory: the capacity stays."
    return Change(name, before, after, Applies.LIVE, reason)


def live_value(name: str, limits: LiveLimits) -> ParameterValue:
    """What the scheduler reports as in force for a live row, None where it does not say."""
    return {
        "max_num_seqs": limits.max_num_seqs,
        "max_num_batched_tokens": limits.max_num_batched_tokens,
        "long_prefill_token_threshold": limits.long_prefill_token_threshold,
        "long_prefill_token_threshold_adaptive": limits.long_prefill_token_threshold_adaptive,
        "scheduling_policy": limits.policy,
        "watermark": limits.watermark,
        "scheduler_reserve_full_isl": limits.scheduler_reserve_full_isl,
    }[name]


def live_capacity(name: str, limits: LiveLimits) -> int | None:
    """The highest live value without a reload, None for rows without a capacity."""
    return {
        "max_num_seqs": limits.max_num_seqs_capacity,
        "max_num_batched_tokens": limits.max_num_batched_tokens_capacity,
    }.get(name)


def limits_request(live: Mapping[str, ParameterValue], *, mode: str = "drain", by: str = "") -> LimitsRequest:
    """The wish for these live values (catalog names of LIVE rows). Raises ParameterInvalid for what fits no row."""
    checked = {name: spec_of(name).check(value) for name, value in live.items()}
    return LimitsRequest(
        max_num_seqs=_typed(checked.get("max_num_seqs"), int),
        max_num_batched_tokens=_typed(checked.get("max_num_batched_tokens"), int),
        long_prefill_token_threshold=_typed(checked.get("long_prefill_token_threshold"), int),
        policy=_typed(checked.get("scheduling_policy"), str),
        watermark=_typed(checked.get("watermark"), float),
        long_prefill_token_threshold_adaptive=_typed(checked.get("long_prefill_token_threshold_adaptive"), bool),
        scheduler_reserve_full_isl=_typed(checked.get("scheduler_reserve_full_isl"), bool),
        mode=mode,
        by=by,
    )


def _typed(value: ParameterValue, kind: type[_T]) -> _T | None:
    return value if isinstance(value, kind) else None
