"""What goes into a recording comes out of it: pictures, steps and values, from any moment on."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from benchmarks.page_traffic import PageTraffic
from engine.domain.adapter import EngineAdapters, LoadedAdapter
from engine.domain.block_times import BlockTimes, TimeHistogram
from engine.domain.blocks import BlockState
from engine.domain.cache_events import Admitted, AllocationFailed, Evicted, NeverFits, Preempted
from engine.domain.errors import RecordingInvalid
from engine.domain.prefixes import PrefixNode, PrefixTree
from engine.recording import session as sessions
from engine.recording.columns import pack, pack_rising, unpack, unpack_rising
from engine.recording.container import About
from engine.recording.export import export_recording, steps_of, timeline_of, write_requests, write_steps
from engine.recording.frames import COUNTER_FIELDS
from engine.recording.happenings import pack_events, unpack_events
from engine.recording.picture import Picture
from engine.recording.player import Player
from engine.recording.reader import RecordingReader
from engine.recording.records import BlockChanges, Frame, Happened, Key, NewRow, RowChanges, TableChanges, decode
from engine.recording.table_file import FORMATS
from engine.recording.writer import RecordingWriter
from tests.engine.recording.making import BEGIN_NS, LIFECYCLE, SERVING, Made, hardware, limits, make

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.domain.telemetry import CacheSnapshot


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """Six seconds with a key every two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "KEY_NS", 2_000_000_000)
        yield make(tmp_path_factory.mktemp("made"))


def same(found: CacheSnapshot | None, wanted: CacheSnapshot) -> bool:
    """Whether two pictures show the same."""
    assert found is not None
    assert (found.num_blocks, found.block_size, found.num_groups) == (
        wanted.num_blocks, wanted.block_size, wanted.num_groups,
    )  # fmt: skip
    assert found.published_ns == wanted.published_ns
    assert found.counters == wanted.counters
    assert np.array_equal(found.states, wanted.states)
    assert np.array_equal(found.ref_counts, wanted.ref_counts)
    assert np.array_equal(found.last_used_step, wanted.last_used_step)
    assert found.groups == wanted.groups
    assert (found.reuse_counts is None) == (wanted.reuse_counts is None)
    assert wanted.reuse_counts is None or np.array_equal(found.reuse_counts, wanted.reuse_counts)
    if wanted.cached_groups is not None:
        cached = wanted.states == BlockState.CACHED
        assert found.cached_groups is not None
        assert np.array_equal(found.cached_groups[cached], wanted.cached_groups[cached])
    for one, other in zip(found.requests, wanted.requests, strict=True):
        assert [table.tolist() for table in one.block_tables] == [table.tolist() for table in other.block_tables]
        fields = ("row", "request_id", "phase", "num_prompt_tokens", "num_tokens", "num_computed_tokens",
                  "num_cached_tokens", "num_preemptions", "arrival_ns", "tables_truncated")  # fmt: skip
        assert [getattr(one, name) for name in fields] == [getattr(other, name) for name in fields]
    return True


def test_columns_come_back() -> None:
    for values in ([], [0], [-1, 127], [-129, 5], [1 << 40, -(1 << 62)], list(range(300))):
        assert unpack(pack(values)).tolist() == values
        assert unpack_rising(pack_rising(values)).tolist() == values


@given(st.lists(st.integers(-(1 << 62), (1 << 62) - 1), max_size=50))
def test_any_column_comes_back(values: list[int]) -> None:
    assert unpack(pack(values)).tolist() == values


def test_playing_gives_every_step_and_the_last_picture(made: Made) -> None:
    reader = RecordingReader(made.path)
    player = Player(reader)
    steps = []
    at_ns, moment = reader.begin_ns, player.seek(reader.begin_ns)
    while not player.at_end:
        at_ns += 77_000_000
        moment = player.advance(at_ns)
        if moment.cache is not None:
            steps += moment.cache.steps
            last = moment.cache
    assert same(last, made.pictures[-1][1])
    wanted = [step for _, picture in made.pictures for step in picture.steps]
    assert steps == wanted
    assert list(steps_of(reader)) == wanted
    assert player.position_ns == made.end_ns
    reader.close()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 200))
