"""Why a live request found as much in the prefix cache as it did, and the tokens of a prefix that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.domain.errors import ParameterInvalid
from engine.domain.prefixes import PrefixCause, PrefixReason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.probe.prefix_memory import PrefixMemory
    from engine.probe.request_rows import Row


def explain(request_id: str, requests: Mapping[str, Any], row: Row | None, memory: PrefixMemory) -> PrefixReason:
    """The reason for one live request. Raises ParameterInvalid where there is none of this id."""
    request = requests.get(request_id)
    if request is None:
        raise ParameterInvalid(f"The request {request_id} is no longer there.", remedy="Choose one that is running.")
    size, prompt = memory.block_size, request.num_prompt_tokens
    cached = row.cached_tokens if row is not None else 0
    other, common = _nearest(request, requests)
    cause, before = _cause(request, row, requests, memory)
    return PrefixReason(request_id, cause, prompt, cached, size, before, other, common)


def _cause(
    request: Any, row: Row | None, requests: Mapping[str, Any], memory: PrefixMemory
) -> tuple[PrefixCause, int | None]:
    if row is None or row.admitted_step is None:
        return PrefixCause.NOT_ADMITTED, None
    usable = (request.num_prompt_tokens - 1) // memory.block_size  # vLLM computes the last token in any case
    if usable == 0:
        return PrefixCause.TOO_SHORT, None
    if not request.block_hashes or getattr(request, "skip_reading_prefix_cache", False):
        return PrefixCause.CACHE_OFF, None
    found = row.cached_tokens // memory.block_size
    if found >= usable:
        return PrefixCause.ALL_FOUND, None
    missed = request.block_hashes[found]
    evicted = memory.evicted_at.get(missed)
    if evicted is not None and evicted <= row.admitted_step:
        return PrefixCause.EVICTED, row.admitted_step - evicted
    if any(_had(other, missed, found) for other in requests.values() if other is not request):
        return PrefixCause.AT_THE_SAME_TIME, None
    return PrefixCause.DIFFERENT, None


def _had(other: Any, block_hash: bytes, position: int) -> bool:
    hashes = other.block_hashes
    return position < len(hashes) and hashes[position] == block_hash


def _nearest(request: Any, requests: Mapping[str, Any]) -> tuple[str | None, int | None]:
    """The live request with the longest common beginning, and its length; None where nobody else is there."""
    own = request.prompt_token_ids
    best: tuple[str | None, int | None] = (None, None)
    for other in requests.values():
        if other is request or own is None or other.prompt_token_ids is None:
            continue
        common = _common(own, other.prompt_token_ids)
        if best[1] is None or common > best[1]:
            best = (other.request_id, common)
    return best


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many first items are equal, by halving: comparing slices is the interpreter's fast path."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def tokens_of(key: str, blocks: int, requests: Mapping[str, Any], block_size: int) -> list[int] | None:
    """Token ids of the `blocks` blocks that end with this hash, from a live request; None where none has it."""
    try:
        wanted = bytes.fromhex(key)
    except ValueError:
        raise ParameterInvalid(f"{key!r} is no block hash.", remedy="Take one from the prefix tree.") from None
    for request in requests.values():
        hashes = request.block_hashes
        if wanted in hashes:
            end = hashes.index(wanted) + 1
            first = max(0, end - blocks)
            return list(request.all_token_ids[first * block_size : end * block_size])
    return None
