"""Does it fit? Weights exactly, the KV cache by the rules of each attention kind, and what remains for requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.checkpoints.overhead import overhead_bytes
from engine.checkpoints.verdict import is_packed_four_bit
from engine.domain.checkpoint import VerdictKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.checkpoints.machine import Machine
    from engine.domain.checkpoint import AttentionShape, Checkpoint
    from engine.domain.lifecycle import ParameterValue

_DTYPE_BYTES = {"float32": 4.0, "float64": 8.0, "float16": 2.0, "bfloat16": 2.0}
_CACHE_BYTES = {"float16": 2.0, "bfloat16": 2.0, "fp8": 1.0, "fp8_e4m3": 1.0, "fp8_e5m2": 1.0}
_DEFAULT_BLOCK = {"cpu": 128}
_DEFAULT_BATCHED_TOKENS = 2048
_GIB = 1 << 30
_CPU_CACHE_GIB = 2.0


@dataclass(frozen=True, slots=True)
class CacheFit:
    """What a KV cache of `cache_bytes` holds. `tokens` is over all requests; `full_requests` how many of the longest
    (`max_model_len` tokens) at once, below 1 where not even one fits; `longest` the longest single request that does.
    None is unknown."""

    cache_bytes: int
    bytes_per_token: int | None
    bytes_per_request: int | None
    block_size: int
    num_blocks: int | None
    tokens: int | None
    max_model_len: int | None
    full_requests: float | None
    longest: int | None


@dataclass(frozen=True, slots=True)
class MemoryFit:
    """The bar of a fit estimate, in bytes. `budget_bytes` is what the engine may fill; `cache` what is left for the KV
    cache of it (zero where the weights alone are over the budget). `overhead_bytes` is an estimate of activations,
    graphs and the runtime; `needed_utilization` the gpu_memory_utilization at which one full-length request fits, None
    where no share of this GPU is enough."""

    total_bytes: int
    others_bytes: int
    budget_bytes: int
    weights_bytes: int
    overhead_bytes: int
    cache: CacheFit
    needed_utilization: float | None

    @property
    def fits(self) -> bool | None:
        """Whether at least one request of full length fits; None where that cannot be said."""
        return None if self.cache.full_requests is None else self.cache.full_requests >= 1


def loaded_weights_bytes(checkpoint: Checkpoint, values: Mapping[str, ParameterValue], machine: Machine) -> int | None:
    """Memory of the weights once loaded: their own size, or the dense model's where dtype or kernels widen it."""
    stored, parameters = checkpoint.weights_bytes, checkpoint.parameters
    width = _DTYPE_BYTES.get(compute_dtype(checkpoint, values, machine) or "")
    dense = checkpoint.quantization.method is None or checkpoint.verdict.kind is VerdictKind.RUNS_UNPACKED
    return int(parameters * width) if dense and parameters is not None and width is not None else stored


def compute_dtype(checkpoint: Checkpoint, values: Mapping[str, ParameterValue], machine: Machine) -> str | None:
    """The dtype that the engine will compute in, as vLLM (and on the CPU our host) resolves "auto"; None is unknown."""
    asked = values.get("dtype")
    if isinstance(asked, str) and asked != "auto":
        return asked
    if machine.device == "cpu" and machine.cpu_flags:
        packed = is_packed_four_bit(checkpoint.quantization) and not machine.lacks_wna16_kernel  # no float32 kernel
        return "float32" if machine.lacks_bfloat16 and not packed else "bfloat16"
    own = checkpoint.weight_dtype
    if own == "float32":
        return "float16"
    if own in _DTYPE_BYTES:
        return own
    return "bfloat16" if checkpoint.quantization.method != "awq" else "float16"


def bytes_per_element(checkpoint: Checkpoint, values: Mapping[str, ParameterValue], machine: Machine) -> float:
    """Bytes of one cached key or value."""
    asked = values.get("kv_cache_dtype")
    if isinstance(asked, str) and asked in _CACHE_BYTES:
        return _CACHE_BYTES[asked]
    return _DTYPE_BYTES.get(compute_dtype(checkpoint, values, machine) or "", 2.0)


