"""Fixtures that every part shares: the starter checkpoint, and one real engine host per test session.

A load takes half a minute, so all tests of the real engine use one. `engine_host` is the host with the engine READY;
a test that ends or exchanges the engine has to bring it back (`engine_host` loads it again where one did not).
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.checkpoints.installed_vllm import InstalledVllm
from engine.domain.lifecycle import Phase
from engine.domain.paths import cache_dir
from tests.engine.host.hosting import RunningHost, pages, segments, start_host, wait_gone
from tests.vllm_child import VllmChild


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that leave another model in the session's host come last: the next user of it would load anew."""
    items.sort(key=lambda item: item.get_closest_marker("leaves_another_model") is not None)


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
        command = [sys.executable, "-m", "engine.quantize", "build", "--variants", "bf16"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_S, check=False)
        assert done.returncode == 0, f"the starter model could not be built:\n{done.stdout}\n{done.stderr}"
    return folder


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
    shared_before = segments()
    host = start_host(tmp_path_factory.mktemp("session-host"))
    yield host
    family = [process.pid for process in host.family()]
    code = host.stop()
    wait_gone(family, 5.0)
    assert code == 0, host.log_path.read_text()[-4000:]
    assert pages(host.home) == []
    assert not segments() - shared_before
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
