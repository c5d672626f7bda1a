"""Quantizes a checkpoint layer by layer, keeping each finished layer so that a build can go on after a kill."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch

from engine.checkpoints.starter_recipe import texts
from engine.quantize import eight_bit, four_bit
from engine.quantize.calibrate import observe_layer
from engine.quantize.checkpoint import WEIGHTS_FILE, Model
from engine.quantize.model import LINEARS, NORMS, DecoderLayer, rotation_table
from engine.quantize.quality import sequences
from engine.quantize.tensor_file import read_tensors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from torch import Tensor

    from engine.checkpoints.starter_recipe import Recipe
    from engine.quantize.partial import Partial

_COPIED = ("generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja")


class LayerQuantizer:
    """Makes variant `key` from the bf16 checkpoint in `source`; finished layers live in `partial`.

    GPTQ calibrates each layer on what the quantized layers before it give, AWQ on what the dense ones give: its
    scales then do not depend on rounding. FP8 and INT8 need no calibration.
    """

    def __init__(self, recipe: Recipe, source: Path, key: str, partial: Partial) -> None:
        self._recipe = recipe
        self._source = source
        self._key = key
        self._partial = partial
        self._model = Model(source, "bf16")

    @property
    def done_share(self) -> float:
        """Share of the layers that an earlier build has finished."""
        return len(self._partial.kept) / self._model.shape.layers

    def run(self) -> Iterator[tuple[int, int]]:
        """Quantize the layers that are missing; yields (layers done, layers) after each."""
        layers = range(self._model.shape.layers)
        missing = [index for index in layers if _layer_file(index) not in self._partial.kept]
        if not missing:
            return
        hidden, rotation = self._inputs() if self._key in ("awq", "gptq") else (None, None)
        for index in layers[: missing[-1] + 1]:
            if hidden is not None and rotation is not None:
                hidden = self._calibrated(index, hidden, rotation, last=index == missing[-1])
            elif index in missing:
                self._keep(index, self._eight_bit(index))
            yield index + 1, len(layers)

    def _inputs(self) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        tokenizer, length = self._model.tokenizer(), self._recipe.calibration_sequence
        tokens = sequences(
            texts("calibration"), lambda text: tokenizer.encode(text).ids, length, self._recipe.calibration_tokens
        )
        return self._model.embedding()[tokens], rotation_table(self._model.shape, length)

    def _calibrated(self, index: int, hidden: Tensor, rotation: tuple[Tensor, Tensor], *, last: bool) -> Tensor:
        """Quantize one layer unless that is done, and return what goes into the next one."""
        dense = self._model.layer(index)
        with torch.inference_mode():
            if _layer_file(index) not in self._partial.kept:
                output, statistics = observe_layer(dense, hidden, rotation)
                tensors = four_bit.quantize_layer(self._key, dense, statistics, self._recipe.group_size)
                self._keep(index, tensors)
            else:
                tensors = self._partial.read(_layer_file(index))
                output = dense(hidden, rotation) if self._key == "awq" else hidden
            if self._key == "awq" or last:
                return output
            return four_bit.unpack_layer(self._key, self._model.shape, tensors)(hidden, rotation)

    def _eight_bit(self, index: int) -> dict[str, Tensor]:
        dense: DecoderLayer = self._model.layer(index)
        tensors = {f"{name}.weight": dense.norms[name].to(torch.bfloat16) for name in NORMS}
        for name in LINEARS:
            parts = eight_bit.quantize_rows(dense.linears[name], self._key)
            tensors |= {f"{name}.{part}": tensor for part, tensor in parts.items()}
        return tensors

    def _keep(self, index: int, tensors: dict[str, Tensor]) -> None:
        self._partial.keep(_layer_file(index), tensors)

    def tensors(self) -> dict[str, Tensor]:
        """Every tensor of the finished checkpoint, mapped from the finished layers and the source."""
        result = {
            name: tensor
            for name, tensor in read_tensors(self._source / WEIGHTS_FILE).items()
            if not name.startswith("model.layers.")
        }
        for index in range(self._model.shape.layers):
            layer = self._partial.read(_layer_file(index))
            result |= {f"model.layers.{index}.{name}": tensor for name, tensor in layer.items()}
        return result

    def files(self) -> dict[str, str]:
        """The texts of the checkpoint's other files: the source's, with the quantization declared in config.json."""
        config: dict[str, Any] = json.loads((self._source / "config.json").read_text(encoding="utf-8"))
        if self._key in ("awq", "gptq"):
            config["quantization_config"] = four_bit.quantization_config(self._key, self._recipe.group_size)
        else:
            config["quantization_config"] = eight_bit.quantization_config(self._key)
        files = {"config.json": json.dumps(config, indent=2) + "\n"}
        return files | {name: (self._source / name).read_text(encoding="utf-8") for name in _COPIED}


def _layer_file(index: int) -> str:
    return f"layer-{index:03d}.safetensors"
