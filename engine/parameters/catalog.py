"""The one table of parameters: every tunable of the engine, in the order in which it is shown.

Names, types and defaults are vLLM's own (`vllm.EngineArgs`); what differs on purpose is named in OURS and
DIFFERENT_DEFAULT, and a contract test holds every row against the installed vLLM. Whether remote code may run is not
a row: that is a question of trust, asked in a dialog, and never saved with a profile.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.parameters.rows_batching import BATCHING, CACHE, MEMORY
from engine.parameters.rows_execution import ADAPTERS, EXECUTION, PARALLEL
from engine.parameters.spec import Applies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue
    from engine.parameters.spec import ParameterSpec

GROUPS = ("Batching", "Memory", "Cache", "Execution", "Adapters", "Parallel")

_ROWS = (*BATCHING, *MEMORY, *CACHE, *EXECUTION, *ADAPTERS, *PARALLEL)

CATALOG: Mapping[str, ParameterSpec] = MappingProxyType({row.name: row for row in _ROWS})

LIVE_NAMES = frozenset(row.name for row in _ROWS if row.applies is Applies.LIVE)

# Rows that are not arguments of vLLM's, and what they become (engine.parameters.arguments).
OURS: Mapping[str, str] = MappingProxyType(
    {"cpu_kvcache_space_gib": "kv_cache_memory_bytes", "gpu_uuids": "CUDA_VISIBLE_DEVICES"}
)

# Defaults that differ from vLLM's on purpose, and why.
DIFFERENT_DEFAULT: Mapping[str, str] = MappingProxyType(
    {
        "cpu_kvcache_space_gib": "vLLM would take 92 % of main memory, which no desktop has to spare.",
        "enforce_eager": "Empty is off on a GPU, as vLLM has it, and on for the CPU, where compiling takes minutes.",
    }
)


def rows_for(device: str) -> tuple[ParameterSpec, ...]:
    """The rows that have a meaning on `device` ("cuda", "cpu", or "" for all of them), in table order."""
    return tuple(row for row in _ROWS if not device or row.device in ("", device))


def defaults(device: str = "") -> dict[str, ParameterValue]:
    """The default of every row that has a meaning on `device` (all rows when it is empty)."""
    return {row.name: row.default for row in rows_for(device)}
