"""Weights unpacked at load: layer by layer against our own unpacking, and in the real engine on the AVX2 library."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from engine.quantize import packing
from engine.quantize.checkpoint import Model
from engine.quantize.quality import log_probabilities

if TYPE_CHECKING:
    from engine.checkpoints.starter_recipe import Recipe

_PROJECT = Path(__file__).resolve().parents[3]
_OUT, _IN, _GROUP = 64, 128, 32
_GROUPS = _IN // _GROUP

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of vLLM's own imports


@pytest.fixture
def random() -> torch.Generator:
    return torch.Generator().manual_seed(11)


def _int4_kernel(*, zero_points: bool, names: tuple[str, str, str | None]) -> Any:
    from vllm.model_executor.kernels.linear import MPLinearLayerConfig
    from vllm.scalar_type import scalar_types

    from engine.quantize.dense_kernels import UnpackedInt4Kernel

    config = MPLinearLayerConfig(
        full_weight_shape=(_IN, _OUT),
        partition_weight_shape=(_IN, _OUT),
        weight_type=scalar_types.uint4 if zero_points else scalar_types.uint4b8,
        act_type=torch.float32,
        group_size=_GROUP,
        zero_points=zero_points,
    )
    assert UnpackedInt4Kernel.can_implement(config)[0]
    return UnpackedInt4Kernel(config, *names)


def _parameter(data: torch.Tensor, **tags: int) -> torch.nn.Parameter:
    parameter = torch.nn.Parameter(data, requires_grad=False)
    for name, value in tags.items():
        setattr(parameter, name, value)
    return parameter


def _check(kernel: Any, layer: torch.nn.Module, dense: torch.Tensor, random: torch.Generator) -> None:
    kernel.process_weights_after_loading(layer)
    inputs = torch.randn((5, _IN), generator=random)
    torch.testing.assert_close(kernel.apply_weights(layer, inputs), inputs @ dense.t(), rtol=1e-4, atol=1e-4)
    held = {name for name, value in layer.named_parameters() if value.numel()}
    assert held <= {"weight", "weight_g_idx"}, "the packed weights stay in memory"


def test_gptq_layer(random: torch.Generator) -> None:
    levels = torch.randint(0, 16, (_OUT, _IN), generator=random)
    tensors = packing.pack_gptq(levels, torch.rand((_OUT, _GROUPS), generator=random), _GROUP)
    layer = torch.nn.Module()
    layer.qweight = _parameter(tensors["qweight"], input_dim=0, output_dim=1, packed_dim=0)
    layer.qzeros = _parameter(tensors["qzeros"], input_dim=0, output_dim=1, packed_dim=1)
    layer.scales = _parameter(tensors["scales"], input_dim=0, output_dim=1)
    kernel = _int4_kernel(zero_points=False, names=("qweight", "scales", "qzeros"))
    _check(kernel, layer, packing.unpack_gptq(tensors), random)


@pytest.mark.usefixtures("no_tensor_parallelism")
def test_awq_layer(random: torch.Generator) -> None:
    from vllm.model_executor.layers.quantization.auto_awq import _convert_awq_to_standard_format

    levels = torch.randint(0, 16, (_OUT, _IN), generator=random)
    zeros = torch.randint(0, 16, (_OUT, _GROUPS), generator=random)
    tensors = packing.pack_awq(levels, zeros, torch.rand((_OUT, _GROUPS), generator=random))
    layer = torch.nn.Module()
    layer.qweight, layer.qzeros = _parameter(tensors["qweight"]), _parameter(tensors["qzeros"])
    layer.scales = _parameter(tensors["scales"], input_dim=0, output_dim=1)
    _convert_awq_to_standard_format(layer, "qweight", "qzeros", 4)
    kernel = _int4_kernel(zero_points=True, names=("qweight", "scales", "qzeros"))
    _check(kernel, layer, packing.unpack_awq(tensors), random)


@pytest.mark.parametrize("ordered", [False, True])
def test_compressed_tensors_layer(random: torch.Generator, ordered: bool) -> None:
    """Packed along the input in [out, in / 8], scales [out, groups]; with activation order any channel in any group."""
    levels = torch.randint(0, 16, (_OUT, _IN), generator=random)
    scales = torch.rand((_OUT, _GROUPS), generator=random)
    group = torch.arange(_IN) // _GROUP
    group = group[torch.randperm(_IN, generator=random)] if ordered else group
    layer = torch.nn.Module()
    words = packing.pack_gptq(levels, scales, _GROUP)["qweight"].t().contiguous()
    layer.weight_packed = _parameter(words, input_dim=1, output_dim=0, packed_dim=1)
    layer.weight_scale = _parameter(scales, input_dim=1, output_dim=0)
    if ordered:
        layer.weight_g_idx = _parameter(group.int())
    kernel = _int4_kernel(zero_points=False, names=("weight_packed", "weight_scale", None))
    _check(kernel, layer, (levels - 8) * scales[:, group], random)


def _fp8_config(rows: int, columns: int) -> Any:
    scale = SimpleNamespace(static=False, group_shape=SimpleNamespace(row=rows, col=columns))
    key = SimpleNamespace(scale=scale)
    return SimpleNamespace(weight_quant_key=key, activation_quant_key=key, out_dtype=torch.float32)


@pytest.mark.parametrize("scales", ["tensor", "shards", "channel"])
def test_fp8_layer(random: torch.Generator, scales: str) -> None:
    from engine.quantize.dense_kernels import UnpackedFp8Kernel

    config = _fp8_config(1, -1)
    assert UnpackedFp8Kernel.can_implement(config)[0]
    kernel = object.__new__(UnpackedFp8Kernel)  # its own set-up wants a running engine's configuration
    kernel.config, kernel.layer_param_names = config, ("weight", "weight_scale", "input_scale", "input_scale_ub")
    weight = torch.randn((_OUT, _IN), generator=random).to(torch.float8_e4m3fn)
    scale = torch.rand({"tensor": (1,), "shards": (2,), "channel": (_OUT, 1)}[scales], generator=random)
    layer = torch.nn.Module()
    layer.logical_widths = [16, 48]
    layer.weight, layer.weight_scale = _parameter(weight.t()), _parameter(scale)
    layer.input_scale = None
    rows = scale.repeat_interleave(torch.tensor([16, 48])) if scales == "shards" else scale.flatten()
    _check(kernel, layer, weight.float() * rows.reshape(-1, 1), random)


def test_fp8_layer_scaled_by_block(random: torch.Generator) -> None:
    from engine.quantize.dense_kernels import UnpackedFp8BlockKernel

    config = _fp8_config(48, 128)
    assert UnpackedFp8BlockKernel.can_implement(config)[0]
    kernel = object.__new__(UnpackedFp8BlockKernel)  # see above
    kernel.config, kernel.weight_group_shape = config, config.weight_quant_key.scale.group_shape
    weight = torch.randn((_OUT, _IN), generator=random).to(torch.float8_e4m3fn)
    scale = torch.rand((2, 1), generator=random)  # the second block of rows is cut short
    layer = torch.nn.Module()
    layer.weight, layer.weight_scale_inv = _parameter(weight), _parameter(scale)
    layer.input_scale = None
    _check(kernel, layer, weight.float() * scale[torch.arange(_OUT) // 48], random)


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the AVX2 library is for x86-64")
def test_the_engine_without_four_bit_kernels_computes_what_the_files_say(short_build: Path, recipe: Recipe) -> None:
    """The plugin, vLLM's AVX2 library, float32: AWQ, GPTQ and FP8 give our own forward pass's probabilities."""
    tokens = [1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 47, 2, 198, 1, 520, 9531, 198]
    keys = ("awq", "gptq", "fp8")
    folders = [str(recipe.folder(short_build, key)) for key in keys]
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("engine_logprobs.py")), "avx2", *folders],
        input=json.dumps(tokens),
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env=os.environ | {"PYTHONPATH": str(_PROJECT), "KVDECK_HOST_PID": str(os.getpid()), "HF_HUB_OFFLINE": "1"},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    results = [json.loads(line[7:]) for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert [Path(result["folder"]) for result in results] == [Path(folder) for folder in folders]
    for key, result in zip(keys, results, strict=True):
        assert not result["has_four_bit_kernel"]
        assert result["kernel"] == ["UnpackedFp8Kernel" if key == "fp8" else "UnpackedInt4Kernel"]
        ours = _own_logprobs(recipe.folder(short_build, key), key, tokens)
        torch.testing.assert_close(torch.tensor(result["logprobs"]), ours, rtol=0, atol=2e-2)


def _own_logprobs(folder: Path, key: str, tokens: list[int]) -> torch.Tensor:
    model = Model(folder, key)
    if key == "fp8":
        model.layer = _without_rounding(model.layer)  # type: ignore[method-assign] # unpacked weights: exact activations
    every = log_probabilities(model, torch.tensor([tokens]), lambda _share: None)[0]
    return every[:-1].gather(-1, torch.tensor(tokens[1:])[:, None]).flatten()


def _without_rounding(read: Any) -> Any:
    def layer(index: int) -> Any:
        result = read(index)
        result.activations = None
        return result

    return layer


def test_kernels_are_told_apart_by_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine.quantize", "kernels", "--json"],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        env=os.environ | {"PYTHONPATH": str(_PROJECT)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert set(answer["methods"]) == {"bf16", "awq", "gptq", "fp8", "int8"}
    for method in answer["methods"].values():
        assert method["how"] in ("native", "unpacked", "refused")
        assert method["reason"] or method["how"] == "native"
