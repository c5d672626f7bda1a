"""What a failure for want of memory means for the user: the sentence, the numbers, and the buttons that would help."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from engine.domain.lifecycle import Stage
from engine.host.fault_findings import Finding, change

if TYPE_CHECKING:
    import re

    from engine.domain.lifecycle import RemedyAction
    from engine.host.fault_findings import Situation

_GIB = 1 << 30
_DEFAULT_UTILIZATION = 0.92
_MOST_UTILIZATION = 0.97
_DEFAULT_STEP = 8192  # vLLM's max_num_batched_tokens on large GPUs; 2048 on others
_SMALL_STEP = 2048
_DEFAULT_SEQS = 256  # 1024 on large GPUs
_LEAST_SPACE = 0.125  # GiB of KV cache on the CPU
_WHERE = {
    Stage.WEIGHTS: " while the weights were loaded",
    Stage.COMPILING: " while the model was compiled",
    Stage.PROFILING: " while a full step was tried out",
    Stage.GRAPHS: " while CUDA graphs were captured",
    Stage.KV_CACHE: " while the KV cache was made",
    Stage.FIRST_TOKEN: " at the first token",
}


def _where(situation: Situation) -> str:
    return _WHERE.get(situation.stage, "") if situation.stage is not None else ""


def _up_to(value: float, step: float) -> float:
    return round(math.ceil(value / step - 1e-9) * step, 3)


def _more_cache(situation: Situation, needed_gib: float, there_gib: float = 0.0) -> tuple[RemedyAction, ...]:
    """Buttons that enlarge the KV cache from `there_gib` to at least `needed_gib`."""
    if situation.device == "cpu":
        space = _up_to(needed_gib * 1.02, 0.125)
        return (change(f"Reserve {space:g} GiB for the KV cache", cpu_kvcache_space_gib=space),)
    used = situation.number("gpu_memory_utilization", _DEFAULT_UTILIZATION)
    more = min(_MOST_UTILIZATION, round(used + 0.04, 2))
    if situation.device_bytes:
        more = _up_to(used + max(0.0, needed_gib - there_gib) * _GIB / situation.device_bytes + 0.005, 0.01)
    if used >= _MOST_UTILIZATION or more > _MOST_UTILIZATION:
        return ()
    return (change(f"Raise gpu_memory_utilization to {more:g}", gpu_memory_utilization=more),)


def _less_memory(situation: Situation) -> tuple[RemedyAction, ...]:
    """A button that lowers the engine's share of a GPU."""
    used = situation.number("gpu_memory_utilization", _DEFAULT_UTILIZATION)
    lower = max(0.3, round(used - 0.05, 2))
    return (change(f"Lower gpu_memory_utilization to {lower:g}", gpu_memory_utilization=lower),) if lower < used else ()


def _without_graphs(situation: Situation) -> tuple[RemedyAction, ...]:
    if situation.values.get("enforce_eager"):
        return ()
    return (change("Load without CUDA graphs (enforce_eager)", enforce_eager=True),)


