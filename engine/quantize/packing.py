"""The packed layouts of AWQ and GPTQ repositories: eight 4-bit values in one int32."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

PER_WORD = 8
# AWQ's kernels want value i of a word at nibble AWQ_ORDER.index(i): columns 0, 2, 4, 6, 1, 3, 5, 7, low nibble first.
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)
_IN_ORDER = tuple(range(PER_WORD))


def _pack_last(values: Tensor, order: tuple[int, ...]) -> Tensor:
    """Pack `values` (0 to 15) [..., n] into int32 [..., n / 8]; nibble i of a word takes its value `order[i]`."""
    words = values.to(torch.int64).unflatten(-1, (-1, PER_WORD))
    packed = torch.zeros(words.shape[:-1], dtype=torch.int64)
    for nibble, index in enumerate(order):
        packed |= words[..., index] << (4 * nibble)
    # The top nibble reaches the sign bit: wrap into int32's range by hand, since a cast's overflow is undefined.
    return torch.where(packed >= 2**31, packed - 2**32, packed).to(torch.int32)


def _unpack_last(packed: Tensor, order: tuple[int, ...]) -> Tensor:
    """The inverse of `_pack_last`, as int32 values 0 to 15."""
    shifts = torch.arange(0, 32, 4, dtype=torch.int32)
    nibbles = (packed.unsqueeze(-1) >> shifts) & 15
    position = torch.tensor([order.index(value) for value in range(PER_WORD)])
    return nibbles[..., position].flatten(-2)


def pack_awq(levels: Tensor, zeros: Tensor, scales: Tensor) -> dict[str, Tensor]:
    """AutoAWQ's "gemm" layout of one linear layer.

    `levels` [out, in] and `zeros` [out, groups] are 0 to 15, `scales` [out, groups]. Gives qweight int32
    [in, out / 8], qzeros int32 [groups, out / 8] and scales float16 [groups, out].
    """
    return {
        "qweight": _pack_last(levels.t(), AWQ_ORDER).contiguous(),
        "qzeros": _pack_last(zeros.t(), AWQ_ORDER).contiguous(),
        "scales": scales.t().to(torch.float16).contiguous(),
    }


def unpack_awq(tensors: dict[str, Tensor]) -> Tensor:
    """Dense float32 [out, in] of one linear layer in AutoAWQ's layout."""
    levels = _unpack_last(tensors["qweight"], AWQ_ORDER).float()
    zeros = _unpack_last(tensors["qzeros"], AWQ_ORDER).float()
    scales = tensors["scales"].float()
    group_size = levels.shape[0] // zeros.shape[0]
    dense = (levels.unflatten(0, (-1, group_size)) - zeros.unsqueeze(1)) * scales.unsqueeze(1)
    return dense.flatten(0, 1).t().contiguous()


def pack_gptq(levels: Tensor, scales: Tensor, group_size: int) -> dict[str, Tensor]:
    """AutoGPTQ's version 1 layout of one symmetric linear layer without activation order.

    `levels` [out, in] are 0 to 15 around 8, `scales` [out, groups]. Gives qweight int32 [in / 8, out], qzeros int32
    [groups, out / 8] (version 1 stores the zero point less one), scales float16 [groups, out], g_idx int32 [in].
    """
    groups, width = scales.shape[1], levels.shape[1]
    zeros = torch.full((groups, levels.shape[0]), 8 - 1)
    return {
        "qweight": _pack_last(levels, _IN_ORDER).t().contiguous(),
        "qzeros": _pack_last(zeros, _IN_ORDER),
        "scales": scales.t().to(torch.float16).contiguous(),
        "g_idx": torch.arange(width, dtype=torch.int32) // group_size,
    }


def unpack_gptq(tensors: dict[str, Tensor]) -> Tensor:
    """Dense float32 [out, in] of one linear layer in AutoGPTQ's version 1 layout."""
    levels = _unpack_last(tensors["qweight"].t(), _IN_ORDER).float()
    zeros = _unpack_last(tensors["qzeros"], _IN_ORDER).float().t() + 1
    scales = tensors["scales"].float().t()
    group = tensors["g_idx"].long()
    return ((levels - zeros[:, group]) * scales[:, group]).contiguous()
