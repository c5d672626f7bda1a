"""Engines that wait beside the one that serves: kept, woken, killed, over the limit, and the way back.

The session's engine is one of the two, and a tiny model without weights of its own the other. The order saves loads.
"""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from engine.domain.lifecycle import Phase, Stage
from engine.domain.sleepers import Gone, Rest, Sleeper, Sleepers
from tests.engine.host.hosting import GENTLE, alive, pages
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.domain.lifecycle import EngineFacts
    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]

_TINY = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1, "num_attention_heads": 1}
_TINY_VALUES = {"load_format": "dummy", "cpu_kvcache_space_gib": 0.125, "max_num_seqs": 4, "max_model_len": 256}
_PROMPT = "The engine that waits holds what it knew. " * 30  # longer than a block of the CPU's


def tray_of(host: RunningHost) -> Sleepers:
    """GET /kvdeck/sleepers."""
    return msgspec.convert(host.get("/kvdeck/sleepers").value, Sleepers)


def wait_for_tray(host: RunningHost, waiting: int) -> Sleepers:
    """The tray as soon as so many engines wait."""
    deadline = time.monotonic() + PATIENCE_S
    while len((tray := tray_of(host)).waiting) != waiting:
        assert time.monotonic() < deadline, tray
        time.sleep(0.02)
    return tray


def complete(host: RunningHost) -> Any:
    """What the engine that serves now makes of a long prompt, greedily."""
    model = host.get("/v1/models").value["data"][0]["id"]
    body = {"model": model, "prompt": _PROMPT, "max_tokens": 6, "temperature": 0}
    answer = host.ask("POST", "/v1/completions", body, {**host.headers, "Content-Type": "application/json"})
    assert answer.status == 200, answer
    return answer.value


def switch(host: RunningHost, checkpoint: Path, values: dict[str, Any]) -> EngineFacts:
    """Load, or wake."""
    answer = host.load(checkpoint, values)
    assert answer.status == 202, answer
    lifecycle = host.wait_until(lambda state: state.phase is not Phase.LOADING)
    assert lifecycle.phase is Phase.READY, lifecycle
    assert lifecycle.facts is not None
    assert lifecycle.facts.checkpoint == str(checkpoint)
    return lifecycle.facts


