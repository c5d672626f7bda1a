"""How much main memory there is for engines that wait, and whether one more may."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.domain.sleepers import DEFAULT_MOST, Rest

if TYPE_CHECKING:
    from engine.domain.lifecycle import LoadRequest
    from engine.domain.sleepers import KeepPolicy
    from engine.host.sleeping import Served

_GIB = 1 << 30
_CGROUP = Path("/sys/fs/cgroup")
_UNLIMITED = 1 << 60
_SHARE = 0.5  # of what would be free without any sleeper: the desktop and the engine that serves need the rest
_RESERVE = _GIB
_PINNED_ROUND_UP = 1.3  # PyTorch rounds each pinned piece up to a power of two
_CPU_CACHE_GIB = 2.0


def free_bytes(cgroup: Path = _CGROUP) -> int:
    """Main memory that can be had now: what the system has available, and what a container's limit leaves of it."""
    free = int(psutil.virtual_memory().available)
    for limit, usage, stat in (
        ("memory.max", "memory.current", "memory.stat"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
    ):
        with contextlib.suppress(OSError, ValueError):
            most = int((cgroup / limit).read_text())
            if most < _UNLIMITED:
                cached = _cached((cgroup / stat).read_text())
                free = min(free, max(0, most - int((cgroup / usage).read_text()) + cached))
    return free


def _cached(stat: str) -> int:
    """Bytes of files that the kernel would drop for the asking."""
    rows = dict(line.split() for line in stat.splitlines() if len(line.split()) == 2)
    return int(rows.get("inactive_file", rows.get("total_inactive_file", 0)))


def limits(policy: KeepPolicy, held: int, free: int) -> tuple[int, int]:
    """The limits in force: how many engines may wait, and with how many bytes of main memory together."""
    most = policy.most if policy.most is not None else DEFAULT_MOST
    return max(0, most), policy.most_bytes if policy.most_bytes is not None else int((free + held) * _SHARE)


def missing_bytes(outgoing: Served, incoming: LoadRequest | None, free: int) -> int:
    """How much main memory is lacking to let `outgoing` rest while `incoming` is loaded (None: nothing is). At most 0:
    nothing lacks.

    On a GPU the outgoing weights need a place in main memory. On the CPU they have theirs, and the incoming model's
    need one beside them.
    """
    need = 0
    if outgoing.rest is Rest.ASLEEP and not outgoing.has_rested:  # PyTorch keeps pinned memory for the next time
        need += int(weights_of(outgoing) * _PINNED_ROUND_UP)
    if outgoing.rest is Rest.KEPT and incoming is not None:
        need += disk_bytes(Path(incoming.checkpoint)) + _cache_bytes(incoming)
    return need + _RESERVE - free


def weights_of(served: Served) -> int:
    """Bytes of an engine's weights over all its devices, as it reported them, else as the files have them."""
    config = served.run.plan.config.parallel_config
    per_device = served.facts.weights_bytes
    if per_device is None:
        return disk_bytes(Path(served.facts.checkpoint))
    return per_device * int(getattr(config, "world_size", 1) or 1)


def disk_bytes(checkpoint: Path) -> int:
    """What the weights' files take."""
    try:
        files = [checkpoint] if checkpoint.is_file() else [*checkpoint.glob("*.safetensors"), *checkpoint.glob("*.bin")]
        return sum(path.stat().st_size for path in files)
    except OSError:
        return 0


def _cache_bytes(request: LoadRequest) -> int:
    fixed, space = request.parameters.get("kv_cache_memory_bytes"), request.parameters.get("cpu_kvcache_space_gib")
    if isinstance(fixed, int) and fixed > 0:
        return fixed
    return int((float(space) if isinstance(space, int | float) else _CPU_CACHE_GIB) * _GIB)
