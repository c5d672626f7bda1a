"""A finished checkpoint of any of our variants, read back from its files as a dense model, one layer at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engine.quantize import eight_bit, four_bit
from engine.quantize.model import LINEARS, NORMS, DecoderLayer, LlamaShape
from engine.quantize.tensor_file import read_tensors

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Tokenizer
    from torch import Tensor

WEIGHTS_FILE = "model.safetensors"


class Model:
    """The checkpoint in `folder`; `key` says how its weights are stored. Layers are read anew at each call."""

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = folder
        self._weights = folder / WEIGHTS_FILE
        self._key = key
        self.shape = LlamaShape.from_config(json.loads((folder / "config.json").read_text(encoding="utf-8")))

    def embedding(self) -> Tensor:
        """[vocabulary, hidden] float32; the output layer too, since the two are tied."""
        return self._one("model.embed_tokens.weight")

    def final_norm(self) -> Tensor:
        """[hidden] float32."""
        return self._one("model.norm.weight")

    def _one(self, name: str) -> Tensor:
        return read_tensors(self._weights, name)[""].float()

    def layer(self, index: int) -> DecoderLayer:
        """One decoder layer, unpacked to float32."""
        tensors = read_tensors(self._weights, f"model.layers.{index}.")
        if self._key in ("awq", "gptq"):
            return four_bit.unpack_layer(self._key, self.shape, tensors)
        norms = {name: tensors[f"{name}.weight"].float() for name in NORMS}
        if self._key == "bf16":
            return DecoderLayer(self.shape, {name: tensors[f"{name}.weight"].float() for name in LINEARS}, norms)
        linears = {
            name: eight_bit.dense({part: tensors[f"{name}.{part}"] for part in ("weight", "weight_scale")})
            for name in LINEARS
        }
        return DecoderLayer(self.shape, linears, norms, eight_bit.TokenRounding(self._key))

    def tokenizer(self) -> Tokenizer:
        """The checkpoint's own tokenizer."""
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self._folder / "tokenizer.json"))
