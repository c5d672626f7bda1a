"""Four-bit grids: which sixteen values each group of weights may take, and which of them is nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

LEVELS = 16
MIDDLE = 8
# How far the range of a group is narrowed when searching for its best grid: outliers clipped, the rest finer.
SHRINKS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6)
_SMALLEST_SCALE = 2.0**-14  # the smallest normal float16: below it, precision is lost


@dataclass(frozen=True, slots=True)
class Grid:
    """One grid a group: a weight is `scales * (level - zeros)`; both [out, groups], zeros whole numbers 0 to 15."""

    scales: Tensor
    zeros: Tensor

    def levels(self, grouped: Tensor) -> Tensor:
        """The nearest level (0 to 15, float32) of each weight in `grouped` [out, groups, group size]."""
        steps = torch.round(grouped / self.scales.unsqueeze(-1)).add_(self.zeros.unsqueeze(-1))
        return steps.clamp_(0, LEVELS - 1)

    def values(self, levels: Tensor) -> Tensor:
        """The weights that `levels` [out, groups, group size] stand for."""
        return (levels - self.zeros.unsqueeze(-1)) * self.scales.unsqueeze(-1)

    def nearest(self, grouped: Tensor) -> Tensor:
        """`grouped` rounded to the grid."""
        return self.values(self.levels(grouped))


def storable(scales: Tensor) -> Tensor:
    """Round scales to what both float16 and bfloat16 hold exactly.

    A checkpoint stores float16, an engine may compute in either: with seven bits of mantissa both see the same weights.
    """
    return scales.clamp(min=_SMALLEST_SCALE).to(torch.bfloat16).float()


def asymmetric(grouped: Tensor, shrink: float = 1.0) -> Grid:
    """A grid with a zero point from smallest to largest weight of each group, that range narrowed by `shrink`."""
    low = grouped.amin(dim=-1).clamp(max=0.0) * shrink
    high = grouped.amax(dim=-1).clamp(min=0.0) * shrink
    scales = storable((high - low) / (LEVELS - 1))
    return Grid(scales, torch.round(-low / scales).clamp_(0, LEVELS - 1))


def symmetric(grouped: Tensor, shrink: float = 1.0) -> Grid:
    """A grid around zero (level 8) that reaches the largest magnitude of each group, narrowed by `shrink`."""
    scales = storable(grouped.abs().amax(dim=-1) * (shrink * 2 / (LEVELS - 1)))
    return Grid(scales, torch.full_like(scales, MIDDLE))


def best_grid(grouped: Tensor, gram: Tensor, *, zero_point: bool) -> Grid:
    """For each group the grid of SHRINKS whose rounding disturbs the layer's output least.

    `gram` [groups, size, size] is X^T X of the group's input channels: an error e of a group's weights changes the
    output by e gram e^T, summed over the calibration tokens.
    """
    make = asymmetric if zero_point else symmetric
    best = make(grouped)
    scales, zeros = best.scales.clone(), best.zeros.clone()
    least = _output_error(grouped - best.nearest(grouped), gram)
    for shrink in SHRINKS[1:]:
        grid = make(grouped, shrink)
        error = _output_error(grouped - grid.nearest(grouped), gram)
        better = error < least
        least = torch.where(better, error, least)
        scales = torch.where(better, grid.scales, scales)
        zeros = torch.where(better, grid.zeros, zeros)
    return Grid(scales, zeros)


def _output_error(error: Tensor, gram: Tensor) -> Tensor:
    by_group = error.transpose(0, 1)  # [groups, out, size]
    return (torch.bmm(by_group, gram) * by_group).sum(dim=-1).t()


def group_grams(gram: Tensor, group_size: int) -> Tensor:
    """The blocks [groups, size, size] on the diagonal of a Gram matrix [in, in]."""
    groups = gram.shape[0] // group_size
    index = torch.arange(groups)
    return gram.view(groups, group_size, groups, group_size)[index, :, index, :]
