"""A vLLM configuration without a model, and schedulers over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.engine.probe.driving import engine_config, make_probed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def vllm_config(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One configuration for all tests of the probe: importing vLLM takes most of their time."""
    return engine_config(tmp_path_factory.mktemp("tiny-llama"))


@pytest.fixture
def page_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the probe publishes."""
    path = tmp_path / "engine.page"
    monkeypatch.setenv("KVDECK_PAGE", str(path))
    return path


@pytest.fixture
def probed_scheduler(vllm_config: Any, page_path: Path) -> Iterator[Callable[..., Any]]:
    """Makes probed schedulers, and ends them."""
    made = []

    def make(num_blocks: int, **options: Any) -> Any:
        scheduler = make_probed(vllm_config, num_blocks, **options)
        made.append(scheduler)
        return scheduler

    yield make
    for scheduler in made:
        scheduler.shutdown()
    assert not page_path.exists()
