"""The load process against the real engine."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import psutil
import pytest

from engine.bench.datasets import read_dataset
from engine.bench.messages import Done, Failed, Finished, Message, Progress, Start, Target, Tick
from engine.bench.process import LoadProcess
from engine.bench.result import RunState
from engine.bench.runner import RunFailed, Runner
from engine.bench.sample import Outcome
from engine.bench.server_metrics import scrape
from engine.bench.vocabulary import FileCounter, learn_vocabulary
from engine.bench.workload import (
    AsRecorded,
    Bursts,
    ClosedLoop,
    Fixed,
    FromData,
    OpenLoop,
    RecordedLog,
    ShareGpt,
    Slos,
    Synthetic,
    Uniform,
    UserJsonl,
    Workload,
)

if TYPE_CHECKING:
    from engine.bench.store import RunStore
    from tests.engine.host.hosting import RunningHost

pytestmark = pytest.mark.engine

SHORT = Workload(arrival=ClosedLoop(4), prompt=Fixed(20), output=Fixed(6), requests=8)


async def running_in_the_engine(target: Target) -> int:
    """Requests that the engine has, by its own gauges."""
    headers = {"Authorization": f"Bearer {target.token}"}
    async with aiohttp.ClientSession(headers=headers) as session, session.get(f"{target.url}/metrics") as response:
        lines = (await response.text()).splitlines()
    names = ("vllm:num_requests_running{", "vllm:num_requests_waiting{")
    return round(sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(names)))


async def wait_until_idle(target: Target) -> None:
    async with asyncio.timeout(200):
        while await running_in_the_engine(target):  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.05)


async def test_a_closed_loop_is_measured_and_kept(target: Target, store: RunStore) -> None:
    heard: list[Message] = []
    workload = Workload(
        arrival=ClosedLoop(4), system_prompt_tokens=300, prompt=Uniform(10, 30), output=Fixed(8), requests=12,
        warm_up_requests=2, slos=Slos(e2e_s=600.0), seed=7,
    )  # fmt: skip
    run = await Runner(store).run(target, workload, title="t", tags=("x",), on_message=heard.append)
    assert run.state is RunState.FINISHED
    assert run.result is not None
    figures = run.result.figures
    assert (figures.sent, figures.successful, figures.failed, figures.good) == (12, 12, 0, 12)
    assert figures.tokens_out == 96
    assert figures.most_running == 4
    assert figures.phases_from == "requests"  # vLLM told queue, prefill and decode time of each
    assert figures.prefix_hit_rate is not None
    assert figures.prefix_hit_rate > 0.5  # the system prompt was in the cache after the warm-up
    assert figures.cached_share == pytest.approx(figures.prefix_hit_rate, abs=0.02)
    assert figures.preemptions == 0
    samples = store.samples(run.id)
    assert [sample.number for sample in samples] == list(range(12))
    for sample in samples:
        assert len(sample.gaps_s) <= 7  # where its server falls behind, vLLM sends several tokens as one piece
        assert sample.first_token_s is not None
        assert sample.last_token_s is not None
        assert 0 <= sample.due_s <= sample.sent_s < sample.first_token_s < sample.last_token_s <= sample.ended_s
        assert sample.last_token_s - sample.first_token_s == pytest.approx(sample.gaps_s.sum(), abs=1e-3)
        assert sample.queue_s is not None
        assert sample.prefill_s is not None
        assert sample.ttft_s is not None
        assert sample.queue_s + sample.prefill_s <= sample.ttft_s + 0.01
    windows = [message.window for message in heard if isinstance(message, Tick)]
    assert run.result.windows == tuple(windows)
    assert sum(window.tokens_out for window in windows) == sum(len(sample.gaps_s) + 1 for sample in samples)
    told = [sample for message in heard if isinstance(message, Finished) for sample in message.samples]
    assert len(told) == 12
    assert heard[-1] == Done(run.result)
    last = [message for message in heard if isinstance(message, Progress)][-1]
    assert (last.share, last.left_s, last.successful, last.running) == (1.0, 0.0, 12, 0)


async def test_prompts_are_as_long_as_asked(target: Target, store: RunStore) -> None:
    workload = Workload(
        route="completions", arrival=ClosedLoop(3), prompt=Fixed(57), output=Fixed(4), requests=3, seed=3
    )
    run = await Runner(store).run(target, workload)
    assert [sample.prompt_tokens for sample in store.samples(run.id)] == [57, 57, 57]
    assert [sample.output_tokens for sample in store.samples(run.id)] == [4, 4, 4]


async def test_conversations_send_their_past(target: Target, store: RunStore) -> None:
    workload = Workload(
        arrival=ClosedLoop(2), dataset=Synthetic(turns=3), prompt=Fixed(80), output=Fixed(5), requests=6, seed=1
    )
    run = await Runner(store).run(target, workload)
    for client in (0, 1):
        turns = [sample for sample in store.samples(run.id) if sample.client == client]
        assert [sample.turn for sample in turns] == [0, 1, 2]
        lengths = [sample.prompt_tokens or 0 for sample in turns]
        assert lengths[0] + 80 < lengths[1] < lengths[2] - 80
    assert sum(sample.cached_tokens or 0 for sample in store.samples(run.id)) > 0


async def test_an_open_loop_holds_to_its_schedule_and_its_limit(target: Target, store: RunStore) -> None:
    workload = Workload(
        arrival=Bursts(size=4, every_s=0.4, most_at_once=2), prompt=Fixed(10), output=Fixed(4), requests=8
    )
    run = await Runner(store).run(target, workload)
    assert run.result is not None
    assert run.result.figures.most_running <= 2
    due = sorted(sample.due_s for sample in store.samples(run.id))
    assert due == pytest.approx([0.0] * 4 + [0.4] * 4, abs=1e-6)
    assert run.result.figures.lag is not None
    assert run.result.figures.lag.most > 0.001  # the third of a burst had to wait


async def test_time_ends_a_run_and_can_cut_it(target: Target, store: RunStore) -> None:
    workload = Workload(
        arrival=OpenLoop(rate_per_s=6.0), prompt=Fixed(10), output=Fixed(1500), duration_s=1.5, cut_at_end=True
    )
    run = await Runner(store).run(target, workload)
    assert run.state is RunState.FINISHED
    assert run.result is not None
    assert run.result.figures.incomplete > 0
    assert all(sample.due_s < 1.5 for sample in store.samples(run.id))
    await wait_until_idle(target)


async def test_stop_aborts_in_the_engine(target: Target, store: RunStore) -> None:
    runner = Runner(store)
    generating = asyncio.Event()

    def hear(message: Message) -> None:
        if isinstance(message, Tick) and message.window.tokens_out:
            generating.set()

    workload = Workload(arrival=ClosedLoop(3), prompt=Fixed(10), output=Fixed(4000), requests=3)
    running = asyncio.create_task(runner.run(target, workload, on_message=hear))
    async with asyncio.timeout(200):
        await generating.wait()
    await runner.annotate("changed something", {"max_num_seqs": 2})
    await runner.stop()
    run = await running
    assert run.state is RunState.STOPPED
    assert [note.text for note in run.annotations] == ["changed something"]
    samples = store.samples(run.id)
    assert [sample.outcome for sample in samples] == [Outcome.INCOMPLETE] * 3
    assert any(len(sample.gaps_s) > 0 for sample in samples)
    await wait_until_idle(target)


async def test_a_cancelled_run_keeps_what_there_is(target: Target, store: RunStore) -> None:
    runner = Runner(store)
    generating = asyncio.Event()

    def hear(message: Message) -> None:
        if isinstance(message, Tick) and message.window.tokens_out:
            generating.set()

    workload = Workload(arrival=ClosedLoop(2), prompt=Fixed(10), output=Fixed(4000), requests=2)
    running = asyncio.create_task(runner.run(target, workload, on_message=hear))
    async with asyncio.timeout(200):
        await generating.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    (run,) = store.runs()
    assert run.state is RunState.STOPPED
    assert run.result is not None
    assert run.result.figures.incomplete == 2
    assert not runner.running
    await wait_until_idle(target)


async def test_a_pause_sends_nothing_new(target: Target, store: RunStore) -> None:
    runner = Runner(store)
    answered, still_idle = asyncio.Event(), asyncio.Event()
    paused: list[int] = []

    def hear(message: Message) -> None:
        if isinstance(message, Progress) and message.successful:
            answered.set()
        if isinstance(message, Progress) and message.phase == "paused" and message.running == 0:
            paused.append(message.sent)
            if len(paused) == 4:
                still_idle.set()

    # Slowly enough that the quickest engine has not answered them all when the first progress is told.
    workload = Workload(arrival=ClosedLoop(2), prompt=Fixed(10), output=Fixed(2), requests=40, most_per_s=20.0)
    running = asyncio.create_task(runner.run(target, workload, on_message=hear))
    async with asyncio.timeout(200):
        await answered.wait()
        await runner.pause()
        await still_idle.wait()
        assert len(set(paused)) == 1
        assert paused[0] < 40
        await runner.resume()
        run = await running
    assert run.result is not None
    assert run.result.figures.successful == 40
    assert run.result.figures.duration_s < max(sample.ended_s for sample in store.samples(run.id))  # without the pause


async def test_the_key_is_not_in_the_arguments(target: Target) -> None:
    process = LoadProcess(target)
    await process.start(SHORT)
    assert process.pid is not None
    running = psutil.Process(process.pid)
    assert not any(target.token in word for word in (*running.cmdline(), *running.environ().values()))
    last = [message async for message in process.messages()][-1]
    await process.close()
    assert isinstance(last, Done)
    assert not process.running


async def test_a_load_ends_with_its_owner(target: Target) -> None:
    process = LoadProcess(target)
    workload = Workload(arrival=ClosedLoop(2), prompt=Fixed(10), output=Fixed(4000), requests=2)
    await process.start(workload)
    async for message in process.messages():
        if isinstance(message, Tick) and message.window.tokens_out:
            break
    await process.close()  # closes its standard input, as the end of this program would
    assert not process.running
    await wait_until_idle(target)


async def test_nothing_answers(store: RunStore, unused_tcp_port: int) -> None:
    with pytest.raises(RunFailed, match="Nothing answers"):
        await Runner(store).run(Target(f"http://127.0.0.1:{unused_tcp_port}"), SHORT)
    (run,) = store.runs()
    assert run.state is RunState.FAILED
    assert "Nothing answers" in run.error


async def test_a_wrong_key_and_a_wrong_load(target: Target) -> None:
    with pytest.raises(RunFailed, match="key"):
        await Runner().run(Target(target.url, "wrong"), SHORT)
    with pytest.raises(RunFailed, match="how many"):
        await Runner().run(target, Workload())


async def test_a_start_that_cannot_be_read(target: Target) -> None:
    process = LoadProcess(target)
    await process.start(Start(SHORT, target))  # type: ignore[arg-type]
    last = [message async for message in process.messages()][-1]
    await process.close()
    assert isinstance(last, Failed)


async def test_a_server_that_refuses_and_cuts(engine_host: RunningHost, store: RunStore) -> None:
    """Requests longer than the model allows are refused by vLLM itself, each with its reason."""
    workload = Workload(arrival=ClosedLoop(2), prompt=Fixed(20), output=Fixed(1_000_000), requests=2)
    run = await Runner(store).run(Target(engine_host.url, engine_host.token), workload)
    assert run.result is not None
    assert run.result.figures.failed == 2
    assert all("HTTP 400" in reason for reason in run.result.figures.failures)


async def test_data_sets_of_users(target: Target, store: RunStore, tmp_path: Path) -> None:
    sharegpt = tmp_path / "share.json"
    talk = [{"from": "human", "value": "Say hello."}, {"from": "gpt", "value": "hello there my good friend"}]
    sharegpt.write_text(json.dumps([{"conversations": talk * 2}, {"conversations": []}, {"other": 1}]))
    jsonl = tmp_path / "own.jsonl"
    lines = [{"prompt": "One", "max_tokens": 3}, {"messages": [{"role": "user", "content": "Two"}], "max_tokens": 4}]
    jsonl.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    log = tmp_path / "log.jsonl"
    log.write_text(
        "".join(
            json.dumps({"at_s": 10 + at, "prompt_tokens": 300, "output_tokens": 3, "cached_tokens": 256}) + "\n"
            for at in (0.0, 0.3, 0.6)
        )
    )
    runner = Runner(store)
    run = await runner.run(target, Workload(
        arrival=ClosedLoop(1), dataset=ShareGpt(str(sharegpt), 2), prompt=FromData(), output=FromData(), requests=2
    ))  # fmt: skip
    assert [sample.output_tokens for sample in store.samples(run.id)] == [5, 5]  # as long as the answers in the data
    run = await runner.run(target, Workload(
        arrival=ClosedLoop(1), dataset=UserJsonl(str(jsonl)), prompt=FromData(), output=FromData(), requests=2
    ))  # fmt: skip
    assert [sample.output_tokens for sample in store.samples(run.id)] == [3, 4]
    run = await runner.run(target, Workload(
        route="completions", arrival=AsRecorded(speed=2.0), dataset=RecordedLog(str(log)), prompt=FromData(),
        output=FromData(),
    ))  # fmt: skip
    samples = store.samples(run.id)
    assert [sample.due_s for sample in samples] == pytest.approx([0.0, 0.15, 0.3])
    assert [sample.prompt_tokens for sample in samples] == [300] * 3
    assert (samples[2].cached_tokens or 0) >= 128  # what the log says was shared is shared again


def test_a_recording_of_kvdeck_is_a_log() -> None:
    sample = Path(__file__).parents[3] / "resources" / "samples" / "sample.kvdeck"
    found = read_dataset(RecordedLog(str(sample)))
    assert len(found) > 5
    times = [one.at_s or 0.0 for one in found]
    assert times == sorted(times)
    assert times[0] == 0.0
    assert all(one.turns[0].prompt_tokens and one.turns[0].output_tokens for one in found)


async def test_texts_are_exact_by_the_models_own_tokenizer(starter_checkpoint: Path) -> None:
    counter = FileCounter(str(starter_checkpoint))
    vocabulary = await learn_vocabulary(counter)
    for tokens in (1, 2, 17, 500):
        assert await counter.count(vocabulary.text(tokens, f"seed {tokens}")) == tokens
    assert vocabulary.text(50, "a") == vocabulary.text(50, "a") != vocabulary.text(50, "b")
    assert vocabulary.text(50, "a").startswith(vocabulary.text(20, "a"))


async def test_the_engine_tells_its_counters(target: Target) -> None:
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {target.token}"}) as session:
        found = await scrape(session, target.url)
    assert found is not None
    assert {"vllm:num_preemptions_total", "vllm:prefix_cache_queries_total"} <= set(found.counters)
    assert "vllm:request_queue_time_seconds" in found.buckets
