"""How large a telemetry page has to be."""

from __future__ import annotations

from typing import Any

from engine.page.layout import MAX_GROUPS, PageGeometry
from engine.probe.groups import plan_groups

_WAITING_ROWS = 1024


def geometry_of(scheduler: Any) -> PageGeometry:
    """How large a page this engine needs."""
    manager = scheduler.kv_cache_manager
    num_blocks = len(manager.block_pool.blocks)
    sizes = tuple(plan.block_size for plan in plan_groups(manager))[:MAX_GROUPS]
    entries = 1 << (8 * num_blocks * len(sizes) - 1).bit_length()
    return PageGeometry(
        num_blocks=num_blocks,
        block_size=sizes[0],
        group_block_sizes=sizes,
        max_rows=scheduler.scheduler_config.max_num_seqs + _WAITING_ROWS,
        table_entries=min(max(entries, 1 << 18), 1 << 21),
    )
