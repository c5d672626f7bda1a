"""A tiny model's folder, and real LoRA adapters for it: peft's layout, random low-rank pairs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save_file

from benchmarks.shapes import write_config

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

HIDDEN, WIDE, HEADS, KEYS, HEAD, LAYERS = 128, 256, 4, 2, 32, 2


def write_tiny(folder: Path, tokenizer: Path) -> Path:
    """A Llama of two layers with random weights, and this checkpoint's tokenizer.

    The weights are as large as trained ones: vLLM's own dummy weights make all tokens equally likely, whatever an
    adapter does.
    """
    config = json.loads((tokenizer / "config.json").read_text())
    config |= {"hidden_size": HIDDEN, "intermediate_size": WIDE, "num_hidden_layers": LAYERS, "head_dim": HEAD}
    config |= {"num_attention_heads": HEADS, "num_key_value_heads": KEYS, "tie_word_embeddings": True}
    write_config(folder, config, tokenizer)
    save_file(_weights(int(config["vocab_size"])), folder / "model.safetensors")
    return folder


def _weights(vocabulary: int) -> dict[str, NDArray[np.float16]]:
    random = np.random.default_rng(0)

    def matrix(rows: int, columns: int) -> NDArray[np.float16]:
        return (random.standard_normal((rows, columns), np.float32) / columns**0.5).astype(np.float16)

    ones = np.ones(HIDDEN, np.float16)
    query, key = HEADS * HEAD, KEYS * HEAD
    weights = {"model.embed_tokens.weight": matrix(vocabulary, HIDDEN), "model.norm.weight": ones}
    for layer in range(LAYERS):
        shapes = {"self_attn.q_proj": (query, HIDDEN), "self_attn.k_proj": (key, HIDDEN)}
        shapes |= {"self_attn.v_proj": (key, HIDDEN), "self_attn.o_proj": (HIDDEN, query)}
        shapes |= {"mlp.gate_proj": (WIDE, HIDDEN), "mlp.up_proj": (WIDE, HIDDEN), "mlp.down_proj": (HIDDEN, WIDE)}
        weights |= {f"model.layers.{layer}.{name}.weight": matrix(*shape) for name, shape in shapes.items()}
        weights |= {f"model.layers.{layer}.{name}_layernorm.weight": ones for name in ("input", "post_attention")}
    return weights


def write_adapter(folder: Path, *, rank: int = 8, hidden: int = HIDDEN, seed: int = 0, **config: object) -> Path:
    """An adapter of q_proj and v_proj whose effect on any answer is large."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(seed)
    tensors = {}
    for layer in range(LAYERS):
        for module, width in (("q_proj", HEADS * HEAD), ("v_proj", KEYS * HEAD)):
            name = f"base_model.model.model.layers.{layer}.self_attn.{module}"
            tensors[f"{name}.lora_A.weight"] = (random.standard_normal((rank, hidden)) / hidden**0.5).astype(np.float32)
            tensors[f"{name}.lora_B.weight"] = random.standard_normal((width, rank)).astype(np.float32)
    save_file(tensors, folder / "adapter_model.safetensors")
    values = {"peft_type": "LORA", "r": rank, "lora_alpha": 16, "target_modules": ["q_proj", "v_proj"]}
    values |= {"base_model_name_or_path": "tiny", "bias": "none", **config}
    (folder / "adapter_config.json").write_text(json.dumps(values))
    return folder