def test_any_moment_can_be_sought(made: Made, frame: int) -> None:
    at_ns = made.pictures[min(frame, len(made.pictures) - 1)][0]
    reader = RecordingReader(made.path)
    moment = Player(reader).seek(at_ns)
    reader.close()
    # Pictures become frames ten times a second, or when a request comes or goes: at most three are summed up.
    recent = [picture for at, picture in made.pictures if at <= at_ns][-4:]
    found = moment.cache
    assert found is not None
    wanted = next(one for one in recent if one.published_ns == found.published_ns)
    assert same(found, wanted)
    assert LIFECYCLE in moment.values
    known = [value for at, value in made.values if at <= at_ns and type(value) is type(limits(0, 0))]
    assert known[-1] in moment.values
    past = [step for _, picture in made.pictures for step in picture.steps if step.step <= found.counters.step]
    assert list(found.steps) == past


def test_seeking_back_and_stepping(made: Made) -> None:
    reader = RecordingReader(made.path)
    player = Player(reader)
    player.seek(made.end_ns)
    moment = player.seek(BEGIN_NS)
    assert moment.restarted
    assert SERVING not in moment.values
    times = []
    for _ in range(30):
        following = player.next_frame_ns()
        assert following is not None
        player.advance(following)
        times.append(following)
    assert times == sorted(set(times))
    assert player.frame_before_ns() == times[-2]
    player.seek(made.end_ns)
    assert player.next_frame_ns() is None
    reader.close()


EVENTS = (
    Preempted(1, 5, 50, "r0", 300, 4), Evicted(2, 5, 51, None, 9, 100, None), Evicted(3, 6, 60, "r1", 10, 90, 2),
    AllocationFailed(4, 6, 61, "r2", None, 3, True), AllocationFailed(5, 7, 70, "r2", 16, 0, False),
    NeverFits(6, 7, 71, "r3", 9000, 600, 200), Admitted(7, 8, 80, "r0", 128, 300, True),
)  # fmt: skip


def test_events_come_back_in_their_order() -> None:
    found = [event for record in pack_events(EVENTS, 1) for event in unpack_events(record)]
    assert tuple(sorted(found, key=lambda one: one.sequence)) == EVENTS
    later = pack_events(EVENTS[:1], 1)[0]
    assert unpack_events(msgspec.structs.replace(later, name="Invented")) == []
    with pytest.raises(RecordingInvalid):
        unpack_events(msgspec.structs.replace(later, who=b""))
    with pytest.raises(RecordingInvalid, match="without a name"):
        unpack_events(msgspec.structs.replace(later, names=()))


def test_a_recording_of_version_1_is_read() -> None:
    """The first twelve parts of the sample that came with KVDeck 0.1.0."""
    reader = RecordingReader(Path(__file__).with_name("version-1.kvdeck"))
    player = Player(reader)
    cache = player.seek(reader.end_ns).cache
    assert cache is not None
    assert len(cache.steps) > 20
    assert (cache.counters.num_running, cache.counters.num_waiting) == (6, 16)
    owned = {block for request in cache.requests for block in request.block_table.tolist()}
    assert owned == set(np.flatnonzero(cache.ref_counts).tolist()) - {0}
    for block in owned:
        holders = sum(block in request.block_table.tolist() for request in cache.requests)
        assert holders == cache.ref_counts[block]
    assert {lane.request_id for lane in timeline_of(reader).live} == {one.request_id for one in cache.requests}
    reader.close()


def test_events_of_version_1_are_read() -> None:
    old = Happened(1, "Evicted", tuple(pack_rising([number, number]) for number in (2, 5, 51, 9, 100)), (None, 3),
                   (None, "r0"))  # fmt: skip
    assert unpack_events(old) == [Evicted(2, 5, 51, None, 9, 100, None), Evicted(2, 5, 51, "r0", 9, 100, 3)]


