"""From catalog values to the keyword arguments of vLLM's EngineArgs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engine.domain.errors import ParameterInvalid
from engine.parameters.values import deviations, merge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue

_GIB = 1 << 30


def engine_arguments(values: Mapping[str, ParameterValue], device: str) -> dict[str, object]:
    """Keyword arguments for `vllm.AsyncEngineArgs`, on `device` ("cuda" or "cpu"): what deviates from vLLM's defaults.

    The model's path, its served name and the scheduler class are the host's to add. The size of the KV cache on the
    CPU becomes vLLM's `kv_cache_memory_bytes`; `speculative_config` becomes a dict. Which GPUs it may use is told by
    its environment: see `engine.parameters.gpu_choice`. Raises ParameterInvalid.
    """
    merged = merge(values, device=device)
    arguments: dict[str, object] = dict(deviations(merged))
    arguments.pop("cpu_kvcache_space_gib", None)
    arguments.pop("gpu_uuids", None)
    space = merged.get("cpu_kvcache_space_gib")
    if isinstance(space, int | float) and merged.get("kv_cache_memory_bytes") is None:
        arguments["kv_cache_memory_bytes"] = int(space * _GIB)
    if "speculative_config" in arguments:
        arguments["speculative_config"] = _parsed(str(arguments["speculative_config"]))
    return arguments


def _parsed(text: str) -> dict[str, object]:
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        raise ParameterInvalid(
            "speculative_config is not a JSON object.",
            remedy='Write for example {"method": "ngram", "num_speculative_tokens": 4}.',
        )
    return config
