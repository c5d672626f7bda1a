"""Rules about what an engine is made of: its devices, its guesses ahead, its adapters, its cache's format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.errors import ParameterInvalid
from engine.parameters.catalog import CATALOG
from engine.parameters.gpu_choice import chosen_gpus
from engine.parameters.offer import offer, without_speculation
from engine.parameters.rows_execution import LORA_RANKS
from engine.parameters.rule import Problem, Surroundings, View
from engine.parameters.speculation import NGRAM, read_speculation

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.parameters.offer import Offer

CPU_FP8_HEAD = 32  # vLLM 0.26 to 0.32: what its CPU kernels compute at once, asked of it by a test


def _too_many_devices(view: View, around: Surroundings) -> Problem | None:
    names = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")
    tensor, pipeline, data = (view.whole(name) or 1 for name in names)
    wanted = tensor * pipeline * data
    if around.device != "cuda" or not around.gpu_count or wanted <= around.gpu_count:
        return None  # none at all: the engine has some, on another machine, or NVML does not answer any more
    if view.text("distributed_executor_backend") == "ray":
        return None  # Ray brings GPUs of other machines, which nobody here can count
    have = "is 1 GPU" if around.gpu_count == 1 else f"are {around.gpu_count} GPUs"
    marked = tuple(name for name in names if (view.whole(name) or 1) > 1)
    return Problem(
        marked,
        f"{tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) asks for {wanted} GPUs; there {have}.",
        f"Lower {marked[0]}.",
        offers=_fitting_tensor(around, around.gpu_count // (pipeline * data)),
    )


def _fitting_tensor(around: Surroundings, most: int) -> tuple[Offer, ...]:
    """The largest tensor_parallel_size up to `most` that the model can be split into; none below one."""
    fitting = (size for size in range(most, 0, -1) if not around.num_heads or around.num_heads % size == 0)
    return tuple(offer("tensor_parallel_size", size) for size in list(fitting)[:1])


def _heads_not_divided(view: View, around: Surroundings) -> Problem | None:
    tensor = view.whole("tensor_parallel_size") or 1
    if not around.num_heads or around.num_heads % tensor == 0:
        return None
    sizes = [str(size) for size in range(1, around.num_heads + 1) if around.num_heads % size == 0]
    return Problem(
        ("tensor_parallel_size",),
        f"The model's {around.num_heads} attention heads cannot be split over {tensor} devices.",
        f"Choose one of {', '.join(sizes)}.",
        offers=_fitting_tensor(around, tensor),
    )


def _speculation(view: View, around: Surroundings) -> Problem | None:
    name = ("speculative_config",)
    try:
        found = read_speculation(view.text("speculative_config"))
    except ParameterInvalid as error:
        return Problem(name, error.message, error.remedy, offers=(without_speculation(),))
    if found is None:
        return None
    if found.method == NGRAM and view.flag("async_scheduling") and around.device != "cpu":
        message = "Asynchronous scheduling and ngram speculation exclude each other."
        remedy, offers = "Clear async_scheduling, so that vLLM decides.", (offer("async_scheduling", None),)
        return Problem(("async_scheduling", *name), message, remedy, offers=offers)
    return None


def _lora_rank(view: View, _: Surroundings) -> Problem | None:
    rank = view.whole("max_lora_rank")
    if rank is None or rank in LORA_RANKS:
        return None
    above = next(each for each in LORA_RANKS if each > rank)
    known = ", ".join(str(each) for each in LORA_RANKS)
    message = f"vLLM has no max_lora_rank of {rank}, only {known}."
    return Problem(("max_lora_rank",), message, f"Set {above}.", offers=(offer("max_lora_rank", above),))


def _lora_in_memory(view: View, _: Surroundings) -> Problem | None:
    kept, used = view.whole("max_cpu_loras"), view.whole("max_loras")
    if not view.flag("enable_lora") or kept is None or used is None or kept >= used:
        return None
    return Problem(
        ("max_cpu_loras", "max_loras"),
        f"max_cpu_loras ({kept}) is under max_loras ({used}): what a step uses has to be kept ready.",
        f"Raise max_cpu_loras to {used} or more, or clear it.",
        offers=(offer("max_cpu_loras", used), offer("max_cpu_loras", None)),
    )


def _lora_off(view: View, _: Surroundings) -> Problem | None:
    names = ("max_loras", "max_cpu_loras", "max_lora_rank")
    changed = tuple(name for name in names if view.whole(name) not in (None, CATALOG[name].default))
    if view.flag("enable_lora") or not changed:
        return None
    message = f"{changed[0]} has no effect while enable_lora is off."
    offers = (offer("enable_lora", True),)
    return Problem((*changed, "enable_lora"), message, "Switch enable_lora on.", blocking=False, offers=offers)


def _gpus_chosen(view: View, around: Surroundings) -> Problem | None:
    chosen = chosen_gpus(view.text("gpu_uuids"))
    if not chosen or around.device == "cpu":
        return None
    missing = [uuid for uuid in chosen if around.gpu_uuids and uuid not in around.gpu_uuids]
    if missing:
        message = f"There is no GPU {missing[0]} in this machine."
        remedy, offers = "Choose the GPUs again, or clear gpu_uuids.", (offer("gpu_uuids", None),)
        return Problem(("gpu_uuids",), message, remedy, offers=offers)
    if len(set(chosen)) < len(chosen):
        offers = (offer("gpu_uuids", None),)
        return Problem(("gpu_uuids",), "gpu_uuids names a GPU twice.", "Name each GPU once.", offers=offers)
    sizes = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")
    tensor, pipeline, data = (view.whole(name) or 1 for name in sizes)
    wanted = tensor * pipeline * data
    if view.text("distributed_executor_backend") == "ray" or wanted == len(chosen):
        return None
    have = "1 GPU is" if len(chosen) == 1 else f"{len(chosen)} GPUs are"
    return Problem(
        ("gpu_uuids", "tensor_parallel_size"),
        f"{have} chosen, but {tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) uses {wanted}.",
        f"Choose {wanted}, or set tensor_parallel_size to {max(1, len(chosen) // (pipeline * data))}.",
        blocking=wanted > len(chosen),
        offers=_fitting_tensor(around, len(chosen) // (pipeline * data)),
    )


def _fp8_cache(view: View, around: Surroundings) -> Problem | None:
    wanted = (view.text("kv_cache_dtype") or "").startswith("fp8")
    if not wanted or around.device != "cpu":
        return None
    message = ""
    if around.head_dim is not None and around.head_dim % CPU_FP8_HEAD == CPU_FP8_HEAD // 2:
        message = (
            f"vLLM's CPU kernels keep an FP8 KV cache for attention heads of a multiple of {CPU_FP8_HEAD} only, and "
            f"this model's have {around.head_dim} numbers."
        )
    elif around.fp8_cache is False:
        message = "vLLM's CPU kernels read an FP8 KV cache with AVX-512 or AMX only, and this processor has neither."
    if not message:
        return None
    return Problem(("kv_cache_dtype",), message, "Choose auto.", offers=(offer("kv_cache_dtype", "auto"),))


ENGINE_RULES: tuple[Callable[[View, Surroundings], Problem | None], ...] = (
    _too_many_devices,
    _heads_not_divided,
    _gpus_chosen,
    _speculation,
    _lora_rank,
    _lora_in_memory,
    _lora_off,
    _fp8_cache,
)
