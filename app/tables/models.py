"""The checkpoints of the library as the model panel shows them: one row a family, its variants in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.wording.engine import worded
from engine.domain.checkpoint import VerdictKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.checkpoint import Checkpoint

_ORDER = ("FP32", "BF16", "FP16", "AWQ", "GPTQ", "FP8", "INT8")


@dataclass(frozen=True, slots=True)
class Variant:
    """One checkpoint of a family. `label` tells it from its siblings; `refusal` says why it cannot be loaded ("")."""

    checkpoint: Checkpoint
    label: str
    refusal: str

    @property
    def unpacked(self) -> bool:
        """Whether its weights are unpacked at load, for want of a kernel."""
        return not self.refusal and self.checkpoint.verdict.kind is VerdictKind.RUNS_UNPACKED


@dataclass(frozen=True, slots=True)
class Family:
    """One base model. Figures are those of the first variant that knows them, None where none does."""

    name: str
    variants: tuple[Variant, ...]

    @property
    def parameters(self) -> int | None:
        """How many parameters the model has: the most that any variant counts, as packing hides some."""
        known = [v.checkpoint.parameters for v in self.variants if v.checkpoint.parameters is not None]
        return max(known, default=None)

    @property
    def max_context(self) -> int | None:
        """The longest context in tokens."""
        return next((v.checkpoint.max_context for v in self.variants if v.checkpoint.max_context is not None), None)

    @property
    def model_type(self) -> str | None:
        """The architecture's short name ("llama")."""
        return next((v.checkpoint.model_type for v in self.variants if v.checkpoint.model_type), None)


def group_families(checkpoints: Iterable[Checkpoint], wanted: str = "") -> tuple[Family, ...]:
    """Families by name; with `wanted`, only those in which every one of its words is found (name, label, path)."""
    words = wanted.casefold().split()
    families: dict[str, list[Checkpoint]] = {}
    for checkpoint in checkpoints:
        families.setdefault(checkpoint.family, []).append(checkpoint)
    return tuple(
        Family(name, _variants(found))
        for name, found in sorted(families.items(), key=lambda pair: pair[0].casefold())
        if all(any(word in _searched(checkpoint) for checkpoint in found) for word in words)
    )


def first_families(families: Sequence[Family], most: int, present: str | None) -> tuple[Family, ...]:
    """The first `most` of them, and the one that the checkpoint at the path `present` belongs to."""
    if len(families) <= most:
        return tuple(families)
    rest = (family for family in families[most:] if any(one.checkpoint.path == present for one in family.variants))
    return (*families[:most], *rest)


def _searched(checkpoint: Checkpoint) -> str:
    parts = (checkpoint.family, checkpoint.name, checkpoint.quantization.label, checkpoint.path)
    return " ".join((*parts, checkpoint.architecture or "", checkpoint.model_type or "")).casefold()


def _variants(checkpoints: Sequence[Checkpoint]) -> tuple[Variant, ...]:
    ordered = sorted(checkpoints, key=_place)
    labels = [checkpoint.quantization.label or checkpoint.name for checkpoint in ordered]
    return tuple(
        Variant(checkpoint, label if labels.count(label) == 1 else _long_label(checkpoint, label), _refusal(checkpoint))
        for checkpoint, label in zip(ordered, labels, strict=True)
    )


def _place(checkpoint: Checkpoint) -> tuple[int, str, str]:
    label = checkpoint.quantization.label
    return (_ORDER.index(label) if label in _ORDER else len(_ORDER), label, checkpoint.name.casefold())


def _long_label(checkpoint: Checkpoint, label: str) -> str:
    """What its name adds to the family's, for siblings with the same quantization."""
    rest = checkpoint.name.removeprefix(checkpoint.family).strip("-_. ")
    if not rest:
        return f"{label} · {checkpoint.source}" if checkpoint.source else label
    return rest if label.casefold() in rest.casefold() else f"{label} {rest}"


def _refusal(checkpoint: Checkpoint) -> str:
    if checkpoint.problem is not None:
        return worded(checkpoint.problem)
    if checkpoint.verdict.kind is VerdictKind.REFUSED:
        return worded(checkpoint.verdict.reason) or checkpoint.name
    return ""
