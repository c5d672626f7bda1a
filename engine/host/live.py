"""Commands to the engine that is running: limits, abort, the prefix cache, the block scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from engine.domain.block_times import BlockTimes
from engine.domain.errors import EngineBusy, EngineCrashed, ParameterInvalid
from engine.domain.lifecycle import LiveLimits
from engine.domain.prefixes import PrefixReason, PrefixText, PrefixTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.domain.lifecycle import LimitsRequest, PriorityRequest
    from engine.host.engine_run import EngineRun
    from engine.host.state import HostState


async def limits_of(run: EngineRun) -> LiveLimits:
    """What this engine's scheduler has in force."""
    return msgspec.convert(await run.call("kvdeck_get_limits"), LiveLimits)


class LiveCommands:
    """Carries commands to the present engine. `running` gives it, or None."""

    def __init__(self, running: Callable[[], EngineRun | None], state: HostState) -> None:
        self._running = running
        self._state = state

    async def read_limits(self) -> LiveLimits:
        """The limits in force, asked of the scheduler itself."""
        limits = await limits_of(self._engine())
        self._state.set_limits(limits)
        return limits

    async def set_limits(self, request: LimitsRequest) -> LiveLimits:
        """Change the limits; returns what is in force then. Raises ParameterInvalid with the scheduler's reason."""
        engine = self._engine()
        self._require_capacity(request)
        try:
            answer = await engine.call("kvdeck_set_limits", msgspec.to_builtins(request))
        except Exception as error:
            if self._running() is not engine:
                raise EngineCrashed("The engine died meanwhile.", remedy="Start the engine again.") from error
            # The scheduler's refusal crosses the process border as a plain Exception around its sentence.
            raise ParameterInvalid(_sentence(error), remedy="Stay within the capacity fixed at load.") from error
        limits = msgspec.convert(answer, LiveLimits)
        self._state.set_limits(limits)
        return limits

    def _require_capacity(self, request: LimitsRequest) -> None:
        """Refuse here what the scheduler would refuse with a traceback in the engine's log."""
        limits = self._state.status().limits
        if limits is None:
            return
        for name in ("max_num_seqs", "max_num_batched_tokens"):
            wanted, capacity = getattr(request, name), getattr(limits, f"{name}_capacity")
            if wanted is not None and not 1 <= wanted <= capacity:
                raise ParameterInvalid(
                    f"{name} cannot be {wanted} while the engine runs: its capacity was fixed at {capacity} at load.",
                    remedy=f"Choose a value from 1 to {capacity}, or reload the engine with a larger one.",
                )

    async def set_priority(self, request: PriorityRequest) -> int:
        """Give the requests of this id another priority; returns how many ran or waited under it.

        Raises ParameterInvalid where there is none, or for a priority out of range.
        """
        engine = self._engine()
        ids = engine.ids_of(request.request_id)
        if not ids:
            raise ParameterInvalid(
                f"No request {request.request_id!r} is live.", remedy="Choose one that waits or runs now."
            )
        answer = await self._ask("kvdeck_set_priority", ids, request.priority, request.by)
        self._state.set_limits(msgspec.convert(answer, LiveLimits))
        return len(ids)

    async def abort(self, request_id: str) -> int:
        """Abort a request by its OpenAI or internal id; returns how many ran under it."""
        return await self._engine().abort(request_id)

    async def reset_prefix_cache(self) -> bool:
        """Drop every reusable prefix; False where running requests held some of it."""
        return await self._engine().reset_prefix_cache()

    async def scan_blocks(self) -> dict[str, int]:
        """Compare the telemetry page with a full scan of the block pool."""
        answer: dict[str, int] = await self._engine().call("kvdeck_scan_blocks")
        return answer

    async def prefix_tree(self, limit: int) -> PrefixTree:
        """The cached prefixes now, as a tree of at most `limit` nodes. The engine stands still meanwhile."""
        return msgspec.convert(await self._ask("kvdeck_prefix_tree", limit), PrefixTree)

    async def prefix_reason(self, request_id: str) -> PrefixReason:
        """Why a request found what it found in the prefix cache. Raises ParameterInvalid where it is gone."""
        return msgspec.convert(await self._ask("kvdeck_prefix_reason", request_id), PrefixReason)

    async def prefix_text(self, key: str, blocks: int) -> PrefixText:
        """The text of a stretch of the tree, where a live request holds it or its token ids are kept."""
        tokens = msgspec.convert(await self._ask("kvdeck_prefix_tokens", key, blocks), list[int] | None)
        return PrefixText(key, None if tokens is None else await self._engine().decode(tokens))

    async def keep_prefix_tokens(self, *, on: bool) -> bool:
        """Keep token ids of cached prefixes from now on, or forget them; returns what holds then."""
        return bool(await self._ask("kvdeck_keep_prefix_tokens", on))

    async def block_times(self) -> BlockTimes:
        """How long blocks lived, lay unused and waited to be found again, since the engine started."""
        return msgspec.convert(await self._ask("kvdeck_block_times"), BlockTimes)

    async def _ask(self, name: str, *arguments: object) -> object:
        engine = self._engine()
        try:
            return await engine.call(name, *arguments)
        except Exception as error:
            if self._running() is not engine:
                raise EngineCrashed("The engine died meanwhile.", remedy="Start the engine again.") from error
            raise ParameterInvalid(_sentence(error), remedy="Read the present state anew and choose again.") from error

    def _engine(self) -> EngineRun:
        engine = self._running()
        if engine is None:
            raise EngineBusy("No engine is running.", remedy="Load a checkpoint first.")
        return engine


def _sentence(error: Exception) -> str:
    """The reason inside vLLM's "Call to NAME method failed: REASON"."""
    text = str(error)
    return text.partition(" method failed: ")[2] or text
