"""The page's sections as numpy arrays over one mapping, the same for writer and reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.page.layout import (
    CHANGE_FIELDS,
    CHANGES_OFFSET,
    COUNTER_FIELDS,
    EVENT_FIELDS,
    EVENT_SLOTS,
    GROUP_FIELDS,
    ID_BYTES,
    NAME_SLOTS,
    PUBLISHED_OFFSET,
    RING_FIELDS,
    ROW_COLUMNS,
    SEQ_OFFSET,
    row_section,
)

if TYPE_CHECKING:
    from mmap import mmap

    from numpy.typing import NDArray

    from engine.page.layout import PageGeometry, Section


@dataclass(frozen=True, slots=True)
class PageViews:
    """Every array of one mapped page. They hold the mapping open: drop them before closing it.

    `row_ids` is [rows, ID_BYTES]; the `table_` arrays are [rows, groups]; `ring` is [steps, RING_FIELDS];
    `events` is [EVENT_SLOTS, EVENT_FIELDS]; `names` is [NAME_SLOTS, ID_BYTES], and name n lies at n % NAME_SLOTS.
    What an older writer's page lacks is None: `reuse_counts`, `group_kinds` ([groups, GROUP_FIELDS]: GroupKind, window,
    layers), and `cached_groups`, which a page of one group has not either.
    """

    seq: NDArray[np.uint64]
    published_ns: NDArray[np.uint64]
    changes: NDArray[np.uint64]
    counters: NDArray[np.uint64]
    states: NDArray[np.uint8]
    ref_counts: NDArray[np.uint16]
    last_used_step: NDArray[np.uint32]
    rows: dict[str, NDArray[Any]]
    row_ids: NDArray[np.uint8]
    table_offset: NDArray[np.uint32]
    table_length: NDArray[np.uint32]
    table_revision: NDArray[np.uint32]
    table_entries: NDArray[np.uint32]
    ring: NDArray[np.uint64]
    events: NDArray[np.uint64]
    name_numbers: NDArray[np.uint64]
    name_lengths: NDArray[np.uint16]
    names: NDArray[np.uint8]
    reuse_counts: NDArray[np.uint16] | None
    group_kinds: NDArray[np.uint32] | None
    cached_groups: NDArray[np.uint8] | None


def map_views(buffer: mmap, geometry: PageGeometry, sections: dict[str, Section]) -> PageViews:
    """Lay the arrays over a mapping whose header has been checked."""

    def array(tag: str, kind: str, count: int) -> NDArray[Any]:
        return np.frombuffer(buffer, kind, count, sections[tag].offset)

    def optional(tag: str, kind: str, count: int) -> NDArray[Any] | None:
        return array(tag, kind, count) if tag in sections else None

    rows = {name: array(*row_section(name), geometry.max_rows) for name, _ in ROW_COLUMNS}
    kinds = optional("GKND", "<u4", geometry.num_groups * GROUP_FIELDS)
    index_shape = (geometry.max_rows, geometry.num_groups)
    index_count = geometry.max_rows * geometry.num_groups
    return PageViews(
        seq=np.frombuffer(buffer, "<u8", 1, SEQ_OFFSET),
        published_ns=np.frombuffer(buffer, "<u8", 1, PUBLISHED_OFFSET),
        changes=np.frombuffer(buffer, "<u8", CHANGE_FIELDS, CHANGES_OFFSET),
        counters=array("CNTR", "<u8", COUNTER_FIELDS),
        states=array("BSTA", "u1", geometry.num_blocks),
        ref_counts=array("BREF", "<u2", geometry.num_blocks),
        last_used_step=array("BUSE", "<u4", geometry.num_blocks),
        rows=rows,
        row_ids=array("RIDS", "u1", geometry.max_rows * ID_BYTES).reshape(geometry.max_rows, ID_BYTES),
        table_offset=array("TOFF", "<u4", index_count).reshape(index_shape),
        table_length=array("TLEN", "<u4", index_count).reshape(index_shape),
        table_revision=array("TREV", "<u4", index_count).reshape(index_shape),
        table_entries=array("TENT", "<u4", geometry.table_entries),
        ring=array("RING", "<u8", geometry.ring_steps * RING_FIELDS).reshape(geometry.ring_steps, RING_FIELDS),
        events=array("EVNT", "<u8", EVENT_SLOTS * EVENT_FIELDS).reshape(EVENT_SLOTS, EVENT_FIELDS),
        name_numbers=array("ENUM", "<u8", NAME_SLOTS),
        name_lengths=array("ELEN", "<u2", NAME_SLOTS),
        names=array("ENAM", "u1", NAME_SLOTS * ID_BYTES).reshape(NAME_SLOTS, ID_BYTES),
        reuse_counts=optional("BHIT", "<u2", geometry.num_blocks),
        group_kinds=kinds if kinds is None else kinds.reshape(geometry.num_groups, GROUP_FIELDS),
        cached_groups=optional("BGRP", "u1", geometry.num_blocks),
    )
