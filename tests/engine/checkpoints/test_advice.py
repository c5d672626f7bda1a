"""What is said before a load: each finding provoked, and left-over engine processes found and ended for real."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from engine.checkpoints.advice import Advice, Level, advise
from engine.checkpoints.fit import fit_cpu, fit_gpu
from engine.checkpoints.machine import Machine
from engine.checkpoints.orphans import Orphan, end_orphans, find_orphans
from engine.domain.checkpoint import AttentionShape, Checkpoint, Quantization, Verdict, VerdictKind
from engine.parameters.values import merge
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GIB = 1 << 30
_CUDA = Machine("cuda")
_MODEL = Checkpoint(
    path="/m/Llama-8B", name="Llama-8B", family="Llama-8B", source="folder", architecture="LlamaForCausalLM",
    model_type="llama", quantization=Quantization("fp8", "FP8", 8.0), parameters=8_030_000_000,
    size_bytes=9_000_000_000, weights_bytes=9_080_000_000, weight_dtype="bfloat16", max_context=131_072,
    attention=AttentionShape("GQA", 32, 32, 8, 128), has_chat_template=True, needs_remote_code=False, pickled_files=(),
)  # fmt: skip


def _advice(total_gib: float, others_gib: float, values: dict[str, Any], model: Checkpoint = _MODEL) -> list[Advice]:
    merged = merge(values, device="cuda")
    fit = fit_gpu(model, merged, _CUDA, total_bytes=int(total_gib * _GIB), others_bytes=int(others_gib * _GIB))
    return list(advise(model, merged, "cuda", fit=fit))


def _topics(advice: list[Advice]) -> dict[str, Advice]:
    return {each.topic: each for each in advice}


def test_a_good_load_is_told_only_how_short_a_prefix_is_reused() -> None:
    (only,) = _advice(80, 1, {"max_model_len": 8192})
    assert (only.level, only.topic) == (Level.TELLS, "prefix")
    assert "from 16 tokens on" in only.message
    assert "from 64 tokens on" in _advice(80, 1, {"max_model_len": 8192, "block_size": 64})[0].message
    assert _advice(80, 1, {"max_model_len": 8192, "enable_prefix_caching": False}) == []


def test_too_little_free_memory_says_which_share_would_do() -> None:
    found = _topics(_advice(24, 8, {"max_model_len": 8192}))["memory"]
    assert found.level is Level.BLOCKS
    assert "16.00 GiB of 24.00 GiB are free" in found.message
    assert found.edits == (("gpu_memory_utilization", 0.66),)
    merged = {"max_model_len": 8192, **dict(found.edits)}
    assert "memory" not in _topics(_advice(24, 8, merged)), "what it offers mends it"


def test_weights_that_cannot_fit_are_said() -> None:
    found = _topics(_advice(8, 0, {"max_model_len": 8192}))["memory"]
    assert "weights need 8.46 GiB" in found.message
    assert found.edits == (), "no share of this GPU is enough"
    small = {"max_model_len": 8192, "gpu_memory_utilization": 0.3}
    enough = dict(_topics(_advice(24, 0, small))["memory"].edits)
    assert set(enough) == {"gpu_memory_utilization"}
    assert "memory" not in _topics(_advice(24, 0, small | enough))


def test_a_cpus_cache_that_holds_nothing_is_offered_more() -> None:
    def found(values: dict[str, Any]) -> dict[str, Advice]:
        merged = merge(values, device="cpu")
        fit = fit_cpu(wide, merged, Machine("cpu"), available_bytes=64 * _GIB)
        return _topics(list(advise(wide, merged, "cpu", fit=fit)))

    wide = replace(_MODEL, attention=AttentionShape("MHA", 64, 32, 32, 256))
    tight = {"max_model_len": 8192, "cpu_kvcache_space_gib": 0.5, "block_size": 256}
    ((name, space),) = found(tight)["length"].edits
    assert name == "cpu_kvcache_space_gib"
    assert "length" not in found({**tight, name: space})


def test_a_length_that_does_not_fit_offers_the_one_that_does() -> None:
    found = _topics(_advice(24, 1, {}))["length"]
    ((name, longest),) = found.edits
    assert name == "max_model_len"
    assert "length" not in _topics(_advice(24, 1, {"max_model_len": longest}))


def test_files_method_template_and_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(_MODEL, problem="2 of its files are still being downloaded.")
    assert _advice(80, 1, {"max_model_len": 8192}, broken)[0].topic == "files"
    refused = replace(_MODEL, verdict=Verdict(VerdictKind.REFUSED, "FP8 needs compute capability 8.9."))
    assert "8.9" in _advice(80, 1, {"max_model_len": 8192}, refused)[0].message
    silent = replace(_MODEL, has_chat_template=False)
    assert "template" in _topics(_advice(80, 1, {"max_model_len": 8192}, silent))
    usage = type("Usage", (), {"free": 100 << 20})
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage)
    merged = merge({"cpu_kvcache_space_gib": 4.0}, device="cpu")
    fit = fit_cpu(_MODEL, merged, Machine("cpu"), available_bytes=64 * _GIB)
    found = _topics(list(advise(_MODEL, merged, "cpu", fit=fit, cache_folder=tmp_path)))
    assert "0.10 GiB are free" in found["disk"].message


_ENGINE = """
import setproctitle, sys, time
setproctitle.setproctitle(sys.argv[1])
print(1, flush=True)
time.sleep(600)
"""
_PARENT = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1], sys.argv[2]], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
sys.stdin.readline()
os._exit(0)
"""


@pytest.fixture
def engine() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process titled like vLLM's, below a Python program that can be told to end."""
    command = [sys.executable, "-c", _PARENT, _ENGINE, "VLLM::EngineCore"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        yield parent, pid
        if parent.poll() is None:
            parent.kill()
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 9)


def test_an_engine_whose_parent_is_gone_is_found_and_ended(engine: tuple[subprocess.Popen[str], int]) -> None:
    pytest.importorskip("setproctitle")
    parent, pid = engine
    assert pid not in {each.pid for each in find_orphans()}, "its parent lives"
    assert parent.stdin is not None
    parent.stdin.write("\n")
    parent.stdin.flush()
    parent.wait(PATIENCE_S)
    (orphan,) = [each for each in find_orphans() if each.pid == pid]
    assert orphan.name == "EngineCore"
    assert orphan.memory_bytes > 1 << 20
    merged = merge({}, device="cpu")
    found = _topics(list(advise(_MODEL, merged, "cpu", orphans=[orphan])))["orphans"]
    assert f"EngineCore (pid {pid}" in found.message
    end_orphans(found.orphans)
    with contextlib.suppress(psutil.NoSuchProcess):
        assert psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_another_program_with_the_same_pid_is_left_alone() -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        end_orphans([Orphan(other.pid, "EngineCore", 0, time.time() - 3600)])
        assert other.poll() is None
        other.kill()
