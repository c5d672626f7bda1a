"""The roofline of a running engine: operations and bytes of its steps, counted from what the model is.

What is counted, and why: docs/decisions/0012-counting-work.md. In short: two operations for each multiplication with
addition; the weights that a step uses are read once a step; keys and values are read once for each decoded token's
whole context and for each chunk of a prefill; activations are taken to stay in the caches. So bytes are a lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.lifecycle import EngineFacts
    from engine.domain.roofline import Ceilings, ComputeShape
    from engine.domain.telemetry import StepSample
    from engine.metrics.roofline_contexts import Contexts

_DTYPE_BYTES = {"bfloat16": 2.0, "float16": 2.0, "half": 2.0, "float32": 4.0, "float": 4.0, "float64": 8.0}
_ONE_BYTE = ("fp8", "int8", "float8")
_NEAR = 0.5  # of what the roof allows: from there on the roof is what bounds


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What one step costs with a loaded model. Bytes are those in the engine's memory, operations two a multiply-add.

    `step_bytes` is read by every step, whatever its batch; `expert_bytes` are all experts', of which a token uses
    `expert_share`. `kv_bytes` is one token's keys and values over all layers that keep the whole context,
    `kv_window_bytes` over those that keep only the last `window` tokens; `pair_flops` and `pair_window_flops` are
    attention's operations between one token and one token of its context, over the same layers. `state_bytes` is what a
    request's recurrent layers hold.
    """

    step_bytes: float
    token_flops: float
    output_flops: float
    kv_bytes: float
    kv_window_bytes: float
    pair_flops: float
    pair_window_flops: float
    window: int | None = None
    expert_bytes: float = 0.0
    expert_share: float = 0.0
    state_bytes: float = 0.0
    dtype: str = ""

    def weight_bytes(self, tokens: int) -> float:
        """Weights that a step of so many tokens reads. Experts are taken to be chosen evenly."""
        if not self.expert_bytes:
            return self.step_bytes
        return self.step_bytes + self.expert_bytes * (1.0 - (1.0 - self.expert_share) ** tokens)


def model_cost(shape: ComputeShape, facts: EngineFacts, *, unpacked: bool) -> ModelCost | None:
    """The cost of the model that these facts describe; None where its attention or its dtype is not known.

    `unpacked`: packed weights were turned into the engine's dtype at load, since the processor has no kernel for them.
    """
    attention, element = shape.attention, _DTYPE_BYTES.get(facts.dtype)
    layers, elements, heads = attention.layers_with_cache, attention.elements_per_layer, attention.num_heads
    if element is None or layers is None or (layers and (elements is None or heads is None)):
        return None
    element_kv = 1.0 if str(facts.parameters.get("kv_cache_dtype", "auto")).startswith(_ONE_BYTE) else element
    per_layer = (elements or 0) * element_kv
    # A score and a weighted sum: for the latent kind over nearly all that is kept, else over the head's size.
    width = elements if attention.kv_elements_per_layer is not None else attention.head_dim
    if layers and width is None:
        return None
    pair = 4.0 * (heads or 0) * (width or 0)
    sliding = min(attention.sliding_layers if attention.sliding_window else 0, layers)
    share = shape.experts_per_token / shape.num_experts if shape.experts_per_token and shape.num_experts else 0.0
    # An unquantized checkpoint that the engine quantizes itself at load keeps its linear layers in a byte a weight.
    linear = 1.0 if facts.quantization in ("fp8", "experts_int8") and not shape.rest.packed else element
    return ModelCost(
        step_bytes=shape.rest.bytes_in_memory(linear, unpacked=unpacked)
        + shape.output.bytes_in_memory(element, unpacked=unpacked),
        token_flops=2.0 * (shape.rest.parameters + shape.experts.parameters * share),
        output_flops=2.0 * shape.output.parameters,
        kv_bytes=per_layer * (layers - sliding),
        kv_window_bytes=per_layer * sliding,
        pair_flops=pair * (layers - sliding),
        pair_window_flops=pair * sliding,
        window=attention.sliding_window if sliding else None,
        expert_bytes=shape.experts.bytes_in_memory(linear, unpacked=unpacked),
        expert_share=share,
        state_bytes=float(attention.state_bytes or 0),
        dtype=_multiplied_as(facts, shape, unpacked=unpacked),
    )


def _multiplied_as(facts: EngineFacts, shape: ComputeShape, *, unpacked: bool) -> str:
    """The dtype in which the matrix units multiply: the engine's, but for methods that quantize activations, too."""
    method = facts.quantization or ""
    if unpacked:
        return facts.dtype
    if method in ("fp8", "modelopt", "fbgemm_fp8") and facts.device == "cuda":
        return "float8_e4m3fn"
    bits = 8 * shape.rest.packed_bytes / shape.rest.packed if shape.rest.packed else 16.0
    return "int8" if method == "compressed-tensors" and 8.0 <= bits < 9.0 else facts.dtype