@pytest.fixture(scope="module")
def tiny(starter_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of a hundred thousand parameters with the starter's tokenizer; vLLM makes up its weights."""
    folder = tmp_path_factory.mktemp("warm") / "Tiny"
    folder.mkdir()
    for file in starter_checkpoint.iterdir():
        if file.suffix in (".json", ".jinja", ".txt") and file.name not in ("config.json", "kvdeck.json"):
            (folder / file.name).symlink_to(file)
    config = json.loads((starter_checkpoint / "config.json").read_text())
    config |= {**_TINY, "num_key_value_heads": 1, "head_dim": 64}
    (folder / "config.json").write_text(json.dumps({key: config[key] for key in config if "quant" not in key}))
    return folder


@pytest.fixture
def keeping_host(engine_host: RunningHost) -> Iterator[RunningHost]:
    """The session's host, keeping outgoing engines for one test. Another test's checkpoint may be what waits."""
    assert engine_host.post("/kvdeck/sleepers", {"keep": "on", "most_bytes": 1 << 40}).status == 200
    yield engine_host
    assert engine_host.post("/kvdeck/sleepers", {"keep": "off"}).status == 200


def _core(sleeper: Sleeper) -> int:
    return next(process.pid for process in sleeper.processes if process.name.startswith("EngineCore"))


@pytest.mark.timeout(300)
def test_an_engine_that_waits_is_back_at_once_with_what_it_knew(
    keeping_host: RunningHost, starter_checkpoint: Path, tiny: Path
) -> None:
    """Two switches: a cold one that keeps the session's engine, and a warm one back to it."""
    host = keeping_host
    own = host.lifecycle.facts
    assert own is not None
    said = complete(host)
    cold = switch(host, tiny, _TINY_VALUES)
    assert not host.lifecycle.warm
    tray = wait_for_tray(host, 1)
    sleeper = tray.waiting[0]
    assert (sleeper.checkpoint, sleeper.rest) == (str(starter_checkpoint), Rest.KEPT)
    assert sleeper.ram_bytes is not None
    assert sleeper.ram_bytes > 100 << 20
    assert sleeper.vram_bytes is None
    assert {process.pid for process in own.processes} <= {process.pid for process in sleeper.processes}
    assert len(alive([process.pid for process in sleeper.processes])) == len(sleeper.processes)
    assert {str(page) for page in pages(host.home)} == {own.page_path, cold.page_path}
    assert host.get("/metrics").value.count(b'model_name="Tiny"') > 0
    # Back: the same engine, on the same address, with its page and its cache.
    back = switch(host, starter_checkpoint, {})
    lifecycle = host.lifecycle
    assert lifecycle.warm
    assert [timing.stage for timing in lifecycle.stages] == [Stage.TO_SLEEP, Stage.WAKING, Stage.READY]
    assert back.page_path == own.page_path
    again = complete(host)
    assert again["choices"][0]["text"] == said["choices"][0]["text"]
    assert again["usage"]["prompt_tokens_details"]["cached_tokens"] > 0
    metrics = host.get("/metrics").value
    assert b'model_name="Tiny"' not in metrics
    assert metrics.count(b"vllm:request_success_total{") > 0
    tray = wait_for_tray(host, 1)
    assert tray.last_switch is not None
    assert tray.last_switch.checkpoint == str(starter_checkpoint)
    assert tray.last_switch.same_answer is True
    assert tray.last_switch.seconds == pytest.approx(lifecycle.elapsed_s, abs=0.01)
    assert tray.waiting[0].checkpoint == str(tiny)
    assert host.get("/kvdeck/limits").status == 200
    assert host.post("/kvdeck/scan_blocks").value["mismatches"] == 0


def test_an_engine_that_dies_while_it_waits_is_named_and_taken_away(
    keeping_host: RunningHost, starter_checkpoint: Path
) -> None:
    host = keeping_host
    sleeper = wait_for_tray(host, 1).waiting[0]
    own = host.lifecycle.facts
    assert own is not None
    os.kill(_core(sleeper), signal.SIGKILL)
    tray = wait_for_tray(host, 0)
    deadline = time.monotonic() + PATIENCE_S
    while not (tray.ended and tray.ended[-1].why is Gone.DIED):
        assert time.monotonic() < deadline, tray
        tray = tray_of(host)
    # vLLM's monitor may collect the EngineCore's status; where it is quicker than the host, the signal is not known.
    told = (f"(pid {_core(sleeper)}) was ended by SIGKILL.", f"(pid {_core(sleeper)}) has ended.")
    assert tray.ended[-1].message.endswith(told), tray.ended[-1]
    assert tray.ended[-1].processes_left == 0
    assert alive([process.pid for process in sleeper.processes]) == []
    assert [str(page) for page in pages(host.home)] == [own.page_path]
    assert host.lifecycle.phase is Phase.READY
    assert host.lifecycle.checkpoint == str(starter_checkpoint)
    assert host.post("/kvdeck/wake", {"checkpoint": sleeper.checkpoint}).status == 409
    complete(host)


def test_a_cancelled_switch_brings_the_engine_of_before_back(
    keeping_host: RunningHost, starter_checkpoint: Path, tiny: Path
) -> None:
    host = keeping_host
    own = host.lifecycle.facts
    assert own is not None
    assert host.load(tiny, _TINY_VALUES).status == 202
    wait_for_tray(host, 1)
    assert host.post("/kvdeck/cancel").status == 202
    lifecycle = host.wait_until(lambda state: state.phase is not Phase.LOADING)
    assert lifecycle.phase is Phase.READY
    assert lifecycle.facts is not None
    assert lifecycle.facts.page_path == own.page_path
    assert lifecycle.checkpoint == str(starter_checkpoint)
    assert tray_of(host).waiting == ()
    assert {process.pid for process in own.processes} >= {
        process.pid for process in host.family() if "EngineCore" in process.name()
    }
    complete(host)


def test_the_engine_sleeps_on_its_own_wakes_and_goes_over_the_limit(
    engine_host: RunningHost, starter_checkpoint: Path
) -> None:
    """Put to sleep with none in its place, woken by a load of the same; then ended as the limit says."""
    host = engine_host
    own = host.lifecycle.facts
    assert own is not None
    assert host.post("/kvdeck/sleep").status == 202
    asleep = host.wait_for(Phase.ASLEEP, timeout_s=PATIENCE_S)
    assert asleep.facts == own
    refused = host.post("/v1/completions", {"model": own.served_model_name, "prompt": "x"})
    assert refused.status == 503
    assert "asleep" in refused.value["error"]["message"]
    assert host.post("/kvdeck/sleep").status == 409
    assert host.load(starter_checkpoint).status == 202
    woken = host.wait_for(Phase.READY, timeout_s=PATIENCE_S)
    assert woken.warm
    assert woken.facts is not None
    assert woken.facts.processes == own.processes
    assert woken.facts.request is not None
    assert woken.facts.request.parameters == GENTLE
    complete(host)


def test_routes_refuse_what_is_not_there(bare_host: RunningHost) -> None:
    assert bare_host.post("/kvdeck/sleep").status == 409
    assert bare_host.post("/kvdeck/wake", {"checkpoint": "/nowhere"}).status == 409
    assert bare_host.post("/kvdeck/sleepers", {"keep": "perhaps"}).status == 400
    assert tray_of(bare_host).waiting == ()
    answer = bare_host.post("/kvdeck/end", {"checkpoint": "/nowhere"})
    assert answer.status == 200
    policy = bare_host.post("/kvdeck/sleepers", {"keep": "memory", "most": 2}).value
    assert (policy["policy"]["keep"], policy["most"]) == ("memory", 2)
    assert policy["most_bytes"] > 0
