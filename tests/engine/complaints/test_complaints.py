"""The complaints of vLLM's users, one after the other: each provoked, and what a KVDeck user is told instead.

Where vLLM itself refuses, its own function is brought to (provoke.py), and what we offer is put to the same function:
it has to be taken. covered.py names the tests elsewhere; those on the real engine are in tests/engine/host.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from engine.checkpoints.advice import Advice, advise
from engine.checkpoints.describe import describe
from engine.checkpoints.fit import fit_gpu
from engine.checkpoints.installed_vllm import InstalledVllm
from engine.checkpoints.machine import GpuTraits, Machine
from engine.checkpoints.verdict import judge
from engine.domain.checkpoint import VerdictKind
from engine.domain.lifecycle import Failure, Stage
from engine.host.fault_findings import Situation
from engine.host.faults import failure_of_load
from engine.host.journal import Journal
from engine.host.stats import StatsWindow
from engine.parameters.catalog import CATALOG
from engine.parameters.gpu_choice import gpu_environment
from engine.parameters.rules import Surroundings, find_problems
from engine.parameters.values import merge
from tests.engine.checkpoints.conftest import LLAMA, write_checkpoint
from tests.engine.complaints.covered import COVERED

if TYPE_CHECKING:
    from tests.engine.host.hosting import RunningHost
    from tests.vllm_child import VllmChild

pytestmark = [pytest.mark.slow]

_PROJECT = Path(__file__).resolve().parents[3]
_PROVOKE = "tests.engine.complaints.provoke:"
_GIB = 1 << 30
_LOST = RuntimeError("Engine core initialization failed. See root cause above. Failed core proc(s): {}")
# A 7B's attention in two layers' worth of files: what a KV cache of it takes is that of the real one.
_WIDE = {
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 32,
    "max_position_embeddings": 32_768,
}
_OOM = (
    "CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 7.76 GiB of which 214.00 MiB is "
    "free. Including non-PyTorch memory, this process has 7.54 GiB memory in use."
)


def told(text: str, situation: Situation, *before: str) -> Failure:
    """What a user is told when an EngineCore ends with this traceback, after these lines of its log."""
    journal = Journal()
    for line in before:
        journal.write(f"(EngineCore pid=7) INFO 11-29 18:35:11 [gpu_worker.py:560] {line}")
    for line in ("EngineCore failed to start.", *text.splitlines()):
        journal.write(f"(EngineCore pid=7) ERROR 11-29 18:35:12 [core.py:1510] {line}")
    failure = failure_of_load(_LOST, journal.after(0), situation)
    assert failure.message
    assert "\n" not in failure.message
    assert failure.remedy
    assert failure.log_tail
    return failure


def offered(failure: Failure) -> list[dict[str, Any]]:
    """The buttons' changes."""
    assert all(action.label for action in failure.actions)
    return [dict(action.parameters) for action in failure.actions]


