"""The stored layouts, read back by code of its own and by vLLM's own, against the dense weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from safetensors import safe_open

from engine.quantize import eight_bit, packing
from engine.quantize.grid import asymmetric, best_grid, storable, symmetric
from engine.quantize.model import LINEARS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from engine.checkpoints.starter_recipe import Recipe

_GROUP = 32
_DOWN = "model.layers.1.mlp.down_proj"
_NEAR = 0.35  # of a row's norm: rounding with compensation moves single weights by more than half a step


def _nibbles(word: int) -> list[int]:
    return [(word & 0xFFFFFFFF) >> (4 * nibble) & 15 for nibble in range(8)]


def _tensors(folder: Path, prefix: str) -> dict[str, torch.Tensor]:
    with safe_open(folder / "model.safetensors", framework="pt") as file:
        return {name: file.get_tensor(name) for name in file.keys() if name.startswith(prefix)}  # noqa: SIM118


def _awq_by_hand(tensors: dict[str, torch.Tensor], name: str, column: int) -> NDArray[np.float64]:
    """One output row of an AWQ layer: value i of a word is in nibble 0, 4, 1, 5, 2, 6, 3, 7."""
    word, place = column // 8, (0, 4, 1, 5, 2, 6, 3, 7)[column % 8]
    qweight, qzeros = tensors[f"{name}.qweight"].numpy(), tensors[f"{name}.qzeros"].numpy()
    scales = tensors[f"{name}.scales"].numpy().astype(np.float64)
    row = [
        (_nibbles(int(qweight[k, word]))[place] - _nibbles(int(qzeros[k // _GROUP, word]))[place])
        * scales[k // _GROUP, column]
        for k in range(qweight.shape[0])
    ]
    return np.array(row)


def _gptq_by_hand(tensors: dict[str, torch.Tensor], name: str, column: int) -> NDArray[np.float64]:
    """One output row of a GPTQ layer: input channel k is in nibble k % 8; stored zero points are one too small."""
    qweight, qzeros = tensors[f"{name}.qweight"].numpy(), tensors[f"{name}.qzeros"].numpy()
    scales, groups = tensors[f"{name}.scales"].numpy().astype(np.float64), tensors[f"{name}.g_idx"].numpy()
    row = []
    for k in range(qweight.shape[0] * 8):
        zero = _nibbles(int(qzeros[groups[k], column // 8]))[column % 8] + 1
        row.append((_nibbles(int(qweight[k // 8, column]))[k % 8] - zero) * scales[groups[k], column])
    return np.array(row)


def test_awq_layout_has_the_shapes_of_hub_repositories(short_build: Path, recipe: Recipe) -> None:
    tensors = _tensors(recipe.folder(short_build, "awq"), _DOWN)
    shapes = {name.rpartition(".")[2]: (tuple(t.shape), t.dtype) for name, t in tensors.items()}
    assert shapes == {
        "qweight": ((1536, 72), torch.int32),
        "qzeros": ((48, 72), torch.int32),
        "scales": ((48, 576), torch.float16),
    }


def test_gptq_layout_has_the_shapes_of_hub_repositories(short_build: Path, recipe: Recipe) -> None:
    tensors = _tensors(recipe.folder(short_build, "gptq"), _DOWN)
    shapes = {name.rpartition(".")[2]: (tuple(t.shape), t.dtype) for name, t in tensors.items()}
    assert shapes == {
        "qweight": ((192, 576), torch.int32),
        "qzeros": ((48, 72), torch.int32),
        "scales": ((48, 576), torch.float16),
        "g_idx": ((1536,), torch.int32),
    }
    assert set(tensors[f"{_DOWN}.qzeros"].unique().tolist()) == {0x77777777}


@pytest.mark.parametrize("column", [0, 3, 100, 575])
def test_four_bit_weights_by_hand_are_near_the_dense_ones(short_build: Path, recipe: Recipe, column: int) -> None:
    dense = _tensors(recipe.folder(short_build, "bf16"), _DOWN)[f"{_DOWN}.weight"].double().numpy()[column]
    gptq = _tensors(recipe.folder(short_build, "gptq"), _DOWN)
    by_hand = _gptq_by_hand(gptq, _DOWN, column)
    ours = packing.unpack_gptq({name.rpartition(".")[2]: tensor for name, tensor in gptq.items()})[column].numpy()
    np.testing.assert_allclose(by_hand, ours, rtol=1e-6)
    assert _relative(by_hand, dense) < _NEAR
    awq = _tensors(recipe.folder(short_build, "awq"), "model.layers.1.mlp.")
    by_hand = _awq_by_hand(awq, _DOWN, column)
    prefix = f"{_DOWN}."
    parts = {name[len(prefix) :]: tensor for name, tensor in awq.items() if name.startswith(prefix)}
    np.testing.assert_allclose(by_hand, packing.unpack_awq(parts)[column].numpy(), rtol=1e-6)
    # AWQ has scaled the input channels; the scale is what the rows have in common.
    ratio = np.median(packing.unpack_awq(parts).double().numpy() / _safe(short_build, recipe), axis=0)
    assert _relative(by_hand / ratio, dense) < _NEAR


def _safe(short_build: Path, recipe: Recipe) -> NDArray[np.float64]:
    dense = _tensors(recipe.folder(short_build, "bf16"), _DOWN)[f"{_DOWN}.weight"].double().numpy()
    return np.where(np.abs(dense) < 1e-4, np.inf, dense)


def _relative(values: NDArray[np.float64], dense: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(values - dense) / np.linalg.norm(dense))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of vLLM's own imports
@pytest.mark.usefixtures("no_tensor_parallelism")
def test_vllm_unpacks_the_same_awq_weights(short_build: Path, recipe: Recipe) -> None:
    from vllm.model_executor.layers.quantization.auto_awq import _convert_awq_to_standard_format
    from vllm.model_executor.layers.quantization.utils.quant_utils import unpack_quantized_values_into_int32
    from vllm.scalar_type import scalar_types

    tensors = _tensors(recipe.folder(short_build, "awq"), _DOWN)
    layer = torch.nn.Module()
    for part in ("qweight", "qzeros"):
        layer.register_parameter(part, torch.nn.Parameter(tensors[f"{_DOWN}.{part}"], requires_grad=False))
    _convert_awq_to_standard_format(layer, "qweight", "qzeros", 4)
    levels = unpack_quantized_values_into_int32(layer.qweight.data, scalar_types.uint4, 0).float()
    zeros = unpack_quantized_values_into_int32(layer.qzeros.data, scalar_types.uint4, 0).float().t()
    group = torch.arange(1536) // _GROUP
    theirs = ((levels - zeros[group]) * tensors[f"{_DOWN}.scales"].float()[group]).t()
    ours = packing.unpack_awq({name.rpartition(".")[2]: tensor for name, tensor in tensors.items()})
    torch.testing.assert_close(theirs, ours, rtol=0, atol=0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of vLLM's own imports
def test_vllm_unpacks_the_same_gptq_weights(short_build: Path, recipe: Recipe) -> None:
    from vllm.model_executor.layers.quantization.utils.quant_utils import unpack_quantized_values_into_int32
    from vllm.scalar_type import scalar_types

    tensors = _tensors(recipe.folder(short_build, "gptq"), _DOWN)
    levels = unpack_quantized_values_into_int32(tensors[f"{_DOWN}.qweight"], scalar_types.uint4b8, 0).float()
    theirs = ((levels - 8) * tensors[f"{_DOWN}.scales"].float()[torch.arange(1536) // _GROUP]).t()
    ours = packing.unpack_gptq({name.rpartition(".")[2]: tensor for name, tensor in tensors.items()})
    torch.testing.assert_close(theirs, ours, rtol=0, atol=0)


@pytest.mark.parametrize(("key", "largest_error"), [("fp8", 1 / 16), ("int8", None)])
def test_eight_bit_rows_are_within_half_a_step(
    short_build: Path, recipe: Recipe, key: str, largest_error: float | None
) -> None:
    for name in LINEARS:
        full = f"model.layers.0.{name}"
        dense = _tensors(recipe.folder(short_build, "bf16"), full)[f"{full}.weight"].float()
        stored = _tensors(recipe.folder(short_build, key), full)
        values = eight_bit.dense({part: stored[f"{full}.{part}"] for part in ("weight", "weight_scale")})
        scale = stored[f"{full}.weight_scale"]
        error = (values - dense).abs()
        if largest_error is None:
            assert bool((error <= scale * 0.501).all())
        else:  # e4m3 keeps three bits of mantissa; its smallest step is 2^-9
            assert bool((error <= dense.abs() * largest_error * 1.01 + scale * 2.0**-10 * 1.01).all())


def test_packing_survives_a_round_trip_of_every_nibble_in_every_place() -> None:
    generator = torch.Generator().manual_seed(3)
    levels = torch.randint(0, 16, (64, 96), generator=generator)
    zeros = torch.randint(0, 16, (64, 3), generator=generator)
    scales = torch.rand((64, 3), generator=generator).to(torch.bfloat16).float()
    group = torch.arange(96) // _GROUP
    dense = (levels - zeros[:, group]) * scales[:, group]
    torch.testing.assert_close(packing.unpack_awq(packing.pack_awq(levels, zeros, scales)), dense)
    symmetric = (levels - 8) * scales[:, group]
    torch.testing.assert_close(packing.unpack_gptq(packing.pack_gptq(levels, scales, _GROUP)), symmetric)


def test_scales_are_the_same_in_float16_and_bfloat16() -> None:
    scales = storable(torch.logspace(-6, 1, 500))
    assert torch.equal(scales.half().float(), scales)
    assert torch.equal(scales.bfloat16().float(), scales)


def test_best_grid_is_never_worse_than_the_plain_one() -> None:
    generator = torch.Generator().manual_seed(5)
    grouped = torch.randn((40, 6, _GROUP), generator=generator)
    grouped[:, :, 0] *= 6  # an outlier in each group: the plain grid wastes its levels on it
    inputs = torch.randn((6, 200, _GROUP), generator=generator)
    inputs[:, :, 0] *= 0.01
    gram = inputs.transpose(1, 2) @ inputs
    for zero_point in (True, False):
        grid = best_grid(grouped, gram, zero_point=zero_point)
        plain = (asymmetric if zero_point else symmetric)(grouped)
        assert _output_error(grouped - grid.nearest(grouped), gram) < 0.9 * _output_error(
            grouped - plain.nearest(grouped), gram
        )


def _output_error(error: torch.Tensor, gram: torch.Tensor) -> float:
    return float(torch.einsum("ogi,gij,ogj->", error, gram, error))
