"""What goes into a recording comes out of it: pictures, steps and values, from any moment on."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.page_traffic import PageTraffic
from engine.domain.cache_events import Admitted, AllocationFailed, Evicted, NeverFits, Preempted
from engine.domain.errors import RecordingInvalid
from engine.recording import session as sessions
from engine.recording.columns import pack, pack_rising, unpack, unpack_rising
from engine.recording.container import About
from engine.recording.export import steps_of, timeline_of, write_requests, write_steps
from engine.recording.happenings import pack_events, unpack_events
from engine.recording.player import Player
from engine.recording.reader import RecordingReader
from engine.recording.writer import RecordingWriter
from tests.engine.recording.making import BEGIN_NS, LIFECYCLE, SERVING, Made, limits, make

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
        unpack_events(msgspec.structs.replace(later, request_ids=()))


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