class Part(StrEnum):
    """Which steps are meant: all of them, those that read prompts (whoever decodes beside), those that only decode."""

    MIX = "mix"
    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True, slots=True)
class Work:
    """The sum over some steps: seconds from answer to answer, operations, bytes read and written.

    `requests` is the mean of those that decoded in a step, `context` the mean tokens that one of them read.
    """

    part: Part
    steps: int
    seconds: float
    prefill_tokens: int
    decode_tokens: int
    flops: float
    weight_bytes: float
    kv_bytes: float
    context: float | None

    @property
    def num_bytes(self) -> float:
        """All bytes."""
        return self.weight_bytes + self.kv_bytes

    @property
    def intensity(self) -> float:
        """Operations a byte."""
        return self.flops / self.num_bytes

    @property
    def flops_per_s(self) -> float:
        """Operations a second that were achieved."""
        return self.flops / self.seconds

    @property
    def bytes_per_s(self) -> float:
        """Bytes a second that were achieved."""
        return self.num_bytes / self.seconds

    @property
    def requests(self) -> float:
        """Decoded tokens a step."""
        return self.decode_tokens / self.steps

    @property
    def step_s(self) -> float:
        """Mean seconds of a step."""
        return self.seconds / self.steps


def work_of(cost: ModelCost, part: Part, steps: Sequence[StepSample], contexts: Contexts) -> Work | None:
    """What these steps did, all of one part. None where none of them has a known length, or contexts are not known."""
    known = [step for step in steps if step.duration_ns > 0 and step.prefill_tokens + step.decode_tokens > 0]
    decode = sum(step.decode_tokens for step in known)
    prefill = sum(step.prefill_tokens for step in known)
    chunks = sum(step.prefill_tokens > 0 for step in known)
    decoded, filled = contexts.decode, contexts.prefill
    if not known or (decode and not decoded.tokens) or (prefill and not filled.tokens):
        return None
    pairs = decode * decoded.mean + prefill * filled.mean
    window_pairs = decode * decoded.window_mean + prefill * filled.window_mean
    # A decoded token reads its whole context; a chunk reads what lies before it and itself once, for all its tokens.
    read = decode * decoded.mean + chunks * contexts.chunk_end
    window_read = decode * decoded.window_mean + chunks * min(contexts.chunk_end, float(cost.window or 0))
    written = (decode + prefill) * (cost.kv_bytes + cost.kv_window_bytes)
    return Work(
        part=part,
        steps=len(known),
        seconds=sum(step.duration_ns for step in known) / 1e9,
        prefill_tokens=prefill,
        decode_tokens=decode,
        flops=(decode + prefill) * cost.token_flops
        + (decode + chunks) * cost.output_flops
        + pairs * cost.pair_flops
        + window_pairs * cost.pair_window_flops,
        weight_bytes=sum(cost.weight_bytes(step.prefill_tokens + step.decode_tokens) for step in known),
        kv_bytes=read * cost.kv_bytes
        + window_read * cost.kv_window_bytes
        + written
        + 2.0 * (decode + chunks) * cost.state_bytes,
        context=decoded.mean if decode else None,
    )


class Bound(StrEnum):
    """What limits some steps: the memory's bandwidth, the arithmetic, or neither (the step's own fixed costs)."""

    BANDWIDTH = "bandwidth"
    COMPUTE = "compute"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Roof:
    """The measured limits that apply: bytes and operations per second, the latter for `dtype`."""

    bytes_per_s: float
    flops_per_s: float
    dtype: str

    @property
    def ridge(self) -> float:
        """Operations a byte from which on arithmetic is the limit."""
        return self.flops_per_s / self.bytes_per_s

    def best_s(self, work: Work) -> float:
        """Seconds that this work needs at least."""
        return max(work.num_bytes / self.bytes_per_s, work.flops / self.flops_per_s)

    def share(self, work: Work) -> float:
        """How much of the time was needed at least: 1 on the roof, over 1 where caches brought some of the bytes."""
        return self.best_s(work) / work.seconds

    def bound(self, work: Work) -> Bound:
        """What limits this work."""
        if self.share(work) < _NEAR:
            return Bound.NEITHER
        return Bound.COMPUTE if work.intensity > self.ridge else Bound.BANDWIDTH


def roof_of(ceilings: Ceilings | None, cost: ModelCost, devices: int = 1) -> Roof | None:
    """The roof for this model on so many equal devices; None where its dtype was not measured."""
    if ceilings is None:
        return None
    flops = ceilings.flops_per_s.get(cost.dtype)
    return None if flops is None else Roof(ceilings.bytes_per_s * devices, flops * devices, cost.dtype)
