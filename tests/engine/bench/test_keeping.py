"""A file of runs that takes nothing for a while: it must cost neither a run's samples nor its figures."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from engine.bench.keeping import SampleKeeper
from engine.bench.result import RunState
from engine.bench.runner import Runner
from engine.bench.store import RunGone, RunStore
from tests.engine.bench.making import record, sample
from tests.engine.chat.locking import held_by_another_process
from tests.engine.chat.scripted import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """An open file with one run, that waits for nobody."""
    monkeypatch.setattr("engine.bench.database._BUSY_MS", 1)
    monkeypatch.setattr("engine.bench.keeping._AGAIN_S", 0.01)
    monkeypatch.setattr("engine.bench.runner._AGAIN_S", 0.01)
    monkeypatch.setattr("engine.bench.runner._LAST_TIMES", 1_000_000)
    opened = RunStore(tmp_path / "runs.sqlite")
    opened.open()
    opened.save(record())
    yield opened
    opened.close()


async def test_samples_wait_until_the_file_takes_them(store: RunStore, caplog: pytest.LogCaptureFixture) -> None:
    assert store.path is not None
    keeper = SampleKeeper(store, "one")
    with held_by_another_process(store.path):
        for number in range(3):
            keeper.add([sample(number)])
            await keeper.end()
        assert store.samples("one") == ()
    keeper.add([sample(3)])
    await keeper.finish()
    assert [each.number for each in store.samples("one")] == [0, 1, 2, 3]
    assert "Samples wait for the file of runs" in caplog.text
    caplog.clear()


async def test_what_the_file_never_takes_is_said(
    store: RunStore, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.path is not None
    monkeypatch.setattr("engine.bench.keeping._LAST_TIMES", 2)
    keeper = SampleKeeper(store, "one")
    with held_by_another_process(store.path):
        keeper.add([sample(0), sample(1)])
        await keeper.finish()
        await keeper.end()
    assert "2 samples of the run were not kept" in caplog.text
    caplog.clear()


async def test_a_run_that_was_deleted_meanwhile_ends(store: RunStore) -> None:
    keeper = SampleKeeper(store, "another")
    keeper.add([sample(0)])
    await keeper.end()
    with pytest.raises(RunGone):
        keeper.add([sample(1)])


async def test_the_figures_wait_for_the_file(store: RunStore) -> None:
    assert store.path is not None
    with held_by_another_process(store.path):
        ending = asyncio.ensure_future(Runner(store)._finish(record(), RunState.FINISHED, record().result, ""))
        await asyncio.sleep(0.1)
        assert not ending.done()
    await until(ending.done, 90)
    assert store.run("one").state is RunState.FINISHED
