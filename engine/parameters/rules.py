"""What must hold between parameters, and between them and the machine and the model. Each rule is one function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.parameters.catalog import CATALOG
from engine.parameters.offer import offer
from engine.parameters.rule import Problem, Surroundings, View
from engine.parameters.rules_engine import ENGINE_RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.domain.lifecycle import ParameterValue

__all__ = ["Problem", "Surroundings", "find_problems"]

GIB = 1 << 30
# What vLLM takes for a checkpoint of these methods (0.26 to 0.33, asked of it by a test).
_NAMES = {
    "awq": ("awq", "awq_marlin"),
    "gptq": ("gptq", "gptq_marlin"),
    "fp8": ("fp8",),
    "compressed-tensors": ("compressed-tensors",),
}


def _budget_below_requests(view: View, _: Surroundings) -> Problem | None:
    budget, requests = view.whole("max_num_batched_tokens"), view.whole("max_num_seqs")
    if budget is None or requests is None or budget >= requests:
        return None
    return Problem(
        ("max_num_batched_tokens", "max_num_seqs"),
        f"max_num_batched_tokens ({budget:,}) is under max_num_seqs ({requests:,}): a step could not give every "
        "running request a token.",
        f"Raise max_num_batched_tokens to {requests:,} or more, or lower max_num_seqs.",
        offers=(offer("max_num_batched_tokens", requests), offer("max_num_seqs", budget)),
    )


def _budget_below_prompt(view: View, around: Surroundings) -> Problem | None:
    budget = view.whole("max_num_batched_tokens")
    length = view.whole("max_model_len") or around.max_context
    if view.flag("enable_chunked_prefill") is not False or budget is None or length is None or budget >= length:
        return None
    return Problem(
        ("max_num_batched_tokens", "max_model_len", "enable_chunked_prefill"),
        f"Without chunked prefill a step must hold a whole prompt, but max_num_batched_tokens is {budget:,} and "
        f"requests may have {length:,} tokens.",
        f"Raise max_num_batched_tokens to {length:,}, lower max_model_len to {budget:,}, or switch "
        "enable_chunked_prefill on.",
        offers=(offer("enable_chunked_prefill", True), offer("max_num_batched_tokens", length)),
    )


def _longer_than_model(view: View, around: Surroundings) -> Problem | None:
    length = view.whole("max_model_len")
    if length is None or around.max_context is None or length <= around.max_context:
        return None
    return Problem(
        ("max_model_len",),
        f"max_model_len is {length:,}, but the model was made for {around.max_context:,} tokens.",
        f"Lower max_model_len to {around.max_context:,} or less.",
        offers=(offer("max_model_len", around.max_context),),
    )


def _threshold_beyond_length(view: View, around: Surroundings) -> Problem | None:
    threshold = view.whole("long_prefill_token_threshold")
    length = view.whole("max_model_len") or around.max_context
    if not threshold or length is None or threshold <= length:
        return None
    return Problem(
        ("long_prefill_token_threshold",),
        f"long_prefill_token_threshold ({threshold:,}) is over the longest request ({length:,} tokens).",
        f"Lower it to {length:,} or less, or set 0 for no limit.",
        offers=(offer("long_prefill_token_threshold", length), offer("long_prefill_token_threshold", 0)),
    )


def _block_size(view: View, around: Surroundings) -> Problem | None:
    size = view.whole("block_size")
    unit = {"cpu": 32, "cuda": 16}.get(around.device)
    if size is None or unit is None or size % unit == 0:
        return None
    lower, upper = size // unit * unit, (size // unit + 1) * unit
    choice = f"{lower} or {upper}" if lower else f"{upper}"
    where = "On the CPU" if around.device == "cpu" else "On a GPU"
    message = f"{where} block_size must be a multiple of {unit}, not {size}."
    offers = tuple(offer("block_size", each) for each in (lower, upper) if each)
    return Problem(("block_size",), message, f"Set {choice}.", offers=offers)


def _cache_beyond_memory(view: View, around: Surroundings) -> Problem | None:
    space = view.number("cpu_kvcache_space_gib")
    if around.device != "cpu" or space is None or around.memory_bytes is None or space * GIB < around.memory_bytes:
        return None
    total = around.memory_bytes / GIB
    most = max(0.125, total / 2 // 0.125 * 0.125)
    return Problem(
        ("cpu_kvcache_space_gib",),
        f"A KV cache of {space:g} GiB does not fit this machine's {total:.1f} GiB of memory.",
        f"Set at most {most:g} GiB.",
        offers=(offer("cpu_kvcache_space_gib", most),),
    )


def _cache_size_twice(view: View, around: Surroundings) -> Problem | None:
    if around.device != "cpu" or view.whole("kv_cache_memory_bytes") is None:
        return None
    if view.number("cpu_kvcache_space_gib") in (None, CATALOG["cpu_kvcache_space_gib"].default):
        return None
    return Problem(
        ("cpu_kvcache_space_gib", "kv_cache_memory_bytes"),
        "The KV cache's size is given twice: kv_cache_memory_bytes counts, cpu_kvcache_space_gib does not.",
        "Clear kv_cache_memory_bytes, or put cpu_kvcache_space_gib back to its default.",
        blocking=False,
        offers=(offer("kv_cache_memory_bytes", None),),
    )


def _e5m2_with_fp8(view: View, around: Surroundings) -> Problem | None:
    if view.text("kv_cache_dtype") != "fp8_e5m2" or around.quantization != "fp8":
        return None
    message = "An FP8 checkpoint cannot have a KV cache in fp8_e5m2."
    offers = (offer("kv_cache_dtype", "fp8_e4m3"), offer("kv_cache_dtype", "auto"))
    return Problem(("kv_cache_dtype",), message, "Choose fp8 or fp8_e4m3 instead.", offers=offers)


def _quantization_named(view: View, around: Surroundings) -> Problem | None:
    """vLLM reads the method from the checkpoint and takes its fastest kernel; another one's name it refuses."""
    named, own = view.text("quantization"), around.quantization
    if named is None or own is None:
        return None
    taken = _NAMES.get(own, (named,)) if (own, around.device) != ("awq", "cpu") else ("awq",)
    if named not in taken:
        message = f"This checkpoint is quantized with {own.upper()}; vLLM will not load it as {named}."
        remedy = "Clear it: vLLM reads the method from the checkpoint."
        return Problem(("quantization",), message, remedy, offers=(offer("quantization", None),))
    return Problem(
        ("quantization",),
        f"quantization={named} adds nothing: vLLM reads the method from the checkpoint and takes its fastest kernel.",
        "Clear it, so that it cannot stand in the way of the next checkpoint.",
        blocking=False,
        offers=(offer("quantization", None),),
    )


