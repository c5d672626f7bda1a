"""How long blocks of the KV cache live, lie unused, and wait to be found again, since the engine started."""

from __future__ import annotations

from dataclasses import dataclass

NUM_BUCKETS = 24
NS_PER_MS = 1_000_000


def bucket_of(ns: int) -> int:
    """Which bucket a time belongs to: 0 is below 1 ms, then each is twice as wide as the one before."""
    return min((ns // NS_PER_MS).bit_length(), NUM_BUCKETS - 1) if ns > 0 else 0


def bucket_bounds_ms(bucket: int) -> tuple[int, int | None]:
    """From how many milliseconds on, and below how many; None: without an end (over 70 minutes)."""
    low = 1 << (bucket - 1) if bucket else 0
    return low, None if bucket >= NUM_BUCKETS - 1 else 1 << bucket


@dataclass(frozen=True, slots=True)
class TimeHistogram:
    """How often a time fell into each bucket (`bucket_bounds_ms`)."""

    counts: tuple[int, ...] = (0,) * NUM_BUCKETS

    @property
    def total(self) -> int:
        """How many times there were."""
        return sum(self.counts)

    def quantile_bucket(self, share: float) -> int | None:
        """The bucket in which this share (0 to 1) of the times, the shortest first, is reached; None without any."""
        wanted, seen = share * self.total, 0
        for bucket, count in enumerate(self.counts):
            seen += count
            if count and seen >= wanted:
                return bucket
        return None


@dataclass(frozen=True, slots=True)
class BlockTimes:
    """Times of the blocks of one engine up to `step`, exact to one scheduler step.

    `residency`: from the moment a block is handed out until what it holds is lost (its prefix evicted, or freed when
    it was not full). `idle`: from the moment nobody holds a cached block until it is evicted. `reuse_gap`: from then
    until a request finds it again; those found while somebody still held them are counted in `found_in_use`. What a
    reset of the whole prefix cache drops is in none of them.
    """

    step: int
    residency: TimeHistogram
    idle: TimeHistogram
    reuse_gap: TimeHistogram
    found_in_use: int
