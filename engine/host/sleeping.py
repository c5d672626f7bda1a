"""How an engine is put to rest and woken: vLLM's sleep mode on GPUs, a pause on the CPU, and what proves the waking."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.domain.sleepers import Rest
from engine.host import vllm_metrics
from engine.host.engine_run import FirstTokenFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from engine.domain.lifecycle import EngineFacts
    from engine.host.asgi import App
    from engine.host.engine_run import EngineRun

# Weights go to main memory and come back; the KV cache is dropped. Level 2 would drop the weights, too, and vLLM then
# answers gibberish until they are loaded again.
_LEVEL = 1
_WEIGHTS, _KV_CACHE = "weights", "kv_cache"  # vLLM's names of what sleeps


class CannotSleep(Exception):
    """The engine could not be put to rest; what it said."""


class CannotWake(Exception):
    """The engine did not wake, or did not answer after it; what it said."""


@dataclass(eq=False, slots=True)
class Served:
    """An engine that has generated a token, with everything that its serving needs.

    `reference` is the greedy token that it began with: what it has to say again after a rest. `used_s` is the monotonic
    time of its last use: the wall clock may be set meanwhile. The rest is what was
    measured of its memory: `ram_serving` of its processes while it served, `gpu_before` of its GPUs before its load
    with the engines that rested then, `vram_resting` of its own on the GPUs while it rests, `freed` of what it gave
    back there, `ram_unlisted` pinned for it and not counted as its processes' (some drivers' pages are nobody's).
    """

    run: EngineRun
    app: App
    facts: EngineFacts
    reference: tuple[int, ...] | None
    collectors: tuple[Any, ...] = field(default_factory=tuple)
    used_s: float = field(default_factory=time.monotonic)
    has_rested: bool = False
    ram_serving: int | None = None
    ram_unlisted: int = 0
    gpu_before: tuple[int, frozenset[int]] | None = None
    vram_resting: int | None = None
    freed: int | None = None

    @property
    def rest(self) -> Rest | None:
        """How it can rest; None where it cannot: on a GPU vLLM has to be told before the load."""
        if self.run.plan.device != "cuda":
            return Rest.KEPT
        return Rest.ASLEEP if getattr(self.run.plan.config.model_config, "enable_sleep_mode", False) else None


@contextlib.asynccontextmanager
async def _within(patience_s: float, kind: type[Exception], late: str) -> AsyncIterator[None]:
    """What goes wrong inside is raised as `kind`: `late` where it took too long, else what vLLM says."""
    try:
        async with asyncio.timeout(patience_s):
            yield
    except TimeoutError:
        raise kind(f"{late} within {patience_s:.0f} s.") from None
    except Exception as error:
        raise kind(str(error) or type(error).__name__) from error


async def put_to_rest(served: Served, patience_s: float) -> float:
    """Put an engine that answers nobody any more to rest; returns the seconds. Raises CannotSleep."""
    began = time.monotonic()
    if served.rest is None:
        raise CannotSleep("It was loaded without sleep mode.")
    async with _within(patience_s, CannotSleep, "It did not fall asleep"):
        if served.rest is Rest.ASLEEP:
            await served.run.client.sleep(level=_LEVEL, mode="abort")
        else:
            # Its KV cache stays where it is, so what is cached stays useful.
            await served.run.client.pause_generation(mode="abort", clear_cache=False)
    return time.monotonic() - began


async def wake_weights(served: Served, patience_s: float) -> None:
    """Bring back the weights of an engine that is asleep, and nothing else yet. Raises CannotWake as `wake` does."""
    async with _within(patience_s, CannotWake, "It did not wake"):
        await served.run.client.wake_up(tags=[_WEIGHTS])


async def wake(served: Served, patience_s: float, *, weights_there: bool = False) -> float:
    """Wake an engine, or what is left of it to wake; returns the seconds. Raises CannotWake, after which it is good
    for nothing."""
    began = time.monotonic()
    client = served.run.client
    async with _within(patience_s, CannotWake, "It did not wake"):
        if served.rest is Rest.ASLEEP:
            await client.wake_up(tags=[_KV_CACHE] if weights_there else None)
            # Its blocks hold nothing any more. vLLM forgets them when it falls asleep; this is to be sure.
            await client.reset_prefix_cache()
        else:
            await client.resume_generation()
        still = bool(await client.is_sleeping())
    if still:
        raise CannotWake("It says that it is still asleep.")
    return time.monotonic() - began


async def prove(served: Served, patience_s: float) -> tuple[float, bool | None]:
    """Let a woken engine generate its first token again: the seconds, and whether it is the token of before its rest
    (None: nothing to compare). Raises CannotWake where it does not answer."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(patience_s):
            answer = await served.run.first_token(served.app)
    except TimeoutError:
        raise CannotWake(f"It woke, and did not answer within {patience_s:.0f} s.") from None
    except FirstTokenFailed as error:
        raise CannotWake(f"It woke, and could not answer: {error}") from error
    except Exception as error:
        raise CannotWake(str(error) or type(error).__name__) from error
    same = None if answer is None or served.reference is None else answer == served.reference
    return time.monotonic() - began, same


def take_over(served: Served) -> None:
    """/metrics is about this engine from now on."""
    with contextlib.suppress(Exception):  # figures for others; the switch does not fail for them
        vllm_metrics.show(served.collectors)
