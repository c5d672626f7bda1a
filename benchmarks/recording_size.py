"""What a minute of recording takes up under heavy traffic, and what it costs: `python -m benchmarks.recording_size`.

256 requests on 60,000 blocks, through the real page writer and reader: 90 steps a second, of which each gives every
request a token, 22 prompts of 300 to 4,000 tokens admitted a second, a common prefix, pictures at 30 Hz, samples of
eight GPUs twice a second. Time is counted, not waited for. Prints MB a minute against the limit of 2, and the
recorder's processor time, and exits 1 over the limit.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.page_traffic import PageTraffic
from engine.domain.gpu import GpuProcess, GpuSample, HardwareSample, HostSample
from engine.recording.container import About
from engine.recording.player import Player
from engine.recording.reader import RecordingReader
from engine.recording.session import RecordingSession
from engine.recording.writer import RecordingWriter

_LIMIT_MB = 2.0
_SECONDS = 60
_REQUESTS, _BLOCKS, _FRAMES, _STEPS = 256, 60_000, 30, 3
_ADMITTED = 0.25  # a step


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
    traffic = PageTraffic(folder / "page", _BLOCKS)
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
        began = time.thread_time()
        session.take(now, snapshot)
        if frame % 15 == 0:
            session.take(now, hardware(now, numbers))
        if frame % _FRAMES == 0:
            session.commit(now)
        spent += time.thread_time() - began
    session.end(now)
    traffic.close()
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
