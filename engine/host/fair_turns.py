"""The engine's answers and everybody else on the host's event loop take turns."""

from __future__ import annotations

import asyncio
import os
from typing import Any

_CHUNK = "VLLM_V1_OUTPUT_PROC_CHUNK_SIZE"
CHUNK_SIZE = 128  # vLLM's, where the environment does not say otherwise


def take_turns(engine: Any) -> None:
    """Have AsyncLLM's output handler let others run before it takes an answer that lies there already.

    Its loop awaits only where it has to wait. Behind an engine that is quicker than what its answers' text takes to
    make, with no more streams than it works through at once (VLLM_V1_OUTPUT_PROC_CHUNK_SIZE, 128), it never has to: no
    stream gets its text, nobody is accepted and nothing is told until the engine has no more to say (seen on an H200:
    39 s). Of more streams it lets others run by itself, in the middle of a step's.
    """
    core = engine.engine_core
    get_output_async = core.get_output_async
    at_once = int(os.environ.get(_CHUNK) or CHUNK_SIZE)
    has_let_others_run = False

    async def get_output_in_turn() -> Any:
        nonlocal has_let_others_run
        waiting = core.outputs_queue
        if not has_let_others_run and waiting is not None and not waiting.empty():
            await asyncio.sleep(0)
        outputs = await get_output_async()
        has_let_others_run = len(outputs.outputs) > at_once
        return outputs

    core.get_output_async = get_output_in_turn