def _smaller_step(situation: Situation) -> tuple[RemedyAction, ...]:
    """A button that lowers what a step computes at once, and with it the memory of activations."""
    now = int(situation.number("max_num_batched_tokens", _DEFAULT_STEP))
    seqs = int(situation.number("max_num_seqs", _DEFAULT_SEQS))
    less = max(min(_SMALL_STEP, now // 2), seqs)
    if less >= now:
        return ()
    return (change(f"Set max_num_batched_tokens to {less}", max_num_batched_tokens=less),)


def _fewer_requests(now: int) -> tuple[RemedyAction, ...]:
    """A button that lets fewer requests run at once than `now`."""
    fewer = max(1, min(256, now // 4))
    return (change(f"Set max_num_seqs to {fewer}", max_num_seqs=fewer),) if fewer < now else ()


def context_over_cache(match: re.Match[str], situation: Situation) -> Finding:
    """One request of max_model_len does not fit the KV cache."""
    wanted, needed, available = int(match["len"]), float(match["needed"]), float(match["available"])
    fits = int(match["fits"]) if match["fits"] else None
    numbers = [f"max_model_len: {wanted} tokens"]
    message = f"One request of {wanted} tokens is more than the KV cache holds"
    if needed:  # vLLM rounds to hundredths of a GiB: of a tiny model nothing is left
        numbers += [f"needs: {needed:g} GiB", f"there is: {available:g} GiB"]
        message = f"One request of {wanted} tokens needs {needed:g} GiB of KV cache, and {available:g} GiB are there"
    actions: list[RemedyAction] = []
    if fits:
        numbers.append(f"fits: {fits} tokens")
        actions.append(change(f"Set max_model_len to {fits}", max_model_len=fits))
    actions += _more_cache(situation, needed, available)
    return Finding(
        "context_too_long",
        message + (f": {fits} tokens fit." if fits else "."),
        "Lower max_model_len, or give the KV cache more memory.",
        tuple(numbers),
        tuple(actions),
    )


def no_cache_memory(match: re.Match[str], situation: Situation) -> Finding:
    """Nothing is left for a KV cache."""
    there = float(match["there"]) if match["there"] else None
    used = situation.number("gpu_memory_utilization", _DEFAULT_UTILIZATION)
    numbers = [f"gpu_memory_utilization: {used:g}"] if situation.device != "cpu" else []
    if there is not None:
        numbers.append(f"left for the KV cache: {there:g} GiB")
    actions = _more_cache(situation, 1.0, there or 0.0)
    if situation.device == "cuda":
        actions += _smaller_step(situation) + _without_graphs(situation)
    return Finding(
        "out_of_memory",
        "Weights and activations leave no memory for the KV cache.",
        "Raise gpu_memory_utilization, lower max_num_batched_tokens, or choose a smaller or quantized checkpoint.",
        tuple(numbers),
        actions,
    )


def utilization_over_free(match: re.Match[str], situation: Situation) -> Finding:
    """The share of memory asked for is not free."""
    free, total, wanted = float(match["free"]), float(match["total"]), float(match["wanted"])
    fits = math.floor((free / total - 0.01) * 100) / 100 if total else 0.0
    actions = (change(f"Set gpu_memory_utilization to {fits:g}", gpu_memory_utilization=fits),) if fits >= 0.05 else ()
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
        (change(f"Reserve {fits:g} GiB for the KV cache", cpu_kvcache_space_gib=fits),) if fits < wanted else (),
    )


def cuda_out_of_memory(match: re.Match[str], situation: Situation) -> Finding:
    """An allocation on the GPU failed. What helps depends on how far the load had come."""
    used = situation.number("gpu_memory_utilization", _DEFAULT_UTILIZATION)
    actions = _less_memory(situation) + _without_graphs(situation)
    if situation.stage is Stage.WEIGHTS:
        actions = (change("Keep 8 GiB of the weights in main memory (cpu_offload_gb)", cpu_offload_gb=8.0),)
    elif situation.stage in (Stage.PROFILING, Stage.COMPILING):  # there is no KV cache yet to make smaller
        requests = int(situation.number("max_num_seqs", _DEFAULT_SEQS))
        actions = _smaller_step(situation) + _fewer_requests(requests)
    elif situation.stage is Stage.GRAPHS:
        actions = _without_graphs(situation) + _less_memory(situation)
    tried = match["tried"] or "more memory"
    numbers = [f"asked for: {tried}", f"gpu_memory_utilization: {used:g}"]
    if match["free"]:
        numbers[1:1] = [f"free: {match['free']}", f"the GPU has: {match['total']}"]
    return Finding(
        "out_of_memory",
        f"The GPU ran out of memory{_where(situation)}: the engine asked for {tried} more.",
        "Close what else uses the GPU, lower gpu_memory_utilization or max_num_seqs, or choose a 4-bit checkpoint.",
        tuple(numbers),
        actions,
    )


def warm_up_out_of_memory(match: re.Match[str], situation: Situation) -> Finding:
    """The sampler's or pooler's warm-up, which computes a row of the vocabulary for max_num_seqs requests at once."""
    requests = int(match["requests"])
    return Finding(
        "out_of_memory",
        f"The GPU ran out of memory while the {match['what']} was tried out with {requests} requests at once.",
        "Lower max_num_seqs or gpu_memory_utilization.",
        (f"requests at once: {requests}",),
        _fewer_requests(requests) + _less_memory(situation),
    )


def out_of_main_memory(match: re.Match[str], situation: Situation) -> Finding:
    """An allocation in main memory failed."""
    size = int(match["bytes"]) if match["bytes"] else None
    tried = f"{size / _GIB:.2f} GiB" if size is not None else "more memory"
    actions: tuple[RemedyAction, ...] = ()
    space = situation.number("cpu_kvcache_space_gib", 0.0)
    if situation.device == "cpu" and space > _LEAST_SPACE:
        less = max(_LEAST_SPACE, math.floor(space / 2 / _LEAST_SPACE) * _LEAST_SPACE)
        actions = (change(f"Reserve {less:g} GiB for the KV cache", cpu_kvcache_space_gib=less),)
    return Finding(
        "out_of_memory",
        f"Main memory ran out{_where(situation)}: the engine asked for {tried} more.",
        "Close other programs, reserve less for the KV cache, or choose a smaller checkpoint.",
        (f"asked for: {tried}",),
        actions,
    )
