"""Where the content of a request's logical block came from, as far as vLLM's rules tell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

if TYPE_CHECKING:
    from engine.domain.request import RequestRow


class OriginKind(Enum):
    """What filled a block."""

    CACHE = 0  # found whole in the prefix cache
    COPY = 1  # a part was found: vLLM copied that block, and the request fills its own copy on
    COMPUTED = 2
    LAST_TOKEN = 3  # it holds the prompt's last token, which is computed whatever is cached
    LEFT_BEHIND = 4  # a sliding window has moved past it
    STATE = 5  # of a state-space layer: no tokens


@dataclass(frozen=True, slots=True)
class Origin:
    """`kind`; for COPY, how many of the block's `slots` were found."""

    kind: OriginKind
    found: int = 0
    slots: int = 0


def origin_at(request: RequestRow, position: int, slots: int | None, *, is_null: bool) -> Origin:
    """Of the block at this logical position. `slots` is its size in tokens, None where it holds states."""
    if is_null:
        return Origin(OriginKind.LEFT_BEHIND)
    if slots is None:
        return Origin(OriginKind.STATE)
    first, cached = position * slots, request.num_cached_tokens
    if first + slots <= cached:
        return Origin(OriginKind.CACHE)
    if first < cached:
        return Origin(OriginKind.COPY, cached - first, slots)
    if first == cached > 0 and first + slots == request.num_prompt_tokens:
        return Origin(OriginKind.LAST_TOKEN)
    return Origin(OriginKind.COMPUTED)


def origin_text(origin: Origin) -> str:
    """In a word or two."""
    tr, locale = QCoreApplication.translate, QLocale()
    return {
        OriginKind.CACHE: tr("BlockTable", "prefix cache"),
        OriginKind.COPY: tr("BlockTable", "copied, {0} of {1} slots").format(
            locale.toString(origin.found), locale.toString(origin.slots)
        ),
        OriginKind.COMPUTED: tr("BlockTable", "computed"),
        OriginKind.LAST_TOKEN: tr("BlockTable", "computed, last"),
        OriginKind.LEFT_BEHIND: tr("BlockTable", "behind the window"),
        OriginKind.STATE: tr("BlockTable", "state"),
    }[origin.kind]


def origin_meaning(origin: Origin) -> str:
    """In a sentence or two."""
    tr = QCoreApplication.translate
    return {
        OriginKind.CACHE: tr("BlockTable", "An earlier request had filled this block; it was found whole."),
        OriginKind.COPY: tr(
            "BlockTable", "The prefix cache had the beginning of this block. vLLM copied it (copy-on-write), because "
            "the request writes on into it. Only models with state-space layers have this."
        ),
        OriginKind.COMPUTED: tr(
            "BlockTable", "Computed for this request. A block that is shared without having been found was filled "
            "by this request and found by others."
        ),
        OriginKind.LAST_TOKEN: tr(
            "BlockTable", "All blocks before this one were found. This one is computed even if it is cached: the "
            "prompt's last token has to be, since the answer's first follows from it, and vLLM goes by whole blocks."
        ),
        OriginKind.LEFT_BEHIND: tr(
            "BlockTable", "The window has moved past these tokens, so their block was given back. What stands here is "
            "the null block."
        ),
        OriginKind.STATE: tr(
            "BlockTable", "The state of state-space layers, which stands for all tokens before it. It has no slots."
        ),
    }[origin.kind]  # fmt: skip
