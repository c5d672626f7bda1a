"""Puts a checkpoint's files together, durable, with a note of what they are and how they were made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch

from engine.checkpoints.starter_folders import FACTS_FILE
from engine.domain.whole_file import write_whole
from engine.quantize.checkpoint import WEIGHTS_FILE
from engine.quantize.tensor_file import write_tensors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from engine.checkpoints.starter_recipe import Recipe

_LICENSE_CARD = """---
license: apache-2.0
base_model: HuggingFaceTB/SmolLM2-135M-Instruct
base_model_relation: quantized
---
# {name}

Made on this computer by KVDeck from `{file}` of the Python package {package} {version} (Apache-2.0, SmolLM2 by Hugging
Face). The weights were dequantized to bfloat16{how}.
"""
_HOW = {
    "bf16": "",
    "awq": " and quantized to four bits with AWQ (activation-aware scales, group {group}, error-compensated rounding)",
    "gptq": " and quantized to four bits with GPTQ (symmetric, group {group}, static groups)",
    "fp8": " and quantized to FP8 (one scale a row; activations rounded token by token)",
    "int8": " and quantized to INT8 (one scale a row; activations rounded token by token)",
}


class Facts:
    """Writes kvdeck.json, the last file: from then on the folder counts as whole."""

    def __init__(self, folder: Path, recipe: Recipe, key: str) -> None:
        self._folder = folder
        self._recipe = recipe
        self._key = key

    def write(self, quality: Mapping[str, Any] | None) -> None:
        """Note recipe, source, quality, and every file with its size in bytes."""
        facts = {
            "recipe": self._recipe.version,
            "layers": self._recipe.layers,
            "variant": self._key,
            "source": {"package": self._recipe.source.package, "version": self._recipe.source.version},
            "source_sha256": self._recipe.source.sha256,
            "torch": torch.__version__,
            "quality": quality,
            "files": {path.name: path.stat().st_size for path in sorted(self._folder.iterdir())},
        }
        write_whole(self._folder / FACTS_FILE, (json.dumps(facts, indent=2) + "\n").encode(), durable=True)


def assemble(
    folder: Path, tensors: Mapping[str, Tensor], files: Mapping[str, str], *, recipe: Recipe, key: str
) -> Facts:
    """Write all files of a checkpoint but kvdeck.json; raises OSError."""
    write_tensors(folder / WEIGHTS_FILE, tensors)
    for name, text in files.items():
        write_whole(folder / name, text.encode(), durable=True)
    how = _HOW[key].format(group=recipe.group_size)
    card = _LICENSE_CARD.format(
        name=recipe.model + recipe.variant(key).suffix,
        file=recipe.source.file,
        package=recipe.source.package,
        version=recipe.source.version,
        how=how,
    )
    write_whole(folder / "README.md", card.encode(), durable=True)
    return Facts(folder, recipe, key)
