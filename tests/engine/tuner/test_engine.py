"""Searches and comparisons on the real engine, in a lab process of their own: results, cancelling, crashes."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

import msgspec
import pytest

from engine.bench.store import RunFilter, RunStore
from engine.bench.workload import ClosedLoop, Fixed, Slos, Workload
from engine.domain.lifecycle import LiveLimits, Phase
from engine.tuner.jobs import JobStore
from engine.tuner.messages import Broken, Ended, JobState, Measuring, Message, PairChanged, TrialChanged, Update
from engine.tuner.outcome import ABResult, ExperimentResult, SearchResult, TrialState
from engine.tuner.process import LabProcess
from engine.tuner.saying import all_english, english, saying
from engine.tuner.spec import ABSpec, Axis, ExperimentSpec, SweepSpec, TunerSpec, Variant
from tests.engine.host.hosting import wait_gone

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]

_LOAD = Workload(
    arrival=ClosedLoop(6), prompt=Fixed(16), output=Fixed(4), requests=6, slos=Slos(ttft_s=60.0, e2e_s=120.0)
)


@pytest.fixture
async def lab(engine_host: RunningHost, tmp_path: Path) -> AsyncIterator[Callable[[], LabProcess]]:
    """Makes lab processes on the session's host, and checks that each left the limits as it found them."""
    before, made = _limits(engine_host), list[LabProcess]()

    def make() -> LabProcess:
        paths = {"store": tmp_path / "runs.sqlite", "jobs": tmp_path / "lab"}
        made.append(LabProcess(engine_host.url, engine_host.token, **paths))
        return made[-1]

    yield make
    for process in made:
        await process.close()
    after = _limits(engine_host)
    kept = [name for name in LiveLimits.__dataclass_fields__ if name not in ("step", "changes")]
    assert {name: getattr(after, name) for name in kept} == {name: getattr(before, name) for name in kept}


def _limits(host: RunningHost) -> LiveLimits:
    return msgspec.convert(host.get("/kvdeck/limits").value, LiveLimits)


async def _to_the_end(process: LabProcess) -> tuple[SearchResult | ABResult, list[Message]]:
    heard = [message async for message in process.messages()]
    last = heard[-1]
    assert isinstance(last, Ended), last
    assert isinstance(last.result, SearchResult | ABResult)
    return last.result, heard


async def test_the_tuner_tries_explains_and_puts_back(
    engine_host: RunningHost, lab: Callable[[], LabProcess], tmp_path: Path
) -> None:
    spec = TunerSpec(
        workload=_LOAD,
        axes=(Axis("max_num_seqs", (1, 4, 32)), Axis("long_prefill_token_threshold", (0, 8))),
        most_trials=4,
    )
    process = lab()
    job = await process.start(spec)
    result, heard = await _to_the_end(process)
    assert isinstance(result, SearchResult)
    assert (result.objective, result.points, result.restarts, result.cancelled) == ("goodput_per_s", 6, 0, False)
    assert result.restored
    assert result.present == 1
    assert result.trial(1).setting == {"max_num_seqs": 32, "long_prefill_token_threshold": 0}
    measured = [trial for trial in result.trials if trial.state is TrialState.MEASURED]
    assert sum(len(trial.run_ids) for trial in result.trials) == 4
    assert measured
    assert result.best in {trial.number for trial in measured}
    assert all(trial.reason and trial.outcome for trial in result.trials)
    assert result.trial(1).reason == saying("present")
    assert result.explanation[0].values["runs"] == 4
    assert f"{len(result.trials)} of 6 points were tried in 4 runs" in english(result.explanation[0])
    assert any(one.startswith(f"Best is trial {result.best}") for one in all_english(result.explanation))
    assert any(isinstance(message, Measuring) for message in heard)
    assert any(isinstance(message, Update) and message.step == "restoring" for message in heard)
    noted = [change for change in _limits(engine_host).changes if change.by == "tuner"]
    assert {change.name for change in noted} >= {"max_num_seqs"}
    store = RunStore(tmp_path / "runs.sqlite")
    store.open()
    runs = store.runs(RunFilter(group=job))
    store.close()
    assert {run.id for run in runs} == {run for trial in result.trials for run in trial.run_ids}
    assert {run.origin for run in runs} == {"tuner"}
    assert runs[0].setup.max_num_seqs in (1, 4, 32)


async def test_an_ab_of_a_setting_with_itself_shows_little_and_one_with_one_client_much(
    lab: Callable[[], LabProcess],
) -> None:
    load = msgspec.structs.replace(_LOAD, output=Fixed(8))
    process = lab()
    await process.start(
        ABSpec(workload=load, a={"max_num_seqs": 1}, b={"max_num_seqs": 32}, blocks=3, objective="tokens_out_per_s")
    )
    result, heard = await _to_the_end(process)
    assert isinstance(result, ABResult)
    assert [pair.order for pair in result.pairs] == ["ab", "ba", "ab"]
    assert sum(isinstance(message, PairChanged) for message in heard) == 3
    first = result.differences[0]
    assert first.key == "tokens_out_per_s"
    assert first.ratio is not None
    assert first.ratio > 1.2, "six requests in one batch are faster than one after another"
    assert first.low is not None
    assert first.sentence


