"""What a failure's figures mean for the user: the sentence, the numbers, and the buttons that would help."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.lifecycle import ParameterValue, RemedyAction

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEFAULT_UTILIZATION = 0.92


@dataclass(frozen=True, slots=True)
class Situation:
    """What was being loaded: the values asked for, and on which device ("cuda", "cpu" or "" for unknown)."""

    values: Mapping[str, ParameterValue] = field(default_factory=dict)
    device: str = ""

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


def _set(label: str, **parameters: ParameterValue) -> RemedyAction:
    return RemedyAction(label, dict(parameters))


def _up_to(value: float, step: float) -> float:
    return round(math.ceil(value / step - 1e-9) * step, 3)


def _more_cache(situation: Situation, needed_gib: float) -> tuple[RemedyAction, ...]:
    """Buttons that enlarge the KV cache to at least `needed_gib`."""
    if situation.device == "cpu":
        space = _up_to(needed_gib * 1.02, 0.125)
        return (_set(f"Reserve {space:g} GiB for the KV cache", cpu_kvcache_space_gib=space),)
    used = situation.number("gpu_memory_utilization", _DEFAULT_UTILIZATION)
    if used >= 0.97:
        return ()
    more = min(0.97, round(used + 0.04, 2))
    return (_set(f"Raise gpu_memory_utilization to {more:g}", gpu_memory_utilization=more),)


def context_over_cache(match: re.Match[str], situation: Situation) -> Finding:
    """One request of max_model_len does not fit the KV cache."""
    wanted, needed, available = int(match["len"]), float(match["needed"]), float(match["available"])
    fits = int(match["fits"]) if match["fits"] else None
    numbers = [f"max_model_len: {wanted} tokens", f"needs: {needed:g} GiB", f"there is: {available:g} GiB"]
    actions: list[RemedyAction] = []
    if fits:
        numbers.append(f"fits: {fits} tokens")
        actions.append(_set(f"Set max_model_len to {fits}", max_model_len=fits))
    actions += _more_cache(situation, needed)
    return Finding(
        "context_too_long",
        f"One request of {wanted} tokens needs {needed:g} GiB of KV cache, and {available:g} GiB are there"
        + (f": {fits} tokens fit." if fits else "."),
        "Lower max_model_len, or give the KV cache more memory.",
        tuple(numbers),
        tuple(actions),
    )


def no_cache_memory(_match: re.Match[str], situation: Situation) -> Finding:
    """Nothing is left for a KV cache."""
    return Finding(
        "out_of_memory",
        "Weights and activations leave no memory for the KV cache.",
        "Raise gpu_memory_utilization, lower max_num_batched_tokens, or choose a smaller or quantized checkpoint.",
        actions=_more_cache(situation, 1.0),
    )


def utilization_over_free(match: re.Match[str], situation: Situation) -> Finding:
    """The share of memory asked for is not free."""
    free, total, wanted = float(match["free"]), float(match["total"]), float(match["wanted"])
    fits = math.floor((free / total - 0.01) * 100) / 100 if total else 0.0
    actions = (_set(f"Set gpu_memory_utilization to {fits:g}", gpu_memory_utilization=fits),) if fits >= 0.05 else ()
    memory = "main memory" if situation.device == "cpu" else "VRAM"
    return Finding(
        "out_of_memory",
        f"{wanted:g} GiB of {memory} were asked for, and {free:g} of {total:g} GiB are free.",
        "Close what else uses the memory, or lower gpu_memory_utilization.",
        (f"free: {free:g} GiB", f"total: {total:g} GiB", f"asked for: {wanted:g} GiB"),
        actions,
    )


def cpu_cache_over_free(match: re.Match[str], _situation: Situation) -> Finding:
    """The CPU's KV cache is larger than the free memory."""
    free, wanted = float(match["free"]), float(match["wanted"])
    fits = max(0.125, math.floor(free * 0.7 / 0.125) * 0.125)
    return Finding(
        "out_of_memory",
        f"The KV cache was to take {wanted:g} GiB of main memory, and {free:g} GiB are free.",
        "Close other programs, or reserve less for the KV cache.",
        (f"free: {free:g} GiB", f"asked for: {wanted:g} GiB"),
        (_set(f"Reserve {fits:g} GiB for the KV cache", cpu_kvcache_space_gib=fits),) if fits < wanted else (),
    )


