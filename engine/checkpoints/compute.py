"""How a step uses the weights of a checkpoint, from its configuration and the names in its safetensors headers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from engine.checkpoints.attention import attention_shape
from engine.checkpoints.config_file import read_object, text_part, whole
from engine.checkpoints.quantization import describe_scheme, find_raw
from engine.checkpoints.weights import logical_parameters, read_entries
from engine.domain.errors import CheckpointInvalid
from engine.domain.roofline import ComputeShape, WeightPart

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from engine.checkpoints.safetensors_header import TensorEntry

_EMBEDDING = re.compile(r"(^|\.)(embed_tokens|word_embeddings|tok_embeddings|wte|embed_in|wpe|position_embeddings)\.")
_OUTPUT = re.compile(r"(^|\.)(lm_head|embed_out)\.|^output\.")
_EXPERT = re.compile(r"\.experts\.")
_OTHER_SENSES = re.compile(r"(^|\.)(vision_tower|vision_model|visual|multi_modal_projector|audio_tower|mtp)\.")
_PLAIN = ("BF16", "F16", "F32", "F64")
_EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
_PER_TOKEN = ("num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_k", "top_k_experts")


def read_compute(path: Path | str) -> ComputeShape | None:
    """The shape of a step's work with this checkpoint; None where the files do not tell (GGUF, pickles, none here).

    Blocking (some milliseconds): call it in a thread.
    """
    folder = Path(path)
    if not folder.is_dir():
        return None
    try:
        config = read_object(folder / "config.json")
        if config is None:
            return None
        entries = read_entries(folder, [file.name for file in folder.iterdir()])
    except (CheckpointInvalid, OSError):
        return None
    return _shape(config, entries, describe_scheme(find_raw(config, folder), None).pack_bits) if entries else None


def _shape(config: Mapping[str, Any], entries: tuple[TensorEntry, ...], pack_bits: int | None) -> ComputeShape | None:
    text = text_part(config)
    parts = _parts(entries, pack_bits)
    tied = config.get("tie_word_embeddings") is True or text.get("tie_word_embeddings") is True
    experts, per_token = whole(text, *_EXPERTS), whole(text, *_PER_TOKEN)
    if parts["experts"].parameters and not (experts and per_token):
        return None
    output = parts["output"]
    return ComputeShape(
        embedding=parts["embedding"],
        output=parts["embedding"] if tied or not output.parameters else output,
        experts=parts["experts"],
        rest=parts["rest"],
        attention=attention_shape(config),
        num_experts=experts if parts["experts"].parameters else None,
        experts_per_token=per_token if parts["experts"].parameters else None,
    )


def _parts(entries: tuple[TensorEntry, ...], pack_bits: int | None) -> dict[str, WeightPart]:
    counts = {name: [0, 0, 0] for name in ("embedding", "output", "experts", "rest")}
    for entry in entries:
        if _OTHER_SENSES.search(entry.name):
            continue
        count = counts[_use(entry.name)]
        parameters, packed = logical_parameters(entry, pack_bits)
        if entry.dtype in _PLAIN and parameters:
            count[0] += parameters
        else:  # also the scales of packed weights, whatever their dtype
            count[1] += parameters if packed or entry.dtype not in _PLAIN else 0
            count[2] += entry.num_bytes
    return {name: WeightPart(*count) for name, count in counts.items()}


def _use(name: str) -> str:
    if _EXPERT.search(name):
        return "experts"
    if _OUTPUT.search(name):
        return "output"
    return "embedding" if _EMBEDDING.search(name) else "rest"
