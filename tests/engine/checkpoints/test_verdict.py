"""Will it run here: each rule with a checkpoint that meets it, and one that just does not."""

from dataclasses import replace

import pytest

from engine.checkpoints.describe import describe
from engine.checkpoints.installed_vllm import VllmFacts
from engine.checkpoints.machine import GpuTraits, Machine, read_machine
from engine.checkpoints.verdict import judge
from engine.domain.checkpoint import VerdictKind

RUNS, UNPACKED, REFUSED = VerdictKind.RUNS, VerdictKind.RUNS_UNPACKED, VerdictKind.REFUSED
AWQ = {"quant_method": "awq", "bits": 4, "group_size": 32}
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 32, "sym": True, "desc_act": False}
FP8 = {"quant_method": "fp8"}
INT8 = {
    "quant_method": "compressed-tensors",
    "config_groups": {
        "g": {"weights": {"num_bits": 8, "type": "int"}, "input_activations": {"num_bits": 8, "dynamic": True}}
    },
}
W8A16 = {"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": {"num_bits": 8, "type": "int"}}}}
NVFP4 = {"quant_method": "modelopt", "quant_algo": "NVFP4"}

VLLM = VllmFacts(
    version="0.32.0",
    device="cpu",
    architectures=frozenset({"LlamaForCausalLM"}),
    methods={"awq": 75, "gptq": 60, "fp8": 75, "compressed-tensors": 70, "modelopt_fp4": 75},
    model_types=frozenset({"llama"}),
    transformers_architectures=frozenset({"OlmoForCausalLM"}),
    marlin_group_sizes=(-1, 32, 64, 128),
    cpu_operations=frozenset({"cpu_gemm_wna16"}),
    cpu_has_amx=False,
)
AVX2 = Machine("cpu", (), 24 << 30, frozenset({"avx2"}))
AVX512 = Machine("cpu", (), 24 << 30, frozenset({"avx2", "avx512f", "avx512_bf16"}), VLLM)
AMX = Machine("cpu", (), 24 << 30, frozenset({"avx512f", "avx512_bf16", "amx_tile"}))


def gpu(major, minor, name="GPU", total=24 << 30, vllm=None):
    return Machine("cuda", (GpuTraits(name, (major, minor), total),), 64 << 30, frozenset(), vllm)


def verdict(path, machine):
    return judge(describe(path), machine).verdict


@pytest.mark.parametrize(
    ("raw", "machine", "kind", "words"),
    [
        (AWQ, AVX512, RUNS, ""),
        (AWQ, AVX2, UNPACKED, "This CPU has no 4-bit kernels: weights are unpacked at load"),
        (GPTQ, AVX2, UNPACKED, "4-bit"),
        (FP8, AVX2, UNPACKED, "This CPU has no FP8 kernels"),
        (FP8, AVX512, UNPACKED, "This CPU has no FP8 kernels"),
        (FP8, AMX, RUNS, ""),
        (INT8, AVX2, RUNS, ""),
        (W8A16, AVX512, REFUSED, "no CPU kernel for 8-bit weights"),
        (NVFP4, AVX512, REFUSED, "no CPU kernel for NVFP4"),
        ({**GPTQ, "bits": 8}, AVX512, REFUSED, "no CPU kernel for GPTQ at 8 bit"),
        ({**GPTQ, "bits": 3}, AVX512, REFUSED, "3 bit"),
        ({**GPTQ, "sym": False}, gpu(9, 0), REFUSED, "asymmetric"),
        ({**GPTQ, "desc_act": True}, AVX512, REFUSED, "activation order"),
        ({**GPTQ, "desc_act": True, "group_size": -1}, AVX512, RUNS, ""),
        ({**GPTQ, "group_size": 96}, AVX512, REFUSED, "groups of 32, 64, 128 or whole channels"),
        ({**AWQ, "group_size": 96}, AVX512, RUNS, ""),
        ({**AWQ, "group_size": 96}, gpu(8, 6), REFUSED, "groups of 96"),
        ({**AWQ, "bits": 8}, gpu(8, 6), REFUSED, "AWQ at 4 bit only"),
        ({"quant_method": "hqq"}, AVX512, REFUSED, "no support for HQQ (hqq)"),
        (AWQ, gpu(7, 0, "V100"), REFUSED, "AWQ needs compute capability 7.5; the V100 has 7.0"),
        (AWQ, gpu(7, 5), RUNS, "float16"),
        (FP8, gpu(8, 6, "RTX 3090"), RUNS, "The RTX 3090 does not compute in FP8: it saves memory, not time."),
        (FP8, gpu(9, 0), RUNS, ""),
        (NVFP4, gpu(9, 0, "H200"), RUNS, "does not compute in NVFP4"),
        (NVFP4, gpu(10, 0), RUNS, ""),
    ],
)
def test_methods(checkpoint, raw, machine, kind, words):
    found = verdict(checkpoint(config={"quantization_config": raw}), machine)
    assert found.kind is kind
    assert words in found.reason
    assert bool(words) == bool(found.reason)


