"""What vLLM forgets about cached prefixes: which block follows which, whose they were, how often they were reused."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.probe.block_times import BlockClock
from engine.probe.token_memory import TokenMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.probe.block_times import Leave

_MOST_EVICTED = 1 << 16
_MOST_HELD = 1 << 20  # hashes of some 80 bytes; of a long prompt each eviction may hold thousands
_MOST_ADMISSIONS = 1 << 12
GROUP_BYTES = 4  # vLLM's keys of cached blocks end with the KV-cache group


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


class PrefixMemory:
    """Follows the prefix cache of one pool by its rare events only: a request ends, a block is evicted.

    While a request lives, its own chain of hashes tells all of this; what is kept here is for the blocks that outlive
    it, and is kept by block, so that nothing has to be forgotten: in the clock's `released`, and in `placed` where a
    block's place in a table does not tell its place in the chain of hashes. Nothing of a prompt is kept, only hashes
    (but for `tokens`, while it is on). What the newest 4,096 requests found at their admission is kept by request. What
    is only asked for now and then is looked for when it is asked for.
    """

    def __init__(self, pool: Any, block_size: int, num_groups: int, now_ns: int) -> None:
        """`block_size` is how many tokens one hash stands for."""
        self._pool = pool
        self.block_size = block_size
        self._groups = [group.to_bytes(GROUP_BYTES, "big") for group in range(num_groups)]
        self.clock = BlockClock(len(pool.blocks), now_ns)
        self.tokens = TokenMemory(block_size)
        self._admissions: dict[str, tuple[int, int, int | None, bytes | None, int, int]] = {}  # Admissions' fields
        self._admitted = 0
        self.placed: dict[int, tuple[Leave, int]] = {}
        # vLLM's keys of what was given back together, or the hashes; which of them were evicted, and the step; and how
        # many keys are held by this alone.
        self._evicted: deque[tuple[Sequence[bytes | None], Sequence[int], int, int]] = deque()
        self._num_evicted = self._held = 0  # all of these places, and of these keys

    def admitted(self, request: Any, cached_tokens: int, step: int) -> None:
        """A request was scheduled for the first time."""
        hashes, found = request.block_hashes, cached_tokens // self.block_size
        usable: int | None = (request.num_prompt_tokens - 1) // self.block_size
        if usable and (not hashes or getattr(request, "skip_reading_prefix_cache", False)):
            usable = None
        missed = hashes[found] if usable and found < min(usable, len(hashes)) else None
        admissions = self._admissions
        self._admitted += 1
        request_id = request.request_id
        admissions.pop(request_id, None)  # so that the newest is last
        admissions[request_id] = (request.num_prompt_tokens, cached_tokens, usable, missed, step, self._admitted)
        if len(admissions) > _MOST_ADMISSIONS:
            del admissions[next(iter(admissions))]

    def left(self, request_id: str, hashes: Sequence[bytes], num_blocks: int) -> None:
        """A request gave its blocks back, of which so many are full, where its tables do not tell their hashes."""
        find, leave = self._pool.cached_block_hash_to_block.get_one_block, (request_id, hashes)
        for depth, own in enumerate(hashes[:num_blocks]):
            for group in self._groups:
                block = find(own + group)
                if block is not None:
                    self.placed[block.block_id] = (leave, depth)

    def note_evicted(self, keys: Sequence[bytes | None], places: Sequence[int], step: int) -> None:
        """These places of what was given back together were evicted."""
        evicted = self._evicted
        held = 0 if evicted and evicted[-1][0] is keys else len(keys)
        evicted.append((keys, places, step, held))
        self._num_evicted += len(places)
        self._held += held
        while self._num_evicted > _MOST_EVICTED or (self._held > _MOST_HELD and len(evicted) > 1):
            _, gone, _, held = evicted.popleft()
            self._num_evicted -= len(gone)
            self._held -= held

    def reset(self) -> None:
        """The whole prefix cache was dropped."""
        self.clock.forget()
        self.placed.clear()
        self.tokens.clear()

    def forget_evicted(self, hashes: Sequence[bytes]) -> None:
        """Drop the tokens kept of these hashes, unless another block is cached under them."""
        for own in hashes:
            if not self.is_cached(own):
                self.tokens.forget(own)

    def evicted_at(self, block_hash: bytes) -> int | None:
        """The step at which a block with this hash was last evicted, if that is remembered."""
        wanted = [block_hash, *(block_hash + group for group in self._groups)]
        return next(
            (
                step
                for keys, places, step, _ in reversed(self._evicted)
                if any(keys[place] in wanted for place in places)
            ),
            None,
        )

    def kin(self, block_hash: bytes) -> Kin | None:
        """Where a cached prefix stands, if its owner has left."""
        find = self._pool.cached_block_hash_to_block.get_one_block
        for group in self._groups:
            block = find(block_hash + group)
            leave, depth = (None, 0) if block is None else self._place(block.block_id)
            if leave is not None:
                request_id, chain = leave
                return Kin(chain[depth - 1] if 0 < depth <= len(chain) else None, depth, request_id)
        return None

    def _place(self, block_id: int) -> tuple[Leave | None, int]:
        release = self.clock.released[block_id]
        if release is not None and release.leave is not None:
            return release.leave, release.place_of(block_id)
        return self.placed.get(block_id, (None, 0))

    def admission(self, request_id: str) -> Admission | None:
        """What a request found when it was first scheduled, while that is remembered."""
        found = self._admissions.get(request_id)
        return None if found is None else Admission(*found)

    def key(self, block_hash: bytes, group: int = 0) -> bytes:
        """vLLM's key of a cached block."""
        return block_hash + self._groups[group]

    def is_cached(self, block_hash: bytes) -> bool:
        """Whether any group has a block under this hash, in use or not."""
        cached = self._pool.cached_block_hash_to_block
        return any(cached.get_one_block(block_hash + group) is not None for group in self._groups)
