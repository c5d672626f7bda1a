"""Scales the input channels that matter before rounding, and undoes it in the layer before: AWQ's idea.

For each group of linear layers with one input the scales are searched: s = mean(|x|)^a / mean(|w|)^b over a grid of
exponents, judged by what rounding W * s then does to the layer's output on the calibration tokens. The output error of
a weight error E is tr(E G E^T) with G = X^T X, so that the tokens enter once, as G, however many scales are tried; and
since it is a sum over output rows, a sample of the rows ranks the scales as well as all of them do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from engine.quantize.grid import asymmetric, symmetric
from engine.quantize.model import GROUPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from engine.quantize.calibrate import InputStatistics
    from engine.quantize.model import DecoderLayer, LlamaShape

_EXPONENTS = tuple(step / 10 for step in range(11))
_WEIGHT_EXPONENTS = (0.0, 0.5, 1.0)  # how much of 1 - a the weights' own magnitude takes part with
_SAMPLED_ROWS = 128


@dataclass(frozen=True, slots=True)
class ScaledLayer:
    """A decoder layer that computes the same, with its weights easier to round.

    `linears` [out, in] by name and `norms` [hidden] have the scales in them; `grams` [in, in] by group of GROUPS are
    the mean of x x^T over the calibration tokens for the inputs divided by the scales.
    """

    linears: dict[str, Tensor]
    norms: dict[str, Tensor]
    grams: dict[str, Tensor]


def scale_layer(
    layer: DecoderLayer, statistics: Mapping[str, InputStatistics], group_size: int, *, zero_point: bool
) -> ScaledLayer:
    """Search the scales for one decoder layer and fold them in; `layer` is unchanged.

    `zero_point` says which grid the weights will be rounded to: asymmetric or symmetric.
    """
    scaled = ScaledLayer({}, dict(layer.norms), {})
    for group, names in GROUPS.items():
        inputs = statistics[group]
        weights = [layer.linears[name] for name in names]
        shared = _shared_channels(group, layer.shape)
        scale = search_scale(weights, inputs, group_size, shared, zero_point=zero_point)
        scaled.grams[group] = inputs.gram / torch.outer(scale, scale)
        for name, weight in zip(names, weights, strict=True):
            scaled.linears[name] = weight * scale
        _fold(group, scale, shared, scaled)
    return scaled


def search_scale(
    weights: list[Tensor], inputs: InputStatistics, group_size: int, shared: Shared | None = None, *, zero_point: bool
) -> Tensor:
    """The best scale [in] for linear layers [out, in] of one input; a scale of ones is among those tried."""
    sampled = [_sample_rows(weight) for weight in weights]
    powers = [float(((rows @ inputs.gram) * rows).sum()) for rows in sampled]
    magnitude = _normalized(inputs.mean_magnitude)
    weight_magnitude = _normalized(torch.cat(sampled).abs().mean(dim=0))
    least, best = float("inf"), torch.ones_like(magnitude)
    for exponent in _EXPONENTS:
        for share in _WEIGHT_EXPONENTS if exponent < 1 else (0.0,):
            scale = magnitude**exponent / weight_magnitude ** ((1 - exponent) * share)
            scale = _normalized(scale if shared is None else shared(scale))
            error = sum(
                _rounding_error(rows, scale, inputs.gram, group_size, zero_point=zero_point) / power
                for rows, power in zip(sampled, powers, strict=True)
            )
            if error < least:
                least, best = error, scale
    return best


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


def _fold(group: str, scale: Tensor, shared: Shared | None, scaled: ScaledLayer) -> None:
    """Divide what produces the group's input by its scale.

    Dividing an output row of a quantized layer divides that row's grids with it, so the order of the folds is free.
    """
    if group == "attention_in":
        scaled.norms["input_layernorm"] = scaled.norms["input_layernorm"] / scale
    elif group == "mlp_in":
        scaled.norms["post_attention_layernorm"] = scaled.norms["post_attention_layernorm"] / scale
    elif shared is not None:
        scaled.linears["self_attn.v_proj"] = scaled.linears["self_attn.v_proj"] / shared.source(scale).unsqueeze(1)
    else:
        scaled.linears["mlp.up_proj"] = scaled.linears["mlp.up_proj"] / scale.unsqueeze(1)


def _normalized(values: Tensor) -> Tensor:
    """Positive, and centred so that the largest and the smallest are reciprocal: scales stay near one."""
    values = values.clamp(min=1e-4)
    return values / (values.max() * values.min()).sqrt()


def _sample_rows(weight: Tensor) -> Tensor:
    stride = max(1, weight.shape[0] // _SAMPLED_ROWS)
    return weight[::stride]


def _rounding_error(rows: Tensor, scale: Tensor, gram: Tensor, group_size: int, *, zero_point: bool) -> float:
    grouped = (rows * scale).unflatten(1, (-1, group_size))
    grid = (asymmetric if zero_point else symmetric)(grouped)
    error = rows - grid.nearest(grouped).flatten(1) / scale
    return float(((error @ gram) * error).sum())
