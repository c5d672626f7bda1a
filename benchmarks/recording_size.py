"""What a minute of recording takes up under heavy traffic, and what it costs: `python -m benchmarks.recording_size`.

256 requests on 60,000 blocks, through the real page writer and reader: 90 steps a second, of which each gives every
request a token, 22 prompts of 300 to 4,000 tokens admitted a second, a common prefix, pictures at 30 Hz, samples of
eight GPUs twice a second; every admission and eviction as an event, and a prefix tree of 200 nodes with the times of
blocks every five seconds. Time is counted, not waited for. Prints MB a minute against the limit of 2, and the
recorder's processor time, and exits 1 over the limit.
"""

from __future__ import annotations

import random
import secrets
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.page_traffic import PageTraffic
from engine.domain.block_times import NUM_BUCKETS, BlockTimes, TimeHistogram
from engine.domain.blocks import BlockState
from engine.domain.gpu import GpuProcess, GpuSample, HardwareSample, HostSample
from engine.domain.prefixes import PrefixNode, PrefixTree
from engine.page.event_writer import EventWriter
from engine.page.layout import EventKind, Field
from engine.recording.container import About
from engine.recording.player import Player
from engine.recording.reader import RecordingReader
from engine.recording.session import RecordingSession
from engine.recording.writer import RecordingWriter

if TYPE_CHECKING:
    from engine.domain.telemetry import CacheSnapshot

_LIMIT_MB = 2.0
_SECONDS = 60
_REQUESTS, _BLOCKS, _FRAMES, _STEPS = 256, 60_000, 30, 3
_ADMITTED = 0.25  # a step


class EventfulTraffic(PageTraffic):
    """Tells admissions and evictions through the page's own event ring, as the probe does."""

    def __init__(self, path: Path, num_blocks: int) -> None:
        super().__init__(path, num_blocks)
        self._writer = EventWriter(self.writer.views)
        self._now = time.monotonic_ns()  # an event bears its step's time
        self._left: dict[int, tuple[str, int, int]] = {}  # by block: whose it was, its place, and since which step
        self.evicted = 0

    def add(self, request_id: str, prompt: int, *, share: str | None = None) -> None:
        super().add(request_id, prompt, share=share)
        self._writer.add(self.step + 1, self._now, EventKind.ADMITTED, request_id, 0, prompt, 0)

    def finish(self, request_id: str) -> None:
        blocks = list(self.live[request_id].blocks)
        super().finish(request_id)
        self._left.update((block, (request_id, place, self.step)) for place, block in enumerate(blocks))

    def _fresh(self, count: int) -> list[int]:
        step = self.step + 1
        for block in list(self._free)[:count] if count else ():
            if self.writer.views.states[block] == BlockState.CACHED:
                name, place, since = self._left[block]
                self._writer.add_evicted(step, self._now, name, step - since, (block,), (place,))
                self.evicted += 1
        return super()._fresh(count)

    def publish(self, duration_ns: int = 8_000_000) -> CacheSnapshot:
        self.writer.views.counters[Field.EVENTS_WRITTEN] = self._writer.written
        self._now = time.monotonic_ns()
        return super().publish(duration_ns)


def asked(step: int, numbers: random.Random) -> tuple[PrefixTree, BlockTimes]:
    """What the engine tells when it is asked; no key is like another."""
    nodes = tuple(
        PrefixNode(secrets.token_hex(32), numbers.randrange(place) if place else None, numbers.randrange(200),
                   16 * numbers.randrange(200), numbers.randrange(400), numbers.randrange(20), numbers.randrange(90),
                   step - numbers.randrange(5000), reachable=True)
        for place in range(500)
    )  # fmt: skip
    times = TimeHistogram(tuple(numbers.randrange(100_000) for _ in range(NUM_BUCKETS)))
    return PrefixTree(step, 16, nodes, 50_000, 9000, 60, 9_000_000), BlockTimes(step, times, times, times, step)


def hardware(at_ns: int, numbers: random.Random) -> HardwareSample:
    """A machine with eight GPUs whose every number moves."""

    def gpu(index: int) -> GpuSample:
        used = numbers.randrange(1 << 36)
        processes = tuple(GpuProcess(1000 + each, "VLLM::EngineCore", used // 4, True) for each in range(4))
        return GpuSample(
            at_ns, index, f"GPU-{index:032x}", "NVIDIA H200", 150_754_820_096, used, used // 2, used // 2, processes,
            numbers.random(), numbers.random(), numbers.random() * 700, 700.0, 60, 1980, 3201,
        )  # fmt: skip

    cores = tuple(numbers.random() for _ in range(64))
    return HardwareSample(HostSample(at_ns, 1 << 40, numbers.randrange(1 << 40), 1 << 36, 12.5, cores),
                          tuple(gpu(index) for index in range(8)), "580.1")  # fmt: skip


def record(folder: Path) -> tuple[Path, float]:
    """Record a minute; the file, and the processor time that the recorder took."""
    numbers = random.Random(7)
    traffic = EventfulTraffic(folder / "page", _BLOCKS)
    for number in range(_REQUESTS):
        traffic.add(f"chatcmpl-{number:032x}", numbers.randrange(300, 4000), share=next(iter(traffic.live), None))
    now, admitted, spent = time.monotonic_ns(), _REQUESTS, 0.0
    writer = RecordingWriter(folder / "size.kvdeck", About("benchmark", time.time(), now))
    session = RecordingSession(writer)
    for frame in range(_SECONDS * _FRAMES):
        now += 1_000_000_000 // _FRAMES
        for _ in range(_STEPS):
            for name in traffic.live:
                traffic.grow(name)
            if numbers.random() < _ADMITTED:
                traffic.finish(numbers.choice(list(traffic.live)))
                traffic.add(f"chatcmpl-{admitted:032x}", numbers.randrange(300, 4000))
                admitted += 1
            snapshot = traffic.publish()
            session.take_steps(snapshot.steps)
            session.take_events(snapshot.events)
        began = time.thread_time()
        session.take(now, snapshot)
        if frame % 15 == 0:
            session.take(now, hardware(now, numbers))
        if frame % (5 * _FRAMES) == 0:
            for value in asked(traffic.step, numbers):
                session.take(now, value)
        if frame % _FRAMES == 0:
            session.commit(now)
        spent += time.thread_time() - began
    session.end(now)
    traffic.close()
    print(f"evictions  {traffic.evicted / _SECONDS:6.0f} a second, each an event")
    return writer.finish(), spent


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        path, spent = record(Path(folder))
        size = path.stat().st_size / 1e6 * 60 / _SECONDS
        reader = RecordingReader(path)
        player = Player(reader)
        moments = [reader.begin_ns + (reader.end_ns - reader.begin_ns) * part // 7 for part in range(8)]
        began = time.perf_counter()
        for at_ns in reversed(moments):
            player.seek(at_ns)
        sought = (time.perf_counter() - began) / len(moments)
        reader.close()
    print(f"recording of {_REQUESTS} requests on {_BLOCKS:,} blocks, {_FRAMES * _STEPS} steps a second")
    print(f"size       {size:6.2f} MB a minute, {size / _LIMIT_MB:.0%} of the limit of {_LIMIT_MB:.0f}")
    print(f"recorder   {spent * 1000 / _SECONDS:6.1f} ms of processor time a second, in a thread of its own")
    print(f"seek       {sought * 1000:6.0f} ms on average")
    return int(size > _LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main())