def test_older_releases_take_activation_order(checkpoint):
    old = gpu(8, 6, vllm=replace(VLLM, version="0.26.0", device="cuda"))
    path = checkpoint(config={"quantization_config": {**GPTQ, "desc_act": True}})
    assert verdict(path, old).kind is RUNS
    assert verdict(path, gpu(8, 6)).kind is REFUSED


def test_what_vllm_answers_wins_over_the_processors_flags(checkpoint):
    path = checkpoint(config={"quantization_config": AWQ})
    assert verdict(path, replace(AVX512, vllm=replace(VLLM, cpu_operations=frozenset()))).kind is UNPACKED
    assert verdict(path, replace(AVX2, vllm=VLLM)).kind is RUNS


def test_architectures(checkpoint):
    unknown = checkpoint("u", {"architectures": ["MysteryForCausalLM"], "model_type": "mystery"})
    assert verdict(unknown, AVX512).reason == "vLLM 0.32.0 does not know the architecture MysteryForCausalLM."
    assert verdict(unknown, AVX2).kind is RUNS, "nothing is refused before vLLM was asked"
    foreign = verdict(checkpoint("f", {"architectures": ["OlmoForCausalLM"]}), AVX512)
    assert (foreign.kind, "through transformers" in foreign.reason) == (RUNS, True)


def test_own_code_is_needed_only_where_transformers_lacks_the_model(checkpoint):
    code = {"auto_map": {"AutoModelForCausalLM": "modeling.X"}}
    known = describe(checkpoint("k", code))
    assert judge(known, AVX2).needs_remote_code
    assert not judge(known, AVX512).needs_remote_code
    own = describe(checkpoint("o", {**code, "architectures": ["XForCausalLM"], "model_type": "x"}))
    assert judge(own, AVX512).needs_remote_code
    assert "own code" in judge(own, AVX512).verdict.reason


def test_sizes(checkpoint):
    path = checkpoint()
    assert "need 0.0 GiB" in verdict(path, gpu(9, 0, total=1000)).reason
    assert verdict(path, replace(AVX512, memory_bytes=1000)).kind is REFUSED
    two = Machine("cuda", (GpuTraits("A", (9, 0), 30_000), GpuTraits("A", (9, 0), 30_000)), 1 << 30)
    assert verdict(path, two).kind is RUNS, "two GPUs together hold it"
    awq = checkpoint("awq", {"quantization_config": AWQ})
    assert verdict(awq, replace(AVX2, memory_bytes=60_000)).kind is REFUSED, "unpacked it is four times as large"


def test_an_old_gpu_beside_a_new_one_refuses_nothing_that_the_new_one_runs(checkpoint):
    old, new = GpuTraits("GT 1030", (6, 1), 2 << 30, "GPU-old"), GpuTraits("RTX 4090", (8, 9), 24 << 30, "GPU-new")
    both = Machine("cuda", (old, new), 64 << 30)
    awq = checkpoint("awq", {"quantization_config": AWQ})
    assert verdict(awq, both).kind is RUNS, "the new one may be chosen"
    assert verdict(checkpoint(), both).reason == ""
    assert "the GT 1030 has 6.1" in verdict(awq, replace(both, used=("GPU-old",))).reason
    assert "the GT 1030 has 6.1" in verdict(awq, replace(both, used=("GPU-new", "GPU-old"))).reason
    assert verdict(awq, replace(both, used=("GPU-new",))).kind is RUNS
    assert verdict(awq, replace(both, gpus=(old, old))).kind is REFUSED


def test_bfloat16_where_the_hardware_has_none(checkpoint):
    assert "float16" in verdict(checkpoint(), gpu(7, 5, "T4")).reason
    assert "float32" in verdict(checkpoint(), AVX2).reason
    assert verdict(checkpoint(), AVX512).reason == ""


def test_what_is_broken_is_refused_for_that(checkpoint):
    path = checkpoint()
    (path / "model.safetensors").unlink()
    found = judge(describe(path), AVX512)
    assert found.verdict.kind is REFUSED
    assert found.verdict.reason == found.problem


def test_this_machine_can_be_read():
    machine = read_machine(None, VLLM)
    assert machine.device == "cpu"
    assert machine.memory_bytes
    assert machine.cpu_flags
