"""Whatever is on disk, a scan neither crashes nor hangs."""

import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.checkpoints.describe import describe
from engine.checkpoints.family import families, family_name
from engine.checkpoints.fit import fit_cpu
from engine.checkpoints.machine import GpuTraits, Machine
from engine.checkpoints.places import Place
from engine.checkpoints.scan import LibraryScanner
from engine.checkpoints.verdict import judge
from engine.parameters.values import merge

from .conftest import LLAMA

MACHINES = (
    Machine("cpu", (), 8 << 30, frozenset({"avx2"})),
    Machine("cuda", (GpuTraits("T4", (7, 5), 16 << 30), GpuTraits("?", None, None)), 8 << 30),
    Machine(""),
)
KEYS = [
    *LLAMA, "quantization_config", "text_config", "rope_scaling", "rope_parameters", "sliding_window", "layer_types",
    "auto_map", "kv_lora_rank", "head_dim", "attn_layer_period", "attn_layer_indices", "hybrid_override_pattern",
    "compression_config", "block_types", "max_window_layers", "mamba_d_state", "mamba_d_conv",
    "full_attention_interval",
]  # fmt: skip
INNER = [
    "quant_method", "bits", "group_size", "config_groups", "g", "weights", "num_bits", "type", "format", "factor",
    "rope_type", "quantization", "quant_algo", "producer", "load_in_4bit", "weight_block_size", "kv_cache_scheme",
]  # fmt: skip
WORDS = st.sampled_from(
    [
        "awq",
        "gptq",
        "fp8",
        "compressed-tensors",
        "modelopt",
        "mxfp4",
        "bitsandbytes",
        "linear",
        "llama",
        "mamba",
        "float",
    ]
)
LEAVES = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8) | WORDS
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS + INNER), inner, max_size=6),
    max_leaves=20,
)
CONFIGS = st.dictionaries(st.sampled_from(KEYS), TREES, max_size=12).map(lambda found: {**LLAMA, **found})
DTYPES = st.sampled_from(["BF16", "I32", "U8", "F8_E4M3", "F4", "XX", ""])
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "dtype": DTYPES | LEAVES,
        "shape": st.lists(st.integers(-2, 2**40), max_size=4) | LEAVES,
        "data_offsets": st.lists(st.integers(-1, 2**64), max_size=3) | LEAVES,
    },
)
HEADERS = st.dictionaries(
    st.sampled_from(["a.weight", "b.qweight", "c.scales", "__metadata__", ""]), ENTRIES | LEAVES, max_size=4
)


def safetensors_bytes(header):
    raw = json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + bytes(16)


WEIGHTS = st.binary(max_size=64) | HEADERS.map(safetensors_bytes)
NAMES = st.sampled_from(
    ["config.json", "model.safetensors", "model-00001-of-00002.safetensors", "model.safetensors.index.json",
     "tokenizer_config.json", "quantize_config.json", "hf_quant_config.json", "README.md", "a.gguf", "params.json",
     "adapter_config.json", "pytorch_model.bin", "chat_template.json"]
)  # fmt: skip
GGUF = st.binary(max_size=80).map(lambda tail: b"GGUF" + (3).to_bytes(4, "little") + tail)
CONTENTS = (
    WEIGHTS | TREES.map(lambda tree: json.dumps(tree).encode()) | GGUF | CONFIGS.map(lambda c: json.dumps(c).encode())
)
FOLDERS = st.dictionaries(NAMES, CONTENTS, max_size=6)


def examine(folder):
    description = describe(folder)
    for machine in MACHINES:
        checkpoint = judge(description, machine)
        assert isinstance(checkpoint.verdict.reason, str)
        fit_cpu(checkpoint, merge({}), machine, available_bytes=4 << 30)
        assert families([checkpoint])
    return description


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CONFIGS, WEIGHTS)
def test_any_configuration_and_any_weights(config, weights):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "model.safetensors").write_bytes(weights)
        examine(folder)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FOLDERS, max_size=3))
def test_any_folders_are_scanned_twice_with_the_same_result(contents):
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for number, files in enumerate(contents):
            folder = root / "models" / f"m{number}"
            folder.mkdir(parents=True)
            for file, raw in files.items():
                (folder / file).write_bytes(raw)
            examine(folder)
        place = [Place(root / "models", "folder")]
        first = LibraryScanner(root / "cache.json").scan(place, MACHINES[0])
        second = LibraryScanner(root / "cache.json").scan(place, MACHINES[0])
        assert first == second


@settings(deadline=None)
@given(st.text(min_size=1, max_size=60))
def test_any_name_has_a_family(name):
    assert family_name(name)
