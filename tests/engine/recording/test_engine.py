"""A recording of the real engine: every step, every request, and at the end the very picture that its page shows."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import msgspec
import numpy as np
import pytest

from engine.domain.block_times import BlockTimes
from engine.domain.cache_events import Admitted
from engine.domain.prefixes import PrefixTree
from engine.page.reader import PageReader
from engine.recording.export import timeline_of
from engine.recording.player import Player
from engine.recording.reader import RecordingReader
from engine.recording.recorder import Recorder
from engine.recording.tables import events_of
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.telemetry import CacheSnapshot
    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]


async def test_a_real_run_is_recorded_and_replayed(engine_host: RunningHost, tmp_path: Path) -> None:
    facts = engine_host.lifecycle.facts
    assert facts is not None
    page = PageReader(facts.page_path)
    recorder = Recorder(tmp_path / "real.kvdeck", "test")
    recorder.start()
    recorder.take(engine_host.lifecycle)
    before = max((event.sequence for event in page.events_since(0)), default=0)
    last: CacheSnapshot | None = None
    first_step = 0
    done = asyncio.Event()

    async def follow() -> None:
        nonlocal last, first_step
        while not (done.is_set() and last is not None and not last.requests):
            snapshot = page.snapshot()
            if snapshot is not None and snapshot is not last:
                if last is None:
                    first_step = snapshot.counters.step
                last = snapshot
                recorder.take(snapshot)
            await asyncio.sleep(1 / 30)

    async def ask(number: int) -> int:
        body = {
            "model": facts.served_model_name, "max_tokens": 8 + 4 * number, "ignore_eos": True,
            "prompt": "The harbour master wrote every ship into the blue book. " * 12 + str(number),
        }  # fmt: skip
        url = f"{engine_host.url}/v1/completions"
        async with aiohttp.ClientSession(headers=engine_host.headers) as session:
            answer = await session.post(url, json=body)
            assert answer.status == 200
            return int((await answer.json())["usage"]["completion_tokens"])

    follower = asyncio.create_task(follow())
    tokens = await asyncio.gather(*(ask(number) for number in range(4)))
    done.set()
    await asyncio.wait_for(follower, PATIENCE_S)
    assert last is not None
    steps = page.steps_since(first_step)
    events = page.events_since(before)
    for route, kind in (("prefix_tree?limit=50", PrefixTree), ("block_times", BlockTimes)):
        answer = await asyncio.to_thread(engine_host.get, f"/kvdeck/{route}")
        recorder.take(msgspec.convert(answer.value, kind))
    page.close()
    path = await asyncio.to_thread(recorder.stop)

    reader = RecordingReader(path)
    player = Player(reader)
    moment = player.seek(reader.end_ns)
    found = moment.cache
    assert found is not None
    assert np.array_equal(found.states, last.states)
    assert np.array_equal(found.ref_counts, last.ref_counts)
    assert np.array_equal(found.last_used_step, last.last_used_step)
    assert last.reuse_counts is not None
    assert np.array_equal(found.reuse_counts, last.reuse_counts)
    assert found.groups == last.groups
    assert found.counters == last.counters
    assert [event for event in events_of(reader) if event.sequence > before] == list(events)
    assert sum(isinstance(event, Admitted) for event in events) == 4
    times = next(value for value in moment.values if isinstance(value, BlockTimes))
    assert times.residency.total >= 4  # the last blocks of the requests, which were not full
    tree = next(value for value in moment.values if isinstance(value, PrefixTree))
    assert any(node.hits >= 3 for node in tree.nodes)
    timeline = timeline_of(reader)
    recorded = {step.step: step for step in timeline.steps.samples()}
    assert [recorded[step.step] for step in steps] == list(steps)
    assert sorted(tokens) == [8, 12, 16, 20]
    lanes = timeline.finished
    assert len(lanes) == 4
    assert not timeline.live
    # The newest tokens of a request may end it before the page shows them: at most one publication's worth is missing.
    assert sum(lane.output_tokens for lane in lanes) <= sum(tokens)
    assert all(lane.first_token_ns is not None and lane.end_ns is not None for lane in lanes)
    reader.close()
