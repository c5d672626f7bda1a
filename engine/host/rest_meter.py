"""What an engine holds while it rests: main memory of its processes and pinned beside them, VRAM that stays."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from engine.domain.sleepers import Rest
from engine.host import room
from engine.host.processes import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.lifecycle import EngineProcess
    from engine.host.journal import Journal
    from engine.host.memory import MemoryMeter
    from engine.host.sleeping import Served

_GIB = 1 << 30
_BACKED_UP = re.compile(r"sleep freed [\d.]+ GiB memory in total, of which ([\d.]+) GiB is backed up in CPU")
_ROUND_UP = 1.1  # buffers lie where the weights do
_RESERVE = _GIB  # an engine that serves takes a little more now and then
_LAST_WORDS_S = 0.3  # what an engine has just printed is still on its way through the pipe


class RestMeter:
    """Reads the system, NVML and vLLM's own words. Everything is None where nobody tells."""

    def __init__(self, meter: MemoryMeter, journal: Journal) -> None:
        self._meter = meter
        self._journal = journal
        self._before: dict[int, tuple[int | None, int]] = {}  # per engine: GPU bytes and log line before its rest

    async def gpu_used(self) -> int | None:
        """What is used on all GPUs by whomever; None where there are none, or they do not answer."""
        return await asyncio.to_thread(self._meter.held, "cuda", (), ())

    async def _used_by(self, served: Served) -> int | None:
        return await self.gpu_used() if served.rest is Rest.ASLEEP else None

    async def has_room(self, served: Served) -> bool:
        """Whether each of its GPUs has room for its weights as things are."""
        weights = served.facts.weights_bytes
        if weights is None or not served.facts.gpu_uuids:
            return False
        free = await asyncio.to_thread(self._meter.free, served.facts.gpu_uuids)
        return free is not None and free > weights * _ROUND_UP + _RESERVE

    async def serving(self, served: Served) -> None:
        """Note what an engine's processes hold while it serves."""
        if served.rest is Rest.ASLEEP and served.ram_serving is None:
            served.ram_serving = await asyncio.to_thread(resident_bytes, served.run.processes)

    async def before_rest(self, served: Served) -> None:
        """Note how things are just before an engine goes to rest."""
        self._before[id(served)] = await self._used_by(served), self._journal.last_sequence

    async def after_rest(self, served: Served, others: frozenset[int]) -> None:
        """Note what the rest has brought, before another engine takes the room. `others` are the ids of those that
        rest, too."""
        before = self._before[id(served)][0]
        used = await self._used_by(served)
        served.freed = None if before is None or used is None else max(0, before - used)
        if served.gpu_before is not None and used is not None and served.gpu_before[1] == others:
            # The same engines rest as before its load, and none serves: the difference is its own.
            served.vram_resting = max(0, used - served.gpu_before[0])

    async def resting(self, served: Served, processes: Sequence[EngineProcess]) -> tuple[int | None, int | None]:
        """Main memory that an engine holds at rest, and VRAM that stays."""
        known = self._before.pop(id(served), None)
        if known is not None and served.rest is Rest.ASLEEP and not served.has_rested:
            await self._find_unlisted(served, known[1])
        ram = await asyncio.to_thread(resident_bytes, processes)
        vram = await asyncio.to_thread(self._meter.of_processes, processes) if served.rest is Rest.ASLEEP else None
        if vram is not None:
            served.vram_resting = vram
        return (ram + served.ram_unlisted) or None, served.vram_resting

    async def _find_unlisted(self, served: Served, line: int) -> None:
        """Pinned memory is a driver's, and with some of them nobody's in the system's books."""
        await asyncio.sleep(_LAST_WORDS_S)
        said = [float(found[1]) for each in self._journal.after(line) if (found := _BACKED_UP.search(each.text))]
        backed = int(sum(said) * _GIB) if said else room.weights_of(served)
        now = await asyncio.to_thread(resident_bytes, served.run.processes)
        if served.ram_serving is not None and now - served.ram_serving < backed // 2:
            served.ram_unlisted = backed
