"""How many tokens a model was made for, by the rules that vLLM itself checks max_model_len with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.checkpoints.config_file import text_part, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LENGTH_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)
# Scalings whose factor is already in max_position_embeddings, or that are no longer than it.
_ALREADY_SCALED = ("su", "longrope", "llama3", "yarn", "deepseek_yarn", "deepseek_llama_scaling", "mrope", "default")
# transformers writes 10**30 where a tokenizer knows no limit.
_NO_LIMIT = 1 << 40


def max_context(config: Mapping[str, Any], tokenizer_config: Mapping[str, Any]) -> int | None:
    """The longest request in tokens, with rope scaling; None where the configuration names no length."""
    text = text_part(config)
    lengths = [length for key in _LENGTH_KEYS if (length := whole(text, key)) is not None]
    limit = whole(tokenizer_config, "model_max_length")
    if limit is not None and limit < _NO_LIMIT:
        lengths.append(limit)
    if not lengths:
        return None
    factor = 1.0
    if "gemma3" not in str(config.get("model_type", "")):  # Gemma 3 states the scaled length
        for rope in rope_parameters(text):
            kind = rope.get("rope_type", rope.get("type", "default"))
            value = rope.get("factor")
            if kind not in _ALREADY_SCALED and isinstance(value, int | float) and 0 < value < 1e6:
                factor = float(value)
    return int(min(lengths) * factor)


def rope_parameters(text: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Each set of rope parameters: one for all layers, or one per kind of layer; old key or new."""
    for key in ("rope_parameters", "rope_scaling"):
        found = text.get(key)
        if not isinstance(found, dict):
            continue
        nested = [value for value in found.values() if isinstance(value, dict)]
        if nested and "rope_type" not in found and "type" not in found:
            yield from nested
        else:
            yield found
        return