def cuda_out_of_memory(match: re.Match[str], situation: Situation) -> Finding:
    """An allocation on the GPU failed."""
    used = situation.number("gpu_memory_utilization", _DEFAULT_UTILIZATION)
    lower = max(0.3, round(used - 0.05, 2))
    actions = [_set(f"Lower gpu_memory_utilization to {lower:g}", gpu_memory_utilization=lower)]
    if not situation.values.get("enforce_eager"):
        actions.append(_set("Load without CUDA graphs (enforce_eager)", enforce_eager=True))
    tried = match["tried"] or "more memory"
    return Finding(
        "out_of_memory",
        f"The GPU ran out of memory: the engine asked for {tried} more.",
        "Close what else uses the GPU, lower gpu_memory_utilization or max_num_seqs, or choose a 4-bit checkpoint.",
        (f"asked for: {tried}", f"gpu_memory_utilization: {used:g}"),
        tuple(actions),
    )


def context_over_model(match: re.Match[str], _situation: Situation) -> Finding:
    """max_model_len is beyond what the model was made for."""
    wanted, limit = int(match["wanted"]), int(float(match["limit"]))
    return Finding(
        "context_too_long",
        f"max_model_len is {wanted} tokens, and the model was made for {limit}.",
        f"Set max_model_len to {limit} or less.",
        (f"max_model_len: {wanted} tokens", f"the model's context: {limit} tokens"),
        (_set(f"Set max_model_len to {limit}", max_model_len=limit),),
    )


def dtype_not_for_method(match: re.Match[str], _situation: Situation) -> Finding:
    """The quantization computes in other number formats only."""
    fitting = re.findall(r"torch\.(bfloat16|float16|float32)", match["supported"].replace("half", "torch.float16"))
    return Finding(
        "checkpoint_unsupported",
        f"{match['method']} weights cannot be computed in {match['dtype']} here.",
        f"Choose dtype {' or '.join(fitting) or 'auto'}.",
        actions=tuple(_set(f"Set dtype to {each}", dtype=each) for each in fitting[:2]),
    )


def heads_not_divisible(match: re.Match[str], _situation: Situation) -> Finding:
    """Tensor parallelism does not divide the attention heads."""
    heads, parts = int(match["heads"]), int(match["parts"])
    fitting = max(each for each in range(1, parts + 1) if heads % each == 0)
    return Finding(
        "parameter_invalid",
        f"The model's {heads} attention heads cannot be split over {parts} devices.",
        "Choose a tensor_parallel_size that divides the heads.",
        actions=(_set(f"Set tensor_parallel_size to {fitting}", tensor_parallel_size=fitting),),
    )


def compiler_missing(match: re.Match[str], _situation: Situation) -> Finding:
    """torch.compile has no compiler here."""
    return Finding(
        "engine_failed",
        f"torch.compile found no working compiler or headers here ({match[0].strip()}).",
        "Install a C++ compiler and Python's headers, or load without compiling.",
        actions=(_set("Load without compiling (enforce_eager)", enforce_eager=True),),
    )


def tokens_under_length(match: re.Match[str], _situation: Situation) -> Finding:
    """A step could not hold the longest prompt."""
    tokens, length = int(match["tokens"]), int(match["len"])
    return Finding(
        "parameter_invalid",
        f"max_num_batched_tokens ({tokens}) is below max_model_len ({length}), and chunked prefill is off.",
        "Switch chunked prefill on, or raise max_num_batched_tokens.",
        actions=(
            _set("Switch enable_chunked_prefill on", enable_chunked_prefill=True),
            _set(f"Set max_num_batched_tokens to {length}", max_num_batched_tokens=length),
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
            _set(f"Set max_num_batched_tokens to {seqs}", max_num_batched_tokens=seqs),
            _set(f"Set max_num_seqs to {tokens}", max_num_seqs=tokens),
        ),
    )
