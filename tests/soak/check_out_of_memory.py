"""Main memory that runs out while an engine serves, and while it loads: a real limit on the worker.

Part of `make soak` alone (it takes two loads), hence its name.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import aiohttp
import psutil
import pytest

from engine.domain.lifecycle import Phase
from tests.engine.host.hosting import alive, pages

if TYPE_CHECKING:
    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.mark.timeout(300)
async def test_a_worker_without_memory_is_told_as_soon_as_it_fails(engine_host: RunningHost) -> None:
    """The EngineCore dies by an exception then, which waits for its worker for seconds: the host does not."""
    facts = engine_host.lifecycle.facts
    assert facts is not None
    worker = psutil.Process(next(each.pid for each in facts.processes if each.name.startswith("Worker")))
    body: dict[str, Any] = {
        "model": facts.served_model_name,
        "prompt": [[number] * 2000 for number in range(16)],
        "max_tokens": 2000,
        "ignore_eos": True,
    }
    async with (
        aiohttp.ClientSession(headers=engine_host.headers) as session,
        session.ws_connect(engine_host.url.replace("http", "ws", 1) + "/kvdeck/events") as events,
    ):
        # No mapping more than it has: whatever it allocates next fails, in Python, in Torch or in its kernels.
        size = worker.memory_info().vms
        worker.rlimit(psutil.RLIMIT_AS, (size, size))
        failed_s, crashed = 0.0, {}
        async with session.post(f"{engine_host.url}/v1/completions", json=body) as response:
            while crashed.get("phase") != "crashed":
                event = await events.receive_json(timeout=120)
                if event["topic"] == "log" and "encountered a fatal error" in event["value"]["text"]:
                    failed_s = failed_s or time.monotonic()
                crashed = event["value"] if event["topic"] == "lifecycle" else {}
            told_s = time.monotonic()
            assert response.status in (200, 500, 503)
    if failed_s:  # a process that the limit killed outright says nothing first
        assert told_s - failed_s < 1.0, told_s - failed_s
    assert crashed["failure"]["message"]
    assert crashed["failure"]["remedy"]
    engine_host.wait_until(lambda state: state.phase is Phase.LOADING or state.last_check is not None)
    if engine_host.lifecycle.phase is Phase.CRASHED:  # an earlier test has used up the restart that comes by itself
        assert engine_host.post("/kvdeck/restart").status == 202
    assert alive([process.pid for process in facts.processes]) == []
    _a_load_without_memory_fails(engine_host)
    assert engine_host.post("/kvdeck/restart").status == 202
    ready = engine_host.wait_for(Phase.READY)
    assert ready.facts is not None
    assert [str(page) for page in pages(engine_host.home)] == [ready.facts.page_path]


def _a_load_without_memory_fails(host: RunningHost) -> None:
    """The same limit on the worker of a load in progress."""
    worker: psutil.Process | None = None
    deadline = time.monotonic() + 120
    while worker is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
        # The second level of children: the EngineCore's own. It imports vLLM for seconds before it allocates.
        found = [each for child in psutil.Process(host.pid).children() for each in child.children()]
        worker = next((each for each in found if "resource_tracker" not in " ".join(each.cmdline())), None)
    size = worker.memory_info().vms
    worker.rlimit(psutil.RLIMIT_AS, (size, size))
    failed = host.wait_for(Phase.FAILED, timeout_s=120)
    assert failed.failure is not None
    assert failed.failure.message
    assert failed.failure.remedy
    assert pages(host.home) == []
    assert host.engine_family() == []