async def test_cancelling_keeps_what_there_is_and_puts_back(lab: Callable[[], LabProcess], tmp_path: Path) -> None:
    process = lab()
    long = msgspec.structs.replace(_LOAD, requests=400, output=Fixed(64))
    job = await process.start(SweepSpec(workload=long, axes=(Axis("max_num_seqs", (2, 3)),)))
    heard: list[Message] = []
    async for message in process.messages():
        heard.append(message)
        if isinstance(message, Measuring):
            await process.cancel()
    assert isinstance(heard[-1], Ended)
    assert heard[-1].result.cancelled
    assert heard[-1].result.restored
    assert JobStore(tmp_path / "lab").job(job).state is JobState.CANCELLED


async def test_a_killed_lab_is_resumed_without_measuring_again(
    engine_host: RunningHost, lab: Callable[[], LabProcess], tmp_path: Path
) -> None:
    spec = SweepSpec(workload=_LOAD, axes=(Axis("max_num_seqs", (2, 5, 9)),))
    killed = lab()
    job = await killed.start(spec)
    async for message in killed.messages():
        if isinstance(message, TrialChanged) and message.trial.number == 2:
            assert killed.pid is not None
            os.kill(killed.pid, signal.SIGKILL)
        if isinstance(message, Broken):
            assert message.kind == "lab_died"
    jobs = JobStore(tmp_path / "lab")
    assert (jobs.job(job).state, jobs.job(job).running_pid) == (JobState.UNFINISHED, None)
    assert _limits(engine_host).max_num_seqs in (2, 5), "nobody was left to put it back"
    done = jobs.open_job(job, None)
    first = done.past.trials[0]
    done.close()
    resumed = lab()
    await resumed.resume(job)
    result, _ = await _to_the_end(resumed)
    assert isinstance(result, SearchResult)
    assert len(result.trials) == 3
    assert result.trial(first.number) == first
    assert result.restored
    assert result.before["max_num_seqs"] == 32


async def test_what_cannot_be_is_said_and_changes_nothing(lab: Callable[[], LabProcess], tmp_path: Path) -> None:
    process = lab()
    await process.start(ABSpec(workload=_LOAD, a={"block_size": 64}, b={"block_size": 128}))
    heard = [message async for message in process.messages()]
    assert isinstance(heard[-1], Broken)
    assert "block_size cannot be changed while the engine runs" in heard[-1].message
    assert heard[-1].remedy
    assert not heard[-1].resumable
    assert JobStore(tmp_path / "lab").jobs() == (), "there is nothing to resume"
    await asyncio.wait_for(process.close(), 10)


async def test_a_format_is_loaded_weighed_measured_and_scored(
    engine_host: RunningHost, lab: Callable[[], LabProcess]
) -> None:
    before = engine_host.lifecycle
    assert before.facts is not None
    load = Workload(arrival=ClosedLoop(2), prompt=Fixed(16), output=Fixed(4), requests=2)
    gone = Variant(key="gone", label="Gone", checkpoint="/nowhere")
    here = Variant(key="bf16", label="BF16", checkpoint=before.facts.checkpoint)
    spec = ExperimentSpec(
        variants=(here, gone), alone=load, at_load=load, perplexity_tokens=200, transformers=False
    )
    process = lab()
    await process.start(spec)
    heard = [message async for message in process.messages()]
    assert isinstance(heard[-1], Ended), heard[-1]
    result = heard[-1].result
    assert isinstance(result, ExperimentResult)
    assert result.restored
    row, missing = result.rows
    assert (row.state, row.error, row.is_reference) == ("done", "", True)
    assert row.disk_bytes is not None
    assert 200 << 20 < row.disk_bytes < 400 << 20
    assert row.memory_bytes is not None
    assert row.memory_bytes > row.disk_bytes
    assert row.capacity_tokens == (before.facts.num_blocks - 1) * before.facts.block_size
    assert row.perplexity is not None
    assert 5 < row.perplexity < 80
    assert row.perplexity_tokens == 199
    assert (row.alone_tokens_per_s or 0) > 0
    assert (row.load_tokens_per_s or 0) > 0
    assert len(row.run_ids) == 2
    assert missing.state == "failed"
    assert missing.error
    assert engine_host.lifecycle.phase is Phase.READY
    assert engine_host.lifecycle.load_id == before.load_id + 1, "the same load again: nothing had to be put back"


async def test_a_lab_that_is_left_puts_back_by_itself(engine_host: RunningHost, lab: Callable[[], LabProcess]) -> None:
    before = _limits(engine_host).max_num_seqs
    long = msgspec.structs.replace(_LOAD, requests=400, output=Fixed(64))
    process = lab()
    await process.start(SweepSpec(workload=long, axes=(Axis("max_num_seqs", (2,)),)))
    async for message in process.messages():
        if isinstance(message, Measuring):
            break
    assert _limits(engine_host).max_num_seqs == 2
    assert process.pid is not None
    leaving = asyncio.ensure_future(process.close())
    await asyncio.sleep(0)  # it has closed standard input, and waits
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    await asyncio.to_thread(wait_gone, [process.pid])
    assert _limits(engine_host).max_num_seqs == before
