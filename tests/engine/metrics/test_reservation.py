"""Paged and contiguous use: whatever the traffic, every slot is counted once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.request import RequestPhase, RequestRow
from engine.domain.telemetry import CacheSnapshot, Counters
from engine.metrics.reservation import contiguous_use, holders, paged_use, pool_slots

_SIZE = 16


def _row(number: int, prompt: int, computed: int, limit: int | None, blocks: list[int] | None = None) -> RequestRow:
    table = np.array(blocks if blocks is not None else [1], np.int32)
    return RequestRow(
        number, f"r{number}", RequestPhase.DECODE, prompt, prompt, computed, 0, 0, number, (table,), max_tokens=limit
    )


rows = st.builds(
    _row,
    st.integers(0, 999),
    st.integers(1, 5000),
    st.integers(0, 5000),
    st.none() | st.integers(1, 5000),
)


@given(st.lists(rows, max_size=30), st.integers(0, 60_000), st.integers(1, 4096))
def test_every_slot_is_one_thing(requests: list[RequestRow], slots: int, length: int) -> None:
    use = contiguous_use(requests, slots, length)
    parts = (use.filled, use.reserved, use.internal, use.external, use.free)
    assert min(parts) >= 0
    assert sum(parts) == slots
    assert use.requests + use.waiting == len(requests)
    assert use.external < length
    assert use.requests <= use.fits
    if use.waste_share is not None:
        assert 0 <= use.waste_share <= 1


@given(st.lists(rows, min_size=1, max_size=10), st.integers(1, 2000), st.integers(1, 200))
def test_a_longer_reservation_never_wastes_less(requests: list[RequestRow], length: int, more: int) -> None:
    slots = 100_000
    short, long = contiguous_use(requests, slots, length), contiguous_use(requests, slots, length + more)
    assert long.fits <= short.fits
    assert long.reserved + long.internal + long.filled >= short.reserved + short.internal + short.filled


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=20))
def test_paging_wastes_less_than_a_block_a_request(tokens: list[int]) -> None:
    tables, used = [], 0
    for count in tokens:
        blocks = -(-count // _SIZE)
        tables.append(list(range(used + 1, used + blocks + 1)))
        used += blocks
    requests = [_row(i, n, n, None, table) for i, (n, table) in enumerate(zip(tokens, tables, strict=True))]
    snapshot = _snapshot(2 * used + 1, requests)
    use = paged_use(snapshot)
    assert use is not None
    assert use.filled == sum(tokens)
    assert use.wasted < _SIZE * len(tokens)
    assert use.filled + use.wasted + use.cached + use.free == use.pool_slots == pool_slots(snapshot)
    assert use.fits == 2 * len(tokens)
    assert [row.row for row in holders(snapshot)] == list(range(len(tokens)))


def _snapshot(num_blocks: int, requests: list[RequestRow], groups: int = 1) -> CacheSnapshot:
    held = np.zeros(num_blocks, np.uint16)
    for row in requests:
        held[row.block_table] += 1
    used, shared = int((held == 1).sum()), int((held > 1).sum())
    slots = (used + shared) * _SIZE - sum(row.num_computed_tokens for row in requests)
    counters = Counters(1, 1, len(requests), 0, num_blocks - 1 - used - shared, 0, used, shared, slots, *[0] * 8)
    states = np.zeros(num_blocks, np.uint8)
    steps = np.zeros(num_blocks, np.uint32)
    return CacheSnapshot(1, num_blocks, _SIZE, groups, counters, states, held, steps, tuple(requests), ())


def test_what_a_number_means() -> None:
    # Prompt 100, computed 120, may get 150 long, in pieces of 1,000; 2,500 slots hold two pieces.
    use = contiguous_use([_row(i, 100, 120, 50) for i in range(3)], 2500, 1000)
    assert (use.filled, use.reserved, use.internal, use.external, use.free) == (240, 60, 1700, 500, 0)
    assert (use.requests, use.waiting, use.fits) == (2, 1, 2)
    assert use.waste_share == pytest.approx(1 - 240 / 2500)


def test_sharing_counts_what_it_saves() -> None:
    use = paged_use(_snapshot(11, [_row(0, 32, 32, None, [1, 2]), _row(1, 16, 16, None, [1])]))
    assert use is not None
    assert use.saved == _SIZE


def test_nothing_to_measure() -> None:
    assert paged_use(_snapshot(11, [], groups=2)) is None
    empty = paged_use(_snapshot(11, []))
    assert empty is not None
    assert empty.waste_share is None
    assert empty.fits == 0
    assert contiguous_use([], 100, 10).waste_share is None
    with pytest.raises(ValueError, match="at least 1"):
        contiguous_use([], 100, 0)
