"""A tiny model's folder, and real LoRA adapters for it: peft's layout, random low-rank pairs."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save_file

if TYPE_CHECKING:
    from pathlib import Path

HIDDEN, HEADS, KEYS, HEAD, LAYERS = 128, 4, 2, 32, 2
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json")


def write_tiny(folder: Path, tokenizer: Path) -> Path:
    """A Llama of two layers without weights (load_format dummy fills them), with this checkpoint's tokenizer."""
    folder.mkdir(parents=True)
    config = json.loads((tokenizer / "config.json").read_text())
    config |= {"hidden_size": HIDDEN, "intermediate_size": 256, "num_hidden_layers": LAYERS, "head_dim": HEAD}
    config |= {"num_attention_heads": HEADS, "num_key_value_heads": KEYS}
    (folder / "config.json").write_text(json.dumps(config))
    for name in TOKENIZER_FILES:
        if (tokenizer / name).exists():
            shutil.copyfile(tokenizer / name, folder / name)
    return folder


def write_adapter(folder: Path, *, rank: int = 8, hidden: int = HIDDEN, seed: int = 0, **config: object) -> Path:
    """An adapter of q_proj and v_proj whose effect on any answer is large."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(seed)
    tensors = {}
    for layer in range(LAYERS):
        for module, width in (("q_proj", HEADS * HEAD), ("v_proj", KEYS * HEAD)):
            name = f"base_model.model.model.layers.{layer}.self_attn.{module}"
            tensors[f"{name}.lora_A.weight"] = random.standard_normal((rank, hidden)).astype(np.float32)
            tensors[f"{name}.lora_B.weight"] = random.standard_normal((width, rank)).astype(np.float32)
    save_file(tensors, folder / "adapter_model.safetensors")
    values = {"peft_type": "LORA", "r": rank, "lora_alpha": 16, "target_modules": ["q_proj", "v_proj"]}
    values |= {"base_model_name_or_path": "tiny", "bias": "none", **config}
    (folder / "adapter_config.json").write_text(json.dumps(values))
    return folder
