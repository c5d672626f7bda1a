"""Which devices there are to measure, what they are called, and how much of their memory is free."""

from __future__ import annotations

from dataclasses import dataclass

import psutil
import torch

from engine.domain.errors import KVDeckError
from engine.gpu.processor import cpu_key, cpu_name, engine_threads


class NoSuchDevice(KVDeckError):
    """The device that was asked for is not there, or torch cannot use it."""

    kind = "no_such_device"


@dataclass(frozen=True, slots=True)
class Device:
    """One device: torch's name for it, the key and name that its ceilings are kept under, bytes that are free now."""

    torch_name: str
    kind: str
    key: str
    name: str
    free_bytes: int
    threads: int | None = None


def chosen_devices(wish: str, threads: int | None) -> tuple[Device, ...]:
    """The devices for a wish: "cpu", a GPU's UUID, or "auto" for all GPUs and else the CPU. Raises NoSuchDevice."""
    if wish == "cpu":
        return (_cpu(threads),)
    gpus = _gpus()
    if wish == "auto":
        return gpus or (_cpu(threads),)
    found = tuple(gpu for gpu in gpus if gpu.key == wish)
    if not found:
        raise NoSuchDevice(
            f"torch {torch.__version__} cannot use the GPU {wish} here.",
            remedy="Install the CUDA build of the engine, or measure the CPU.",
        )
    return found


def _cpu(threads: int | None) -> Device:
    count = threads or engine_threads()
    return Device("cpu", "cpu", cpu_key(count), cpu_name(), int(psutil.virtual_memory().available), count)


def _gpus() -> tuple[Device, ...]:
    if not torch.cuda.is_available():
        return ()
    return tuple(_gpu(index) for index in range(torch.cuda.device_count()))


def _gpu(index: int) -> Device:
    properties = torch.cuda.get_device_properties(index)
    uuid = str(properties.uuid)
    free, _ = torch.cuda.mem_get_info(index)
    key = uuid if uuid.startswith("GPU-") else f"GPU-{uuid}"
    return Device(f"cuda:{index}", "cuda", key, properties.name, int(free))
