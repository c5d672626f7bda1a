"""FP8 and INT8: one scale a weight row, activations rounded token by token while the model runs (W8A8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor

_LARGEST = {"fp8": 448.0, "int8": 127.0}
_TINY = 1e-12


def quantize_rows(weight: Tensor, key: str) -> dict[str, Tensor]:
    """`weight` [out, in] as compressed-tensors stores it: weight (float8_e4m3fn or int8) and weight_scale [out, 1]."""
    rounded, scale = _round(weight.float(), key)
    return {"weight": rounded, "weight_scale": scale}


def dense(tensors: dict[str, Tensor]) -> Tensor:
    """The float32 weights [out, in] that the stored tensors stand for."""
    return tensors["weight"].float() * tensors["weight_scale"].float()


class TokenRounding:
    """What the W8A8 kernels do to a layer's input: each token to eight bits with a scale of its own."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, inputs: Tensor) -> Tensor:
        """`inputs` [..., width] after rounding, in their own type."""
        rounded, scale = _round(inputs, self._key)
        return rounded.to(inputs.dtype) * scale


def _round(values: Tensor, key: str) -> tuple[Tensor, Tensor]:
    largest = _LARGEST[key]
    scale = values.abs().amax(dim=-1, keepdim=True).clamp(min=_TINY) / largest
    steps = (values / scale).clamp(-largest, largest)
    return (steps.to(torch.float8_e4m3fn) if key == "fp8" else torch.round(steps).to(torch.int8)), scale


def quantization_config(key: str) -> dict[str, Any]:
    """The `quantization_config` of a compressed-tensors repository in this format."""
    kind = "float" if key == "fp8" else "int"
    common = {"num_bits": 8, "type": kind, "symmetric": True, "group_size": None, "block_structure": None}
    return {
        "quant_method": "compressed-tensors",
        "format": f"{kind}-quantized",
        "quantization_status": "compressed",
        "global_compression_ratio": None,
        "kv_cache_scheme": None,
        "ignore": ["lm_head"],
        "config_groups": {
            "group_0": {
                "targets": ["Linear"],
                "weights": common | {"strategy": "channel", "dynamic": False, "observer": "minmax"},
                "input_activations": common | {"strategy": "token", "dynamic": True, "observer": None},
                "output_activations": None,
            }
        },
    }
