"""Records the sample that `kvdeck --replay` shows: a real engine on a small KV cache, from its load to its end.

`python packaging/sample_recording.py CHECKPOINT OUTPUT.kvdeck` (a minute after the load on two cores). 20 requests
share one long system prompt; the cache is too small for all of them, so that some are preempted; max_num_seqs goes
from 16 to 6 and back while they run. Then four long letters push out of the cache what the requests left behind, down
to the end of the shared prefix, and the last two requests ask with it again.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from app.tour.burst import QUESTIONS, SYSTEM_PROMPT
from engine.client.engine import ChatMessage, ChatOptions
from engine.client.host_process import HostOptions
from engine.client.remote import RemoteEngine
from engine.domain.lifecycle import HostStatus, Lifecycle, LimitsRequest, LiveLimits, LoadRequest, Phase, ServingStats
from engine.gpu.sampler import HardwareSampler
from engine.page.reader import PageReader
from engine.recording.recorder import Recorder

PARAMETERS = {
    "cpu_kvcache_space_gib": 1.0, "block_size": 32, "num_gpu_blocks_override": 192, "max_model_len": 2048,
    "max_num_seqs": 16, "max_num_batched_tokens": 512,
}  # fmt: skip
REQUESTS = 20
FRAME_S = 1 / 30
ASK_S = 2.0
LETTER = "Dear {name}, the harbour is quiet today, and the ledger number {number} still waits for its last page. "
NAMES = ("Ada", "Berta", "Clara", "Dora")


async def follow_events(engine: RemoteEngine, recorder: Recorder) -> None:
    """Record what the host reports."""
    async for event in engine.events():
        if isinstance(event, HostStatus):
            recorder.take(event.lifecycle)
            if event.limits is not None:
                recorder.take(event.limits)
        elif isinstance(event, (Lifecycle, LiveLimits, ServingStats)):
            recorder.take(event)


async def follow_page(path: str, recorder: Recorder) -> None:
    """Record the telemetry page, as the window's frame clock reads it, until this is cancelled."""
    reader, last = PageReader(Path(path)), None
    try:
        while True:
            snapshot = reader.snapshot()
            if snapshot is not None and snapshot is not last:
                recorder.take(snapshot)
                last = snapshot
            await asyncio.sleep(FRAME_S)
    finally:
        reader.close()


async def follow_cache(engine: RemoteEngine, recorder: Recorder) -> None:
    """Record what the engine tells only when it is asked."""
    while True:
        recorder.take(await engine.prefix_tree())
        recorder.take(await engine.block_times())
        await asyncio.sleep(ASK_S)


async def ask(engine: RemoteEngine, number: int, after_s: float) -> int:
    """One request with the shared prompt; returns its tokens."""
    await asyncio.sleep(after_s)
    question = QUESTIONS[number % len(QUESTIONS)]
    messages = [ChatMessage("system", SYSTEM_PROMPT), ChatMessage("user", f"{question} ({number})")]
    return await stream(engine, messages, 24 + number * 29 % 130)


async def write_letter(engine: RemoteEngine, name: str) -> int:
    """One long request of its own; returns its tokens."""
    text = "".join(LETTER.format(name=name, number=number) for number in range(1, 56))
    return await stream(engine, [ChatMessage("user", text)], 24)


async def stream(engine: RemoteEngine, messages: list[ChatMessage], max_tokens: int) -> int:
    """Ask, and take the answer to its end; returns its tokens."""
    options = ChatOptions(max_tokens=max_tokens, temperature=0.7, extra={"ignore_eos": True})
    tokens = 0
    async for delta in engine.chat(messages, options):
        tokens = delta.completion_tokens or tokens
    return tokens


async def traffic(engine: RemoteEngine) -> None:
    """Two waves of requests, the limit lowered and raised meanwhile; cached blocks pushed out, and asked for again."""
    first = [asyncio.create_task(ask(engine, number, 0.05 * number)) for number in range(16)]
    await asyncio.sleep(6)
    print(await engine.set_limits(LimitsRequest(max_num_seqs=6, mode="preempt")))
    second = [asyncio.create_task(ask(engine, number, 0.1 * number)) for number in range(16, REQUESTS)]
    await asyncio.sleep(6)
    print(await engine.set_limits(LimitsRequest(max_num_seqs=16)))
    print("tokens", await asyncio.gather(*first, *second))
    print("letters", await asyncio.gather(*(write_letter(engine, name) for name in NAMES)))
    print("again", await ask(engine, REQUESTS, 0.5), await ask(engine, REQUESTS + 1, 0.0))


async def main(checkpoint: str, output: Path) -> None:
    """Start a host, load, send the requests, and record all of it."""
    engine = RemoteEngine(HostOptions(port=0))
    recorder = Recorder(output, "KVDeck sample")
    await engine.start()
    sampler = HardwareSampler(recorder.take)
    lifecycle = await _until_ready(engine, checkpoint)
    assert lifecycle.facts is not None
    recorder.start()
    recorder.take(lifecycle)
    sampler.set_engine_pids({process.pid for process in lifecycle.facts.processes})
    sampler.start()
    events = asyncio.create_task(follow_events(engine, recorder))
    page = asyncio.create_task(follow_page(lifecycle.facts.page_path, recorder))
    cache = asyncio.create_task(follow_cache(engine, recorder))
    await asyncio.sleep(1.5)
    await traffic(engine)
    await asyncio.sleep(2 * ASK_S)
    for task in (page, events, cache):
        task.cancel()
    await asyncio.gather(page, events, cache, return_exceptions=True)
    sampler.stop()
    print(recorder.size_bytes, "bytes in", recorder.stop())
    await engine.close()


async def _until_ready(engine: RemoteEngine, checkpoint: str) -> Lifecycle:
    await engine.load(LoadRequest(checkpoint, dict(PARAMETERS)))
    async for event in engine.events():
        if isinstance(event, HostStatus):
            event = event.lifecycle
        if isinstance(event, Lifecycle) and event.phase in (Phase.READY, Phase.FAILED):
            if event.phase is Phase.FAILED:
                raise SystemExit(str(event.failure))
            return event
    raise SystemExit("the host ended")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