def test_a_frame_of_version_1_is_read() -> None:
    """Reference counts of all blocks, `kept` entries, and rows that do not rise, written by hand."""
    picture = Picture(Key(1, 10, 16, 1))
    rows = RowChanges(fresh=tuple(NewRow(row, f"r{row}", 2, 16, 20, 20, 0, 0, 5, 1) for row in (0, 4)))
    counters = pack([7] * len(COUNTER_FIELDS))
    picture.apply(
        Frame(
            2, 2, counters,
            BlockChanges(pack_rising([1, 2, 3]), pack([2, 3, 1]), pack([1, 2, 0]), pack([0, 0, 4])), rows,
            TableChanges(pack([4, 0]), pack([0, 0]), pack([0, 0]), pack([0, 0]), pack([2, 1]), pack_rising([1, 2, 2])),
        )
    )  # fmt: skip
    picture.apply(Frame(3, 3, counters, BlockChanges(), RowChanges(), TableChanges(
        pack([4]), pack([0]), pack([1]), pack([0]), pack([1]), pack_rising([3]))))  # fmt: skip
    found = picture.snapshot()
    assert found is not None
    assert found.ref_counts.tolist()[:4] == [0, 1, 2, 0]
    assert [request.block_table.tolist() for request in found.requests] == [[2], [1, 3]]


def test_events_are_recorded_once_and_played(tmp_path: Path) -> None:
    traffic = PageTraffic(tmp_path / "page", 100)
    traffic.add("r0", 40)
    writer = RecordingWriter(tmp_path / "a.kvdeck", About("test", 1.0, 1))
    session = sessions.RecordingSession(writer)
    for number in range(len(EVENTS)):
        picture = dataclasses.replace(traffic.publish(), events=EVENTS[max(0, number - 2) : number + 1])
        session.take(1 + number * sessions.FRAME_NS, picture)
    session.end(10 * sessions.FRAME_NS)
    traffic.close()
    reader = RecordingReader(writer.finish())
    player = Player(reader)
    player.seek(1)
    told = player.advance(reader.end_ns).cache
    assert told is not None
    assert told.events == EVENTS[1:]
    again = Player(reader).seek(reader.end_ns).cache
    assert again is not None
    assert again.events == EVENTS
    reader.close()


def test_parts_say_what_happened_in_them(made: Made) -> None:
    reader = RecordingReader(made.path)
    assert reader.about.finished
    assert sum(part.limits_changed for part in reader.parts) == 1
    assert max(part.running for part in reader.parts) == max(p.counters.num_running for _, p in made.pictures)
    assert 1 < sum(part.is_key for part in reader.parts) < len(reader.parts)
    reader.close()


