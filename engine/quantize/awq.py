"""AWQ: scale the input channels that matter before rounding to four bits, and undo it in the layer before.

For each group of linear layers with one input the scales are searched: s = mean(|x|)^a / mean(|w|)^b over a grid of
exponents, judged by what rounding W * s then does to the layer's output on the calibration tokens. The output error of
a weight error E is tr(E G E^T) with G = X^T X, so that the tokens enter once, as G, however many scales are tried; and
since it is a sum over output rows, a sample of the rows ranks the scales as well as all of them do.

The scaled weights are then rounded with GPTQ's error compensation instead of each to its nearest level: the layout and
the kernels are AWQ's, and the divergence from bf16 falls by a third.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from engine.quantize.compensation import round_with_compensation
from engine.quantize.grid import asymmetric
from engine.quantize.model import GROUPS
from engine.quantize.packing import pack_awq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from engine.quantize.calibrate import InputStatistics
    from engine.quantize.model import DecoderLayer, LlamaShape

_EXPONENTS = tuple(step / 10 for step in range(11))
_WEIGHT_EXPONENTS = (0.0, 0.5, 1.0)  # how much of 1 - a the weights' own magnitude takes part with
_SAMPLED_ROWS = 128


@dataclass(frozen=True, slots=True)
class _Trial:
    """What one scale did on the sampled rows: `error` relative to the output's power."""

    error: float
    scale: Tensor


def quantize_awq(
    layer: DecoderLayer, statistics: Mapping[str, InputStatistics], group_size: int
) -> tuple[dict[str, dict[str, Tensor]], dict[str, Tensor]]:
    """Quantize one decoder layer.

    Returns the packed tensors of each linear layer and the two norms with the scales folded in. `layer` is unchanged.
    """
    norms = dict(layer.norms)
    scaled: dict[str, Tensor] = {}
    grams: dict[str, Tensor] = {}
    for group, names in GROUPS.items():
        inputs = statistics[group]
        weights = [layer.linears[name] for name in names]
        scale = search_scale(weights, inputs, group_size, _shared_channels(group, layer.shape))
        grams[group] = inputs.gram / torch.outer(scale, scale)
        scaled |= {name: weight * scale for name, weight in zip(names, weights, strict=True)}
        _fold(group, scale, layer.shape, norms, scaled)
    packed: dict[str, dict[str, Tensor]] = {}
    for group, names in GROUPS.items():
        packed |= _pack(names, [scaled[name] for name in names], grams[group], group_size)
    return packed, norms


def search_scale(weights: list[Tensor], inputs: InputStatistics, group_size: int, shared: Shared | None) -> Tensor:
    """The best scale [in] for linear layers [out, in] of one input; a scale of ones is among those tried."""
    sampled = [_sample_rows(weight) for weight in weights]
    powers = [float(((rows @ inputs.gram) * rows).sum()) for rows in sampled]
    magnitude = _normalized(inputs.mean_magnitude)
    weight_magnitude = _normalized(torch.cat(sampled).abs().mean(dim=0))
    best: _Trial | None = None
    for exponent in _EXPONENTS:
        for share in _WEIGHT_EXPONENTS if exponent < 1 else (0.0,):
            scale = magnitude**exponent / weight_magnitude ** ((1 - exponent) * share)
            scale = _normalized(scale if shared is None else shared(scale))
            error = sum(
                _relative_error(rows, scale, inputs.gram, group_size) / power
                for rows, power in zip(sampled, powers, strict=True)
            )
            if best is None or error < best.error:
                best = _Trial(error, scale)
    assert best is not None
    return best.scale


@dataclass(frozen=True, slots=True)
class Shared:
    """Input channels that must have one scale, because one output of the layer before feeds all of them.

    With grouped-query attention one value head feeds `repeats` query heads: channels [kv_heads, repeats, head_dim].
    """

    kv_heads: int
    repeats: int

    def __call__(self, scale: Tensor) -> Tensor:
        """The geometric mean over the repeats, spread over them again."""
        heads = scale.view(self.kv_heads, self.repeats, -1).log()
        return heads.mean(dim=1, keepdim=True).expand_as(heads).exp().reshape(-1)

    def source(self, scale: Tensor) -> Tensor:
        """The scale of each output channel of the value projection."""
        return scale.view(self.kv_heads, self.repeats, -1)[:, 0].reshape(-1)


def _shared_channels(group: str, shape: LlamaShape) -> Shared | None:
    return Shared(shape.kv_heads, shape.heads // shape.kv_heads) if group == "attention_out" else None


def _fold(
    group: str,
    scale: Tensor,
    shape: LlamaShape,
    norms: dict[str, Tensor],
    scaled: dict[str, Tensor],
) -> None:
    """Divide what produces the group's input by its scale.

    Dividing an output row of a quantized layer divides that row's grids with it, so the order of the folds is free.
    """
    if group == "attention_in":
        norms["input_layernorm"] = norms["input_layernorm"] / scale
    elif group == "mlp_in":
        norms["post_attention_layernorm"] = norms["post_attention_layernorm"] / scale
    elif group == "attention_out":
        shared = _shared_channels(group, shape)
        assert shared is not None
        scaled["self_attn.v_proj"] = scaled["self_attn.v_proj"] / shared.source(scale).unsqueeze(1)
    else:
        scaled["mlp.up_proj"] = scaled["mlp.up_proj"] / scale.unsqueeze(1)


def _normalized(values: Tensor) -> Tensor:
    """Positive, and centred so that the largest and the smallest are reciprocal: scales stay near one."""
    values = values.clamp(min=1e-4)
    return values / (values.max() * values.min()).sqrt()


def _sample_rows(weight: Tensor) -> Tensor:
    stride = max(1, weight.shape[0] // _SAMPLED_ROWS)
    return weight[::stride]


def _relative_error(rows: Tensor, scale: Tensor, gram: Tensor, group_size: int) -> float:
    grouped = (rows * scale).unflatten(1, (-1, group_size))
    error = rows - asymmetric(grouped).nearest(grouped).flatten(1) / scale
    return float(((error @ gram) * error).sum())


def _pack(names: tuple[str, ...], weights: list[Tensor], gram: Tensor, group_size: int) -> dict[str, dict[str, Tensor]]:
    """Round the scaled weights, later channels making up for earlier ones' errors; the layers share one input."""
    levels, grid = round_with_compensation(torch.cat(weights), gram, group_size, zero_point=True)
    heights = [weight.shape[0] for weight in weights]
    parts = zip(names, levels.split(heights), grid.zeros.split(heights), grid.scales.split(heights), strict=True)
    return {name: pack_awq(part, zeros, scales) for name, part, zeros, scales in parts}
