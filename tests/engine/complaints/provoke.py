"""vLLM's own functions brought to refuse, with values as users have them: called in a process with vLLM.

What they return is the traceback's text, chained causes first, which is what reaches our host out of an engine's log
(tests/vllm_child.py starts the process); None where vLLM did not refuse.
"""

from __future__ import annotations

import traceback
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_GIB = 1 << 30


def _refusal(call: Callable[[], Any]) -> str | None:
    try:
        call()
    except Exception:  # noqa: BLE001 - what it is, is the answer
        return traceback.format_exc()
    return None


def cache_too_small(question: dict[str, Any]) -> list[str | None]:
    """vLLM's check whether a KV cache holds one request of the checkpoint `path`: for each of `cases`, a max_model_len
    and the cache's GiB."""
    import torch
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.core.kv_cache_utils import check_enough_kv_cache_memory
    from vllm.v1.kv_cache_interface import FullAttentionSpec

    told = []
    for length, gib in question["cases"]:
        arguments = AsyncEngineArgs(
            model=question["path"], max_model_len=length, enforce_eager=True, dtype="bfloat16", skip_tokenizer_init=True
        )
        config = arguments.create_engine_config()
        if hasattr(config.cache_config, "kv_cache_layout"):  # newer vLLM: its engine core settles this before the check
            config.cache_config.kv_cache_layout = "NHD"
        hf = config.model_config.hf_config
        size = hf.hidden_size // hf.num_attention_heads
        spec = FullAttentionSpec(
            block_size=16, num_kv_heads=hf.num_key_value_heads, head_size=size, dtype=torch.bfloat16
        )
        layers = {f"model.layers.{index}.self_attn.attn": spec for index in range(hf.num_hidden_layers)}
        told.append(_refusal(lambda: check_enough_kv_cache_memory(config, layers, int(gib * _GIB))))  # noqa: B023
    return told


def memory_not_free(cases: list[dict[str, float]]) -> list[str | None]:
    """The check at a GPU worker's start: `free` of `total` GiB, with a `share` asked for."""
    import torch
    from vllm.config import CacheConfig
    from vllm.utils.mem_utils import MemorySnapshot
    from vllm.v1.worker.utils import request_memory

    told = []
    for case in cases:
        snapshot = MemorySnapshot(device=torch.device("cpu"), auto_measure=False)
        snapshot.free_memory = int(case["free"] * _GIB)
        snapshot.total_memory = int(case["total"] * _GIB)
        config = CacheConfig(block_size=16, gpu_memory_utilization=case["share"])
        told.append(_refusal(lambda: request_memory(snapshot, config)))  # noqa: B023
    return told


def sampler_out_of_memory(text: str) -> str | None:
    """The sampler's warm-up of the GPU worker with 1,024 requests, on a sampler that there is no memory for."""
    import torch
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner

    def sampler(**_: object) -> None:
        raise torch.OutOfMemoryError(text)

    runner = SimpleNamespace(
        device=torch.device("cpu"),
        model=SimpleNamespace(compute_logits=lambda hidden: torch.zeros(len(hidden), 8)),
        sampler=sampler,
        speculative_config=None,
        vllm_config=SimpleNamespace(model_config=SimpleNamespace(multimodal_config=None)),
    )
    warm_up = GPUModelRunner._dummy_sampler_run.__wrapped__  # under its inference_mode
    return _refusal(lambda: warm_up(runner, torch.zeros(1024, 8)))


def out_of_main_memory(gib: int) -> str | None:
    """A tensor that no machine's main memory holds."""
    import torch

    return _refusal(lambda: torch.empty(gib * _GIB, dtype=torch.uint8))


def quantization_chosen(cases: list[tuple[str, str | None]]) -> list[str | None]:
    """For each folder and the method that the user names for it (None: none): the traceback where vLLM refuses."""
    from vllm.config import ModelConfig

    def choose(path: str, named: str | None) -> Any:
        return ModelConfig(model=path, skip_tokenizer_init=True, dtype="bfloat16", quantization=named)

    return [_refusal(lambda: choose(path, named)) for path, named in cases]  # noqa: B023


def statistics_told(_: None) -> tuple[str, ...]:
    """What our window of figures misses in the installed vLLM's own statistics of a step with a finished request."""
    from vllm.v1.engine import FinishReason
    from vllm.v1.metrics.stats import FinishedRequestStats, IterationStats, SchedulerStats

    from engine.host.stats import StatsWindow

    iteration = IterationStats()
    iteration.finished_requests.append(FinishedRequestStats(FinishReason.STOP))
    window = StatsWindow()
    window.record(SchedulerStats(), iteration)
    return window.now().untold
