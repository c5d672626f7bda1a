"""KV-cache groups: the layers of a hybrid model that share one kind of block table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class GroupKind(IntEnum):
    """What a group's block tables hold, as a number on the telemetry page and in recordings.

    FULL: one slot a token, for all of a sequence. SLIDING: the same, but blocks behind the window are given back.
    CHUNKED: attention within chunks of a fixed length; earlier chunks are given back. STATE: the states of state-space
    layers, not tokens. OTHER: one that this program does not know.
    """

    OTHER = 0
    FULL = 1
    SLIDING = 2
    CHUNKED = 3
    STATE = 4


@dataclass(frozen=True, slots=True)
class KvCacheGroup:
    """One group, as vLLM made it: `block_size` in tokens, `window` (of SLIDING) or chunk (of CHUNKED) in tokens, else
    None, and how many `layers` keep their cache through it (None: not known).
    """

    block_size: int
    kind: GroupKind = GroupKind.OTHER
    window: int | None = None
    layers: int | None = None
