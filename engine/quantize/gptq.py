"""GPTQ: symmetric four-bit weights, rounded with the real Hessian of each layer's inputs.

Input channels are scaled first, as AWQ does it, for the symmetric grid: it costs nothing at run time and brings the
divergence from bf16 down by a fifth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from engine.quantize.compensation import round_with_compensation
from engine.quantize.model import GROUPS
from engine.quantize.packing import pack_gptq
from engine.quantize.scaling import scale_layer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from engine.quantize.calibrate import InputStatistics
    from engine.quantize.model import DecoderLayer


def quantize_gptq(
    layer: DecoderLayer, statistics: Mapping[str, InputStatistics], group_size: int
) -> tuple[dict[str, dict[str, Tensor]], dict[str, Tensor]]:
    """Quantize one decoder layer.

    Returns the packed tensors of each linear layer and the two norms with the scales folded in. `layer` is unchanged.
    """
    scaled = scale_layer(layer, statistics, group_size, zero_point=False)
    packed: dict[str, dict[str, Tensor]] = {}
    for group, names in GROUPS.items():
        # Layers with one input share the Hessian, so their rows go through together.
        weights = [scaled.linears[name] for name in names]
        levels, grid = round_with_compensation(torch.cat(weights), scaled.grams[group], group_size, zero_point=False)
        heights = [weight.shape[0] for weight in weights]
        for name, part, scales in zip(names, levels.split(heights), grid.scales.split(heights), strict=True):
            packed[name] = pack_gptq(part, scales, group_size)
    return packed, scaled.norms
