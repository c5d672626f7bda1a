"""Waste in the KV cache: as it is with paging, and as it would be if each request reserved one contiguous piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot


@dataclass(frozen=True, slots=True)
class PagedUse:
    """The cache as it is. Slots hold one token each; the first four add up to `pool_slots`.

    `filled` hold a token of at least one request, `wasted` are in requests' blocks and empty, `cached` keep prefixes
    that nobody holds, `free` keep nothing. `saved` slots would be needed besides if no block were shared.
    `requests` hold blocks now; `fits` is how many of their average size the pool would hold.
    """

    pool_slots: int
    filled: int
    wasted: int
    cached: int
    free: int
    saved: int
    requests: int
    fits: int

    @property
    def waste_share(self) -> float | None:
        """Empty slots among those that requests hold (0 to 1); None where none is held."""
        held = self.filled + self.wasted
        return self.wasted / held if held else None


@dataclass(frozen=True, slots=True)
class ContiguousUse:
    """The same requests, each in one piece of max_model_len slots, in the order of their arrival.

    The allocator: pieces one after the other from the beginning of the same memory. All pieces are equal, so what is
    lost between them is nothing, and `external` is the rest at the end that is too short for one more piece. Prefixes
    are not shared. `filled` hold a token, `reserved` may still be filled by their request (up to its prompt and
    max_tokens), `internal` never will; requests with unknown max_tokens count as able to fill all of theirs. `free` is
    in whole pieces. `requests` got a piece, `waiting` had to wait; `fits` is how many pieces there are.
    """

    pool_slots: int
    filled: int
    reserved: int
    internal: int
    external: int
    free: int
    requests: int
    waiting: int
    fits: int

    @property
    def waste_share(self) -> float | None:
        """Slots that hold no token among those handed out and those lost (0 to 1); None where none is handed out."""
        taken = self.filled + self.reserved + self.internal + self.external
        return (taken - self.filled) / taken if self.requests else None


def pool_slots(snapshot: CacheSnapshot) -> int:
    """Token slots of the whole pool, without the null block."""
    return (snapshot.num_blocks - 1) * snapshot.block_size


def holders(snapshot: CacheSnapshot) -> tuple[RequestRow, ...]:
    """The requests that hold blocks, in the order of their arrival."""
    held = (row for row in snapshot.requests if any(len(table) for table in row.block_tables))
    return tuple(sorted(held, key=lambda row: (row.arrival_ns, row.row)))


def paged_use(snapshot: CacheSnapshot) -> PagedUse | None:
    """The cache as it is; None for models of several KV-cache groups, whose blocks hold different tokens."""
    if snapshot.num_groups != 1:
        return None
    counters, size = snapshot.counters, snapshot.block_size
    held = counters.num_used + counters.num_shared
    requests = len(holders(snapshot))
    shared = snapshot.ref_counts[snapshot.ref_counts > 1]
    pool = snapshot.num_blocks - 1
    return PagedUse(
        pool_slots=pool * size,
        filled=held * size - counters.wasted_slots,
        wasted=counters.wasted_slots,
        cached=counters.num_cached * size,
        free=counters.num_free * size,
        saved=int((shared.astype("int64") - 1).sum()) * size,
        requests=requests,
        fits=requests * pool // held if held else 0,
    )


def contiguous_use(requests: Sequence[RequestRow], slots: int, max_model_len: int) -> ContiguousUse:
    """The counterfactual for these requests, oldest first, in `slots` slots. Raises ValueError on a length below 1."""
    if max_model_len < 1:
        raise ValueError(f"A model's length is at least 1 token, not {max_model_len}.")
    fits = slots // max_model_len
    filled = reserved = 0
    served = requests[:fits]
    for row in served:
        computed = min(row.num_computed_tokens, max_model_len)
        limit = max_model_len if row.max_tokens is None else min(row.num_prompt_tokens + row.max_tokens, max_model_len)
        filled += computed
        reserved += max(0, limit - computed)
    return ContiguousUse(
        pool_slots=slots,
        filled=filled,
        reserved=reserved,
        internal=len(served) * max_model_len - filled - reserved,
        external=slots - fits * max_model_len,
        free=(fits - len(served)) * max_model_len,
        requests=len(served),
        waiting=len(requests) - len(served),
        fits=fits,
    )
