"""A part of an engine that is killed while the engine starts: the host need not wait until vLLM tells."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from engine.domain.lifecycle import EngineProcess, LogRecord
from engine.host.deaths import EngineProcessDied, StartupDeaths
from engine.host.endings import wait_status
from engine.host.fault_findings import Situation
from engine.host.faults import failure_of_load
from engine.host.processes import death_of
from engine.page.liveness import start_ticks
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator

_TELLS_AFTERWARDS = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2]) >= (6, 15)
_SLEEPS = "import time; time.sleep(600)"


@pytest.fixture
def deaths() -> Iterator[StartupDeaths]:
    """What is under test, without a descriptor left."""
    deaths = StartupDeaths()
    yield deaths
    deaths.stop()


def _child(name: str, program: str = _SLEEPS) -> tuple[subprocess.Popen[bytes], EngineProcess]:
    child = subprocess.Popen([sys.executable, "-c", program])
    return child, EngineProcess(child.pid, name, start_ticks(child.pid) or 0)


async def _noticed(deaths: StartupDeaths) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while deaths.death is None:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


async def test_a_killed_worker_is_told_with_its_signal_and_the_name_that_it_has_by_now(deaths: StartupDeaths) -> None:
    child, worker = _child("engine process")
    deaths.add([worker])
    assert not deaths.is_over
    deaths.add([EngineProcess(worker.pid, "Worker_TP1", worker.start_ticks)])
    child.kill()
    await _noticed(deaths)
    assert deaths.is_over  # nothing more is to be said
    child.wait()
    assert deaths.death is not None
    failure = failure_of_load(EngineProcessDied(deaths.death), (), Situation())
    assert failure.kind == "engine_crashed"
    assert failure.message == f"Worker_TP1 (pid {child.pid}) was ended by SIGKILL while the model was loading."


async def test_one_that_somebody_else_collects_first_is_told_too(deaths: StartupDeaths) -> None:
    """As the EngineCore does with its workers: then the system tells how it ended by the descriptor, or not at all."""
    child, worker = _child("Worker")
    deaths.add([worker])
    child.kill()
    child.wait()  # before the loop has had a turn
    assert deaths.death is None
    await asyncio.wait_for(deaths.wait_over(), PATIENCE_S)
    assert deaths.death is not None
    assert deaths.death.signal_name == ("SIGKILL" if _TELLS_AFTERWARDS else None)


async def test_one_that_ends_by_itself_is_left_to_vllm_and_others_are_nobodys_business(deaths: StartupDeaths) -> None:
    worker, its = _child("Worker", "raise SystemExit(1)")
    compiler, helper = _child("cc1plus", "")
    forked, fork = _child("a process of EngineCore", "")
    done, ended = _child("engine process", "")
    for child in (compiler, forked, done):
        deaths.add([helper, fork, ended])
        child.wait()
    await asyncio.sleep(0.05)
    assert deaths.death is None
    deaths.add([its])
    await _noticed(deaths)
    assert deaths.death is not None
    assert deaths.death.process == its
    assert not deaths.is_over
    worker.wait()


async def test_an_engine_core_that_ends_in_order_is_lost_and_a_worker_that_does_is_not(
    deaths: StartupDeaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As SIGTERM has it while a model loads. Its first answer would be waited for without end, and vLLM has no cause to
    tell that would be worth waiting for."""
    monkeypatch.setattr("engine.host.deaths._IF_BY_ITSELF_S", 10 * PATIENCE_S)
    worker, its = _child("Worker", "")
    deaths.add([its])
    worker.wait()
    await asyncio.sleep(0.05)
    assert deaths.death is None
    core, own = _child("engine process", "")
    deaths.add([own])
    deaths.add([EngineProcess(own.pid, "EngineCore", own.start_ticks)])
    await asyncio.wait_for(deaths.wait_over(), PATIENCE_S)
    core.wait()
    assert deaths.death is not None
    failure = failure_of_load(EngineProcessDied(deaths.death), (), Situation())
    assert failure.message == f"EngineCore (pid {core.pid}) exited with code 0 while the model was loading."


async def test_one_that_has_said_that_it_failed_was_not_killed(
    deaths: StartupDeaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.host.endings.wait_status", lambda _descriptor: None)  # a Linux before 6.15
    monkeypatch.setattr("engine.host.deaths._IF_UNKNOWN_S", 0.01)
    monkeypatch.setattr("engine.host.deaths._IF_BY_ITSELF_S", 0.3)
    child, worker = _child("Worker")
    deaths.add([worker])
    deaths.hear("WorkerProc failed to start.")
    child.kill()
    child.wait()
    await _noticed(deaths)
    began = time.monotonic()
    await asyncio.wait_for(deaths.wait_over(), PATIENCE_S)
    assert time.monotonic() - began >= 0.3


async def test_a_worker_that_was_told_to_end_leaves_the_word_to_its_engine_core(deaths: StartupDeaths) -> None:
    child, worker = _child("Worker")
    deaths.add([worker])
    child.terminate()
    await _noticed(deaths)
    child.wait()
    assert deaths.death is not None
    assert deaths.death.signal_name == "SIGTERM"
    assert deaths._patience_s(deaths.death) > deaths._patience_s(replace(deaths.death, signal_name="SIGSEGV"))
    assert not deaths.is_over


def test_a_worker_that_the_engine_core_kills_because_it_fails_itself_is_not_the_cause() -> None:
    child, worker = _child("Worker")
    child.kill()
    child.wait()
    death = EngineProcessDied(death_of(worker, -9))
    log = [
        LogRecord(1, 0.0, "ERROR", "EngineCore", "EngineCore failed to start."),
        LogRecord(2, 0.0, "ERROR", "EngineCore", "Traceback (most recent call last):"),
        LogRecord(3, 0.0, "ERROR", "EngineCore", "ValueError: No room for anything."),
    ]
    assert failure_of_load(death, log, Situation()).message == "ValueError: No room for anything."
    log[2] = LogRecord(
        3, 0.0, "ERROR", "EngineCore", "Exception: WorkerProc initialization failed due to an exception."
    )
    assert "was ended by SIGKILL" in failure_of_load(death, log, Situation()).message


def test_a_living_processs_status_is_not_told() -> None:
    child, _ = _child("Worker")
    descriptor = os.pidfd_open(child.pid)
    assert wait_status(descriptor) is None
    child.kill()
    child.wait()
    assert wait_status(descriptor) == (9 if _TELLS_AFTERWARDS else None)
    os.close(descriptor)
