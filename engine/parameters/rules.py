"""What must hold between parameters, and between them and the machine and the model. Each rule is one function."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.parameters.catalog import CATALOG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.domain.lifecycle import ParameterValue

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of the machine and the model. Lengths in tokens, memory in bytes; None is unknown: no rule fires.

    `device` is "cuda", "cpu" or "" for unknown; `memory_bytes` is the machine's main memory.
    """

    device: str = ""
    gpu_count: int | None = None
    max_context: int | None = None
    num_heads: int | None = None
    memory_bytes: int | None = None
    quantization: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault between values. `names` are the rows to mark, the one to change first. A fault that is not
    `blocking` is advice: the engine would load all the same."""

    names: tuple[str, ...]
    message: str
    remedy: str
    blocking: bool = True


class _View:
    """Typed reading of a merged set of values: absent, None and wrongly typed values read as None."""

    def __init__(self, values: Mapping[str, ParameterValue]) -> None:
        self._values = values

    def whole(self, name: str) -> int | None:
        value = self._values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, name: str) -> float | None:
        value = self._values.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def flag(self, name: str) -> bool | None:
        value = self._values.get(name)
        return value if isinstance(value, bool) else None


def _budget_below_requests(view: _View, _: Surroundings) -> Problem | None:
    budget, requests = view.whole("max_num_batched_tokens"), view.whole("max_num_seqs")
    if budget is None or requests is None or budget >= requests:
        return None
    return Problem(
        ("max_num_batched_tokens", "max_num_seqs"),
        f"max_num_batched_tokens ({budget:,}) is under max_num_seqs ({requests:,}): a step could not give every "
        "running request a token.",
        f"Raise max_num_batched_tokens to {requests:,} or more, or lower max_num_seqs.",
    )


def _budget_below_prompt(view: _View, around: Surroundings) -> Problem | None:
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
    )


def _longer_than_model(view: _View, around: Surroundings) -> Problem | None:
    length = view.whole("max_model_len")
    if length is None or around.max_context is None or length <= around.max_context:
        return None
    return Problem(
        ("max_model_len",),
        f"max_model_len is {length:,}, but the model was made for {around.max_context:,} tokens.",
        f"Lower max_model_len to {around.max_context:,} or less.",
    )


def _threshold_beyond_length(view: _View, around: Surroundings) -> Problem | None:
    threshold = view.whole("long_prefill_token_threshold")
    length = view.whole("max_model_len") or around.max_context
    if not threshold or length is None or threshold <= length:
        return None
    return Problem(
        ("long_prefill_token_threshold",),
        f"long_prefill_token_threshold ({threshold:,}) is over the longest request ({length:,} tokens).",
        f"Lower it to {length:,} or less, or set 0 for no limit.",
    )


def _block_size(view: _View, around: Surroundings) -> Problem | None:
    size = view.whole("block_size")
    unit = {"cpu": 32, "cuda": 16}.get(around.device)
    if size is None or unit is None or size % unit == 0:
        return None
    lower, upper = size // unit * unit, (size // unit + 1) * unit
    choice = f"{lower} or {upper}" if lower else f"{upper}"
    where = "On the CPU" if around.device == "cpu" else "On a GPU"
    return Problem(("block_size",), f"{where} block_size must be a multiple of {unit}, not {size}.", f"Set {choice}.")


def _too_many_devices(view: _View, around: Surroundings) -> Problem | None:
    names = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")
    tensor, pipeline, data = (view.whole(name) or 1 for name in names)
    wanted = tensor * pipeline * data
    if around.device != "cuda" or around.gpu_count is None or wanted <= around.gpu_count:
        return None
    if view.text("distributed_executor_backend") == "ray":
        return None  # Ray brings GPUs of other machines, which nobody here can count
    have = "is 1 GPU" if around.gpu_count == 1 else f"are {around.gpu_count} GPUs"
    marked = tuple(name for name in names if (view.whole(name) or 1) > 1)
    return Problem(
        marked,
        f"{tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) asks for {wanted} GPUs; there {have}.",
        f"Lower {marked[0]}.",
    )


def _heads_not_divided(view: _View, around: Surroundings) -> Problem | None:
    tensor = view.whole("tensor_parallel_size") or 1
    if not around.num_heads or around.num_heads % tensor == 0:
        return None
    sizes = [str(size) for size in range(1, around.num_heads + 1) if around.num_heads % size == 0]
    return Problem(
        ("tensor_parallel_size",),
        f"The model's {around.num_heads} attention heads cannot be split over {tensor} devices.",
        f"Choose one of {', '.join(sizes)}.",
    )


def _cache_beyond_memory(view: _View, around: Surroundings) -> Problem | None:
    space = view.number("cpu_kvcache_space_gib")
    if around.device != "cpu" or space is None or around.memory_bytes is None or space * GIB < around.memory_bytes:
        return None
    total = around.memory_bytes / GIB
    return Problem(
        ("cpu_kvcache_space_gib",),
        f"A KV cache of {space:g} GiB does not fit this machine's {total:.1f} GiB of memory.",
        f"Set at most {max(0.125, total / 2):.3g} GiB.",
    )


def _cache_size_twice(view: _View, around: Surroundings) -> Problem | None:
    if around.device != "cpu" or view.whole("kv_cache_memory_bytes") is None:
        return None
    if view.number("cpu_kvcache_space_gib") in (None, CATALOG["cpu_kvcache_space_gib"].default):
        return None
    return Problem(
        ("cpu_kvcache_space_gib", "kv_cache_memory_bytes"),
        "The KV cache's size is given twice: kv_cache_memory_bytes counts, cpu_kvcache_space_gib does not.",
        "Clear kv_cache_memory_bytes, or put cpu_kvcache_space_gib back to its default.",
        blocking=False,
    )


def _speculation(view: _View, around: Surroundings) -> Problem | None:
    text = view.text("speculative_config")
    if not text:
        return None
    name = ("speculative_config",)
    example = 'Write for example {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4}.'
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        return Problem(name, "speculative_config is not valid JSON.", example)
    if not isinstance(config, dict):
        return Problem(name, "speculative_config must be a JSON object.", example)
    if "method" not in config and "model" not in config:
        return Problem(name, "speculative_config names neither a method nor a draft model.", example)
    if config.get("method") == "ngram" and view.flag("async_scheduling") and around.device != "cpu":
        message = "Asynchronous scheduling and ngram speculation exclude each other."
        return Problem(("async_scheduling", *name), message, "Clear async_scheduling, so that vLLM decides.")
    return None


def _e5m2_with_fp8(view: _View, around: Surroundings) -> Problem | None:
    if view.text("kv_cache_dtype") != "fp8_e5m2" or around.quantization != "fp8":
        return None
    return Problem(
        ("kv_cache_dtype",), "An FP8 checkpoint cannot have a KV cache in fp8_e5m2.", "Choose fp8 or fp8_e4m3 instead."
    )


def _slow_kernel_forced(view: _View, around: Surroundings) -> Problem | None:
    method = view.text("quantization")
    if method not in ("awq", "gptq") or around.device == "cpu":
        return None
    return Problem(
        ("quantization",),
        f"quantization={method} forces vLLM's slow {method.upper()} kernel.",
        f"Clear it: vLLM then takes {method}_marlin where the GPU has it.",
        blocking=False,
    )


def _random_weights(view: _View, _: Surroundings) -> Problem | None:
    if view.text("load_format") != "dummy":
        return None
    message = "load_format=dummy fills the model with random weights: its answers will be noise."
    return Problem(("load_format",), message, "Choose auto to load the checkpoint's own weights.", blocking=False)


def _offload_without_size(view: _View, _: Surroundings) -> Problem | None:
    if view.text("kv_offloading_backend") in (None, "native") or view.number("kv_offloading_size") is not None:
        return None
    message = "kv_offloading_backend has no effect while kv_offloading_size is empty."
    return Problem(("kv_offloading_size",), message, "Set how many GiB may be used.", blocking=False)


_RULES: tuple[Callable[[_View, Surroundings], Problem | None], ...] = (
    _budget_below_requests,
    _budget_below_prompt,
    _longer_than_model,
    _threshold_beyond_length,
    _block_size,
    _too_many_devices,
    _heads_not_divided,
    _cache_beyond_memory,
    _cache_size_twice,
    _speculation,
    _e5m2_with_fp8,
    _slow_kernel_forced,
    _random_weights,
    _offload_without_size,
)


def find_problems(values: Mapping[str, ParameterValue], surroundings: Surroundings) -> tuple[Problem, ...]:
    """Every fault between these merged values, blocking ones first. Values must have passed their rows' checks."""
    view = _View(values)
    found = [problem for rule in _RULES if (problem := rule(view, surroundings)) is not None]
    return tuple(sorted(found, key=lambda problem: not problem.blocking))
