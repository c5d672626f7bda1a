"""What an engine takes beside weights and KV cache, estimated the way vLLM measures it: with one full step."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.checkpoints.machine import Machine
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.lifecycle import ParameterValue

_GIB = 1 << 30
_LARGE_GPU = 70 * _GIB  # from here on vLLM's own defaults are these
_LARGE_STEP, _LARGE_SEQS = 8192, 1024
_STEP, _SEQS = 2048, 256
# Measured on an H200 with vLLM 0.26 and the starter model: 0.22 GiB that torch does not know of, 0.39 GiB of graphs.
_RUNTIME = _GIB // 4
_GRAPHS = 2 * _GIB // 5
_LINKS = _GIB // 2  # NCCL's buffers, where there is more than one GPU
# From here on every model runner counts the graphs before it sizes the KV cache; before, the default one did not.
_COUNTS_GRAPHS = (0, 32)


def overhead_bytes(
    checkpoint: Checkpoint, values: Mapping[str, ParameterValue], machine: Machine, *, total_bytes: int
) -> int:
    """Bytes per device of `total_bytes`: the activations of one full step, graphs where vLLM counts them, the runtime.

    The load itself measures it; this keeps the bar within a few per cent before that. `values` are merged parameters.
    """
    ranks = _whole(values.get("tensor_parallel_size")) or 1
    activations = _activations(
        checkpoint, values, ranks, is_large=machine.device == "cuda" and total_bytes >= _LARGE_GPU
    )
    if machine.device != "cuda":
        return activations
    pieces = ranks * (_whole(values.get("pipeline_parallel_size")) or 1)
    return activations + _RUNTIME + (_LINKS if pieces > 1 else 0) + _graphs(checkpoint, values, machine)


def _activations(checkpoint: Checkpoint, values: Mapping[str, ParameterValue], ranks: int, *, is_large: bool) -> int:
    """The wider of two moments of a step: the feed-forward layer of all tokens, or the logits of all requests."""
    step = _whole(values.get("max_num_batched_tokens")) or (_LARGE_STEP if is_large else _STEP)
    requests = min(step, _whole(values.get("max_num_seqs")) or (_LARGE_SEQS if is_large else _SEQS))
    shape, widths = checkpoint.attention, checkpoint.widths
    hidden = widths.hidden if widths else (shape.num_heads or 32) * (shape.head_dim or 128)
    inner = widths.inner if widths else 4 * hidden
    vocabulary = widths.vocabulary if widths else 128_000
    # Residual and hidden state; gate and up, and their product; two bytes each. Logits are float32.
    forward = step * 2 * (2 * hidden + 3 * inner // ranks)
    return max(forward, requests * vocabulary * 4)


def _graphs(checkpoint: Checkpoint, values: Mapping[str, ParameterValue], machine: Machine) -> int:
    if values.get("enforce_eager") is True:
        return 0
    older = machine.vllm is not None and machine.vllm.release < _COUNTS_GRAPHS
    plain = checkpoint.attention.kind not in ("hybrid", "Mamba")
    return 0 if older and plain else _GRAPHS


def _whole(value: ParameterValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
