"""What a ready engine is, read from vLLM's own configuration after the load, and from what the engine said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.domain.lifecycle import EngineFacts
from engine.parameters.catalog import CATALOG
from engine.parameters.gpu_choice import chosen_gpus

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.lifecycle import EngineProcess, ParameterValue
    from engine.host.launch import Plan
    from engine.host.progress import MemorySplit
    from engine.host.vllm_names import VllmNames

_PARTS = (
    "scheduler_config",
    "cache_config",
    "model_config",
    "parallel_config",
    "load_config",
    "offload_config",
    "lora_config",
)

# Where vLLM's configuration calls a thing otherwise than its arguments do.
_OTHER_NAMES = {
    "kv_cache_dtype": "cache_dtype",
    "scheduling_policy": "policy",
    "long_prefill_token_threshold": "long_prefill_token_threshold",
}


def _plain(value: Any) -> ParameterValue:
    """A value as the table knows it; None for what the table could not show."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    text = str(value)
    return text.removeprefix("torch.") if text.startswith("torch.") else None


def in_force(plan: Plan) -> dict[str, ParameterValue]:
    """Every parameter of the table with the value that the engine has, else with what was asked for."""
    found: dict[str, ParameterValue] = {}
    for name in CATALOG:
        value: Any = None
        for part in _PARTS:
            owner = getattr(plan.config, part, None)
            value = getattr(owner, _OTHER_NAMES.get(name, name), None)
            if value is not None:
                break
        if value is None:
            value = plan.values.get(name, getattr(plan.engine_args, name, None))
        if value is None and not CATALOG[name].optional:  # no part of vLLM for it: LoRA switched off
            value = CATALOG[name].default
        found[name] = _plain(value)
    space = plan.config.cache_config.kv_cache_memory_bytes
    found["cpu_kvcache_space_gib"] = space / (1 << 30) if plan.device == "cpu" and space else None
    return found


def gpu_uuids(plan: Plan, names: VllmNames) -> tuple[str, ...]:
    """The UUIDs of the GPUs that this engine uses, as NVML spells them; empty on the CPU or where vLLM cannot tell."""
    if plan.device != "cuda":
        return ()
    if chosen := chosen_gpus(plan.values.get("gpu_uuids")):
        return chosen
    try:
        count = int(plan.config.parallel_config.world_size) * int(plan.config.parallel_config.data_parallel_size)
        return tuple(str(names.platform.get_device_uuid(index)) for index in range(count))
    except Exception:  # noqa: BLE001 - a name for a tooltip; NVML and vLLM's wrapper of it fail in many ways
        return ()


def engine_facts(
    plan: Plan,
    names: VllmNames,
    processes: tuple[EngineProcess, ...],
    page: Path,
    memory: MemorySplit,
    notes: tuple[str, ...] = (),
) -> EngineFacts:
    """The facts of a ready engine."""
    config = plan.config
    model, cache, scheduler = config.model_config, config.cache_config, config.scheduler_config
    return EngineFacts(
        vllm_version=names.version,
        checkpoint=plan.request.checkpoint,
        served_model_name=plan.served_model_name,
        device=plan.device,
        dtype=str(model.dtype).removeprefix("torch."),
        quantization=model.quantization,
        max_model_len=int(model.max_model_len),
        block_size=int(cache.block_size),
        num_blocks=int(cache.num_gpu_blocks or 0),
        max_num_seqs=int(scheduler.max_num_seqs),
        max_num_batched_tokens=int(scheduler.max_num_batched_tokens),
        async_scheduling=bool(scheduler.async_scheduling),
        page_path=str(page),
        processes=processes,
        parameters=in_force(plan),
        gpu_uuids=gpu_uuids(plan, names),
        kv_cache_bytes=cache.kv_cache_memory_bytes or memory.kv_cache_bytes,
        weights_bytes=memory.weights_bytes,
        activation_bytes=memory.activation_bytes,
        graph_bytes=memory.graph_bytes,
        non_torch_bytes=memory.non_torch_bytes,
        notes=notes,
        request=plan.request,
    )
