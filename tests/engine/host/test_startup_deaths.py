"""A part of an engine that is killed while the engine starts: the host need not wait until vLLM tells."""

from __future__ import annotations

import subprocess
import sys
import time

from engine.domain.lifecycle import EngineProcess
from engine.host.deaths import EngineProcessDied, StartupDeaths
from engine.host.fault_findings import Situation
from engine.host.faults import failure_of_load
from engine.page.liveness import start_ticks


def _child(name: str, program: str) -> tuple[subprocess.Popen[bytes], EngineProcess]:
    child = subprocess.Popen([sys.executable, "-c", program])
    return child, EngineProcess(child.pid, name, start_ticks(child.pid) or 0)


def _until_dead(deaths: StartupDeaths) -> None:
    while deaths.death is None:
        assert not deaths.is_over()
        time.sleep(0.01)


def test_a_killed_worker_is_told_with_its_signal() -> None:
    child, worker = _child("Worker_TP1", "import time; time.sleep(60)")
    deaths = StartupDeaths()
    deaths.add([worker])
    assert not deaths.is_over()
    child.kill()
    _until_dead(deaths)
    while not deaths.is_over():  # vLLM may have something to say
        time.sleep(0.01)
    child.wait()
    assert deaths.death is not None
    failure = failure_of_load(EngineProcessDied(deaths.death), (), Situation())
    assert failure.kind == "engine_crashed"
    assert failure.message == f"Worker_TP1 (pid {child.pid}) was ended by SIGKILL while the model was loading."


def test_one_that_ends_by_itself_is_left_to_vllm_and_others_are_nobodys_business() -> None:
    child, worker = _child("Worker", "raise SystemExit(1)")
    compiler, helper = _child("cc1plus", "")
    deaths = StartupDeaths()
    deaths.add([worker, helper])
    _until_dead(deaths)
    assert deaths.death is not None
    assert deaths.death.process == worker
    assert not deaths.is_over()
    child.wait()
    compiler.wait()
