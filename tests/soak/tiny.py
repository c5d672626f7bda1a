"""The smallest model that is still a model: one layer of random weights, with a real tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.shapes import LLAMA_8B, write_config
from engine.domain.paths import cache_dir

if TYPE_CHECKING:
    from pathlib import Path

_SHAPE = {
    **LLAMA_8B,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "num_key_value_heads": 1,
    "head_dim": 64,
    "vocab_size": 49152,
    "tie_word_embeddings": True,
}


def write_tiny(folder: Path, tokenizer: Path | None = None) -> Path:
    """Write it (for load_format=dummy) and return its folder. The tokenizer is the starter model's unless given."""
    source = tokenizer or cache_dir() / "starter" / "SmolLM2-135M-Instruct"
    write_config(folder, _SHAPE, source)
    if not (folder / "tokenizer.json").exists():
        raise SystemExit(f"{source} has no tokenizer: build the starter model, or name a checkpoint with --tokenizer")
    return folder