def request_bytes(
    shape: AttentionShape, tokens: int, element_bytes: float, block_size: int, batched: int
) -> int | None:
    """KV cache of one request of `tokens` tokens. None where the shape is unknown.

    Whole blocks in the layers that keep all, the window (and one step's tokens) in sliding ones, a fixed state in
    recurrent ones.
    """
    layers, elements = shape.layers_with_cache, shape.elements_per_layer
    if layers == 0:
        return shape.state_bytes
    if layers is None or elements is None:
        return None
    sliding = min(shape.sliding_layers, layers) if shape.sliding_window else 0
    blocks = -(-tokens // block_size)
    window_blocks = blocks
    if shape.sliding_window:
        kept = min(shape.sliding_window - 1 + batched, tokens)
        window_blocks = min(blocks, -(-kept // block_size) + 1)
    block_bytes = block_size * elements * element_bytes
    total = block_bytes * (blocks * (layers - sliding) + window_blocks * sliding)
    return int(total) + (shape.state_bytes or 0)


def fit_cache(
    checkpoint: Checkpoint, values: Mapping[str, ParameterValue], machine: Machine, cache_bytes: int
) -> CacheFit:
    """What fits into a KV cache of `cache_bytes` over all GPUs of one engine. `values` are merged parameters."""
    shape, element = checkpoint.attention, bytes_per_element(checkpoint, values, machine)
    block = _whole(values.get("block_size")) or _DEFAULT_BLOCK.get(machine.device, 16)
    batched = _whole(values.get("max_num_batched_tokens")) or _DEFAULT_BATCHED_TOKENS
    length = _whole(values.get("max_model_len")) or checkpoint.max_context
    layers, elements = shape.layers_with_cache, shape.elements_per_layer
    per_token = int(layers * elements * element) if layers is not None and elements is not None else None
    num_blocks = cache_bytes // int(per_token * block) if per_token else None
    uniform = not shape.sliding_layers and shape.kind not in ("hybrid", "Mamba")
    usable = num_blocks - 1 if num_blocks else num_blocks  # block 0 is the null block
    per_request = request_bytes(shape, length, element, block, batched) if length else None
    full = None
    if per_request:
        full = (usable or 0) / -(-length // block) if uniform and length else cache_bytes / per_request
    tokens = None
    if uniform:
        tokens = num_blocks * block if num_blocks is not None else None
    elif full is not None and length:
        tokens = int(full * length)
    return CacheFit(
        cache_bytes=cache_bytes,
        bytes_per_token=per_token,
        bytes_per_request=per_request,
        block_size=block,
        num_blocks=num_blocks if uniform else None,
        tokens=tokens,
        max_model_len=length,
        full_requests=full,
        longest=_longest(shape, element, block, batched, cache_bytes, length),
    )


def _longest(
    shape: AttentionShape, element: float, block: int, batched: int, cache_bytes: int, limit: int | None
) -> int | None:
    """The longest request that fits alone, up to `limit`, by bisection (the need never falls with the length)."""
    if limit is None or request_bytes(shape, limit, element, block, batched) is None:
        return None
    null_block = request_bytes(shape, block, element, block, batched) or 0
    room = cache_bytes - (null_block if shape.kind not in ("hybrid", "Mamba") else 0)
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if (request_bytes(shape, middle, element, block, batched) or 0) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def fit_gpu(
    checkpoint: Checkpoint,
    values: Mapping[str, ParameterValue],
    machine: Machine,
    *,
    total_bytes: int,
    others_bytes: int,
) -> MemoryFit | None:
    """The fit on GPUs of `total_bytes` each, of which others than the outgoing engine use `others_bytes`.

    `values` are merged parameters. None where the weights' size is unknown.
    """
    weights = loaded_weights_bytes(checkpoint, values, machine)
    if weights is None or total_bytes <= 0:
        return None
    ranks = (_whole(values.get("tensor_parallel_size")) or 1) * (_whole(values.get("pipeline_parallel_size")) or 1)
    share = values.get("gpu_memory_utilization")
    utilization = float(share) if isinstance(share, int | float) else 0.92
    offload = values.get("cpu_offload_gb")
    offloaded = int(float(offload) * _GIB) if isinstance(offload, int | float) else 0
    weights = max(0, weights // ranks - offloaded)
    overhead = overhead_bytes(checkpoint, values, machine, total_bytes=total_bytes)
    budget = min(int(total_bytes * utilization), total_bytes - others_bytes)
    fixed = _whole(values.get("kv_cache_memory_bytes"))
    room = fixed if fixed is not None else max(0, budget - weights - overhead)
    cache = fit_cache(checkpoint, values, machine, room * ranks)
    needed = None
    if cache.bytes_per_request is not None:
        wanted = weights + overhead + cache.bytes_per_request // ranks
        if wanted <= total_bytes - others_bytes:
            needed = min(1.0, -(-wanted * 100 // total_bytes) / 100)
    return MemoryFit(total_bytes, others_bytes, budget, weights, overhead, cache, needed)


def fit_cpu(
    checkpoint: Checkpoint, values: Mapping[str, ParameterValue], machine: Machine, *, available_bytes: int
) -> MemoryFit | None:
    """The fit in main memory, of which `available_bytes` are free (with what the outgoing engine will give back)."""
    weights = loaded_weights_bytes(checkpoint, values, machine)
    if weights is None:
        return None
    fixed = _whole(values.get("kv_cache_memory_bytes"))
    space = values.get("cpu_kvcache_space_gib")
    wanted = fixed or int((float(space) if isinstance(space, int | float) else _CPU_CACHE_GIB) * _GIB)
    overhead = overhead_bytes(checkpoint, values, machine, total_bytes=available_bytes)
    room = max(0, min(wanted, available_bytes - weights - overhead))
    total = machine.memory_bytes or available_bytes
    cache = fit_cache(checkpoint, values, machine, room)
    return MemoryFit(total, max(0, total - available_bytes), available_bytes, weights, overhead, cache, None)


def _whole(value: ParameterValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
