"""What becomes of the engine when things end: crashes, cancels, switches, failures, parents.

The order saves loads of half a minute: what leaves the engine as it was comes first, and the second crash before the
first one, which comes back by itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import aiohttp
import pytest

from engine.domain.lifecycle import Phase, Stage
from tests.engine.host.hosting import GENTLE, alive, command_of, pages, start_host, wait_gone
from tests.patience import PATIENCE_S
from tests.shared_memory import held, wait_for_none

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.lifecycle import EngineFacts, EngineProcess, Lifecycle
    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]


def _freshly_loaded(host: RunningHost) -> EngineFacts:
    """The engine of the session as a user's load leaves it; another test may have used up its one restart by itself."""
    facts = host.lifecycle.facts
    assert facts is not None
    if any(note.startswith("Restarted by itself") for note in facts.notes):
        assert host.post("/kvdeck/restart").status == 202
        host.wait_until(lambda state: state.phase is Phase.LOADING)
        facts = host.wait_for(Phase.READY).facts
        assert facts is not None
    return facts


def _process(facts: EngineFacts, name: str) -> EngineProcess:
    found = [process for process in facts.processes if process.name.startswith(name)]
    assert found, facts.processes
    return found[0]


def test_what_is_known_before_a_switch_leaves_the_engine_running(
    engine_host: RunningHost, starter_checkpoint: Path, tmp_path: Path
) -> None:
    """Faults of the files, and those that only vLLM's own configuration finds."""
    before = engine_host.lifecycle.facts
    broken = tmp_path / "Broken"
    broken.mkdir()
    for file in starter_checkpoint.iterdir():
        (broken / file.name).symlink_to(file)
    (broken / "config.json").unlink()
    (broken / "config.json").write_text((starter_checkpoint / "config.json").read_text()[:200])
    assert engine_host.load(broken).value["error"]["kind"] == "checkpoint_invalid"
    config = json.loads((starter_checkpoint / "config.json").read_text())
    (broken / "config.json").write_text(json.dumps({**config, "quantization_config": {"quant_method": "fp8"}}))
    impossible = {"tensor_parallel_size": 2}
    assert engine_host.load(starter_checkpoint, impossible).status == 422
    (broken / "config.json").write_text(json.dumps({**config, "architectures": ["NobodysForCausalLM"]}))
    unknown = engine_host.load(broken)
    assert unknown.status == 422
    assert unknown.value["error"]["kind"] == "checkpoint_unsupported"
    assert "NobodysForCausalLM" in unknown.value["error"]["message"]
    after = engine_host.lifecycle
    assert after.phase is Phase.READY
    assert after.facts == before


@pytest.mark.timeout(300)
def test_a_second_crash_waits_for_one_click(engine_host: RunningHost) -> None:
    """After the restart that the host makes by itself: a worker this time, which takes the EngineCore along.

    Another test may have used that restart up; the host gives it back to an engine that has run for ten minutes.
    """
    for attempt in range(2):
        facts = engine_host.lifecycle.facts
        assert facts is not None
        worker = _process(facts, "Worker")
        os.kill(worker.pid, signal.SIGKILL)
        crashed = engine_host.wait_for(Phase.CRASHED, Phase.LOADING, timeout_s=PATIENCE_S)
        assert crashed.failure is not None
        # The EngineCore collects its worker's status; where it is quicker than the host, the signal is not known.
        told = (f"(pid {worker.pid}) was ended by SIGKILL", f"(pid {worker.pid}) has ended")
        assert any(words in crashed.failure.message for words in told), crashed.failure.message
        settled = engine_host.wait_until(
            lambda state: state.phase is Phase.LOADING or state.last_check is not None, timeout_s=PATIENCE_S
        )
        if settled.phase is Phase.CRASHED:
            break
        assert attempt == 0
        engine_host.wait_for(Phase.READY)
    assert settled.phase is Phase.CRASHED
    assert settled.last_check is not None
    assert settled.last_check.processes_left == ()
    assert alive([process.pid for process in facts.processes]) == []
    assert engine_host.post("/v1/completions", {"model": "x", "prompt": "x"}).status == 503
    time.sleep(1.0)
    assert engine_host.lifecycle.phase is Phase.CRASHED
    assert engine_host.post("/kvdeck/restart").status == 202
    assert engine_host.wait_for(Phase.READY).failure is None


@pytest.mark.timeout(300)
async def test_a_killed_engine_core_is_told_ends_its_requests_and_comes_back(engine_host: RunningHost) -> None:
    facts = _freshly_loaded(engine_host)
    core = _process(facts, "EngineCore")
    body = {"model": facts.served_model_name, "prompt": "Once", "max_tokens": 4000, "ignore_eos": True, "stream": True}
    async with (
        aiohttp.ClientSession(headers=engine_host.headers) as session,
        session.post(f"{engine_host.url}/v1/completions", json=body) as response,
        session.ws_connect(engine_host.url.replace("http", "ws", 1) + "/kvdeck/events") as events,
    ):
        await response.content.readline()
        os.kill(core.pid, signal.SIGKILL)
        crashed: dict[str, Any] = {}
        while crashed.get("phase") != "crashed":
            event = await events.receive_json(timeout=PATIENCE_S)
            crashed = event["value"] if event["topic"] == "lifecycle" else {}
        rest = [line async for line in response.content]
    failure = crashed["failure"]
    assert failure["kind"] == "engine_crashed"
    assert f"EngineCore (pid {core.pid})" in failure["message"]
    assert "SIGKILL" in failure["message"]
    errors = [json.loads(line[6:]) for line in rest if line.startswith(b'data: {"error"')]
    assert errors, rest[-5:]
    assert "The engine died while it was answering. Send this again" in errors[0]["error"]["message"]
    ready = engine_host.wait_for(Phase.READY)
    assert ready.facts is not None
    assert any(note.startswith("Restarted by itself") for note in ready.facts.notes)
    assert alive([process.pid for process in facts.processes]) == []
    assert [str(page) for page in pages(engine_host.home)] == [ready.facts.page_path]


