"""The engine's answers and everybody else on the host's event loop take turns."""

from __future__ import annotations

import asyncio
from typing import Any


def take_turns(engine: Any) -> None:
    """Have AsyncLLM's output handler let others run before it takes an answer that lies there already.

    Its loop awaits only where it has to wait. Behind an engine that is quicker than what its answers' text takes to
    make, with no more streams than it works through at once (VLLM_V1_OUTPUT_PROC_CHUNK_SIZE, 128), it never has to: no
    stream gets its text, nobody is accepted and nothing is told until the engine has no more to say (seen on an H200:
    39 s).
    """
    core = engine.engine_core
    get_output_async = core.get_output_async

    async def get_output_in_turn() -> Any:
        waiting = core.outputs_queue
        if waiting is not None and not waiting.empty():
            await asyncio.sleep(0)
        return await get_output_async()

    core.get_output_async = get_output_in_turn
