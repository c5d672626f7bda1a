"""Why a live request found as much in the prefix cache as it did, and the tokens of a prefix that is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.domain.errors import ParameterInvalid
from engine.domain.prefixes import PrefixCause, PrefixReason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.probe.prefix_memory import Admission, PrefixMemory
    from engine.probe.request_rows import Row


def explain(request_id: str, requests: Mapping[str, Any], row: Row | None, memory: PrefixMemory) -> PrefixReason:
    """The reason for one request that is live, or whose admission is remembered. Raises ParameterInvalid otherwise."""
    admission = memory.admission(request_id)
    request = requests.get(request_id)
    if request is None:
        if admission is None:
            raise ParameterInvalid(
                f"The request {request_id} is no longer there.", remedy="Choose one that is running."
            )
        return _explain_ended(request_id, admission, memory)
    prompt = request.num_prompt_tokens
    if admission is None or row is None:
        return PrefixReason(request_id, PrefixCause.NOT_ADMITTED, prompt, 0, memory.block_size)
    cause, before = _cause(admission, memory)
    if cause is PrefixCause.DIFFERENT and _somebody_has(request, admission, requests, memory):
        cause = PrefixCause.AT_THE_SAME_TIME
    reason = PrefixReason(request_id, cause, prompt, admission.cached_tokens, memory.block_size, before)
    nearest = _nearest(request, admission, requests, memory)
    other = requests.get(nearest.get("other_request_id", ""))
    return replace(reason, **nearest, adapter=_adapter(request), other_adapter=_adapter(other))


def _adapter(request: Any) -> str | None:
    """The LoRA adapter that a request is computed with: it is a part of every block's hash."""
    lora = getattr(request, "lora_request", None)
    return None if lora is None else str(lora.lora_name)


def _explain_ended(request_id: str, admission: Admission, memory: PrefixMemory) -> PrefixReason:
    cause, before = _cause(admission, memory)
    if cause is PrefixCause.DIFFERENT:  # its tokens are gone, so nobody can say any more who was nearest
        cause = PrefixCause.NOT_COMPUTED
    return PrefixReason(
        request_id, cause, admission.prompt_tokens, admission.cached_tokens, memory.block_size, before
    )


def _cause(admission: Admission, memory: PrefixMemory) -> tuple[PrefixCause, int | None]:
    """Why, as far as the admission and the evictions before it tell; and how many steps before it was evicted."""
    if admission.usable is None:
        return PrefixCause.CACHE_OFF, None
    if admission.usable == 0:  # vLLM computes the last token in any case
        return PrefixCause.TOO_SHORT, None
    if admission.missed is None:
        return PrefixCause.ALL_FOUND, None
    evicted = memory.evicted_at(admission.missed)
    if evicted is not None and evicted <= admission.step:
        return PrefixCause.EVICTED, admission.step - evicted
    return PrefixCause.DIFFERENT, None


def _somebody_has(
    request: Any, admission: Admission, requests: Mapping[str, Any], memory: PrefixMemory
) -> bool:
    """Whether another live request, admitted before this one, has the missed block at the same place."""
    missed = admission.missed
    place = request.block_hashes.index(missed)
    return any(
        place < len(other.block_hashes) and other.block_hashes[place] == missed
        for other in requests.values()
        if other is not request
        and (seen := memory.admission(other.request_id)) is not None
        and seen.number < admission.number
    )


def _nearest(
    request: Any, admission: Admission, requests: Mapping[str, Any], memory: PrefixMemory
) -> dict[str, Any]:
    """Who has the longest common beginning with it, and its length: live requests, and prefixes with kept tokens."""
    own = request.prompt_token_ids
    best: dict[str, Any] = {}
    if own is None:
        return best
    for other in requests.values():
        if other is request or other.prompt_token_ids is None:
            continue
        common = _common(own, other.prompt_token_ids)
        if common > best.get("common_tokens", -1):
            best = {"other_request_id": other.request_id, "common_tokens": common}
    found = admission.cached_tokens // memory.block_size
    parent = request.block_hashes[found - 1] if found else None
    rest = own[admission.cached_tokens :]
    for key, tokens in memory.tokens.items():
        kin = memory.kin(key)
        if kin is None or kin.parent != parent:
            continue
        common = admission.cached_tokens + _common(rest, tokens.tolist())
        if common > best.get("common_tokens", -1):
            best = {"other_request_id": kin.request_id, "common_tokens": common, "other_is_cached": True}
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


def tokens_of(key: str, blocks: int, requests: Mapping[str, Any], memory: PrefixMemory) -> list[int] | None:
    """Token ids of the `blocks` blocks that end with this hash: from a live request, or from what is kept; else None.

    Raises ParameterInvalid where the key is no hash.
    """
    try:
        wanted = bytes.fromhex(key)
    except ValueError:
        raise ParameterInvalid(f"{key!r} is no block hash.", remedy="Take one from the prefix tree.") from None
    size = memory.block_size
    for request in requests.values():
        hashes = request.block_hashes
        if wanted in hashes:
            end = hashes.index(wanted) + 1
            first = max(0, end - blocks)
            return list(request.all_token_ids[first * size : end * size])
    return _kept_tokens(wanted, blocks, memory)


def _kept_tokens(wanted: bytes, blocks: int, memory: PrefixMemory) -> list[int] | None:
    pieces: list[list[int]] = []
    own: bytes | None = wanted
    while own is not None and len(pieces) < blocks:
        tokens, kin = memory.tokens.of(own), memory.kin(own)
        if tokens is None:
            return None
        pieces.append(tokens.tolist())
        own = kin.parent if kin is not None else None
    return [token for piece in reversed(pieces) for token in piece]