def _random_weights(view: View, _: Surroundings) -> Problem | None:
    if view.text("load_format") != "dummy":
        return None
    message = "load_format=dummy fills the model with random weights: its answers will be noise."
    remedy, offers = "Choose auto to load the checkpoint's own weights.", (offer("load_format", "auto"),)
    return Problem(("load_format",), message, remedy, blocking=False, offers=offers)


def _offload_without_size(view: View, _: Surroundings) -> Problem | None:
    if view.text("kv_offloading_backend") in (None, "native") or view.number("kv_offloading_size") is not None:
        return None
    message = "kv_offloading_backend has no effect while kv_offloading_size is empty."
    return Problem(("kv_offloading_size",), message, "Set how many GiB may be used.", blocking=False)


_RULES: tuple[Callable[[View, Surroundings], Problem | None], ...] = (
    _budget_below_requests,
    _budget_below_prompt,
    _longer_than_model,
    _threshold_beyond_length,
    _block_size,
    _cache_beyond_memory,
    _cache_size_twice,
    _e5m2_with_fp8,
    _quantization_named,
    _random_weights,
    _offload_without_size,
    *ENGINE_RULES,
)


def find_problems(values: Mapping[str, ParameterValue], surroundings: Surroundings) -> tuple[Problem, ...]:
    """Every fault between these merged values, blocking ones first. Values must have passed their rows' checks."""
    view = View(values)
    found = [problem for rule in _RULES if (problem := rule(view, surroundings)) is not None]
    return tuple(sorted(found, key=lambda problem: not problem.blocking))
