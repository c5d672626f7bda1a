"""Recordings of real telemetry pages under scripted traffic, made at once: no clock is waited for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.page_traffic import PageTraffic
from engine.domain.gpu import HardwareSample, HostSample
from engine.domain.kv_groups import GroupKind, KvCacheGroup
from engine.domain.lifecycle import Lifecycle, LiveLimits, Phase, ServingStats
from engine.recording.container import About
from engine.recording.session import RecordingSession
from engine.recording.writer import RecordingWriter

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.telemetry import CacheSnapshot
    from engine.recording.records import Value

BEGIN_NS = 5_000_000_000_000
FRAME_NS = 33_333_333
GROUPS = (KvCacheGroup(16, GroupKind.FULL, layers=2), KvCacheGroup(32, GroupKind.SLIDING, 64, 4))
LIFECYCLE = Lifecycle(Phase.READY, "a checkpoint", 1)
SERVING = ServingStats(1, 5.0, 10.0, 20.0, 1.0, 0.1, 0.2, 0.01, 0.02, 1.0, 0.0, 3, 1, 0.5, 7, 0)


def limits(step: int, most: int) -> LiveLimits:
    """Live limits with this max_num_seqs."""
    return LiveLimits(step, most, 256, 2048, 8192)


def hardware(at_ns: int) -> HardwareSample:
    """A machine without a GPU."""
    return HardwareSample(HostSample(at_ns, 1 << 34, 1 << 33, 1 << 30, 1.5, (0.123456, 0.9)), driver_note="no GPU")


@dataclass
class Made:
    """A finished recording and what was put into it, with times."""

    path: Path
    pictures: list[tuple[int, CacheSnapshot]] = field(default_factory=list)
    values: list[tuple[int, Value]] = field(default_factory=list)
    end_ns: int = 0


def make(folder: Path, *, seconds: float = 6.0, num_blocks: int = 2000, key_every_s: float | None = None) -> Made:
    """Requests with a common prefix that come, grow and leave, a lowered limit, and samples of the machine."""
    folder.mkdir(parents=True, exist_ok=True)
    traffic = PageTraffic(folder / "page", num_blocks, groups=GROUPS)
    made = Made(folder / "made.kvdeck")
    writer = RecordingWriter(made.path, About("test", 1.7e9, BEGIN_NS))
    session = RecordingSession(writer)

    def take(at_ns: int, value: Value | CacheSnapshot) -> None:
        session.take(at_ns, value)
        (made.pictures if not isinstance(value, (Lifecycle, LiveLimits, ServingStats, HardwareSample))
         else made.values).append((at_ns, value))  # type: ignore[arg-type]

    now = BEGIN_NS
    take(now, LIFECYCLE)
    take(now, limits(0, 16))
    for frame in range(int(seconds * 30)):
        now += FRAME_NS
        _move(traffic, frame)
        take(now, traffic.publish())
        if frame % 15 == 0:
            take(now, hardware(now))
        if frame == 60:
            take(now, limits(60, 6))
            take(now, SERVING)
        if frame % 30 == 29:
            session.commit(now)
    made.end_ns = now + FRAME_NS
    session.end(made.end_ns)
    writer.finish()
    traffic.close()
    return made


def _move(traffic: PageTraffic, frame: int) -> None:
    if frame == 0:
        traffic.add("r0", 400)
    for name in list(traffic.live):
        if traffic.live[name].blocks:
            traffic.grow(name, 2)
    if frame % 6 == 5 and len(traffic.live) < 14:
        traffic.add(f"r{frame}", 200 + frame, share=next(iter(traffic.live), None))
    if frame % 25 == 24 and len(traffic.live) > 3:
        traffic.finish(next(iter(traffic.live)))
