"""Our reading of configurations against vLLM's own, and the questions that we ask the installed one."""

import shutil

import pytest

from engine.checkpoints.describe import describe
from engine.checkpoints.installed_vllm import InstalledVllm, installed_version
from engine.domain.errors import EngineMissing

from .conftest import write_checkpoint

pytestmark = [pytest.mark.slow, pytest.mark.timeout(290)]

GQA = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2}
CONFIGS = {
    "llama": {},
    "wide-heads": {"head_dim": 32},
    "linear-rope": {"rope_scaling": {"rope_type": "linear", "factor": 4.0}},
    "llama3-rope": {
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 512,
        }
    },
    "dynamic-rope": {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}},
    "yarn-rope": {
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512},
    },
    "mistral-window": {"architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": 512},
    "qwen2": {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "use_sliding_window": False},
    "awq": {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True}},
    "gptq": {
        "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False, "sym": True}
    },
    "fp8": {"quantization_config": {"quant_method": "fp8", "activation_scheme": "dynamic"}},
    "compressed-tensors": {
        "quantization_config": {
            "quant_method": "compressed-tensors",
            "format": "int-quantized",
            "config_groups": {
                "group_0": {
                    "targets": ["Linear"],
                    "weights": {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": True},
                    "input_activations": {"num_bits": 8, "type": "int", "strategy": "token", "dynamic": True},
                }
            },
        }
    },
    "deepseek": {
        "architectures": ["DeepseekV2ForCausalLM"],
        "model_type": "deepseek_v2",
        "kv_lora_rank": 16,
        "q_lora_rank": None,
        "qk_rope_head_dim": 8,
        "qk_nope_head_dim": 16,
        "v_head_dim": 16,
        "first_k_dense_replace": 99,
    },
    "unknown": {"architectures": ["MysteryForCausalLM"], "model_type": "mystery"},
    "no-method": {"quantization_config": {"quant_method": "hqq", "weight_bits": 4}},
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory, vllm_child):
    root = tmp_path_factory.mktemp("contract")
    paths = {name: write_checkpoint(root / name, config) for name, config in CONFIGS.items()}
    answers = vllm_child.ask("tests.engine.checkpoints.ask_vllm:configurations", [str(path) for path in paths.values()])
    return {
        name: (describe(path).checkpoint, answer) for (name, path), answer in zip(paths.items(), answers, strict=True)
    }


def test_we_read_what_vllm_reads(asked):
    for name, (checkpoint, answer) in asked.items():
        if name in ("unknown", "no-method"):
            continue
        assert "error" not in answer, (name, answer)
        shape = checkpoint.attention
        assert checkpoint.max_context == answer["max_model_len"], name
        assert shape.head_dim == answer["head_size"], name
        if not answer["mla"]:
            assert shape.num_kv_heads == answer["kv_heads"], name
        assert (shape.kind == "MLA") == answer["mla"], name
        assert shape.sliding_window == answer["sliding_window"], name
        same = {None: None, "auto_awq": "awq", "awq_marlin": "awq", "auto_gptq": "gptq", "gptq_marlin": "gptq"}
        method = answer["quantization"]
        assert same.get(method, method) == checkpoint.quantization.method, name


def test_vllm_refuses_what_we_refuse(asked):
    assert "error" in asked["unknown"][1]
    assert "error" in asked["no-method"][1]


def test_the_installed_vllm_answers_and_is_asked_once(tmp_path, facts_folder):
    assert InstalledVllm(tmp_path / "nothing").known() is None
    cache = shutil.copytree(facts_folder, tmp_path / "cache")
    vllm = InstalledVllm(cache)
    facts = vllm.known()
    assert facts.version == installed_version()[1].split("+")[0]
    assert facts.device in ("cpu", "cuda")
    assert "LlamaForCausalLM" in facts.architectures
    assert {"awq", "gptq", "fp8", "compressed-tensors"} <= set(facts.methods)
    assert "llama" in facts.model_types
    assert -1 in facts.marlin_group_sizes
    assert facts.cpu_operations is not None
    kept = cache / "vllm-facts.json"
    kept.write_text(kept.read_text().replace(facts.version, "0.1.0", 1))
    assert vllm.known() is None, "another release is asked anew"


def test_a_python_without_vllm_says_so(tmp_path):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 'ImportError: libcuda.so.1' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(EngineMissing, match=r"libcuda\.so\.1"):
        InstalledVllm(tmp_path, str(program)).refresh()
    with pytest.raises(EngineMissing, match="cannot be started"):
        InstalledVllm(tmp_path, str(tmp_path / "absent")).refresh()