@pytest.mark.timeout(200)
def test_cancel_leaves_nothing_and_a_killed_parent_takes_everything(starter_checkpoint: Path, tmp_path: Path) -> None:
    """One host for both, since each needs a load half way; and a worker is killed on the way."""
    parent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    host = start_host(tmp_path / "home", parent_pid=parent.pid)
    try:
        assert host.load(starter_checkpoint).status == 202
        _wait_for_weights(host)
        assert host.load(starter_checkpoint).value["error"]["kind"] == "engine_busy"
        engine = [process.pid for process in host.engine_family()]
        assert engine
        shared = held(engine)
        assert host.post("/kvdeck/cancel").status == 202
        idle = host.wait_for(Phase.IDLE, timeout_s=PATIENCE_S)
        assert idle.failure is None
        assert alive(engine) == []
        assert pages(host.home) == []
        wait_for_none(shared)

        arguments = {"checkpoint": str(starter_checkpoint), "parameters": GENTLE}
        assert host.post("/kvdeck/load", arguments).status == 202
        _wait_for_weights(host)
        worker = next(each.pid for each in host.engine_family() if "Worker" in command_of(each.pid))
        os.kill(worker, signal.SIGKILL)
        failed = host.wait_for(Phase.FAILED, timeout_s=PATIENCE_S)
        assert failed.failure is not None
        assert f"(pid {worker}) " in failed.failure.message
        assert failed.failure.message.endswith("while the model was loading.")

        assert host.post("/kvdeck/load", arguments).status == 202  # at once, while the rest of it is cleaned up
        _wait_for_weights(host)
        assert alive([worker]) == []
        everything = [host.pid, *(process.pid for process in host.family())]
        shared = held(everything)
        parent.kill()
        wait_gone(everything)
        assert pages(host.home) == []
        assert not (host.home / "address.json").exists()
    finally:
        parent.kill()
        parent.wait()
        host.process.kill()
        host.process.wait()
    wait_for_none(shared)


def _wait_for_weights(host: RunningHost) -> None:
    def reached(state: Lifecycle) -> bool:
        assert state.phase is Phase.LOADING, state.failure
        return any(timing.stage is Stage.WEIGHTS for timing in state.stages)

    host.wait_until(reached)


@pytest.mark.leaves_another_model
@pytest.mark.timeout(400)
def test_a_switch_that_fails_says_what_fits_and_one_click_helps(
    engine_host: RunningHost, starter_checkpoint: Path, tmp_path: Path
) -> None:
    """The KV cache cannot hold one request of the model's context: only the engine itself finds that out."""
    other = tmp_path / "Other-Model"
    other.symlink_to(starter_checkpoint)
    before = engine_host.lifecycle.facts
    assert before is not None
    talk = HTTPConnection(urlsplit(engine_host.url).netloc, timeout=PATIENCE_S)
    body = {"model": before.served_model_name, "prompt": "Once", "max_tokens": 4000, "ignore_eos": True, "stream": True}
    headers = {**engine_host.headers, "Content-Type": "application/json"}
    talk.request("POST", "/v1/completions", json.dumps(body), headers)
    stream = talk.getresponse()
    assert stream.readline().startswith(b"data: ")
    answer = engine_host.load(other, {"cpu_kvcache_space_gib": 0.125})
    assert answer.status == 202, answer
    lines = [line for line in stream.read().split(b"\n") if line]
    talk.close()
    assert lines[-1] == b"data: [DONE]"
    assert "exchanged for Other-Model" in json.loads(lines[-2].removeprefix(b"data: "))["error"]["message"]
    failed = engine_host.wait_for(Phase.FAILED)
    check, failure = failed.last_check, failed.failure
    assert check is not None
    assert check.processes_left == ()
    assert check.page_removed
    assert (check.memory_before_bytes or 0) > 500 << 20
    assert check.memory_after_bytes == 0
    assert alive([process.pid for process in before.processes]) == []
    assert failure is not None
    assert failure.kind == "context_too_long"
    assert "8192 tokens" in failure.message
    fitting = next(action for action in failure.actions if "max_model_len" in action.parameters)
    back = next(action for action in failure.actions if action.checkpoint is not None)
    assert failed.previous_checkpoint == back.checkpoint == str(starter_checkpoint)
    assert engine_host.get("/v1/models").status == 503
    assert pages(engine_host.home) == []
    answer = engine_host.load(other, {"cpu_kvcache_space_gib": 0.125, **fitting.parameters})
    assert answer.status == 202, answer
    ready = engine_host.wait_for(Phase.READY)
    assert ready.facts is not None
    assert ready.facts.served_model_name == "Other-Model"
    assert ready.facts.max_model_len == fitting.parameters["max_model_len"]
    assert [model["id"] for model in engine_host.get("/v1/models").value["data"]] == ["Other-Model"]
    assert engine_host.post("/kvdeck/scan_blocks").value["mismatches"] == 0
