"""vLLM kernels for linear layers that unpack their weights once and then multiply like an unquantized layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from vllm.model_executor.kernels.linear.mixed_precision.MPLinearKernel import MPLinearKernel
from vllm.model_executor.kernels.linear.scaled_mm.BlockScaledMMLinearKernel import Fp8BlockScaledMMLinearKernel
from vllm.model_executor.kernels.linear.scaled_mm.ScaledMMLinearKernel import FP8ScaledMMLinearKernel
from vllm.model_executor.layers.quantization.utils.quant_utils import unpack_quantized_values_into_int32
from vllm.model_executor.layers.utils import dispatch_cpu_unquantized_gemm
from vllm.scalar_type import scalar_types

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

_FOUR_BIT = (scalar_types.uint4, scalar_types.uint4b8)
_MIDDLE = 8  # of uint4b8: the level that stands for zero


def _make_dense(layer: Module, weight: Tensor, dtype: torch.dtype) -> None:
    """Give `layer` the dense `weight` [out, in], prepared the way vLLM prepares an unquantized layer's."""
    layer.weight = torch.nn.Parameter(weight.to(dtype).contiguous(), requires_grad=False)
    dispatch_cpu_unquantized_gemm(layer, remove_weight=True)


def _drop(layer: Module, *names: str | None) -> None:
    for name in names:
        if name is not None and getattr(layer, name, None) is not None:
            delattr(layer, name)


def _multiply(layer: Module, inputs: Tensor, bias: Tensor | None) -> Tensor:
    result: Tensor = layer.cpu_linear(inputs, layer.weight, bias)
    return result


class UnpackedInt4Kernel(MPLinearKernel):  # type: ignore[misc] # vLLM is not typed for us
    """AWQ, GPTQ and compressed-tensors W4A16 weights of any group size."""

    @classmethod
    def get_min_capability(cls) -> int:
        """No GPU is needed."""
        return -1

    @classmethod
    def can_implement(cls, c: Any) -> tuple[bool, str | None]:
        """Every four-bit weight type that vLLM's own CPU kernel takes."""
        if c.weight_type not in _FOUR_BIT:
            return False, f"only four-bit weights are unpacked, not {c.weight_type}"
        return True, None

    def process_weights_after_loading(self, layer: Module) -> None:
        """Unpack. Parameters come in GPTQ's layout [in / 8, out] or, from compressed-tensors, [out, in / 8]."""
        packed, scales = getattr(layer, self.w_q_name), getattr(layer, self.w_s_name).data
        # Their own tags say which dimension is which; all of them are brought to [in, out].
        levels = unpack_quantized_values_into_int32(packed.data, self.config.weight_type, packed.packed_dim)
        levels = levels.t() if packed.input_dim == 1 else levels
        scales = scales.t() if getattr(layer, self.w_s_name).output_dim == 0 else scales
        group = self._group_of_channel(layer, levels.shape[0], scales.shape[0])
        scales, zeros = scales.float()[group], self._zeros(layer, group)
        dense = (levels.float() - zeros) * scales
        _drop(layer, self.w_q_name, self.w_s_name, self.w_zp_name)
        _make_dense(layer, dense.t(), self.config.act_type)

    def _group_of_channel(self, layer: Module, channels: int, groups: int) -> Tensor:
        order = getattr(layer, "weight_g_idx", None)
        if order is not None and order.numel() == channels:  # compressed-tensors with activation order
            return order.data.long()
        return torch.arange(channels) // (channels // groups)

    def _zeros(self, layer: Module, group: Tensor) -> Tensor | int:
        if not self.config.zero_points:
            return _MIDDLE
        assert self.w_zp_name is not None
        packed = getattr(layer, self.w_zp_name)
        zeros = unpack_quantized_values_into_int32(packed.data, self.config.weight_type, packed.packed_dim)
        return (zeros.t() if packed.output_dim == 0 else zeros).float()[group]

    def apply_weights(self, layer: Module, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """Multiply as an unquantized layer does."""
        return _multiply(layer, x, bias)


class UnpackedFp8Kernel(FP8ScaledMMLinearKernel):  # type: ignore[misc] # see above
    """FP8 weights with a scale a tensor or a channel; activations are not rounded."""

    @classmethod
    def is_supported(cls, compute_capability: int | None = None) -> tuple[bool, str | None]:
        """On every CPU."""
        del compute_capability
        return True, None

    @classmethod
    def can_implement(cls, c: Any) -> tuple[bool, str | None]:
        """All scales but blocks, which are UnpackedFp8BlockKernel's."""
        shape = c.weight_quant_key.scale.group_shape
        return not (shape.row > 1 and shape.col > 1), "weights are scaled by block"

    def process_weights_after_loading(self, layer: Module) -> None:
        """Unpack the weights, which vLLM hands over as [in, out]."""
        name, scale_name, *others = self.layer_param_names
        weight = getattr(layer, name).data.t().float()  # [out, in]
        scale = getattr(layer, scale_name).data.float().reshape(-1, 1)
        widths = getattr(layer, "logical_widths", [])
        if scale.shape[0] == len(widths) and scale.shape[0] not in (1, weight.shape[0]):
            scale = scale.repeat_interleave(torch.tensor(widths), dim=0)  # one scale each of the fused layers
        _drop(layer, name, scale_name, *others)
        _make_dense(layer, weight * scale, self.config.out_dtype)

    def apply_weights(self, layer: Module, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """Multiply as an unquantized layer does."""
        return _multiply(layer, x, bias)

    def apply_scaled_mm(self, **_operands: Any) -> Tensor:
        """Never asked for: apply_weights does without."""
        raise NotImplementedError


class UnpackedFp8BlockKernel(Fp8BlockScaledMMLinearKernel):  # type: ignore[misc] # see above
    """FP8 weights with a scale a block of rows and columns; activations are not rounded."""

    apply_input_quant = False

    @classmethod
    def is_supported(cls, compute_capability: int | None = None) -> tuple[bool, str | None]:
        """On every CPU."""
        del compute_capability
        return True, None

    @classmethod
    def can_implement(cls, config: Any) -> tuple[bool, str | None]:
        """Every block shape."""
        shape = config.weight_quant_key.scale.group_shape
        return shape.row > 0 and shape.col > 0, "weights are not scaled by block"

    def process_weights_after_loading(self, layer: Module) -> None:
        """Unpack the weights [out, in]; blocks at the edges may be cut short."""
        params = self._get_layer_params(layer)
        scale_name = params.block_scale_attr
        weight, scale = params.weight.data, params.block_scale.data.float()
        rows = scale.repeat_interleave(self.weight_group_shape.row, dim=0)[: weight.shape[0]]
        scale = rows.repeat_interleave(self.weight_group_shape.col, dim=1)[:, : weight.shape[1]]
        dense = weight.float() * scale
        _drop(layer, params.WEIGHT, scale_name)
        _make_dense(layer, dense, self.config.out_dtype)

    def apply_weights(self, layer: Module, x: Tensor, bias: Tensor | None = None, **_more: Any) -> Tensor:
        """Multiply as an unquantized layer does."""
        return _multiply(layer, x, bias)

    def apply_block_scaled_mm(self, A: Tensor, B: Tensor, As: Tensor, Bs: Tensor) -> Tensor:  # noqa: N803 - vLLM's names
        """Never asked for: apply_weights does without."""
        raise NotImplementedError
