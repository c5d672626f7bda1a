"""What warm switches rest on, without an engine: whose processes are whose, room in memory, collectors, pages."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import prometheus_client
import pytest

from engine.domain.lifecycle import EngineProcess, LoadRequest
from engine.domain.sleepers import DEFAULT_MOST, KeepPolicy, Rest
from engine.host import room, vllm_metrics
from engine.host.family import Family
from engine.host.launch import pages_of
from engine.page.liveness import start_ticks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GIB = 1 << 30
_PARENT = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE); "


@pytest.fixture
def two_engines() -> Iterator[tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]]:
    """Two processes with a child each, as an EngineCore with its worker."""
    code = _PARENT + "print('up', flush=True); input()"
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
    yield started[0], started[1]
    for process in started:
        process.communicate(b"\n")


def _known(process: subprocess.Popen[bytes]) -> EngineProcess:
    ticks = start_ticks(process.pid)
    assert ticks is not None
    return EngineProcess(process.pid, "EngineCore", ticks)


def test_a_resting_engine_s_processes_are_not_the_present_one_s(
    two_engines: tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]],
) -> None:
    resting, serving = two_engines
    family, owner, other = Family(), object(), object()
    everyone = {process.pid for process in family.present()}
    assert {resting.pid, serving.pid} <= everyone
    family.set_apart(owner, [_known(resting)])
    present = {process.pid for process in family.present()}
    apart = {process.pid for process in family.of(owner)}
    assert serving.pid in present
    assert resting.pid in apart
    assert len(apart) == 2  # its child, which nobody named, is its own, too
    assert not present & apart
    assert family.of(other) == family.present()
    family.rejoin(owner)
    assert {process.pid for process in family.present()} >= {resting.pid, serving.pid}


def test_a_number_that_was_given_away_again_is_somebody_else(
    two_engines: tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]],
) -> None:
    family = Family()
    known = _known(two_engines[0])
    family.set_apart(object(), [EngineProcess(known.pid, known.name, known.start_ticks - 1)])
    assert known.pid in {process.pid for process in family.present()}


def test_a_container_s_limit_counts(tmp_path: Path) -> None:
    for name, text in (("memory.max", str(3 * _GIB)), ("memory.current", str(2 * _GIB))):
        (tmp_path / name).write_text(text)
    (tmp_path / "memory.stat").write_text(f"anon 1\ninactive_file {_GIB // 2}\n")
    assert room.free_bytes(tmp_path) <= 3 * _GIB // 2
    (tmp_path / "memory.max").write_text("max")
    assert room.free_bytes(tmp_path) == pytest.approx(room.free_bytes(tmp_path / "none"), rel=0.2)


def test_limits_are_the_user_s_or_half_of_what_would_be_free() -> None:
    assert room.limits(KeepPolicy(), held=4 * _GIB, free=8 * _GIB) == (DEFAULT_MOST, 6 * _GIB)
    assert room.limits(KeepPolicy(most=0, most_bytes=_GIB), held=0, free=0) == (0, _GIB)


def test_what_is_lacking_depends_on_how_it_rests(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\0" * 4096)
    (tmp_path / "other.safetensors").write_bytes(b"\0" * 4096)
    plan = SimpleNamespace(config=SimpleNamespace(parallel_config=SimpleNamespace(world_size=2)))
    facts = SimpleNamespace(weights_bytes=10 * _GIB, checkpoint=str(tmp_path))
    asleep = SimpleNamespace(rest=Rest.ASLEEP, has_rested=False, facts=facts, run=SimpleNamespace(plan=plan))
    # Both devices' weights, rounded up as PyTorch pins them, and a reserve.
    assert room.missing_bytes(asleep, None, free=0) == int(20 * _GIB * 1.3) + _GIB
    asleep.has_rested = True  # PyTorch has kept the pinned memory
    assert room.missing_bytes(asleep, None, free=2 * _GIB) == -_GIB
    kept = SimpleNamespace(rest=Rest.KEPT, has_rested=False)
    incoming = LoadRequest(str(tmp_path), {"cpu_kvcache_space_gib": 0.5})
    assert room.missing_bytes(kept, incoming, free=0) == 8192 + _GIB // 2 + _GIB
    assert room.missing_bytes(kept, None, free=_GIB) == 0
    facts.weights_bytes = None
    assert room.weights_of(asleep) == 8192


def test_metrics_are_of_the_engine_that_is_shown() -> None:
    first = prometheus_client.Gauge("vllm:kvdeck_test", "first", ["model"])
    first.labels("one").set(1)
    of_first = vllm_metrics.registered()
    assert first in of_first
    for each in of_first:  # as a new engine of vLLM does it
        prometheus_client.REGISTRY.unregister(each)
    second = prometheus_client.Gauge("vllm:kvdeck_test", "second", ["model"])
    second.labels("two").set(2)
    of_second = vllm_metrics.registered()
    vllm_metrics.show(of_first)
    shown = prometheus_client.generate_latest()
    assert b'model="one"' in shown
    assert b'model="two"' not in shown
    vllm_metrics.show(of_second)
    vllm_metrics.show(of_second)
    assert b'model="two"' in prometheus_client.generate_latest()
    vllm_metrics.show(())
    assert vllm_metrics.registered() == ()


def test_all_pages_of_a_host_are_found_and_no_other_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path))
    from engine.domain.paths import runtime_dir

    own = [runtime_dir() / f"page-12-{name}" for name in ("aa", "bb")]
    for path in (*own, runtime_dir() / "page-123-cc"):
        path.write_bytes(b"")
    assert pages_of(12) == own
