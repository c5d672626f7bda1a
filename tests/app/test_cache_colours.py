"""The block map's colours: the right one for every block, and told apart by every kind of colour vision."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.theme.tokens import DARK, LIGHT, Theme
from app.widgets.block_map_bases import BlockBases
from app.widgets.block_map_changes import places
from app.widgets.block_map_palette import (
    AGE_STEPS,
    GROUP_COLOURS,
    REQUEST_COLOURS,
    ColourMode,
    age_step,
    base_colours,
    owner_step,
    request_colour,
    reuse_step,
)
from app.widgets.block_map_tables import TableFollower
from benchmarks.page_traffic import PageTraffic
from engine.domain.blocks import BlockState
from engine.domain.kv_groups import GroupKind, KvCacheGroup
from tests.app.colour_vision import VISIONS, distance, lightness

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot

_STATES = len(BlockState)
_THEMES = pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
_VISIONS = pytest.mark.parametrize("vision", list(VISIONS))


def test_the_distance_is_ciede2000() -> None:
    """Against values computed by another implementation (colour-science)."""
    assert distance(QColor("#ff0000"), QColor("#ff0000")) == 0
    assert distance(QColor("#000000"), QColor("#ffffff")) == pytest.approx(100, abs=0.1)
    assert lightness(QColor("#808080")) == pytest.approx(53.59, abs=0.05)
    assert distance(QColor("#ff0000"), QColor("#00ff00")) > 80
    assert distance(QColor("#b22222"), QColor("#556b2f"), "deuteranope") < distance(
        QColor("#b22222"), QColor("#556b2f")
    ) / 2  # a red and a green that differ in hue alone


@_THEMES
@_VISIONS
def test_states_are_told_apart(theme: Theme, vision: str) -> None:
    colours = base_colours(ColourMode.STATE, theme)
    hatched = colours[BlockState.NULL]
    others = [*colours[: BlockState.NULL], colours[-1]]
    assert min(distance(one, other, vision) for one, other in combinations(others, 2)) > 11
    assert min(distance(hatched, other, vision) for other in others) > 6


@_THEMES
@_VISIONS
def test_steps_are_told_from_their_neighbours(theme: Theme, vision: str) -> None:
    for mode in (ColourMode.OWNERS, ColourMode.REUSE):
        own = base_colours(mode, theme)[_STATES:-1]
        assert min(distance(one, other, vision) for one, other in pairwise(own)) > 6, mode
        shades = [lightness(colour, vision) for colour in own]
        assert shades == sorted(shades, reverse=not theme.is_dark), mode
    ages = base_colours(ColourMode.AGE, theme)[_STATES:-1]
    bands = [ages[first + 1] for first in range(0, AGE_STEPS, 3)]  # as the legend has them
    assert min(distance(one, other, vision) for one, other in pairwise(bands)) > 9


@_THEMES
@_VISIONS
def test_groups_and_neighbouring_requests_are_told_apart(theme: Theme, vision: str) -> None:
    colours = base_colours(ColourMode.GROUP, theme)
    own, cached = colours[_STATES : _STATES + GROUP_COLOURS], colours[_STATES + GROUP_COLOURS : -1]
    assert min(distance(one, other, vision) for one, other in combinations(own[:4], 2)) > 8
    assert min(distance(one, other, vision) for one in own[:4] for other in cached[:4]) > 12
    assert min(distance(one, colours[BlockState.FREE], vision) for one in cached[:4]) > 9
    requests = [request_colour(row, theme) for row in range(REQUEST_COLOURS + 1)]
    near = sorted(distance(one, other, vision) for one, other in pairwise(requests))
    assert near[0] > 2
    assert near[2] > 8


def _random_pages(folder: Path, groups: tuple[KvCacheGroup, ...]) -> list[CacheSnapshot]:
    page, dice = PageTraffic(folder / "page", 700, groups=groups), np.random.default_rng(11)
    snapshots = []
    for number in range(120):
        live = list(page.live)
        for name in live:
            page.grow(name, int(dice.integers(1, 30)))
        if len(live) > 5 or (live and dice.random() < 0.3):
            page.finish(str(dice.choice(live)))
        live = list(page.live)
        page.add(f"r{number}", int(dice.integers(1, 400)), share=live[0] if live and dice.random() < 0.7 else None)
        snapshots.append(page.publish())
    page.close()
    return snapshots


_HYBRID = (
    KvCacheGroup(16, GroupKind.FULL, layers=2), KvCacheGroup(16, GroupKind.SLIDING, 64, 4),
    KvCacheGroup(64, GroupKind.STATE, layers=3),
)  # fmt: skip


@pytest.mark.parametrize("groups", [(), _HYBRID], ids=["one group", "three groups"])
def test_every_block_has_the_right_base_in_every_mode(tmp_path: Path, groups: tuple[KvCacheGroup, ...]) -> None:
    seen: dict[ColourMode, set[int]] = {mode: set() for mode in ColourMode}
    alone = dict.fromkeys(ColourMode, 0)
    by_mode = {mode: BlockBases() for mode in ColourMode}
    pages = _random_pages(tmp_path, groups)
    for number, snapshot in enumerate([*pages, *pages[-20::-7]]):  # and a recording that is wound back
        owners = _owners(snapshot)
        if number == 60:
            by_mode[ColourMode.REQUEST].update(ColourMode.GROUP, snapshot)
        for mode, bases in by_mode.items():
            before = bases.bytes.copy()
            changed = bases.update(mode, snapshot)
            found = bases.bytes.tolist()
            assert all(
                base in _allowed(mode, snapshot, block, owners.get(block, [])) for block, base in enumerate(found)
            ), mode
            assert changed is None or changed.tolist() == np.flatnonzero(before != bases.bytes).tolist()
            assert bases.counts.tolist()[: max(found) + 1] == np.bincount(found).tolist()
            seen[mode] |= set(found)
            alone[mode] += changed is not None
    assert {len(seen[mode]) > 5 for mode in ColourMode if mode is not ColourMode.STATE and (groups or
            mode is not ColourMode.GROUP)} == {True}  # fmt: skip
    # Else all this went the way that looks at every block, as it does by age in a pool as small as this.
    assert min(number for mode, number in alone.items() if mode is not ColourMode.AGE) > 90


@pytest.mark.parametrize("pace", [1, 7, 90, 300])
def test_ages_are_right_however_fast_the_steps_go(tmp_path: Path, pace: int) -> None:
    page, dice = PageTraffic(tmp_path / "page", 3001), np.random.default_rng(pace)
    bases, alone = BlockBases(), 0
    page.add("r", 16 * 3000)
    for _ in range(80):
        page.step += int(dice.integers(0, 2 * pace))
        page.writer.views.last_used_step[dice.integers(1, 3001, int(dice.integers(0, 40)))] = page.step + 1
        snapshot = page.publish()
        alone += bases.update(ColourMode.AGE, snapshot) is not None
        ages = (snapshot.counters.step - snapshot.last_used_step[1:].astype(np.int64)).tolist()
        assert bases.bytes[1:].tolist() == [_STATES + age_step(age) for age in ages]
    assert (alone > 40) == (pace < 300)
    page.close()


def test_very_many_that_grow_old_at_once_follow_in_parts(tmp_path: Path) -> None:
    page = PageTraffic(tmp_path / "page", 200_001)
    page.add("r", 16 * 200_000)
    bases = BlockBases()
    bases.update(ColourMode.AGE, page.publish())
    page.step += 8
    snapshot = page.publish()
    bases.update(ColourMode.AGE, snapshot)
    parts = 1
    while bases.is_behind:
        changed = bases.update(ColourMode.AGE, snapshot)
        assert changed is not None
        assert 0 < len(changed) <= 5_000
        parts += 1
    assert parts == 41  # the null block is one, too
    fresh = BlockBases()
    fresh.update(ColourMode.AGE, snapshot)
    assert np.array_equal(bases.bytes, fresh.bytes)
    page.close()


@pytest.mark.parametrize("length", [0, 1, 7, 8, 100, 4099])
def test_places_are_where_a_mask_is_set(length: int) -> None:
    dice = np.random.default_rng(length)
    for share in (0.0, 0.003, 0.1, 0.9):
        mask = dice.random(length) < share
        assert places(mask).tolist() == np.flatnonzero(mask).tolist()



def _owners(snapshot: CacheSnapshot) -> dict[int, list[tuple[RequestRow, int]]]:
    owners: dict[int, list[tuple[RequestRow, int]]] = {}
    for request in snapshot.requests:
        for group, table in enumerate(request.block_tables):
            for block in table.tolist():
                owners.setdefault(block, []).append((request, group))
    return owners


def _allowed(
    mode: ColourMode, snapshot: CacheSnapshot, block: int, owners: list[tuple[RequestRow, int]]
) -> set[int]:
    """The plain definition."""
    state = int(snapshot.states[block])
    owned, held = state in (BlockState.USED, BlockState.SHARED), state in (1, 2, 3)
    if mode is ColourMode.REQUEST and state == BlockState.USED:
        return {_STATES + owners[0][0].row % REQUEST_COLOURS}
    if mode is ColourMode.OWNERS and owned:
        return {_STATES + owner_step(int(snapshot.ref_counts[block]))}
    if mode is ColourMode.AGE and held:
        return {_STATES + age_step(snapshot.counters.step - int(snapshot.last_used_step[block]))}
    if mode is ColourMode.REUSE and held:
        assert snapshot.reuse_counts is not None
        return {_STATES + reuse_step(int(snapshot.reuse_counts[block]))}
    if mode is ColourMode.GROUP and owned:
        return {_STATES + owners[0][1]}
    if mode is ColourMode.GROUP and state == BlockState.CACHED:
        group = 0 if snapshot.cached_groups is None else int(snapshot.cached_groups[block])
        return {_STATES + GROUP_COLOURS + group}
    return {state}


def test_extreme_counts_and_ages_take_the_last_step(tmp_path: Path) -> None:
    page = PageTraffic(tmp_path / "page", 40)
    page.add("r", 200)
    page.step = (1 << 32) - 3
    views = page.writer.views
    assert views.reuse_counts is not None
    views.ref_counts[1:9] = views.reuse_counts[1:9] = [1, 2, 3, 16, 17, 255, 256, 65535]
    views.last_used_step[1:9] = [0, 1, 5, 1 << 31, (1 << 32) - 5, (1 << 32) - 4, (1 << 32) - 3, (1 << 32) - 2]
    snapshot = page.publish()
    bases = BlockBases()
    for mode in (ColourMode.OWNERS, ColourMode.AGE, ColourMode.REUSE):
        bases.update(mode, snapshot)
        found = bases.bytes
        for block in range(1, 9):
            assert found[block] in _allowed(mode, snapshot, block, []), (mode, block)
    page.close()


def test_a_follower_reads_only_what_is_new(tmp_path: Path) -> None:
    """A request alone is asked for its mark when its table changes, and not when another's does."""
    page, asked = PageTraffic(tmp_path / "page", 200), []

    def mark(request: RequestRow, _group: int) -> int:
        asked.append(request.request_id)
        return request.row + 1

    follower = TableFollower(mark)
    for name in ("a", "b", "c"):
        page.add(name, 64)
    follower.follow(page.publish())
    assert sorted(asked) == ["a", "b", "c"]
    asked.clear()
    page.grow("b", 16)
    follower.follow(page.publish())
    assert asked == ["b"]
    page.close()
