"""Variants of one base stand together: "the same model as AWQ, GPTQ, FP8, BF16" is one row with four choices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.domain.checkpoint import Checkpoint

# One trailing word of a name that says how the weights are stored, and nothing about the model.
_STORAGE = re.compile(
    r"""[-_.](?:
        awq|gptq|gptqmodel|fp8|fp16|fp32|fp4|bf16|f16|int[2348]|w\d{1,2}a\d{1,2}\w*|[2348]bits?|nf4|bnb|hqq|eetq|aqlm
      | nvfp4|mxfp[48]|mxfp4a16|gguf|ggml|exl[23]|mlx|quark|torchao|quip\w*|marlin|gemm|gemv
      | quant(?:ized)?|autoround|auto[-_.]?round|compressed|compressed[-_]tensors|modelopt|unsloth
      | dynamic|static|block|blockwise|channel|per[-_]?(?:channel|tensor)|sym|asym|actorder|desc[-_]?act|kv
      | g(?:roup)?(?:size|s)?[-_]?\d{2,4}|(?:i?q[1-8]_[a-z0-9_]+)
    )$""",
    re.IGNORECASE | re.VERBOSE,
)
_VAGUE = re.compile(r"[-_.](dynamic|static|block|channel|kv|sym|asym|compressed|unsloth|gemm|gemv)$", re.IGNORECASE)
_BASE_MODEL = re.compile(r"^base_model:\s*(?:\n\s*-\s*)?[\"']?([\w./-]+)[\"']?\s*$", re.MULTILINE)
_RELATION = re.compile(r"^base_model_relation:\s*[\"']?(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Family:
    """One base model and its variants, full precision first, then by fewer bits."""

    name: str
    variants: tuple[Checkpoint, ...]


def family_name(name: str, *, card: str = "", quantized: bool = False) -> str:
    """The base's name: without the owner and the words on storage.

    `card` is the beginning of the model card: a quantized checkpoint's `base_model` there is the better source.
    """
    if card and quantized:
        relation = _RELATION.search(card)
        found = _BASE_MODEL.search(card)
        if found and (relation is None or relation[1] == "quantized"):
            name = found[1]
    short = name.rstrip("/").rpartition("/")[2].partition("@")[0] or name
    stripped = _strip(short)
    return stripped or short


def _strip(name: str) -> str:
    """Cut storage words off the end; words that could belong to the name only go together with a sure one."""
    rest = name
    cut_sure = False
    while match := _STORAGE.search(rest):
        if match.start() == 0:
            break
        cut_sure = cut_sure or not _VAGUE.search(rest)
        rest = rest[: match.start()]
    return rest if cut_sure else name


def families(checkpoints: Iterable[Checkpoint]) -> tuple[Family, ...]:
    """Group by family name and by shape, so that two models of one name but different size stay apart."""
    groups: dict[tuple[str, object], list[Checkpoint]] = {}
    for checkpoint in checkpoints:
        shape = checkpoint.attention
        size = (shape.num_layers, shape.num_heads, shape.num_kv_heads)
        groups.setdefault((checkpoint.family.lower(), size), []).append(checkpoint)
    found = [Family(_spelling(group), tuple(sorted(group, key=_order))) for group in groups.values()]
    return tuple(sorted(found, key=lambda family: family.name.lower()))


def _spelling(group: list[Checkpoint]) -> str:
    return min(group, key=_order).family


def _order(checkpoint: Checkpoint) -> tuple[bool, float, str]:
    quantization = checkpoint.quantization
    return quantization.method is not None, -(quantization.bits or 0.0), checkpoint.name.lower()
