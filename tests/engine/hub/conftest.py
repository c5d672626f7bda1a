"""A hub of one's own, and a client of it whose cache is the test's."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from engine.hub.client import HubClient
from engine.hub.records import DownloadState
from tests.engine.hub.hub_server import HubServer, Repository, model_files
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from engine.hub.records import Download

REPO = "org/Small-7B-AWQ"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    """A hub with three models."""
    server = HubServer()
    server.repositories[REPO] = Repository(
        model_files(),
        tags=("awq", "text-generation"),
        config={"architectures": ["LlamaForCausalLM"], "quantization_config": {"quant_method": "awq", "bits": 4}},
        safetensors={"I32": 800_000_000, "F16": 600_000_000},
    )
    server.repositories["org/Small-7B"] = Repository(model_files(), safetensors={"BF16": 7_000_000_000}, downloads=70)
    server.repositories["org/Gated-1B-FP8"] = Repository(
        model_files(), tags=("fp8",), safetensors={"F8_E4M3": 10**9, "BF16": 10**8}, gated="manual", token="hf_right"
    )
    server.start()
    yield server
    server.stop()


class Follower:
    """A client, and the states its downloads went through."""

    def __init__(self, hub: HubServer, cache: Path) -> None:
        self.states: list[Download] = []
        self._changed = asyncio.Event()
        kept = (name for name in os.environ if not name.startswith("HF_") and "proxy" not in name.lower())
        environment = {name: os.environ[name] for name in kept}
        environment |= {"HF_HOME": str(cache), "HF_HUB_OFFLINE": "1"}  # what `make run` sets: the hub is asked anyway
        self.client = HubClient(self._take, endpoint=hub.url, environment=environment)

    def _take(self, state: Download) -> None:
        self.states.append(state)
        self._changed.set()

    async def until(self, holds: Callable[[Download], bool]) -> Download:
        """The first state from now on (the last one counts) that `holds`."""
        seen = max(0, len(self.states) - 1)
        async with asyncio.timeout(PATIENCE_S):
            while True:
                for state in self.states[seen:]:
                    if holds(state):
                        return state
                seen = len(self.states)
                self._changed.clear()
                await self._changed.wait()

    async def ended(self) -> Download:
        """The state that a download ends in."""
        return await self.until(lambda state: state.state is not DownloadState.RUNNING)


@pytest.fixture
async def follower(hub: HubServer, tmp_path: Path) -> Follower:
    """A client of `hub` with its cache in `tmp_path`/hub."""
    follower = Follower(hub, tmp_path)
    yield follower
    process = follower.client._process
    follower.client.close()
    if process is not None:
        await asyncio.to_thread(process.wait, 10)
