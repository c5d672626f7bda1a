"""What vLLM forgets about cached prefixes: which block follows which, whose they were, how often they were reused."""

from __future__ import annotations

from collections import OrderedDict
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.probe.block_times import BlockClock
from engine.probe.token_memory import TokenMemory

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.probe.block_moves import Evicted

_MOST_EVICTED = 1 << 16
_MOST_ADMISSIONS = 1 << 12
_SLACK = 4
_GROUP_BYTES = 4  # vLLM's keys of cached blocks end with the KV-cache group


class Kin(NamedTuple):
    """One cached block's place: its parent's hash (None: it begins a prefix), its depth, and who gave it back last."""

    parent: bytes | None
    depth: int
    request_id: str


class Admission(NamedTuple):
    """What a request found when it was first scheduled; `missed` is the hash of the first block it did not find.

    `usable` is how many of its prompt's blocks could have been found; None where it does not read the prefix cache.
    `number` counts admissions.
    """

    prompt_tokens: int
    cached_tokens: int
    usable: int | None
    missed: bytes | None
    step: int
    number: int


_Place = tuple[bytes | None, int, str]  # a Kin's fields: plain tuples are made without a call

# Block, vLLM's key, step and its time, age in steps, and the block's place if it was known (a Kin's fields).
Eviction = tuple[int, bytes, int, int, int, _Place | None]


class PrefixMemory:
    """Follows the prefix cache of one pool by its rare events only: a request ends, a block is reused or evicted.

    While a request lives, its own chain of hashes tells all of this; what is kept here is for the blocks that outlive
    it. Nothing of a prompt is kept, only hashes (but for `tokens`, while it is on). `evicted_at` is when a hash was
    last given up. What the newest 4,096 requests found at their admission is kept by request.

    What happens is noted with next to no work, and done in order when somebody asks, or a picture is published.
    `evicted` has vLLM's keys (the hash and the KV-cache group) of evicted blocks as they are given up, `evictions` what
    the block pool's watch finds out about each of them at the next publication.
    """

    def __init__(self, pool: Any, block_size: int, num_groups: int, now_ns: int) -> None:
        """`block_size` is how many tokens one hash stands for."""
        self._pool = pool
        self.block_size = block_size
        self._groups = [group.to_bytes(_GROUP_BYTES, "big") for group in range(num_groups)]
        self.clock = BlockClock(len(pool.blocks), now_ns)
        self.tokens = TokenMemory(block_size)
        self._admissions: OrderedDict[str, Admission] = OrderedDict()
        self._admitted = 0
        self._log: list[tuple[int, Callable[..., None], tuple[Any, ...]]] = []
        self._kin: dict[bytes, _Place] = {}
        self.evicted: list[bytes] = []
        self.evictions: list[Evicted] = []
        self._places: list[_Place | None] = []
        self.evicted_at: dict[bytes, int] = {}

    def admitted(self, request: Any, cached_tokens: int, step: int) -> None:
        """A request was scheduled for the first time."""
        self._log.append((len(self.evicted), self._admit, (request, cached_tokens, step)))

    def _admit(self, request: Any, cached_tokens: int, step: int) -> None:
        hashes, found = request.block_hashes, cached_tokens // self.block_size
        usable: int | None = (request.num_prompt_tokens - 1) // self.block_size
        if usable and (not hashes or getattr(request, "skip_reading_prefix_cache", False)):
            usable = None
        missed = hashes[found] if usable and found < min(usable, len(hashes)) else None
        admissions = self._admissions
        self._admitted += 1
        admissions[request.request_id] = Admission(
            request.num_prompt_tokens, cached_tokens, usable, missed, step, self._admitted
        )
        if len(admissions) > _MOST_ADMISSIONS:
            admissions.popitem(last=False)

    def left(self, request: Any) -> None:
        """A request is giving its blocks back; its chain of hashes is about to go."""
        num_blocks = request.num_computed_tokens // self.block_size
        self._log.append((len(self.evicted), self._leave, (request.request_id, request.block_hashes, num_blocks)))
        if self.tokens.is_on:
            self.tokens.keep(request, request.block_hashes[:num_blocks])

    def _leave(self, request_id: str, hashes: list[bytes], num_blocks: int) -> None:
        # Without a loop in Python: this is done for every block of every request.
        places = zip(chain((None,), hashes), count(), repeat(request_id, num_blocks))
        self._kin.update(zip(hashes, places, strict=False))

    def reset(self) -> None:
        """The whole prefix cache was dropped."""
        self._catch_up()
        self._kin.clear()
        self.tokens.clear()

    def kin(self, block_hash: bytes) -> Kin | None:
        """Where a prefix stands, if its owner has left."""
        self._catch_up()
        known = self._kin.get(block_hash)
        return None if known is None else Kin(*known)

    def admission(self, request_id: str) -> Admission | None:
        """What a request found when it was first scheduled, while that is remembered."""
        self._catch_up()
        return self._admissions.get(request_id)

    def key(self, block_hash: bytes, group: int = 0) -> bytes:
        """vLLM's key of a cached block."""
        return block_hash + self._groups[group]

    def is_cached(self, block_hash: bytes) -> bool:
        """Whether any group has a block under this hash, in use or not."""
        cached = self._pool.cached_block_hash_to_block
        return any(cached.get_one_block(block_hash + group) is not None for group in self._groups)

    @property
    def has_news(self) -> bool:
        """Whether anything was noted that `take_evicted` has not seen."""
        return bool(self._log or self.evictions)

    def take_evicted(self) -> list[Eviction]:
        """Every eviction since the last time, in order; what is known of prefixes that are gone is forgotten."""
        self._catch_up()
        if not self.evicted:
            return []
        noted = zip(self.evictions, self.evicted, self._places, strict=True)
        evicted = [(block, key, step, now_ns, age, place) for (block, step, now_ns, age), key, place in noted]
        self.evictions.clear()
        self.evicted.clear()
        self._places.clear()
        find, one_group = self._pool.cached_block_hash_to_block.get_one_block, len(self._groups) == 1
        evicted_at, kin = self.evicted_at, self._kin
        for _, key, step, _, _, _ in evicted:
            own = key[:-_GROUP_BYTES]
            if own in evicted_at:
                del evicted_at[own]  # so that the newest is last
            evicted_at[own] = step
            if find(key) is None and (one_group or not self.is_cached(own)):
                kin.pop(own, None)
                self.tokens.forget(own)
        while len(evicted_at) > _MOST_EVICTED:
            del evicted_at[next(iter(evicted_at))]
        if len(kin) > _SLACK * len(self._pool.blocks):
            # Blocks that left a sliding window were evicted before their request told where they stood.
            self._kin = {own: known for own, known in kin.items() if self.is_cached(own)}
        return evicted

    def _catch_up(self) -> None:
        for evicted_before, act, arguments in self._log:
            self._place_evicted(evicted_before)
            act(*arguments)
        self._log.clear()
        self._place_evicted(len(self.evicted))

    def _place_evicted(self, end: int) -> None:
        """Look up where evicted prefixes stood, before somebody who left later is known."""
        places, kin = self._places, self._kin
        places += [kin.get(key[:-_GROUP_BYTES]) for key in self.evicted[len(places) : end]]
