"""Fixtures that every part shares: the starter checkpoint, and one real engine host per test session.

A load takes half a minute, so all tests of the real engine use one. `engine_host` is the host with the engine READY;
a test that ends or exchanges the engine has to bring it back (`engine_host` loads it again where one did not).
"""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.checkpoints.installed_vllm import InstalledVllm
from engine.checkpoints.starter_recipe import RECIPE_FILE
from engine.domain.lifecycle import Phase
from engine.domain.paths import cache_dir
from tests.engine.host.hosting import RunningHost, pages, start_host, wait_gone
from tests.engine.quantize.building import build
from tests.shared_memory import held, wait_for_none
from tests.vllm_child import VllmChild


def pytest_addoption(parser: pytest.Parser) -> None:
    """The lanes of tests/lanes.py; without the option everything runs."""
    parser.addoption("--lane", choices=("engine", "beside"), help="the real engine and what measures time, or the rest")


def _of_the_engines_lane(item: pytest.Item) -> bool:
    marked = any(item.get_closest_marker(name) for name in ("engine", "tour", "timed"))
    return marked or "session_host" in getattr(item, "fixturenames", ())


def _place(item: pytest.Item) -> int:
    if item.get_closest_marker("leaves_another_model") is None:
        return 0
    return 1 if "engine_host" in getattr(item, "fixturenames", ()) else 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Only those of the lane that is asked for. Tests that leave another model in the session's host come last, since
    the next user of it would load anew, and those that load their own anyway last of all."""
    lane = config.getoption("--lane")
    left_out = [item for item in items if lane is not None and _of_the_engines_lane(item) is not (lane == "engine")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
    items.sort(key=_place)


def pytest_collection_finish() -> None:
    """Collecting imports torch: a million objects that no test's gc.collect has to look at again."""
    gc.collect()
    gc.freeze()


if TYPE_CHECKING:
    from collections.abc import Iterator

_STARTER = "SmolLM2-135M-Instruct"
_BUILD_S = 900


@pytest.fixture(scope="session")
def starter_checkpoint() -> Path:
    """The full-precision starter model's folder; built (a minute) where this user's cache does not have it yet.

    KVDECK_TEST_CHECKPOINT names another folder to use instead.
    """
    given = os.environ.get("KVDECK_TEST_CHECKPOINT")
    if given:
        return Path(given)
    folder = cache_dir() / "starter" / _STARTER
    if not (folder / "kvdeck.json").exists():
        _build_starter("bf16")
    return folder


@pytest.fixture(scope="session")
def full_build() -> Path:
    """The real bf16 and AWQ variants in this user's cache, where the tour keeps them too; built if need be."""
    _build_starter("bf16", "awq")
    return cache_dir() / "starter"


def _build_starter(*variants: str) -> None:
    """Build them; one at a time in this user's cache, so what another lane builds just now is waited for."""
    deadline = time.monotonic() + _BUILD_S
    while (built := build(cache_dir() / "starter", RECIPE_FILE, *variants, timeout_s=_BUILD_S)).code:
        is_busy = built.lines[-1:] and built.lines[-1]["kind"] == "engine_busy"
        assert is_busy, (built.lines[-3:], built.stderr)
        assert time.monotonic() < deadline, "another program builds the starter model, and does not end"
        time.sleep(1.0)


@pytest.fixture(scope="session")
def vllm_child() -> Iterator[VllmChild]:
    """A process that has imported vLLM once, to be asked."""
    child = VllmChild()
    yield child
    child.close()


@pytest.fixture(scope="session")
def facts_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with what the installed vLLM was asked once; tests must not change it."""
    folder = tmp_path_factory.mktemp("vllm-facts")
    assert InstalledVllm(folder).refresh() == InstalledVllm(folder).known(), "what was told is what is kept"
    return folder


@pytest.fixture(scope="session")
def session_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHost]:
    """One engine host for the whole session, with nothing loaded at first."""
    host = start_host(tmp_path_factory.mktemp("session-host"))
    yield host
    family = [process.pid for process in host.family()]
    shared = held(family)
    code = host.stop()
    wait_gone(family)
    assert code == 0, host.log_path.read_text()[-4000:]
    assert pages(host.home) == []
    wait_for_none(shared)
    assert not (host.home / "address.json").exists()


@pytest.fixture
def engine_host(session_host: RunningHost, starter_checkpoint: Path) -> RunningHost:
    """The session's host with the starter model READY in it, on 1 GiB of KV cache and at most 32 requests at once."""
    lifecycle = session_host.wait_until(lambda state: state.phase not in (Phase.LOADING, Phase.UNLOADING))
    ready = lifecycle.phase is Phase.READY and lifecycle.checkpoint == str(starter_checkpoint)
    if not ready:
        answer = session_host.load(starter_checkpoint)
        assert answer.status == 202, answer
        session_host.wait_for(Phase.READY)
    return session_host
