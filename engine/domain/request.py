"""A request as the scheduler in the EngineCore sees it."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np  # noqa: TC004 - these rows are never decoded, so nobody reads their types
    from numpy.typing import NDArray  # noqa: TC004


class RequestPhase(IntEnum):
    """Where a request stands in the scheduler."""

    WAITING = 0
    PREFILL = 1
    DECODE = 2
    PREEMPTED = 3


class RequestRow(msgspec.Struct, frozen=True, gc=False):
    """One live request on the telemetry page. With hundreds of requests thousands are made a second: a frozen dataclass
    takes thirteen times as long, and the collector has nothing to look for in them.

    `request_id` is the engine's internal id (the OpenAI id plus vLLM's suffix). Token counts are in tokens.
    `num_cached_tokens` came from the prefix cache at admission. `block_tables` holds one int32 array per KV-cache
    group: physical block ids in logical order; `tables_truncated` says that the page had no room for all of them.
    `arrival_ns` is CLOCK_MONOTONIC. `row` is its index on the page,
    stable while the request lives (used for a stable colour). `max_tokens` is how many it may generate at most, None
    where that is not known.
    """

    row: int
    request_id: str
    phase: RequestPhase
    num_prompt_tokens: int
    num_tokens: int
    num_computed_tokens: int
    num_cached_tokens: int
    num_preemptions: int
    arrival_ns: int
    block_tables: tuple[NDArray[np.int32], ...]
    tables_truncated: bool = False
    max_tokens: int | None = None

    @property
    def block_table(self) -> NDArray[np.int32]:
        """The first group's block table, which is the only one for most models."""
        return self.block_tables[0]

    def filled_slots(self, position: int, block_size: int) -> int:
        """How many of the `block_size` slots of the block at this logical position hold a token's KV."""
        return max(0, min(block_size, self.num_computed_tokens - position * block_size))
