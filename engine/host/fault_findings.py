"""What a failure's figures mean for the user: the sentence, the numbers, and the buttons that would help."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.lifecycle import ParameterValue, RemedyAction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.errors import KVDeckError
    from engine.domain.lifecycle import Stage


@dataclass(frozen=True, slots=True)
class Situation:
    """What was being loaded: the values asked for, and on which device ("cuda", "cpu" or "" for unknown).

    `stage` is how far the load had come, `device_bytes` a GPU's memory; None is unknown.
    """

    values: Mapping[str, ParameterValue] = field(default_factory=dict)
    device: str = ""
    stage: Stage | None = None
    device_bytes: int | None = None

    def number(self, name: str, otherwise: float) -> float:
        """A value asked for, as a number."""
        value = self.values.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule makes of a message."""

    kind: str
    message: str
    remedy: str
    numbers: tuple[str, ...] = ()
    actions: tuple[RemedyAction, ...] = ()


def change(label: str, **parameters: ParameterValue) -> RemedyAction:
    """A button that loads again with these values (None: vLLM's own)."""
    return RemedyAction(label, dict(parameters))


def actions_of(error: KVDeckError) -> tuple[RemedyAction, ...]:
    """The buttons of an error that brings its own."""
    return tuple(RemedyAction(label, dict(parameters)) for label, parameters in error.offers)


def quantization_mismatch(match: re.Match[str], _situation: Situation) -> Finding:
    """A quantization was named that is not the checkpoint's."""
    own, asked = match["own"], match["asked"]
    return Finding(
        "parameter_invalid",
        f"The checkpoint is quantized with {own}, and quantization asks for {asked}.",
        "Leave quantization empty: vLLM reads it from the checkpoint and takes its fastest kernel.",
        actions=(change("Leave quantization to vLLM", quantization=None),),
    )


def context_over_model(match: re.Match[str], _situation: Situation) -> Finding:
    """max_model_len is beyond what the model was made for."""
    wanted, limit = int(match["wanted"]), int(float(match["limit"]))
    return Finding(
        "context_too_long",
        f"max_model_len is {wanted} tokens, and the model was made for {limit}.",
        f"Set max_model_len to {limit} or less.",
        (f"max_model_len: {wanted} tokens", f"the model's context: {limit} tokens"),
        (change(f"Set max_model_len to {limit}", max_model_len=limit),),
    )


def dtype_not_for_method(match: re.Match[str], _situation: Situation) -> Finding:
    """The quantization computes in other number formats only."""
    fitting = re.findall(r"torch\.(bfloat16|float16|float32)", match["supported"].replace("half", "torch.float16"))
    return Finding(
        "checkpoint_unsupported",
        f"{match['method']} weights cannot be computed in {match['dtype']} here.",
        f"Choose dtype {' or '.join(fitting) or 'auto'}.",
        actions=tuple(change(f"Set dtype to {each}", dtype=each) for each in fitting[:2]),
    )


def heads_not_divisible(match: re.Match[str], _situation: Situation) -> Finding:
    """Tensor parallelism does not divide the attention heads."""
    heads, parts = int(match["heads"]), int(match["parts"])
    fitting = max(each for each in range(1, parts + 1) if heads % each == 0)
    return Finding(
        "parameter_invalid",
        f"The model's {heads} attention heads cannot be split over {parts} devices.",
        "Choose a tensor_parallel_size that divides the heads.",
        actions=(change(f"Set tensor_parallel_size to {fitting}", tensor_parallel_size=fitting),),
    )


def compiler_missing(match: re.Match[str], _situation: Situation) -> Finding:
    """torch.compile has no compiler here."""
    return Finding(
        "engine_failed",
        f"torch.compile found no working compiler or headers here ({match[0].strip()}).",
        "Install a C++ compiler and Python's headers, or load without compiling.",
        actions=(change("Load without compiling (enforce_eager)", enforce_eager=True),),
    )


def tokens_under_length(match: re.Match[str], _situation: Situation) -> Finding:
    """A step could not hold the longest prompt."""
    tokens, length = int(match["tokens"]), int(match["len"])
    return Finding(
        "parameter_invalid",
        f"max_num_batched_tokens ({tokens}) is below max_model_len ({length}), and chunked prefill is off.",
        "Switch chunked prefill on, or raise max_num_batched_tokens.",
        actions=(
            change("Switch enable_chunked_prefill on", enable_chunked_prefill=True),
            change(f"Set max_num_batched_tokens to {length}", max_num_batched_tokens=length),
        ),
    )


def tokens_under_seqs(match: re.Match[str], _situation: Situation) -> Finding:
    """A step could not hold one token of each request."""
    tokens, seqs = int(match["tokens"]), int(match["seqs"])
    return Finding(
        "parameter_invalid",
        f"max_num_batched_tokens ({tokens}) is below max_num_seqs ({seqs}).",
        "Raise max_num_batched_tokens, or lower max_num_seqs.",
        actions=(
            change(f"Set max_num_batched_tokens to {seqs}", max_num_batched_tokens=seqs),
            change(f"Set max_num_seqs to {tokens}", max_num_seqs=tokens),
        ),
    )
