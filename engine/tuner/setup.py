"""What is being measured, from the host's own status and this machine: written into every run of a job."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import msgspec
import psutil

from engine.bench.result import EngineSetup

if TYPE_CHECKING:
    from engine.domain.lifecycle import HostStatus


def setup_of(status: HostStatus) -> EngineSetup:
    """Engine, model and parameters as the host tells them; of the machine what the operating system tells.

    For a host elsewhere the machine is the one that sends, since nothing tells of the other.
    """
    facts, limits = status.lifecycle.facts, status.limits
    setup = EngineSetup(
        kvdeck_version=_version(),
        vllm_version=status.vllm_version,
        cpu=platform.processor() or platform.machine(),
        cores=os.cpu_count(),
        memory_bytes=int(psutil.virtual_memory().total),
        python_version=platform.python_version(),
        system=platform.platform(),
    )
    if facts is None:
        return setup
    return msgspec.structs.replace(
        setup,
        checkpoint=facts.checkpoint,
        model=facts.served_model_name,
        quantization=facts.quantization,
        weights_bytes=facts.weights_bytes,
        kv_cache_bytes=facts.kv_cache_bytes,
        num_blocks=facts.num_blocks,
        block_size=facts.block_size,
        max_model_len=facts.max_model_len,
        dtype=facts.dtype,
        device=facts.device,
        parameters=facts.parameters,
        max_num_seqs=limits.max_num_seqs if limits is not None else facts.max_num_seqs,
        max_num_batched_tokens=limits.max_num_batched_tokens if limits is not None else facts.max_num_batched_tokens,
        long_prefill_token_threshold=limits.long_prefill_token_threshold if limits is not None else None,
        policy=limits.policy if limits is not None else None,
    )


def _version() -> str | None:
    try:
        return version("kvdeck")
    except PackageNotFoundError:
        return None
