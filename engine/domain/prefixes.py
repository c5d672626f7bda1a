"""The prefix cache as a tree, what sharing saves, and why a request found little in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class PrefixNode:
    """A stretch of cached blocks that follow each other with nothing branching off in between.

    `key` is the hash of its last block in hexadecimal. `parent` indexes the tree's nodes (None: it begins a prefix).
    `end_block` is how many blocks lead to its end from the very first token; None where that is not known. `owners` is
    the number of live requests that hold it, `hits` how often it was found by a request since it was filled.
    `reachable` is False where a block before it was evicted: it cannot be reused until that one is computed again.
    """

    key: str
    parent: int | None
    blocks: int
    tokens: int
    end_block: int | None
    owners: int
    hits: int
    last_used_step: int
    reachable: bool


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """The cached prefixes at one step, parents before children, the largest branches first.

    `cached_blocks` counts physical blocks that hold a prefix; `saved_blocks` is how many more there would be if nothing
    were shared. Where the tree was cut, `nodes_left_out` says by how many nodes. `walk_ns` is how long the engine stood
    still for it. `keeps_tokens` says whether token ids of cached prefixes are kept for their text, which then take up
    `token_bytes`.
    """

    step: int
    block_size: int
    nodes: tuple[PrefixNode, ...]
    cached_blocks: int
    saved_blocks: int
    nodes_left_out: int
    walk_ns: int
    keeps_tokens: bool = False
    token_bytes: int = 0


class PrefixCause(StrEnum):
    """Why a request found as much in the prefix cache as it did."""

    NOT_ADMITTED = "not_admitted"  # it has not been scheduled yet
    CACHE_OFF = "cache_off"
    TOO_SHORT = "too_short"  # shorter than a block and one token
    ALL_FOUND = "all_found"
    EVICTED = "evicted"  # the next block had been cached, and was given up before
    AT_THE_SAME_TIME = "at_the_same_time"  # another live request has it, and was still computing it
    DIFFERENT = "different"  # nobody had these tokens
    NOT_COMPUTED = "not_computed"  # of a request that has ended: nobody had computed these tokens by then


@dataclass(frozen=True, slots=True)
class PrefixReason:
    """Why a request's prefix-cache hit ended where it did.

    `cached_tokens` of its `prompt_tokens` were found. EVICTED: `steps_before` it was admitted. `common_tokens` is how
    many first tokens it has in common with `other_request_id`, the live request that is nearest to it, or (where
    `other_is_cached`) the one that left a cached prefix behind whose tokens are kept.
    """

    request_id: str
    cause: PrefixCause
    prompt_tokens: int
    cached_tokens: int
    block_size: int
    steps_before: int | None = None
    other_request_id: str | None = None
    common_tokens: int | None = None
    other_is_cached: bool = False
    adapter: str | None = None
    other_adapter: str | None = None


@dataclass(frozen=True, slots=True)
class PrefixText:
    """The text of one node, decoded on demand; None where no live request holds it and no token ids of it are kept."""

    key: str
    text: str | None


@dataclass(frozen=True, slots=True)
class PrefixTextRequest:
    """Which stretch to decode: a node's key, and how many blocks before its end."""

    key: str
    blocks: int


@dataclass(frozen=True, slots=True)
class PrefixReasonRequest:
    """Which request to explain, by internal id."""

    request_id: str


@dataclass(frozen=True, slots=True)
class KeepTokensRequest:
    """Whether token ids of cached prefixes are kept, so that their text can be read when no request holds them."""

    on: bool
