"""KV-cache groups: what each one's block tables mean, and how they are followed. Hybrid models have several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.domain.kv_groups import GroupKind

if TYPE_CHECKING:
    from collections.abc import Callable

# Tables of these only ever grow at the end.
_GROWING = frozenset({"FullAttentionManager", "SinkFullAttentionManager"})
# Tables of these grow at the end, and their leading positions turn to the null block as the window moves on.
_SLIDING = frozenset({"SlidingWindowManager", "ChunkedLocalAttentionManager"})


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """One group. `holds_tokens`: its blocks' slots hold one token each, so a partly filled block wastes some.

    `is_reloaded`: its tables change in ways that no single event tells (state-space models, gaps), so they are read
    anew whenever token counts are published. `window` is the sliding window or the chunk in tokens, and `layers` how
    many layers the group has; 0 is none or not known.
    """

    index: int
    block_size: int
    holds_tokens: bool
    is_reloaded: bool
    manager: Any
    kind: GroupKind = GroupKind.OTHER
    window: int = 0
    layers: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether its tables only grow, and each block in them is handed out or found when its request is scheduled."""
        return type(self.manager).__name__ == "FullAttentionManager"

    def table(self, request_id: str) -> list[int]:
        """The present block table of a request, from vLLM's own bookkeeping."""
        return [block.block_id for block in self.manager.req_to_blocks.get(request_id, ())]


def plan_groups(kv_cache_manager: Any) -> tuple[GroupPlan, ...]:
    """The groups of this engine, in vLLM's order."""
    plans = []
    config = getattr(kv_cache_manager, "kv_cache_config", None)
    specs = getattr(config, "kv_cache_groups", ())
    for index, manager in enumerate(kv_cache_manager.coordinator.single_type_managers):
        kind = type(manager).__name__
        plans.append(
            GroupPlan(
                index=index,
                block_size=manager.block_size,
                holds_tokens=kind in _GROWING or kind in _SLIDING,
                is_reloaded=kind not in _GROWING and kind not in _SLIDING,
                manager=manager,
                kind=_kind(kind),
                window=_window(manager),
                layers=len(specs[index].layer_names) if index < len(specs) else 0,
            )
        )
    return tuple(plans)


def _kind(manager: str) -> GroupKind:
    if manager in _GROWING:
        return GroupKind.FULL
    known = {"SlidingWindowManager": GroupKind.SLIDING, "ChunkedLocalAttentionManager": GroupKind.CHUNKED,
             "MambaManager": GroupKind.STATE}  # fmt: skip
    return known.get(manager, GroupKind.OTHER)


def _window(manager: Any) -> int:
    return int(getattr(manager, "sliding_window", None) or getattr(manager, "attention_chunk_size", None) or 0)


def watch_windows(plans: tuple[GroupPlan, ...], report: Callable[[str, int, int], None]) -> None:
    """Have every sliding-window group report (request id, group, number of leading positions that are null now)."""
    for plan in plans:
        if type(plan.manager).__name__ in _SLIDING:
            plan.manager.__class__ = _watched(plan.manager.__class__)
            plan.manager.kvdeck_report = report
            plan.manager.kvdeck_group = plan.index


@cache
def _watched(base: Any) -> type:
    class WatchedManager(base):  # type: ignore[misc]
        kvdeck_report: Callable[[str, int, int], None]
        kvdeck_group: int

        def _remove_blocks_in_range(self, request_id: str, first_block: int, last_block: int) -> None:
            super()._remove_blocks_in_range(request_id, first_block, last_block)
            if first_block == 0:
                held = len(self.req_to_blocks.get(request_id, ()))
                self.kvdeck_report(request_id, self.kvdeck_group, min(last_block, held))

    WatchedManager.__name__ = base.__name__
    return WatchedManager
