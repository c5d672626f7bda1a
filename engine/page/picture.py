"""From the page's numbers to the values that panels draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.domain.telemetry import Counters
from engine.page.layout import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_ORDER = (
    Field.STEP, Field.MONOTONIC_NS, Field.NUM_RUNNING, Field.NUM_WAITING, Field.NUM_FREE, Field.NUM_CACHED,
    Field.NUM_USED, Field.NUM_SHARED, Field.WASTED_SLOTS, Field.PREEMPTIONS, Field.PREFIX_QUERIES, Field.PREFIX_HITS,
    Field.PREFILL_TOKENS, Field.DECODE_TOKENS, Field.FINISHED_REQUESTS, Field.MAX_NUM_SEQS,
    Field.MAX_NUM_BATCHED_TOKENS, Field.PREEMPTED_QUERIES, Field.PREEMPTED_HITS,
)  # fmt: skip


def counters_from(numbers: Sequence[int]) -> Counters:
    """The counters section as a value."""
    return Counters(*(numbers[field] for field in _ORDER))


def read_only(*arrays: NDArray[Any]) -> None:
    """Freeze copies before they are handed out: a snapshot never changes."""
    for array in arrays:
        array.flags.writeable = False
