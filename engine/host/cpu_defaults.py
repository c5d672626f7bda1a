"""Sensible values for an engine on the CPU where the parameters are silent."""

from __future__ import annotations

import contextlib
import os
import platform
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.domain.lifecycle import ParameterValue

_GIB = 1 << 30
_KV_SPACE = "cpu_kvcache_space_gib"
_KV_WISH_GIB = 2.0
_KV_LEAST_GIB = 0.125
_KV_SHARE = 0.5  # of the memory now free: weights, activations and the desktop need the other half
_SMALL_MACHINE = 4


@dataclass(frozen=True, slots=True)
class CpuTraits:
    """What decides the defaults. `bf16` is True where bfloat16 arithmetic exists, None on processors not known here."""

    bf16: bool | None
    cores: tuple[int, ...]
    free_bytes: int
    numa_nodes: int = 1


def read_traits() -> CpuTraits:
    """The traits of this machine."""
    cores = tuple(sorted(os.sched_getaffinity(0)))
    nodes = len(list(Path("/sys/devices/system/node").glob("node[0-9]*")))
    return CpuTraits(bf16=_has_bf16(), cores=cores, free_bytes=_free_bytes(), numa_nodes=max(1, nodes))


def _has_bf16() -> bool | None:
    if platform.machine() not in ("x86_64", "AMD64"):
        return None
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    flags = next((line.partition(":")[2].split() for line in info.splitlines() if line.startswith("flags")), [])
    return "avx512_bf16" in flags or "amx_bf16" in flags


def _free_bytes() -> int:
    """Memory that can be had now. vLLM binds the KV cache to the first NUMA node, so that node's share limits it."""
    free = int(psutil.virtual_memory().available)
    node = Path("/sys/devices/system/node/node0/meminfo")
    try:
        rows = {parts[2].rstrip(":"): int(parts[3]) * 1024 for parts in map(str.split, node.read_text().splitlines())}
    except (OSError, ValueError, IndexError):
        return free
    names = ("MemFree", "Active(file)", "Inactive(file)", "SReclaimable")
    return min(free, sum(rows.get(name, 0) for name in names))


def fill_in(
    values: Mapping[str, ParameterValue], traits: CpuTraits, environment: Mapping[str, str], *, packed: bool = False
) -> dict[str, ParameterValue]:
    """`values` with what a CPU wants where they are silent (absent, None, or "auto" for the dtype).

    float32 where the processor has no bfloat16 arithmetic (measured: 3 to 4 times as fast there; with AVX-512 BF16
    it is bfloat16 that is 4 times as fast). `packed`: it is of four-bit weights, and this CPU has their kernel, which
    knows no float32. No compilation unless asked for: it takes minutes.
    """
    filled = dict(values)
    if filled.get("enforce_eager") is None:
        filled["enforce_eager"] = True
    if filled.get("dtype") in (None, "auto") and traits.bf16 is not None:
        filled["dtype"] = "bfloat16" if traits.bf16 or packed else "float32"
    if filled.get(_KV_SPACE) is None and filled.get("kv_cache_memory_bytes") is None:
        filled[_KV_SPACE] = _kv_space(traits, environment)
    return filled


def _kv_space(traits: CpuTraits, environment: Mapping[str, str]) -> float:
    wish = _KV_WISH_GIB
    with contextlib.suppress(KeyError, ValueError):
        wish = float(environment["VLLM_CPU_KVCACHE_SPACE"])
    room = traits.free_bytes * _KV_SHARE / _GIB
    return max(_KV_LEAST_GIB, min(wish, int(room / _KV_LEAST_GIB) * _KV_LEAST_GIB))


def thread_binding(traits: CpuTraits, workers: int) -> str | None:
    """VLLM_CPU_OMP_THREADS_BIND for a small machine, or None to let vLLM choose.

    vLLM keeps one core free for its scheduler. Of two to four cores that is too much to give away. And it puts each of
    several `workers` (of all ranks, data-parallel ones too) on a NUMA node of its own: where there are not as many,
    they share the cores evenly.
    """
    cores = traits.cores
    if workers > 1:
        if traits.numa_nodes >= workers or len(cores) < workers:
            return None
        bounds = [len(cores) * place // workers for place in range(workers + 1)]
        return "|".join(_listed(cores[first:end]) for first, end in pairwise(bounds))
    return _listed(cores) if 1 <= len(cores) <= _SMALL_MACHINE else None


def _listed(cores: Sequence[int]) -> str:
    return ",".join(str(core) for core in cores)
