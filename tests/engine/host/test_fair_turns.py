"""Answers of the engine that lie there already do not keep the host's event loop from everybody else."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from engine.host.fair_turns import CHUNK_SIZE, take_turns
from tests.engine.probe.driving import import_vllm


def _client() -> Any:
    """vLLM's own client of an EngineCore, without one: its queue of answers and what takes from it."""
    import_vllm()
    from vllm.v1.engine.core_client import AsyncMPClient

    class Client(AsyncMPClient):
        def __init__(self) -> None:
            self.outputs_queue = asyncio.Queue()

        def _ensure_output_queue_task(self) -> None:
            """Nobody fills the queue but the test."""

        def __del__(self) -> None:
            """There is nothing to shut down."""

    return Client()


async def _turns_of_another(client: Any, answers: int, streams: int = CHUNK_SIZE) -> int:
    """How often another task runs while so many answers to so many streams are taken, one after the other."""
    given = [SimpleNamespace(outputs=[None] * streams) for _ in range(answers)]
    for answer in given:
        client.outputs_queue.put_nowait(answer)
    turns = 0

    async def another() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(another())
    taken = [await client.get_output_async() for _ in range(answers)]
    task.cancel()
    assert taken == given
    return turns


def test_others_run_between_two_answers() -> None:
    async def fair() -> int:
        client = _client()
        take_turns(SimpleNamespace(engine_core=client))
        return await _turns_of_another(client, 50)

    async def vllm_alone() -> int:
        return await _turns_of_another(_client(), 50)

    assert asyncio.run(vllm_alone()) == 0, "vLLM lets others run by itself now: take_turns has become idle"
    assert asyncio.run(fair()) >= 49


def test_where_vllm_lets_others_run_by_itself_it_is_left_to_it() -> None:
    import_vllm()
    from vllm import envs

    async def fair() -> int:
        client = _client()
        take_turns(SimpleNamespace(engine_core=client))
        return await _turns_of_another(client, 50, streams=CHUNK_SIZE + 1)

    assert envs.VLLM_V1_OUTPUT_PROC_CHUNK_SIZE == CHUNK_SIZE
    assert asyncio.run(fair()) <= 1  # before the first answer nobody knows


def test_a_failure_of_the_engine_comes_through() -> None:
    async def failing() -> None:
        client = _client()
        client._format_exception = lambda error: error
        take_turns(SimpleNamespace(engine_core=client))
        client.outputs_queue.put_nowait(RuntimeError("the engine is dead"))
        await client.get_output_async()

    with pytest.raises(RuntimeError, match="dead"):
        asyncio.run(failing())
