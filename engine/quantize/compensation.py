"""Rounding with compensation: one input channel after the other, the channels not yet rounded make up for the error.

The order is by falling activation power, with every group's grid fixed beforehand; so a checkpoint needs no activation
order ("desc_act": false, which the fast kernels ask for) and keeps most of its quality.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from engine.quantize.grid import LEVELS, Grid, best_grid, group_grams

if TYPE_CHECKING:
    from torch import Tensor

_DAMPING = 0.05  # of the Hessian's mean diagonal, added to the diagonal: few tokens leave it nearly singular
_BLOCK = 96  # columns between two updates of all the columns that follow


def round_with_compensation(weight: Tensor, gram: Tensor, group_size: int, *, zero_point: bool) -> tuple[Tensor, Grid]:
    """Levels [out, in] (0 to 15) of `weight` [out, in], and the grid that they are on.

    `gram` [in, in] is X^T X of the input, the Hessian of the output's squared error up to a factor.
    """
    grouped = weight.unflatten(1, (-1, group_size))
    grid = best_grid(grouped, group_grams(gram, group_size), zero_point=zero_point)
    order = torch.argsort(gram.diagonal(), descending=True)
    factor = _inverse_factor(gram[order][:, order])
    group = order // group_size
    # Column-wise from here on: rows of these matrices are input channels, so that each step reads memory in a run.
    left = weight[:, order].t().contiguous()
    scales, zeros = grid.scales.t()[group].contiguous(), grid.zeros.t()[group].contiguous()
    levels = torch.empty_like(left)
    for start in range(0, left.shape[0], _BLOCK):
        end = min(start + _BLOCK, left.shape[0])
        block = slice(start, end)
        errors = _round_block(left[block], scales[block], zeros[block], factor[block, block], levels[block])
        left[end:] -= factor[block, end:].t() @ errors
    unordered = torch.empty_like(levels)
    unordered[order] = levels
    return unordered.t().contiguous(), grid


def _round_block(left: Tensor, scales: Tensor, zeros: Tensor, factor: Tensor, levels: Tensor) -> Tensor:
    """Round the channels of one block in place; returns their errors, divided by the factor's diagonal."""
    errors = torch.empty_like(left)
    for index in range(left.shape[0]):
        column, scale, zero = left[index], scales[index], zeros[index]
        torch.clamp(torch.round(column / scale).add_(zero), 0, LEVELS - 1, out=levels[index])
        rounded = (levels[index] - zero).mul_(scale)
        torch.div(column - rounded, factor[index, index], out=errors[index])
        left[index + 1 :].addr_(factor[index, index + 1 :], errors[index], alpha=-1)
    return errors


def _inverse_factor(hessian: Tensor) -> Tensor:
    """The upper Cholesky factor of the damped Hessian's inverse."""
    damped = hessian.clone()
    damped.diagonal().add_(_DAMPING * damped.diagonal().mean())
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(damped))
    return torch.linalg.cholesky(inverse, upper=True)
