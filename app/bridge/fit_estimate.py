"""Does it fit? The estimate for the model that Load would load, from the hardware as it is now."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.checkpoints.fit import fit_cache, fit_cpu, fit_gpu
from engine.checkpoints.machine import Machine
from engine.domain.errors import ParameterInvalid
from engine.parameters.gpu_choice import VISIBLE, used_gpus, visible_gpus
from engine.parameters.values import merge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.checkpoints.fit import CacheFit, MemoryFit
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.gpu import GpuSample, HardwareSample
    from engine.domain.lifecycle import ParameterValue


@dataclass(frozen=True, slots=True)
class FitView:
    """An estimate as it is shown. `gives_back_bytes` is what the running engine holds now and returns before a load.

    `other_cache` is what the same memory would hold with the KV cache in `other_dtype`: FP8 where it is not, and the
    model's own format where it is; None where this engine has no such choice. `waiting_bytes` are what the engines that
    wait hold of the same memory.
    """

    checkpoint: Checkpoint
    fit: MemoryFit
    max_num_seqs: int | None
    gives_back_bytes: int | None
    device: str
    other_cache: CacheFit | None = None
    other_dtype: str = ""
    waiting_bytes: int = 0


def estimate(
    hardware: HardwareSample | None,
    device: str,
    checkpoint: Checkpoint,
    values: Mapping[str, ParameterValue],
    machine: Machine,
    serving: Sequence[str] = (),
) -> FitView | None:
    """The estimate for `checkpoint` with `values` (deviations from the defaults) on `device` ("" is unknown). `serving`
    are the GPUs of the engine that runs with none chosen: the next one takes them, too.

    None where the machine or the weights are not known, or a value is out of its range.
    """
    if hardware is None or not device:
        return None
    try:
        merged = merge(values, device=device)
    except ParameterInvalid:
        return None
    machine = Machine(device, machine.gpus, hardware.host.total_bytes, machine.cpu_flags, machine.vllm)
    if device == "cuda":
        fit = _on_gpu(hardware, checkpoint, merged, machine, serving)
    else:
        fit = _on_cpu(hardware, checkpoint, merged, machine)
    if fit is None:
        return None
    seqs = merged.get("max_num_seqs")
    other = "auto" if str(merged.get("kv_cache_dtype")).startswith("fp8") else "fp8"
    cache = None
    if machine.reads_fp8_cache is not False:
        cache = fit_cache(checkpoint, {**merged, "kv_cache_dtype": other}, machine, fit.cache.cache_bytes)
    most = seqs if isinstance(seqs, int) else None
    return FitView(checkpoint, fit, most, _held(hardware, device), device, cache, other)


def _on_gpu(
    hardware: HardwareSample,
    checkpoint: Checkpoint,
    values: Mapping[str, ParameterValue],
    machine: Machine,
    serving: Sequence[str],
) -> MemoryFit | None:
    shown = visible_gpus(os.environ.get(VISIBLE), [gpu.uuid for gpu in hardware.gpus])
    first = tuple(uuid for uuid in serving if uuid in {gpu.uuid for gpu in hardware.gpus})
    card = _tightest(hardware, used_gpus(values, (*first, *(uuid for uuid in shown if uuid not in first))))
    if card is None or card.total_bytes is None:
        return None
    ours = card.ours_bytes or 0
    others = card.others_bytes if card.others_bytes is not None else max(0, (card.used_bytes or 0) - ours)
    return fit_gpu(checkpoint, values, machine, total_bytes=card.total_bytes, others_bytes=others)


def _on_cpu(
    hardware: HardwareSample, checkpoint: Checkpoint, values: Mapping[str, ParameterValue], machine: Machine
) -> MemoryFit | None:
    available = hardware.host.available_bytes + (hardware.host.engine_bytes or 0)
    return fit_cpu(checkpoint, values, machine, available_bytes=min(available, hardware.host.total_bytes))


def _tightest(hardware: HardwareSample, used: tuple[str, ...]) -> GpuSample | None:
    """The GPU with the least room, of those that are used: with several, the smallest share decides for all."""
    known = [gpu for gpu in hardware.gpus if gpu.total_bytes and (not used or gpu.uuid in used)]
    return min(known, key=lambda gpu: (gpu.total_bytes or 0) - (gpu.others_bytes or 0)) if known else None


def _held(hardware: HardwareSample, device: str) -> int | None:
    if device != "cuda":
        return hardware.host.engine_bytes
    ours = [gpu.ours_bytes for gpu in hardware.gpus if gpu.ours_bytes is not None]
    return sum(ours) if ours else None
