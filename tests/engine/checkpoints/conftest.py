"""Small real checkpoints, written with safetensors itself."""

from __future__ import annotations

import json
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import safetensors

from engine.checkpoints.machine import GpuTraits, Machine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BITS = {
    "bfloat16": 16,
    "float16": 16,
    "float32": 32,
    "float8_e4m3fn": 8,
    "int8": 8,
    "uint8": 8,
    "int32": 32,
    "int64": 64,
}

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
    "vocab_size": 256,
    "torch_dtype": "bfloat16",
    "tie_word_embeddings": True,
}
DENSE = {
    "model.embed_tokens.weight": ("bfloat16", [256, 64]),
    "model.layers.0.mlp.up_proj.weight": ("bfloat16", [128, 64]),
}

Tensors = dict[str, tuple[str, list[int]]]


def write_tensors(path: Path, tensors: Tensors) -> None:
    """A safetensors file of zeros."""
    buffers = {name: np.zeros(prod(shape) * BITS[dtype] // 8, np.uint8) for name, (dtype, shape) in tensors.items()}
    entries = {
        name: safetensors.TensorSpec(
            dtype=dtype, shape=shape, data_ptr=buffers[name].ctypes.data, data_len=buffers[name].nbytes
        )
        for name, (dtype, shape) in tensors.items()
    }
    safetensors.serialize_file(entries, str(path), {"format": "pt"})


def write_checkpoint(
    folder: Path, config: dict[str, Any] | None = None, tensors: Tensors | None = None, **files: object
) -> Path:
    """A checkpoint of the given configuration (over LLAMA) and tensors; `files` are more JSON files by stem."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({**LLAMA, **(config or {})}))
    write_tensors(folder / "model.safetensors", DENSE if tensors is None else tensors)
    for stem, value in files.items():
        (folder / f"{stem}.json").write_text(json.dumps(value))
    return folder


@pytest.fixture
def checkpoint(tmp_path: Path) -> Callable[..., Path]:
    """Writes a checkpoint under the test's folder and returns its path."""

    def make(
        name: str = "Tiny-1B", config: dict[str, Any] | None = None, tensors: Tensors | None = None, **files: object
    ):
        return write_checkpoint(tmp_path / name, config, tensors, **files)

    return make


@pytest.fixture
def cpu() -> Machine:
    """A CPU with every kernel, and nothing asked of vLLM."""
    return Machine("cpu", (), 24 << 30, frozenset({"avx2", "avx512f", "avx512_bf16"}))


@pytest.fixture
def ampere() -> Machine:
    """One 24 GiB GPU of compute capability 8.6."""
    return Machine("cuda", (GpuTraits("RTX 3090", (8, 6), 24 << 30),), 64 << 30, frozenset({"avx2"}))
