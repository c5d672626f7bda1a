"""One recording session: chooses which pictures become frames, and gathers them into parts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from engine.domain.block_times import BlockTimes
from engine.domain.gpu import HardwareSample
from engine.domain.lifecycle import LiveLimits
from engine.domain.prefixes import PrefixTree
from engine.domain.telemetry import CacheSnapshot
from engine.recording.frames import frame_between, pack_steps
from engine.recording.happenings import pack_events
from engine.recording.records import ENGINE_TOPICS, Gone, Key, Mark, Record, Value, event, topic_of
from engine.recording.writer import PartSums

if TYPE_CHECKING:
    from engine.domain.cache_events import CacheEvent
    from engine.domain.telemetry import StepSample
    from engine.recording.writer import RecordingWriter

FRAME_NS = 100_000_000
KEY_NS = 20_000_000_000
RARE_NS = 5_000_000_000
_TREE_NODES = 200
_KEY_DIGITS = 12


class RecordingSession:
    """Takes every value with the time at which it was taken, and writes a part at each `commit`. For one thread.

    Steps are kept to the last one. A picture becomes a frame ten times a second, and whenever a request came, left or
    changed its phase since the last frame; prefix trees and block times are kept every RARE_NS. Every KEY_NS a part
    begins with all that is known, so that a replay can begin there.
    """

    def __init__(self, writer: RecordingWriter) -> None:
        self._writer = writer
        self._records: list[Record] = []
        self._sums = PartSums()
        self._newest: dict[str, Value] = {}
        self._shown: CacheSnapshot | None = None  # what the frames so far add up to
        self._pending: tuple[int, CacheSnapshot] | None = None
        self._phases: list[tuple[int, str, int]] = []
        self._steps: list[StepSample] = []
        self._events: list[CacheEvent] = []
        self._last_event = -1
        self._last_step = 0
        self._frame_ns = 0
        self._rare_ns: dict[type, int] = {}
        self._key_ns: int | None = None
        self._part_is_key = False
        self.num_frames = 0

    def take(self, at_ns: int, value: Value | CacheSnapshot | None) -> None:
        """A topic changed; None says that no engine runs any more."""
        self._begin_part(at_ns)
        if value is None:
            self._flush_picture()
            self._shown, self._last_step, self._last_event = None, 0, -1
            self._records.append(Gone(at_ns))
            for topic in ENGINE_TOPICS:
                self._newest.pop(topic, None)
        elif isinstance(value, CacheSnapshot):
            self._take_snapshot(at_ns, value)
        else:
            self._take_value(at_ns, value)

    def take_steps(self, steps: tuple[StepSample, ...]) -> None:
        """Steps of a picture that was left out."""
        new = [step for step in steps if step.step > self._last_step]
        if new:
            self._steps += new
            self._last_step = new[-1].step

    def take_events(self, events: tuple[CacheEvent, ...]) -> None:
        """Events of a picture, left out or not."""
        new = [event for event in events if event.sequence > self._last_event]
        if new:
            self._events += new
            self._last_event = new[-1].sequence

    def skipped(self, at_ns: int, count: int) -> None:
        """So many pictures were left out because the disk did not keep up."""
        self._begin_part(at_ns)
        self._records.append(Mark(at_ns, f"skipped {count}"))

    def commit(self, at_ns: int) -> None:
        """Write what has come since the last time; `at_ns` is now. Raises DiskFull, KVDeckError."""
        self._flush_picture()
        if self._records:
            self._put_steps(self._records[-1].at_ns)
        records, sums, is_key = self._records, self._sums, self._part_is_key
        self._records, self._sums, self._part_is_key = [], PartSums(), False
        if self._shown is not None:  # a step may last longer than a part: what ran goes on
            self._sums.count(self._shown.counters, 0)
        if records and is_key:
            self._key_ns = at_ns
        self._writer.write(records, sums, is_key=is_key)

    def end(self, at_ns: int) -> None:
        """The last part; the recording lasts until `at_ns`."""
        self._begin_part(at_ns)
        self._flush_picture()
        self._records.append(Mark(at_ns, "end"))
        self.commit(at_ns)

    def _begin_part(self, at_ns: int) -> None:
        if self._records or (self._key_ns is not None and at_ns - self._key_ns < KEY_NS):
            return
        self._part_is_key = True
        self._records += [event(at_ns, topic, value) for topic, value in self._newest.items()]
        shown = self._shown
        if shown is None:
            self._records.append(Gone(at_ns))
        else:
            self._records += [_key(shown, at_ns), frame_between(None, shown, at_ns)]

    def _take_value(self, at_ns: int, value: Value) -> None:
        topic = topic_of(value)
        if isinstance(value, (PrefixTree, BlockTimes)):
            if at_ns - self._rare_ns.get(type(value), at_ns - RARE_NS) < RARE_NS:
                return
            self._rare_ns[type(value)] = at_ns
        if isinstance(value, PrefixTree):
            value = _cut(value)
        elif isinstance(value, HardwareSample):
            value = _without_strangers(value)
        elif isinstance(value, LiveLimits):
            before = self._newest.get(topic)
            self._sums.count_limits(before if isinstance(before, LiveLimits) else None, value)
        self._newest[topic] = value
        self._records.append(event(at_ns, topic, value))

    def _take_snapshot(self, at_ns: int, snapshot: CacheSnapshot) -> None:
        shown = self._shown
        if shown is not None and (_size(shown) != _size(snapshot) or snapshot.counters.step < shown.counters.step):
            self._flush_picture()
            self._shown, self._last_step, self._last_event = None, 0, -1  # another engine's page
            self._records.append(Gone(at_ns))
        self.take_steps(snapshot.steps)
        self.take_events(snapshot.events)
        self._pending = (at_ns, snapshot)
        phases = [(row.row, row.request_id, int(row.phase)) for row in snapshot.requests]
        if self._shown is None or at_ns - self._frame_ns >= FRAME_NS or phases != self._phases:
            self._flush_picture()
        self._phases = phases

    def _flush_picture(self) -> None:
        if self._pending is None:
            return
        at_ns, snapshot = self._pending
        self._pending = None
        at_ns = max(at_ns, self._records[-1].at_ns if self._records else 0)
        if self._shown is None:
            self._records.append(_key(snapshot, at_ns))
        self._put_steps(at_ns)
        before = self._shown
        self._records.append(frame_between(before, snapshot, at_ns))
        preempted = snapshot.counters.preemptions - before.counters.preemptions if before is not None else 0
        self._sums.count(snapshot.counters, max(0, preempted))
        self._shown = dataclasses.replace(snapshot, steps=(), events=())
        self._frame_ns = at_ns
        self.num_frames += 1

    def _put_steps(self, at_ns: int) -> None:
        if self._steps:
            self._records.append(pack_steps(self._steps, at_ns))
            self._steps.clear()
        if self._events:
            self._records += pack_events(self._events, at_ns)
            self._events.clear()


def _key(snapshot: CacheSnapshot, at_ns: int) -> Key:
    groups = tuple((group.block_size, int(group.kind), group.window or 0, group.layers or 0)
                   for group in snapshot.groups)  # fmt: skip
    return Key(
        at_ns, snapshot.num_blocks, snapshot.block_size, snapshot.num_groups, groups,
        snapshot.reuse_counts is not None, snapshot.cached_groups is not None,
    )  # fmt: skip


def _size(snapshot: CacheSnapshot) -> tuple[object, ...]:
    return (snapshot.num_blocks, snapshot.block_size, snapshot.num_groups, snapshot.groups,
            snapshot.reuse_counts is None, snapshot.cached_groups is None)  # fmt: skip


def _cut(tree: PrefixTree) -> PrefixTree:
    """The largest branches alone, with keys as long as tell them apart."""
    nodes = tuple(dataclasses.replace(node, key=node.key[:_KEY_DIGITS]) for node in tree.nodes[:_TREE_NODES])
    left_out = tree.nodes_left_out + len(tree.nodes) - len(nodes)
    return dataclasses.replace(tree, nodes=nodes, nodes_left_out=left_out)


def _without_strangers(sample: HardwareSample) -> HardwareSample:
    """The same without the names of other people's programs: a recording may be given away."""
    gpus = tuple(
        dataclasses.replace(
            gpu,
            utilization=_short(gpu.utilization, 1024),
            memory_utilization=_short(gpu.memory_utilization, 1024),
            power_w=_short(gpu.power_w, 16),
            processes=tuple(
                process if process.is_ours else dataclasses.replace(process, name="") for process in gpu.processes
            ),
        )
        for gpu in sample.gpus
    )
    load = tuple(round(share * 1024) / 1024 for share in sample.host.cpu_utilization)
    return dataclasses.replace(sample, gpus=gpus, host=dataclasses.replace(sample.host, cpu_utilization=load))


def _short(value: float | None, parts: int) -> float | None:
    """Rounded to this part of one, a power of two: most bytes of such a number are zero, and cost nothing."""
    return None if value is None else round(value * parts) / parts
