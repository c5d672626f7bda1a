"""What describing a folder gives: the Checkpoint, and the facts about it that only a verdict needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.checkpoints.family import family_name
from engine.domain.checkpoint import AttentionShape, Checkpoint, Quantization

if TYPE_CHECKING:
    from pathlib import Path

    from engine.checkpoints.folder import FolderFacts


@dataclass(frozen=True, slots=True)
class Scheme:
    """The numbers of a quantization that kernels ask about.

    `group_size` is -1 for one scale per channel; `desc_act` is GPTQ's activation order; `symmetric` None is unknown.
    """

    quantization: Quantization
    group_size: int | None = None
    desc_act: bool = False
    symmetric: bool | None = None

    @property
    def pack_bits(self) -> int | None:
        """Bits of one weight where several are packed into one element, else None."""
        bits = self.quantization.bits
        return int(bits) if bits is not None and bits == int(bits) and bits < 8 else None


@dataclass(frozen=True, slots=True)
class Description:
    """A checkpoint with what a verdict asks beyond it: the scheme's numbers, and the classes that its own code would
    bring ("AutoConfig", "AutoModelForCausalLM", ...). `configured` says that config.json is whole, so that
    load_format=dummy works whatever is wrong with the weights."""

    checkpoint: Checkpoint
    scheme: Scheme
    remote_classes: tuple[str, ...] = ()
    configured: bool = False


def broken_description(folder: Path, facts: FolderFacts, source: str, name: str, problem: str) -> Description:
    """The description of something that cannot be loaded, with the sentence that says why."""
    quantization = Quantization(None, "unknown", None)
    checkpoint = Checkpoint(
        path=str(folder),
        name=name,
        family=family_name(name),
        source=source,
        architecture=None,
        model_type=None,
        quantization=quantization,
        parameters=None,
        size_bytes=facts.size_bytes,
        weights_bytes=None,
        weight_dtype=None,
        max_context=None,
        attention=AttentionShape("unknown", None, None, None, None),
        has_chat_template=False,
        needs_remote_code=False,
        pickled_files=facts.pickles,
        problem=problem,
    )
    return Description(checkpoint, Scheme(quantization))
