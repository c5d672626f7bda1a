"""What AWQ and GPTQ share: how a quantized layer is stored, read back, and declared in config.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from engine.quantize.awq import quantize_awq
from engine.quantize.gptq import quantize_gptq
from engine.quantize.model import LINEARS, NORMS, DecoderLayer
from engine.quantize.packing import unpack_awq, unpack_gptq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from engine.quantize.calibrate import InputStatistics
    from engine.quantize.model import LlamaShape

_METHODS = {"awq": quantize_awq, "gptq": quantize_gptq}
_UNPACK = {"awq": unpack_awq, "gptq": unpack_gptq}


def quantize_layer(
    key: str, layer: DecoderLayer, statistics: Mapping[str, InputStatistics], group_size: int
) -> dict[str, Tensor]:
    """One decoder layer's tensors as the checkpoint stores them; names lack the `model.layers.N.` prefix."""
    packed, norms = _METHODS[key](layer, statistics, group_size)
    tensors = {f"{name}.{part}": tensor for name, parts in packed.items() for part, tensor in parts.items()}
    return tensors | {f"{name}.weight": norm.to(torch.bfloat16) for name, norm in norms.items()}


def unpack_layer(key: str, shape: LlamaShape, tensors: Mapping[str, Tensor]) -> DecoderLayer:
    """The dense layer that the stored tensors of one decoder layer stand for."""
    linears = {}
    for name in LINEARS:
        prefix = f"{name}."
        parts = {part[len(prefix) :]: tensor for part, tensor in tensors.items() if part.startswith(prefix)}
        linears[name] = _UNPACK[key](parts)
    return DecoderLayer(shape, linears, {name: tensors[f"{name}.weight"].float() for name in NORMS})


def quantization_config(key: str, group_size: int) -> dict[str, Any]:
    """The `quantization_config` that AWQ and GPTQ repositories have."""
    if key == "awq":
        return {
            "quant_method": "awq",
            "bits": 4,
            "group_size": group_size,
            "zero_point": True,
            "version": "gemm",
            "modules_to_not_convert": None,
        }
    return {
        "quant_method": "gptq",
        "bits": 4,
        "group_size": group_size,
        "desc_act": False,
        "sym": True,
        "static_groups": True,
        "true_sequential": True,
        "checkpoint_format": "gptq",
        "pack_dtype": "int32",
        "lm_head": False,
    }
