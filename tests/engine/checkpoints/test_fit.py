"""What fits, against numbers worked out by hand and reported by vLLM."""

import dataclasses
from dataclasses import replace

import pytest

from engine.checkpoints.describe import describe
from engine.checkpoints.fit import compute_dtype, fit_cache, fit_cpu, fit_gpu, loaded_weights_bytes, request_bytes
from engine.checkpoints.installed_vllm import VllmFacts
from engine.checkpoints.machine import GpuTraits, Machine
from engine.checkpoints.step_widths import step_widths
from engine.checkpoints.verdict import judge
from engine.domain.checkpoint import AttentionShape, Quantization, StepWidths, VerdictKind
from engine.parameters.values import merge

GIB = 1 << 30
SMOL = {
    "hidden_size": 576,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "max_position_embeddings": 8192,
}
H200 = Machine("cuda", (GpuTraits("H200", (9, 0), 139 * GIB),))
VLLM_026 = VllmFacts("0.26.0", "cuda", frozenset(), {}, frozenset(), frozenset(), (), None, None)
AVX2 = Machine("cpu", (), 24 * GIB, frozenset({"avx2"}))


@pytest.fixture
def smol(checkpoint, cpu):
    return judge(describe(checkpoint(config=SMOL)), cpu)


def test_the_starter_model_as_vllm_reports_it(smol, cpu):
    # vLLM 0.32 on the CPU, 1 GiB: 364 blocks of 128 tokens (46,592 tokens), 23,040 bytes a token
    fit = fit_cache(smol, merge({}, device="cpu"), cpu, GIB)
    assert (fit.bytes_per_token, fit.block_size, fit.num_blocks, fit.tokens) == (23_040, 128, 364, 46_592)
    assert fit.full_requests == 363 / 64
    assert fit.longest == 8192


def test_float32_doubles_and_fp8_halves_the_cache(smol, cpu):
    assert fit_cache(smol, merge({"dtype": "float32"}), cpu, GIB).bytes_per_token == 46_080
    assert fit_cache(smol, merge({"kv_cache_dtype": "fp8"}), cpu, GIB).bytes_per_token == 11_520
    assert fit_cache(smol, merge({}), AVX2, GIB).bytes_per_token == 46_080, "the CPU without bfloat16 takes float32"


def test_too_small_a_cache_says_what_fits(smol, cpu):
    fit = fit_cache(smol, merge({}, device="cpu"), cpu, 10 * 23_040 * 128)
    assert fit.full_requests < 1
    assert fit.longest == 9 * 128, "one of ten blocks is the null block"
    assert fit_cache(smol, merge({}, device="cpu"), cpu, 0).longest == 0


def test_latent_attention(cpu):
    shape = AttentionShape("MLA", 61, 128, 1, 576, kv_elements_per_layer=576)
    assert request_bytes(shape, 128, 2.0, 64, 2048) == 61 * 576 * 2 * 128


def test_sliding_layers_stop_at_the_window():
    shape = AttentionShape("GQA", 4, 8, 2, 64, 1024, None, 2)
    block = 16 * 2 * 2 * 64 * 2
    short, long = request_bytes(shape, 512, 2.0, 16, 256), request_bytes(shape, 65_536, 2.0, 16, 256)
    assert short == 4 * 32 * block
    assert long == 2 * 4096 * block + 2 * (80 + 1) * block


def test_recurrent_layers_cost_a_fixed_state():
    shape = AttentionShape("hybrid", 32, 32, 8, 128, None, 8, 0, None, 1000)
    assert request_bytes(shape, 16, 2.0, 16, 256) == 8 * 2 * 8 * 128 * 2 * 16 + 1000
    mamba = AttentionShape("Mamba", 24, None, None, None, kv_layers=0, state_bytes=500)
    assert request_bytes(mamba, 9999, 2.0, 16, 256) == 500
    assert request_bytes(AttentionShape("unknown", None, None, None, None), 16, 2.0, 16, 1) is None


def test_weights_as_loaded(smol, cpu):
    assert loaded_weights_bytes(smol, merge({}), cpu) == smol.weights_bytes
    assert loaded_weights_bytes(smol, merge({}), AVX2) == 2 * smol.weights_bytes
    unpacked = dataclasses.replace(smol, verdict=dataclasses.replace(smol.verdict, kind=VerdictKind.RUNS_UNPACKED))
    assert loaded_weights_bytes(unpacked, merge({}), AVX2) == smol.parameters * 4


