"""Owners of blocks against the plain definition, for any block tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.kv_groups import GroupKind, KvCacheGroup
from engine.domain.request import RequestPhase, RequestRow
from engine.metrics.block_owners import BlockOwners

_BLOCK_SIZE = 4


def _request(number: int, tables: list[list[int]], computed: int) -> RequestRow:
    arrays = tuple(np.array(table, np.int32) for table in tables)
    return RequestRow(number, f"r{number}", RequestPhase.DECODE, 1, computed, computed, 0, 0, 0, arrays)


_requests = st.lists(
    st.tuples(st.lists(st.lists(st.integers(0, 12), max_size=6, unique=True), min_size=1, max_size=2),
              st.integers(0, 26)),
    max_size=5,
).map(lambda found: [_request(number, *one) for number, one in enumerate(found)])  # fmt: skip


@given(_requests)
def test_holds_are_what_the_tables_say(requests: list[RequestRow]) -> None:
    owners = BlockOwners(requests, _BLOCK_SIZE)
    for block in range(13):
        expected = [
            (request.request_id, group, position)
            for request in requests
            for group, table in enumerate(request.block_tables)
            for position, held in enumerate(table.tolist())
            if held == block and block != 0
        ]
        assert [(hold.request.request_id, hold.group, hold.position) for hold in owners.of(block)] == expected
        holders = [request.request_id for request in owners.requests_with(block)]
        assert holders == list(dict.fromkeys(name for name, _, _ in expected))
    for request in requests:
        held = [block for table in request.block_tables for block in table.tolist() if block]
        assert owners.blocks_of(request.request_id).tolist() == held
    assert owners.blocks_of("nobody").tolist() == []


@given(_requests)
def test_partial_blocks_count_the_fullest_owner(requests: list[RequestRow]) -> None:
    owners = BlockOwners(requests, _BLOCK_SIZE)
    counts = np.array([len(owners.of(block)) for block in range(13)], np.uint16)
    expected = {}
    for block in range(13):
        holds = owners.of(block)
        if holds and max(hold.filled or 0 for hold in holds) < _BLOCK_SIZE:
            expected[block] = (max(hold.filled or 0 for hold in holds), _BLOCK_SIZE)
    assert owners.partial(counts) == expected


def test_the_index_is_built_only_when_asked() -> None:
    owners = BlockOwners([_request(0, [[1, 2]], 8)], _BLOCK_SIZE)
    assert owners.partial(np.ones(4, np.uint16)) == {}
    assert "entries" not in vars(owners)


def test_each_group_has_blocks_of_its_own_size() -> None:
    groups = (
        KvCacheGroup(4, GroupKind.FULL), KvCacheGroup(8, GroupKind.SLIDING, 16), KvCacheGroup(64, GroupKind.STATE),
    )  # fmt: skip
    owners = BlockOwners([_request(0, [[1, 2, 3], [4, 5], [6]], 9)], _BLOCK_SIZE, groups)
    assert owners.partial(np.ones(8, np.uint16)) == {3: (1, 4), 5: (1, 8)}
    assert [(hold.filled, hold.slots) for block in (2, 5, 6) for hold in owners.of(block)] == [
        (4, 4), (1, 8), (None, None),
    ]  # fmt: skip
