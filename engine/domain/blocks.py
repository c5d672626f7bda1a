"""Physical KV-cache blocks: what state one can be in."""

from __future__ import annotations

from enum import IntEnum

MOST_REUSES = 0xFFFF  # where the count of a block's reuses stops


class BlockState(IntEnum):
    """State of one physical block, as one byte on the telemetry page.

    FREE: in the free queue, holding nothing reusable. CACHED: in the free queue, but its tokens can still be
    reused by a request with the same prefix. USED: owned by exactly one request. SHARED: owned by more than one.
    NULL: vLLM's placeholder block 0, which never holds tokens and never counts in any usage.
    """

    FREE = 0
    CACHED = 1
    USED = 2
    SHARED = 3
    NULL = 4
