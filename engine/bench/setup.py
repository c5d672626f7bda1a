"""What is measured, written down: engine, model, parameters in force, machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
import psutil

from engine.bench.result import EngineSetup
from engine.checkpoints.describe import describe
from engine.domain.errors import KVDeckError
from engine.gpu.nvml import Nvml
from engine.parameters.values import deviations

if TYPE_CHECKING:
    from engine.domain.lifecycle import HostStatus, ParameterValue

_LOCAL = {"localhost", "::1"}
_NOT_ASKED_FOR = {"kv_cache_memory_bytes"}  # on the CPU vLLM derives it from cpu_kvcache_space_gib


def setup_of(status: HostStatus | None, url: str) -> EngineSetup:
    """What `status` says of the engine, and what this machine says where the engine runs on it. Blocks on the disk.

    `status` None (a server that is no host of ours) leaves the engine's part unknown.
    """
    facts = None if status is None else status.lifecycle.facts
    limits = None if status is None else status.limits
    here = is_local(url)
    setup = _machine() if here else EngineSetup()
    if status is None or facts is None:
        return setup
    known = _checkpoint(facts.checkpoint) if here else (None, None)
    return msgspec.structs.replace(
        setup,
        kvdeck_version=status.version,
        vllm_version=facts.vllm_version,
        checkpoint=facts.checkpoint,
        model=facts.served_model_name,
        quantization=known[0] or facts.quantization,
        weights_bytes=facts.weights_bytes or known[1],
        kv_cache_bytes=facts.kv_cache_bytes,
        num_blocks=facts.num_blocks,
        block_size=facts.block_size,
        max_model_len=facts.max_model_len,
        dtype=facts.dtype,
        device=facts.device,
        parameters=dict(facts.parameters),
        max_num_seqs=facts.max_num_seqs if limits is None else limits.max_num_seqs,
        max_num_batched_tokens=facts.max_num_batched_tokens if limits is None else limits.max_num_batched_tokens,
        long_prefill_token_threshold=None if limits is None else limits.long_prefill_token_threshold,
        policy=None if limits is None else limits.policy,
    )


def is_local(url: str) -> bool:
    """Whether a server's address is this machine's loopback."""
    host = urlsplit(url).hostname or ""
    return host in _LOCAL or host.startswith("127.")


def asked_parameters(setup: EngineSetup) -> dict[str, ParameterValue]:
    """What has to be asked for at a load to get this setup again: what differs from the defaults, with the live limits
    as they were.
    """
    live = {
        "max_num_seqs": setup.max_num_seqs,
        "max_num_batched_tokens": setup.max_num_batched_tokens,
        "long_prefill_token_threshold": setup.long_prefill_token_threshold,
        "scheduling_policy": setup.policy,
    }
    values = {**setup.parameters, **{name: value for name, value in live.items() if value is not None}}
    unset = _NOT_ASKED_FOR if setup.device == "cpu" else set()
    asked = deviations({name: value for name, value in values.items() if value is not None and name not in unset})
    return {name: value for name, value in asked.items() if value is not None}


def differences(one: EngineSetup, other: EngineSetup) -> tuple[tuple[str, str, str], ...]:
    """What differs between two setups: name, value in the first, value in the second ("—" where unknown)."""
    names = [name for name in EngineSetup.__struct_fields__ if name != "parameters"]
    found: list[tuple[str, object, object]] = [(name, getattr(one, name), getattr(other, name)) for name in names]
    named = sorted({*one.parameters, *other.parameters})
    found.extend((name, one.parameters.get(name), other.parameters.get(name)) for name in named)
    seen: dict[str, tuple[str, str]] = {}
    for name, left, right in found:
        if left != right:
            seen.setdefault(name, (_shown(left), _shown(right)))
    return tuple((name, left, right) for name, (left, right) in seen.items())


def _shown(value: object) -> str:
    if value is None or value == ():
        return "—"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _checkpoint(path: str) -> tuple[str | None, int | None]:
    """The label of the quantization and the bytes of the weights, where the folder can be read."""
    try:
        checkpoint = describe(path).checkpoint
    except (KVDeckError, OSError):
        return None, None
    return checkpoint.quantization.label, checkpoint.weights_bytes


def _machine() -> EngineSetup:
    nvml = Nvml()
    try:
        gpus = tuple(gpu.name or "GPU" for gpu in nvml.describe_gpus())
        driver = nvml.driver_version()
    finally:
        nvml.close()
    return EngineSetup(
        kvdeck_version=_own_version(),
        gpus=gpus,
        driver_version=driver,
        cpu=_cpu_name(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        memory_bytes=psutil.virtual_memory().total,
        python_version=platform.python_version(),
        system=f"{platform.system()} {platform.release()}",
    )


def _own_version() -> str | None:
    try:
        return version("kvdeck")
    except PackageNotFoundError:
        return None


def _cpu_name() -> str | None:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or None
