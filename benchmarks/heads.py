"""Writes a small Llama and heads of the EAGLE kinds for it, with random weights that mean something.

The Llama's layers add little to a token's embedding, so the next token follows from the last one alone; a head that
looks at that embedding, and is blurred by `noise`, agrees with it now and then. All of it is a few megabytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save_file

from benchmarks.shapes import LLAMA_8B, write_config
from engine.parameters.speculation import EAGLE3

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

HIDDEN, HEADS, LAYERS = 256, 4, 8  # vLLM lets EAGLE-3 listen to layers 2, 4 and 5 of eight
_HEAD, _WIDE = HIDDEN // HEADS, 512
_SHAPE = {
    **LLAMA_8B, "hidden_size": HIDDEN, "intermediate_size": _WIDE, "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS, "head_dim": _HEAD, "max_position_embeddings": 2048, "vocab_size": 49152,
}  # fmt: skip
_SHARPNESS = 16.0  # with keys and queries so large, each position of a head looks at itself alone

if TYPE_CHECKING:
    Weights = dict[str, NDArray[np.float16]]


def write_target(folder: Path, tokenizer: Path) -> Path:
    """The Llama that is guessed for; `tokenizer` is any checkpoint's folder (up to 49,152 tokens)."""
    write_config(folder, {**_SHAPE, "num_hidden_layers": LAYERS}, tokenizer)
    random = np.random.default_rng(0)
    words = _matrix(random, int(_SHAPE["vocab_size"]), HIDDEN)  # type: ignore[call-overload]
    weights = {"model.embed_tokens.weight": words, "model.norm.weight": np.ones(HIDDEN, np.float16)}
    weights["lm_head.weight"] = words[random.permutation(len(words))]  # token n is followed by another one
    for layer in range(LAYERS):
        weights |= _layer(random, f"model.layers.{layer}.", HIDDEN, 0.01)
    save_file(weights, folder / "model.safetensors")
    return folder


def write_head(folder: Path, target: Path, method: str, noise: float = 0.3) -> Path:
    """A head of the method "eagle" or "eagle3" for the Llama in `target`; with more noise it agrees less often."""
    from safetensors import safe_open

    names = ["LlamaForCausalLMEagle3"] if method == EAGLE3 else ["EagleLlamaForCausalLM"]
    shape = {**_SHAPE, "architectures": names, "num_hidden_layers": 1}
    write_config(folder, shape, target)
    random = np.random.default_rng(1)
    with safe_open(target / "model.safetensors", "numpy") as source:
        output = source.get_tensor("lm_head.weight")
    weights = _eagle3(random, noise, output) if method == EAGLE3 else _eagle(random, noise)
    save_file(weights, folder / "model.safetensors")
    return folder


def _eagle(random: np.random.Generator, noise: float) -> Weights:
    """It joins the embedding of the last token and the model's hidden state before it: only the first half counts."""
    weights = _layer(random, "layers.0.", HIDDEN, 0.01)
    del weights["layers.0.input_layernorm.weight"]  # heads of this kind have none
    join = np.concatenate([np.eye(HIDDEN, dtype=np.float16), np.zeros((HIDDEN, HIDDEN), np.float16)], axis=1)
    weights["fc.weight"] = join + _matrix(random, HIDDEN, 2 * HIDDEN, noise)
    return weights


def _eagle3(random: np.random.Generator, noise: float, output: NDArray[np.float16]) -> Weights:
    """Its attention sees embedding and hidden state side by side, and carries the embedding on."""
    weights = _layer(random, "midlayer.", 2 * HIDDEN, noise)
    one = np.concatenate([np.eye(HIDDEN, dtype=np.float16), np.zeros((HIDDEN, HIDDEN), np.float16)], axis=1)
    for name, factor in (("q", _SHARPNESS), ("k", 1.0), ("v", 1.0)):
        weights[f"midlayer.self_attn.{name}_proj.weight"] = one * np.float16(factor)
    weights["midlayer.self_attn.o_proj.weight"] = np.eye(HIDDEN, dtype=np.float16) + _matrix(
        random, HIDDEN, HIDDEN, noise
    )
    weights["midlayer.hidden_norm.weight"] = weights["norm.weight"] = np.ones(HIDDEN, np.float16)
    weights["fc.weight"] = _matrix(random, HIDDEN, 3 * HIDDEN, 0.0)
    weights["lm_head.weight"] = output
    return weights


def _layer(random: np.random.Generator, lead: str, wide: int, strength: float) -> Weights:
    """A decoder layer that reads `wide` numbers; `strength` is how much it adds."""
    weights = {f"{lead}{name}_layernorm.weight": np.ones(HIDDEN, np.float16) for name in ("input", "post_attention")}
    weights |= {f"{lead}self_attn.{name}_proj.weight": _matrix(random, HIDDEN, wide) for name in ("q", "k", "v")}
    weights |= {f"{lead}mlp.{name}_proj.weight": _matrix(random, _WIDE, HIDDEN) for name in ("gate", "up")}
    weights[f"{lead}self_attn.o_proj.weight"] = _matrix(random, HIDDEN, HIDDEN, strength)
    weights[f"{lead}mlp.down_proj.weight"] = _matrix(random, HIDDEN, _WIDE, strength)
    return weights


def _matrix(random: np.random.Generator, rows: int, columns: int, strength: float = 1.0) -> NDArray[np.float16]:
    return (random.standard_normal((rows, columns), np.float32) * strength / columns**0.5).astype(np.float16)