@pytest.mark.parametrize("number", [*range(1, 12), *range(15, 20), 22])
def test_every_complaint_has_its_test(number: int) -> None:
    """The table's names are those of tests that there are, and that are not skipped outright."""
    assert COVERED.get(number), f"nothing provokes complaint {number}"
    for path, name in COVERED[number]:
        tree = ast.parse((_PROJECT / path).read_text(encoding="utf-8"))
        functions = [each for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        found = [each for each in functions if each.name == name]
        assert len(found) == 1, f"{path} has no {name}"
        marks = [ast.unparse(mark) for mark in found[0].decorator_list]
        assert not any("skip(" in mark or "xfail" in mark for mark in marks), f"{name} does not run"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A 7B's configuration."""
    return write_checkpoint(tmp_path_factory.mktemp("wide") / "Wide-7B", _WIDE)


def test_complaint_1_no_memory_for_the_cache_blocks(wide: Path, vllm_child: VllmChild) -> None:
    """vLLM's own check with nothing left; where the share can be raised it leaves a GiB for the cache, and no more than
    that; where it cannot, it is not offered."""
    (text,) = vllm_child.ask(_PROVOKE + "cache_too_small", {"path": str(wide), "cases": [[4096, 0]]})
    for total_gib, share, there, raised in ((24, 0.9, -0.3, True), (8, 0.8, -0.3, True), (24, 0.9, -1.59, False)):
        values = {"gpu_memory_utilization": share, "max_num_batched_tokens": 8192}
        situation = Situation(values, "cuda", Stage.KV_CACHE, total_gib * _GIB)
        failure = told(text, situation, f"Available KV cache memory: {there} GiB")
        assert failure.kind == "out_of_memory"
        assert f"left for the KV cache: {there} GiB" in failure.numbers
        *shares, smaller, eager = offered(failure)
        assert (smaller, eager) == ({"max_num_batched_tokens": 2048}, {"enforce_eager": True})
        assert bool(shares) is raised
        for change in shares:
            room = there + (change["gpu_memory_utilization"] - share) * total_gib
            assert 1.0 <= room < 1.0 + 0.03 * total_gib


def test_complaint_2_a_length_that_the_cache_does_not_hold(wide: Path, vllm_child: VllmChild) -> None:
    """vLLM's own check with half of what a request needs; vLLM takes each change that is offered."""
    (text,) = vllm_child.ask(_PROVOKE + "cache_too_small", {"path": str(wide), "cases": [[32_768, 2.0]]})
    total = 24 * _GIB
    failure = told(text, Situation({"gpu_memory_utilization": 0.8}, "cuda", Stage.KV_CACHE, total))
    assert failure.kind == "context_too_long"
    assert "needs 4 GiB" in failure.message
    assert "2 GiB are there" in failure.message
    shorter, larger = offered(failure)
    more = 2.0 + (larger["gpu_memory_utilization"] - 0.8) * 24
    cases = [[shorter["max_model_len"], 2.0], [32_768, more]]
    assert vllm_child.ask(_PROVOKE + "cache_too_small", {"path": str(wide), "cases": cases}) == [None, None]


def test_complaint_3_memory_that_is_not_free(vllm_child: VllmChild) -> None:
    """A GPU worker's check at its start; vLLM takes the share that is offered. Below a twentieth there is none."""
    case = {"free": 3.22, "total": 4.0, "share": 0.9}
    (text,) = vllm_child.ask(_PROVOKE + "memory_not_free", [case])
    failure = told(text, Situation({"gpu_memory_utilization": 0.9}, "cuda", Stage.STARTING))
    assert failure.message == "3.6 GiB of VRAM were asked for, and 3.22 of 4 GiB are free."
    (change,) = offered(failure)
    again = {**case, "share": change["gpu_memory_utilization"]}
    full = {"free": 0.1, "total": 24.0, "share": 0.9}
    taken, none_left = vllm_child.ask(_PROVOKE + "memory_not_free", [again, full])
    assert taken is None
    assert offered(told(none_left, Situation({}, "cuda"))) == []


def test_complaint_4_what_is_set_aside_is_not_what_is_needed(tmp_path: Path) -> None:
    """A 7B's estimate on 80 GiB: what it fills, what it needs, and how many requests the rest is for."""
    path = write_checkpoint(tmp_path / "Wide-7B", _WIDE, {"model.layers.0.w": ("bfloat16", [1024, 1024])})
    machine = Machine("cuda", (GpuTraits("H100", (9, 0), 80 * _GIB),))
    checkpoint = judge(describe(path), machine)
    fit = fit_gpu(checkpoint, merge({}, device="cuda"), machine, total_bytes=80 * _GIB, others_bytes=0)
    assert fit is not None
    assert fit.budget_bytes > 70 * _GIB, "vLLM fills this"
    assert fit.needed_utilization is not None
    assert fit.needed_utilization < 0.1, "this would be enough for a request of full length"
    assert fit.cache.full_requests is not None
    assert fit.cache.full_requests > 15


def test_complaint_5_out_of_memory_in_the_samplers_warm_up(vllm_child: VllmChild) -> None:
    """vLLM's own warm-up of the sampler with 1,024 requests, on a device without room for it."""
    text = vllm_child.ask(_PROVOKE + "sampler_out_of_memory", _OOM)
    failure = told(text, Situation({"gpu_memory_utilization": 0.9}, "cuda", Stage.PROFILING))
    assert failure.kind == "out_of_memory"
    assert "sampler" in failure.message
    assert failure.numbers == ("requests at once: 1024",)
    assert offered(failure) == [{"max_num_seqs": 256}, {"gpu_memory_utilization": 0.85}]


@pytest.mark.parametrize(
    ("stage", "words", "first"),
    [
        (Stage.WEIGHTS, "while the weights were loaded", {"cpu_offload_gb": 8.0}),
        (Stage.PROFILING, "while a full step was tried out", {"max_num_batched_tokens": 2048}),
        (Stage.GRAPHS, "while CUDA graphs were captured", {"enforce_eager": True}),
        (Stage.KV_CACHE, "while the KV cache was made", {"gpu_memory_utilization": 0.85}),
        (Stage.FIRST_TOKEN, "at the first token", {"gpu_memory_utilization": 0.85}),
    ],
)
def test_complaint_5_out_of_memory_by_stage(stage: Stage, words: str, first: dict[str, object]) -> None:
    """torch's own words for a full GPU (they come from CUDA's allocator), at each stage of a load."""
    values = {"gpu_memory_utilization": 0.9, "max_num_batched_tokens": 8192}
    failure = told(f"torch.OutOfMemoryError: {_OOM}", Situation(values, "cuda", stage))
    assert words in failure.message
    assert failure.numbers[:3] == ("asked for: 1.96 GiB", "free: 214.00 MiB", "the GPU has: 7.76 GiB")
    assert offered(failure)[0] == first
    if stage in (Stage.WEIGHTS, Stage.PROFILING):
        assert not any("gpu_memory_utilization" in each for each in offered(failure)), "the share plays no part yet"


def test_complaint_5_out_of_main_memory(vllm_child: VllmChild) -> None:
    """torch's own refusal to allocate a million GiB of main memory."""
    text = vllm_child.ask(_PROVOKE + "out_of_main_memory", 1 << 20)
    failure = told(text, Situation({"cpu_kvcache_space_gib": 4.0}, "cpu", Stage.KV_CACHE))
    assert failure.kind == "out_of_memory"
    assert failure.message.startswith("Main memory ran out while the KV cache was made")
    assert failure.numbers == ("asked for: 1048576.00 GiB",)
    assert offered(failure) == [{"cpu_kvcache_space_gib": 2.0}]


@pytest.mark.engine
def test_complaint_6_every_second_of_a_real_load_has_a_stage(engine_host: RunningHost) -> None:
    """The session's engine: stages follow one another from the request to the first token, with nothing between."""
    lifecycle = engine_host.lifecycle
    stages = lifecycle.stages
    assert [each.stage for each in stages][:2] == [Stage.STARTING, Stage.WEIGHTS]
    assert [each.stage for each in stages][-2:] == [Stage.FIRST_TOKEN, Stage.READY]
    assert all(each.ended_s is not None for each in stages)
    spans = sorted((each.started_s, each.ended_s or 0.0) for each in stages)
    assert spans[0][0] == pytest.approx(0.0, abs=0.5)
    longest_gap = max((after[0] - before[1] for before, after in pairwise(spans)), default=0.0)
    assert longest_gap < 0.5, spans


def test_complaint_8_quantization_is_left_to_vllm(tmp_path: Path, vllm_child: VllmChild) -> None:
    """Each method of the table named for each kind of checkpoint: our rule blocks exactly what vLLM refuses here.

    A name that changes nothing is told, and for one that vLLM refuses after all the button leaves it to vLLM.
    """
    kinds: dict[str, dict[str, Any]] = {
        "awq": {"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True},
        "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False, "sym": True},
        "fp8": {"quant_method": "fp8", "activation_scheme": "dynamic"},
    }
    names = [None, *CATALOG["quantization"].choices]
    cases = [
        (str(write_checkpoint(tmp_path / kind, {"quantization_config": config})), kind, name)
        for kind, config in kinds.items()
        for name in names
    ]
    answers = vllm_child.ask(_PROVOKE + "quantization_chosen", [(path, name) for path, _, name in cases])
    assert merge({}, device="cuda").get("quantization") is None, "left to vLLM where the user says nothing"
    for (path, kind, name), refusal in zip(cases, answers, strict=True):
        values = merge({"quantization": name} if name else {}, device="cpu")
        own = describe(path).checkpoint.quantization.method
        problems = find_problems(values, Surroundings("cpu", quantization=own))
        about = [each for each in problems if each.names == ("quantization",)]
        assert [each.blocking for each in about] == ([refusal is not None] if name else []), (kind, name, refusal)
        if refusal:
            failure = told(refusal, Situation(values, "cpu"))
            assert offered(failure) == [{"quantization": None}], failure


@pytest.fixture
def facts(facts_folder: Path) -> Any:
    """What the installed vLLM answers."""
    return InstalledVllm(facts_folder).known()


@pytest.mark.parametrize(
    ("method", "config"),
    [
        ("gptq", {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False, "sym": True}),
        ("fp8", {"quant_method": "fp8", "activation_scheme": "dynamic"}),
        ("awq", {"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True}),
    ],
)
def test_complaint_9_kernels_are_asked_of_vllm(tmp_path: Path, facts: Any, method: str, config: dict[str, Any]) -> None:
    """On a GPU just below what vLLM itself says that the method needs it is refused with both numbers; on one that has
    it, it is not; and a group that none of vLLM's kernels takes is refused with those that they do take."""
    path = write_checkpoint(tmp_path / method, {"quantization_config": config})
    least = facts.methods[method]
    for capability, kind in ((least - 1, VerdictKind.REFUSED), (least, VerdictKind.RUNS)):
        gpu = GpuTraits("Some GPU", divmod(capability, 10), 24 * _GIB)
        verdict = judge(describe(path), Machine("cuda", (gpu,), 64 * _GIB, frozenset(), facts)).verdict
        assert verdict.kind is kind, verdict
        if kind is VerdictKind.REFUSED:
            assert f"{least // 10}.{least % 10}" in verdict.reason
            assert f"{capability // 10}.{capability % 10}" in verdict.reason
    if method == "fp8":
        return
    odd = write_checkpoint(tmp_path / "odd", {"quantization_config": {**config, "group_size": 48}})
    gpu = GpuTraits("Some GPU", (9, 0), 24 * _GIB)
    verdict = judge(describe(odd), Machine("cuda", (gpu,), 64 * _GIB, frozenset(), facts)).verdict
    assert verdict.kind is VerdictKind.REFUSED
    assert all(str(size) in verdict.reason for size in facts.marlin_group_sizes if size > 0)


def _topics(path: Path, device: str, **more: Any) -> dict[str, Advice]:
    checkpoint = judge(describe(path), Machine(device))
    return {each.topic: each for each in advise(checkpoint, merge({}, device=device), device, **more)}


def test_complaint_10_a_missing_chat_template_is_said_before_the_load(tmp_path: Path) -> None:
    """A folder without one, and the same with one in each of the places where vLLM looks."""
    bare = write_checkpoint(tmp_path / "Base-7B")
    assert "chat requests will be refused" in _topics(bare, "cpu")["template"].message
    (bare / "chat_template.jinja").write_text("{{ messages }}")
    assert "template" not in _topics(bare, "cpu")
    inside = write_checkpoint(tmp_path / "Other-7B", tokenizer_config={"chat_template": "{{ messages }}"})
    assert "template" not in _topics(inside, "cpu")


def test_complaint_15_a_figure_that_vllm_calls_otherwise_is_said(
    vllm_child: VllmChild, caplog: pytest.LogCaptureFixture
) -> None:
    """The installed vLLM tells all that we read; one whose names have changed costs those figures, each said once."""
    assert vllm_child.ask(_PROVOKE + "statistics_told") == []
    window = StatsWindow()
    renamed = SimpleNamespace(num_running_requests=3, num_waiting_reqs=2, spec_decoding_stats=None)
    step = SimpleNamespace(num_prompt_tokens=5, finished_requests=[SimpleNamespace(e2e_latency=1.0)])
    for _ in range(3):
        window.record(renamed, step)
    stats = window.now()
    assert (stats.waiting, stats.e2e_p50_s, stats.queue_p50_s, stats.ttft_p50_s) == (2, 1.0, None, None)
    assert {"running", "kv_cache_usage", "generation_tokens_per_s", "queue_p50_s", "ttft_p50_s"} <= set(stats.untold)
    assert "waiting" not in stats.untold
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == len(set(said)) == len(stats.untold)
    assert "This vLLM's statistics have no num_running_reqs: running cannot be shown." in said


@pytest.mark.parametrize("chosen", ["GPU-22", "GPU-22, GPU-11"])
def test_complaint_18_the_chosen_gpu_is_the_one_that_cuda_takes(chosen: str) -> None:
    """Named by UUID, in the order of the ranks; CUDA's own numbers (by speed) and NVML's (by bus) are made the same."""
    told = gpu_environment(chosen)
    assert told == {"CUDA_VISIBLE_DEVICES": chosen.replace(" ", ""), "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert gpu_environment(None) == {}, "nobody's own choice is overruled"
    gone = merge({"gpu_uuids": "GPU-99"}, device="cuda")
    (problem,) = find_problems(gone, Surroundings("cuda", gpu_count=2, gpu_uuids=("GPU-11", "GPU-22")))
    assert problem.blocking
    assert "GPU-99" in problem.message


def test_complaint_17_wsl_is_said(tmp_path: Path) -> None:
    """The kernel's own name, as Microsoft's has it; only where there is a GPU to speak of."""
    path = write_checkpoint(tmp_path / "Tiny", LLAMA)
    release = "5.15.167.4-microsoft-standard-WSL2"
    assert "pinned memory" in _topics(path, "cuda", system=release)["wsl"].message
    assert "wsl" not in _topics(path, "cpu", system=release)
    assert "wsl" not in _topics(path, "cuda", system="6.8.0-45-generic")
