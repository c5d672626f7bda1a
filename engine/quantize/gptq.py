"""GPTQ: symmetric four-bit weights, rounded with the real Hessian of each layer's inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from engine.quantize.compensation import round_with_compensation
from engine.quantize.model import GROUPS
from engine.quantize.packing import pack_gptq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from engine.quantize.calibrate import InputStatistics
    from engine.quantize.model import DecoderLayer


def quantize_gptq(
    layer: DecoderLayer, statistics: Mapping[str, InputStatistics], group_size: int
) -> tuple[dict[str, dict[str, Tensor]], dict[str, Tensor]]:
    """Quantize one decoder layer; returns the packed tensors of each linear layer, and its norms as they were."""
    packed: dict[str, dict[str, Tensor]] = {}
    for group, names in GROUPS.items():
        # Layers with one input share the Hessian, so their rows go through together.
        weights = [layer.linears[name] for name in names]
        levels, grid = round_with_compensation(torch.cat(weights), statistics[group].gram, group_size, zero_point=False)
        heights = [weight.shape[0] for weight in weights]
        for name, part, scales in zip(names, levels.split(heights), grid.scales.split(heights), strict=True):
            packed[name] = pack_gptq(part, scales, group_size)
    return packed, dict(layer.norms)
