"""Walks the calibration tokens through the model, layer by layer, and keeps what the quantizers need of each input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

    from engine.quantize.model import DecoderLayer


@dataclass(frozen=True, slots=True)
class InputStatistics:
    """What is known of the inputs of one group of linear layers.

    `gram` [in, in] is the mean of x x^T over the calibration tokens, `mean_magnitude` [in] the mean of |x|.
    """

    gram: Tensor
    mean_magnitude: Tensor


class _Collector:
    """An Observer that turns inputs into statistics at once, so that no activations are kept."""

    def __init__(self) -> None:
        self.statistics: dict[str, InputStatistics] = {}

    def __call__(self, group: str, inputs: Tensor) -> None:
        tokens = inputs.flatten(0, -2)
        self.statistics[group] = InputStatistics(tokens.t() @ tokens / tokens.shape[0], tokens.abs().mean(dim=0))


def observe_layer(
    layer: DecoderLayer, hidden: Tensor, rotation: tuple[Tensor, Tensor]
) -> tuple[Tensor, dict[str, InputStatistics]]:
    """Run one layer; returns its output and the statistics of each group of inputs."""
    collector = _Collector()
    with torch.inference_mode():
        output = layer(hidden, rotation, collector)
    return output, collector.statistics