def test_export(made: Made, tmp_path: Path) -> None:
    reader = RecordingReader(made.path)
    count = write_steps(tmp_path / "steps.csv", steps_of(reader))
    lines = (tmp_path / "steps.csv").read_text().splitlines()
    assert len(lines) == count + 1 == 1 + sum(len(picture.steps) for _, picture in made.pictures)
    assert lines[0].startswith("step,monotonic_ns,duration_ns")
    timeline = timeline_of(reader)
    write_requests(tmp_path / "requests.csv", timeline.finished)
    rows = (tmp_path / "requests.csv").read_text().splitlines()
    assert len(rows) - 1 == len(timeline.finished) > 2
    ids = {request.request_id for _, picture in made.pictures for request in picture.requests}
    assert {lane.request_id for lane in (*timeline.finished, *timeline.live)} == ids
    with pytest.raises(OSError):
        write_steps(tmp_path / "no" / "steps.csv", [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["requests.csv", "steps.csv"]
    reader.close()


def test_every_table_as_csv_and_parquet(tmp_path: Path) -> None:
    traffic = PageTraffic(tmp_path / "page", 200)
    traffic.add("r0", 40)
    writer = RecordingWriter(tmp_path / "a.kvdeck", About("test", 1.0, 1))
    session = sessions.RecordingSession(writer)
    for number in range(60):
        traffic.grow("r0")
        picture = traffic.publish(900_000_000 if number == 40 else 8_000_000)
        session.take(1 + number * sessions.FRAME_NS, dataclasses.replace(picture, events=EVENTS[: number + 1]))
        if number % 10 == 0:
            session.take(1 + number * sessions.FRAME_NS, hardware(1 + number))
    session.end(61 * sessions.FRAME_NS)
    traffic.close()
    path = writer.finish()
    told: list[float] = []
    files = {}
    for suffix in FORMATS:
        written = export_recording(path, tmp_path / suffix, suffix, lambda share: not told.append(share))
        files[suffix] = {target.name: rows for target, rows in written}
    assert files["csv"] == {
        "requests.csv": 1, "steps.csv": 60, "events.csv": len(EVENTS), "stalls.csv": 1, "samples.csv": 6,
    }  # fmt: skip
    assert [rows for _, rows in files["parquet"].items()] == list(files["csv"].values())
    assert told[-1] < 1
    for name in files["csv"]:
        with (tmp_path / "csv" / name).open(encoding="utf-8", newline="") as file:
            text = list(csv.DictReader(file))
        values = parquet.read_table(tmp_path / "parquet" / name.replace("csv", "parquet")).to_pylist()
        assert [{key: "" if one is None else str(one) for key, one in row.items()} for row in values] == text
    events = parquet.read_table(tmp_path / "parquet" / "events.parquet").to_pylist()
    assert (events[3]["event"], events[3]["running"], events[3]["tokens"]) == ("allocation_failed", True, None)
    (stall,) = parquet.read_table(tmp_path / "parquet" / "stalls.parquet").to_pylist()
    assert (stall["step"], stall["cause"], stall["duration_ns"]) == (41, "outside", 900_000_000)


def test_what_is_asked_for_comes_back_and_is_bounded(tmp_path: Path) -> None:
    traffic = PageTraffic(tmp_path / "page", 200)
    traffic.add("r0", 40)
    writer = RecordingWriter(tmp_path / "a.kvdeck", About("test", 1.0, 1))
    session = sessions.RecordingSession(writer)
    nodes = tuple(
        PrefixNode(f"{number:012x}" * 4, number - 1 if number else None, 1, 16, number + 1, 0, 0, 1, reachable=True)
        for number in range(300)
    )
    for second in range(12):
        at_ns = 1 + second * 1_000_000_000
        session.take(at_ns, traffic.publish())
        session.take(at_ns, PrefixTree(second, 16, nodes, 300, 0, 5, 1000, keeps_tokens=True))
        counts = (second, *TimeHistogram().counts[1:])
        session.take(at_ns, BlockTimes(second, TimeHistogram(counts), TimeHistogram(), TimeHistogram(), 3))
    adapters = EngineAdapters(True, (LoadedAdapter("law", "/a/law", 1, 16),), 32, 4, {"r0": "law"})
    session.take(12_500_000_000, adapters)
    session.take(13_000_000_000, None)
    session.end(14_000_000_000)
    traffic.close()
    reader = RecordingReader(writer.finish())
    player = Player(reader)
    found = [player.seek(reader.begin_ns), player.advance(4_500_000_000), player.advance(6_500_000_000)]
    trees = [[value for value in moment.values if isinstance(value, PrefixTree)] for moment in found]
    assert [[tree.step for tree in each] for each in trees] == [[0], [], [5]]  # every five seconds
    tree = trees[0][0]
    assert (len(tree.nodes), tree.nodes_left_out) == (200, 105)
    assert [node.key for node in tree.nodes] == [node.key[-12:] for node in nodes[:200]]
    times = [value for value in found[2].values if isinstance(value, BlockTimes)]
    assert times[0].residency.counts[0] == 5
    assert adapters in player.advance(12_600_000_000).values
    assert player.advance(reader.end_ns).gone
    assert adapters in player.seek(12_600_000_000).values
    reader.close()


def test_a_recording_without_reuses_and_groups_says_so() -> None:
    """As files from before them are: their keys and frames are shorter."""
    counters = pack(range(len(COUNTER_FIELDS)))
    blocks = [pack_rising([3]), pack([1]), pack([0]), pack([0])]
    key, frame = decode(
        msgspec.msgpack.encode([["key", 1, 8, 16, 2], ["frame", 2, 2, counters, blocks, [], [], 0]])
    )  # fmt: skip
    assert isinstance(key, Key)
    assert isinstance(frame, Frame)
    picture = Picture(key)
    picture.apply(frame)
    found = picture.snapshot()
    assert found is not None
    assert found.states.tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    assert (found.reuse_counts, found.cached_groups, found.groups) == (None, None, ())
    assert found.group_block_sizes == (16, 16)


@pytest.mark.parametrize("groups", [((16, 1, 0, 0),), ((16, 1, 0, 0), (0, 1, 0, 0)), ((16, 1, 0, 0), (16, -1, 0, 0))])
def test_impossible_groups_are_refused(groups: tuple[tuple[int, int, int, int], ...]) -> None:
    with pytest.raises(RecordingInvalid):
        Picture(Key(1, 8, 16, 2, groups))
