"""Builds that the tests of the quantizers share: a cut model once a session."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from engine.checkpoints.starter_recipe import load_recipe
from tests.engine.quantize.building import build, write_recipe

if TYPE_CHECKING:
    from pathlib import Path

    from engine.checkpoints.starter_recipe import Recipe


@pytest.fixture(scope="session")
def short_recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe for the first two layers of the real model."""
    return write_recipe(tmp_path_factory.mktemp("recipe") / "recipe.json", layers=2)


@pytest.fixture(scope="session")
def short_build(tmp_path_factory: pytest.TempPathFactory, short_recipe: Path) -> Path:
    """All five variants of the two-layer model; tests must not change them."""
    destination = tmp_path_factory.mktemp("short-starter")
    built = build(destination, short_recipe)
    assert built.code == 0, (built.lines[-3:], built.stderr)
    return destination


@pytest.fixture
def short_bf16(tmp_path: Path, short_build: Path) -> Path:
    """A destination of one's own that has the two-layer source model already."""
    name = load_recipe().model
    destination = tmp_path / "starter"
    shutil.copytree(short_build / name, destination / name, copy_function=os.link)
    return destination


@pytest.fixture(scope="session")
def recipe() -> Recipe:
    """The real recipe."""
    return load_recipe()


@pytest.fixture
def no_tensor_parallelism(monkeypatch: pytest.MonkeyPatch) -> None:
    """vLLM's parameters ask for their rank among GPUs; outside an engine nobody has said that there is one."""
    parameter = pytest.importorskip("vllm.model_executor.parameter")
    monkeypatch.setattr(parameter, "get_tensor_model_parallel_rank", lambda: 0)
    monkeypatch.setattr(parameter, "get_tensor_model_parallel_world_size", lambda: 1)


def facts_of(folder: Path) -> dict[str, object]:
    """A variant's kvdeck.json."""
    value = json.loads((folder / "kvdeck.json").read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value
