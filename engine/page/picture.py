"""From the page's numbers to the values that panels draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.domain.kv_groups import GroupKind, KvCacheGroup
from engine.domain.telemetry import Counters
from engine.page.layout import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.page.layout import PageGeometry
    from engine.page.views import PageViews

_ORDER = (
    Field.STEP, Field.MONOTONIC_NS, Field.NUM_RUNNING, Field.NUM_WAITING, Field.NUM_FREE, Field.NUM_CACHED,
    Field.NUM_USED, Field.NUM_SHARED, Field.WASTED_SLOTS, Field.PREEMPTIONS, Field.PREFIX_QUERIES, Field.PREFIX_HITS,
    Field.PREFILL_TOKENS, Field.DECODE_TOKENS, Field.FINISHED_REQUESTS, Field.MAX_NUM_SEQS,
    Field.MAX_NUM_BATCHED_TOKENS, Field.PREEMPTED_QUERIES, Field.PREEMPTED_HITS,
)  # fmt: skip


def counters_from(numbers: Sequence[int]) -> Counters:
    """The counters section as a value."""
    return Counters(*(numbers[field] for field in _ORDER))


def groups_from(geometry: PageGeometry, views: PageViews) -> tuple[KvCacheGroup, ...]:
    """The KV-cache groups, as far as the page tells of them. They never change."""
    if views.group_kinds is None:
        return tuple(map(KvCacheGroup, geometry.group_block_sizes))
    return tuple(
        group_from(size, kind, window, layers)
        for size, (kind, window, layers, _) in zip(geometry.group_block_sizes, views.group_kinds.tolist(), strict=True)
    )


def group_from(block_size: int, kind: int, window: int, layers: int) -> KvCacheGroup:
    """A group from its numbers; a kind that is not known is OTHER, and zeros are not known."""
    known = GroupKind(kind) if kind in set(GroupKind) else GroupKind.OTHER
    return KvCacheGroup(block_size, known, window or None, layers or None)


def read_only(*arrays: NDArray[Any] | None) -> None:
    """Freeze copies before they are handed out: a snapshot never changes."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False
