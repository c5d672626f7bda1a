"""Merging, deviations, and the rules between parameters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import ParameterInvalid
from engine.parameters.arguments import engine_arguments
from engine.parameters.catalog import CATALOG, defaults, rows_for
from engine.parameters.rules import Surroundings, find_problems
from engine.parameters.values import deviations, merge, require_valid


def problems(values, **around):
    surroundings = Surroundings(**around)
    return find_problems(merge(values, device=surroundings.device), surroundings)


def test_later_layers_win():
    merged = merge({"max_num_seqs": 8, "seed": 1}, {"max_num_seqs": 4})
    assert (merged["max_num_seqs"], merged["seed"], merged["block_size"]) == (4, 1, None)


def test_rows_of_another_device_are_left_out():
    assert "cpu_kvcache_space_gib" not in merge({"cpu_kvcache_space_gib": 4.0}, device="cuda")
    assert "enable_sleep_mode" not in merge({}, device="cpu")
    assert {row.name for row in rows_for("")} == set(CATALOG)


def test_unknown_names_and_bad_values_say_what_to_do():
    with pytest.raises(ParameterInvalid, match="no parameter named 'swap_space'"):
        merge({"swap_space": 4})
    with pytest.raises(ParameterInvalid, match="from 1 to 8192"):
        merge({"max_num_seqs": 0})
    with pytest.raises(ParameterInvalid, match="on or off"):
        merge({"enable_prefix_caching": 1})
    with pytest.raises(ParameterInvalid):
        merge({"gpu_memory_utilization": float("nan")})
    for number in ("nan", "inf", "-inf"):
        with pytest.raises(ParameterInvalid, match="a whole number"):
            merge({"max_num_seqs": float(number)})


def test_only_deviations_are_kept():
    assert deviations(defaults()) == {}
    assert deviations({"seed": 0, "max_num_seqs": 8, "dtype": "auto"}) == {"max_num_seqs": 8}


@pytest.mark.parametrize(
    ("values", "around", "name", "words"),
    [
        ({"max_num_batched_tokens": 8, "max_num_seqs": 16}, {}, "max_num_batched_tokens", "under max_num_seqs"),
        (
            {"max_num_batched_tokens": 1024, "enable_chunked_prefill": False},
            {"max_context": 8192},
            "max_num_batched_tokens",
            "8,192 tokens",
        ),
        ({"max_model_len": 9000}, {"max_context": 8192}, "max_model_len", "8,192"),
        ({"long_prefill_token_threshold": 900, "max_model_len": 512}, {}, "long_prefill_token_threshold", "512"),
        ({"block_size": 48}, {"device": "cpu"}, "block_size", "multiple of 32"),
        ({"block_size": 24}, {"device": "cuda"}, "block_size", "multiple of 16"),
        ({"tensor_parallel_size": 4}, {"device": "cuda", "gpu_count": 2}, "tensor_parallel_size", "4 GPUs"),
        ({"tensor_parallel_size": 2}, {"num_heads": 9}, "tensor_parallel_size", "9 attention heads"),
        (
            {"cpu_kvcache_space_gib": 64.0},
            {"device": "cpu", "memory_bytes": 8 << 30},
            "cpu_kvcache_space_gib",
            "8.0 GiB",
        ),
        ({"speculative_config": "{"}, {}, "speculative_config", "not valid JSON"),
        ({"speculative_config": "[1]"}, {}, "speculative_config", "JSON object"),
        ({"speculative_config": "{}"}, {}, "speculative_config", "neither a method"),
        (
            {"speculative_config": '{"method": "ngram", "num_speculative_tokens": 2}', "async_scheduling": True},
            {"device": "cuda"},
            "async_scheduling",
            "exclude each other",
        ),
        ({"kv_cache_dtype": "fp8_e5m2"}, {"quantization": "fp8"}, "kv_cache_dtype", "fp8_e5m2"),
        ({"quantization": "fp8"}, {"quantization": "awq"}, "quantization", "quantized with AWQ"),
        ({"speculative_config": '{"method": "ngram"}'}, {}, "speculative_config", "how many tokens"),
        (
            {"speculative_config": '{"method": "eagle3", "num_speculative_tokens": 2}'},
            {},
            "speculative_config",
            "needs a draft checkpoint",
        ),
        (
            {"speculative_config": '{"method": "ngram", "num_speculative_tokens": 2, "prompt_lookup_min": 5, '
                '"prompt_lookup_max": 3}'},
            {}, "speculative_config", "is over prompt_lookup_max",
        ),
        ({"kv_cache_dtype": "fp8"}, {"device": "cpu", "fp8_cache": False}, "kv_cache_dtype", "AVX-512 or AMX"),
        ({"kv_cache_dtype": "fp8_e4m3"}, {"device": "cpu", "head_dim": 80}, "kv_cache_dtype", "model's have 80"),
        (
            {"tensor_parallel_size": 4},
            {"device": "cuda", "gpu_count": 3, "num_heads": 8},
            "tensor_parallel_size",
            "there are 3",
        ),
        ({"enable_lora": True, "max_lora_rank": 12}, {}, "max_lora_rank", "no max_lora_rank of 12"),
        ({"enable_lora": True, "max_loras": 4, "max_cpu_loras": 2}, {}, "max_cpu_loras", "under max_loras"),
        ({"gpu_uuids": "GPU-9"}, {"device": "cuda", "gpu_uuids": ("GPU-1",)}, "gpu_uuids", "no GPU GPU-9"),
        ({"gpu_uuids": "GPU-1,GPU-1", "tensor_parallel_size": 2}, {"device": "cuda"}, "gpu_uuids", "twice"),
        ({"gpu_uuids": "GPU-1", "tensor_parallel_size": 2}, {"device": "cuda"}, "gpu_uuids", "1 GPU is chosen"),
    ],
)
def test_contradictions_block_a_load(values, around, name, words):
    found = [problem for problem in problems(values, **around) if problem.blocking]
    assert len(found) == 1
    assert found[0].names[0] == name
    assert words in found[0].message
    assert found[0].remedy
    with pytest.raises(ParameterInvalid) as caught:
        require_valid(values, Surroundings(**around))
    assert caught.value.offers, "a click mends it"
    for label, changes in caught.value.offers:
        assert label
        require_valid({**values, **changes}, Surroundings(**around))


@pytest.mark.parametrize(
    ("values", "around"),
    [
        ({"quantization": "awq"}, {"device": "cuda", "quantization": "awq"}),
        ({"load_format": "dummy"}, {}),
        ({"kv_offloading_backend": "lmcache"}, {"device": "cuda"}),
        ({"kv_cache_memory_bytes": 1 << 30, "cpu_kvcache_space_gib": 4.0}, {"device": "cpu"}),
    ],
)
def test_advice_does_not_block(values, around):
    found = problems(values, **around)
    assert [problem.blocking for problem in found] == [False]
    require_valid(values, Surroundings(**around))


def test_defaults_are_free_of_problems_everywhere():
    for device in ("", "cpu", "cuda"):
        assert problems({}, device=device, gpu_count=0) == ()  # NVML does not answer, or the engine is elsewhere
        assert problems({}, device=device, gpu_count=1, max_context=8192, num_heads=9, memory_bytes=8 << 30) == ()


def test_ray_may_ask_for_more_gpus_than_are_here():
    around = {"device": "cuda", "gpu_count": 1}
    assert not problems({"tensor_parallel_size": 4, "distributed_executor_backend": "ray"}, **around)


def test_the_cache_of_a_cpu_engine_becomes_vllms_argument():
    assert engine_arguments({}, "cpu") == {"kv_cache_memory_bytes": 2 << 30}
    assert engine_arguments({"cpu_kvcache_space_gib": 0.5}, "cpu") == {"kv_cache_memory_bytes": 1 << 29}
    assert engine_arguments({"kv_cache_memory_bytes": 1 << 28}, "cpu") == {"kv_cache_memory_bytes": 1 << 28}
    assert engine_arguments({"cpu_kvcache_space_gib": 0.5}, "cuda") == {}


def test_speculation_becomes_an_object():
    arguments = engine_arguments({"speculative_config": '{"method": "ngram"}'}, "cuda")
    assert arguments == {"speculative_config": {"method": "ngram"}}
    with pytest.raises(ParameterInvalid, match="JSON object"):
        engine_arguments({"speculative_config": "ngram"}, "cuda")


def value_for(row):
    kinds = {
        "int": st.integers(int(row.minimum or 0), int(min(row.maximum or 0, 1 << 40))),
        "float": st.floats(row.minimum or 0, row.maximum or 1, allow_nan=False),
        "bool": st.booleans(),
        "choice": st.sampled_from(row.choices or ("x",)),
        "text": st.text(max_size=40),
    }
    return kinds[row.kind.value] | (st.none() if row.optional else st.nothing())


any_values = st.fixed_dictionaries({}, optional={name: value_for(row) for name, row in CATALOG.items()})


@settings(deadline=None)
@given(any_values, st.sampled_from(["", "cpu", "cuda"]))
def test_any_set_of_good_values_is_judged_without_a_crash(values, device):
    around = Surroundings(device, 2, 8192, 9, 8 << 30, "fp8")
    for problem in find_problems(merge(values, device=device), around):
        assert problem.message
        assert problem.remedy
        assert all(name in CATALOG for name in problem.names)


@settings(deadline=None)
@given(any_values)
def test_deviations_merged_again_give_the_same_values(values):
    assert merge(deviations(values)) == merge(values)
