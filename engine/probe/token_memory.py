"""Token ids of cached prefixes that nobody holds any more: kept only while somebody has asked for it."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_BYTES = 64 << 20


class TokenMemory:
    """The tokens of each block by its hash. Off at first, and empty while it is off.

    What is kept goes with its block's eviction, and beyond `most_bytes` the oldest goes first.
    """

    def __init__(self, block_size: int, most_bytes: int = _MOST_BYTES) -> None:
        """`block_size` is how many tokens one hash stands for."""
        self._block_size = block_size
        self._most = max(1, most_bytes // (block_size * array("I").itemsize))
        self._tokens: dict[bytes, array[int]] = {}
        self.is_on = False

    @property
    def num_bytes(self) -> int:
        """What the token ids take up."""
        return len(self._tokens) * self._block_size * array("I").itemsize

    def switch(self, *, on: bool) -> None:
        """Keep from now on, or forget everything at once."""
        self.is_on = on
        if not on:
            self._tokens.clear()

    def keep(self, request: Any, num_tokens: int) -> None:
        """Remember the first tokens of a request that gives its blocks back, those of its full blocks."""
        if not self.is_on:
            return
        size, tokens, known = self._block_size, request.all_token_ids, self._tokens
        for place, own in enumerate(request.block_hashes[: num_tokens // size]):
            if own not in known:
                known[own] = array("I", tokens[place * size : (place + 1) * size])
        while len(known) > self._most:
            del known[next(iter(known))]

    def forget(self, own: bytes) -> None:
        """No block holds this hash any more."""
        if self._tokens:
            self._tokens.pop(own, None)

    def clear(self) -> None:
        """The whole prefix cache was dropped."""
        self._tokens.clear()

    def of(self, own: bytes) -> array[int] | None:
        """The tokens under this hash, if they are kept."""
        return self._tokens.get(own)

    def items(self) -> Iterator[tuple[bytes, array[int]]]:
        """Every hash with its tokens."""
        return iter(self._tokens.items())