def test_four_bits_are_computed_in_what_their_kernel_knows(smol):
    """Without AVX-512 they are unpacked, into float32; with it there is a kernel, which knows no float32."""
    older = Machine("cpu", (), 24 * GIB, frozenset({"avx2", "avx512f"}))
    awq = replace(smol, quantization=Quantization("awq", "AWQ", 4))
    assert [compute_dtype(smol, {}, machine) for machine in (AVX2, older)] == ["float32", "float32"]
    assert [compute_dtype(awq, {}, machine) for machine in (AVX2, older)] == ["float32", "bfloat16"]
    assert compute_dtype(awq, {"dtype": "half"}, AVX2) == "half"


def test_the_bar_of_a_gpu(smol):
    values = merge({}, device="cuda")
    fit = fit_gpu(smol, values, H200, total_bytes=139 * GIB, others_bytes=0)
    assert fit.fits
    assert fit.budget_bytes == int(139 * GIB * 0.92)
    assert fit.weights_bytes + fit.overhead_bytes + fit.cache.cache_bytes == fit.budget_bytes
    crowded = fit_gpu(smol, values, H200, total_bytes=139 * GIB, others_bytes=139 * GIB)
    assert crowded.fits is False
    assert crowded.needed_utilization is None
    assert 0 < fit.needed_utilization < 0.1
    fixed = fit_gpu(smol, {**values, "kv_cache_memory_bytes": GIB}, H200, total_bytes=139 * GIB, others_bytes=0)
    assert fixed.cache.cache_bytes == GIB


def test_two_gpus_share_weights_and_cache(smol):
    one = fit_gpu(smol, merge({}), H200, total_bytes=80 * GIB, others_bytes=0)
    two = fit_gpu(smol, merge({"tensor_parallel_size": 2}), H200, total_bytes=80 * GIB, others_bytes=0)
    assert two.weights_bytes == one.weights_bytes // 2
    assert two.cache.tokens > 2 * one.cache.tokens * 0.99


def test_the_bar_of_the_main_memory(smol, cpu):
    values = merge({}, device="cpu")
    fit = fit_cpu(smol, values, cpu, available_bytes=20 * GIB)
    assert fit.cache.cache_bytes == 2 * GIB
    assert fit_cpu(smol, values, cpu, available_bytes=GIB).cache.cache_bytes < GIB
    unknown = dataclasses.replace(smol, weights_bytes=None, parameters=None)
    assert fit_cpu(unknown, values, cpu, available_bytes=1) is None


@pytest.mark.parametrize(
    ("weights_gib", "tokens"),
    [(0.2506, 5_962_912), (0.1100, 5_970_976)],  # BF16 and AWQ, as vLLM 0.26 reported them on an H200
)
def test_an_h200_reported_what_is_predicted(smol, weights_gib, tokens):
    older = dataclasses.replace(H200, vllm=VLLM_026)
    model = dataclasses.replace(
        smol, weights_bytes=int(weights_gib * GIB), parameters=None, widths=StepWidths(576, 1536, 49_152)
    )
    fit = fit_gpu(model, merge({}, device="cuda"), older, total_bytes=int(139.8 * GIB), others_bytes=GIB // 2)
    assert fit.cache.tokens == pytest.approx(tokens, rel=0.003)
    measured = (0.19 + 0.22) * GIB  # peak activation and non-torch memory of the BF16 one
    assert fit.overhead_bytes == pytest.approx(measured, rel=0.15)


@pytest.mark.parametrize(
    ("config", "widths"),
    [
        ({"hidden_size": 64, "intermediate_size": 128, "vocab_size": 256}, StepWidths(64, 128, 256)),
        ({"n_embd": 64, "vocab_size": 256}, StepWidths(64, 256, 256)),
        (
            {"hidden_size": 64, "intermediate_size": 128, "vocab_size": 9, "num_experts_per_tok": 8,
             "moe_intermediate_size": 32}, StepWidths(64, 256, 9),
        ),
        ({"text_config": {"hidden_size": 8, "intermediate_size": 16, "vocab_size": 4}}, StepWidths(8, 16, 4)),
        ({"hidden_size": 64}, None),
    ],
)  # fmt: skip
def test_widths_of_a_step(config, widths):
    assert step_widths(config) == widths
