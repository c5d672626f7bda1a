"""The prefix cache in words: why a request found what it found, and what sharing saves."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.tables.requests import short_id
from app.widgets import figures
from engine.domain.prefixes import PrefixCause, PrefixReason, PrefixTree


def reason_text(reason: PrefixReason) -> str:
    """One or two sentences on one request."""
    tr = QCoreApplication.translate
    size = figures.count(reason.block_size)
    found = tr("PrefixWords", "{0} found {1} of {2} prompt tokens in the prefix cache.").format(
        short_id(reason.request_id), figures.count(reason.cached_tokens), figures.count(reason.prompt_tokens)
    )
    texts = {
        PrefixCause.NOT_ADMITTED: tr("PrefixWords", "It waits; the prefix cache is asked when it is admitted."),
        PrefixCause.CACHE_OFF: tr("PrefixWords", "It does not read the prefix cache."),
        PrefixCause.TOO_SHORT: tr(
            "PrefixWords", "Its prompt is too short: only whole blocks of {0} tokens before the last token are reused."
        ).format(size),
        PrefixCause.ALL_FOUND: tr(
            "PrefixWords", "That is all there can be: whole blocks of {0} tokens, and never the last token."
        ).format(size),
        PrefixCause.EVICTED: tr(
            "PrefixWords", "The block after that had been cached, and was evicted {0} steps before."
        ).format(figures.count(reason.steps_before)),
        PrefixCause.AT_THE_SAME_TIME: tr(
            "PrefixWords", "Another request with the same next block was still computing it at that time."
        ),
        PrefixCause.DIFFERENT: _difference(reason),
        PrefixCause.NOT_COMPUTED: tr("PrefixWords", "Nobody had computed the same tokens {0} to {1} by then.").format(
            *_next_block(reason)
        ),
    }
    return texts[reason.cause] if reason.cause is PrefixCause.NOT_ADMITTED else f"{found} {texts[reason.cause]}"


def _difference(reason: PrefixReason) -> str:
    tr = QCoreApplication.translate
    text = tr("PrefixWords", "Nobody had the same tokens {0} to {1} before.").format(*_next_block(reason))
    if reason.common_tokens is None or reason.other_request_id is None:
        return text
    other, common = short_id(reason.other_request_id), figures.count(reason.common_tokens)
    if reason.other_is_cached:
        nearest = tr("PrefixWords", "The nearest cached prefix, of {0}, begins with the same {1} tokens, then differs.")
    elif not reason.common_tokens:
        nearest = tr("PrefixWords", "No live request begins with the same token.")
    elif reason.common_tokens < reason.block_size:
        nearest = tr("PrefixWords", "The nearest live request, {0}, shares its first {1} tokens: less than one block.")
    else:
        nearest = tr("PrefixWords", "The nearest live request, {0}, begins with the same {1} tokens and then differs.")
    nearest = nearest.format(other, common)
    if reason.adapter != reason.other_adapter and reason.common_tokens and not reason.other_is_cached:
        way = _computed_with(reason.other_adapter)
        nearest = tr(
            "PrefixWords",
            "{other} begins with the same {tokens} tokens, but is computed {way}: each has prefixes of its own.",
        ).format(other=other, tokens=common, way=way)
    return f"{text} {nearest}"


def _computed_with(adapter: str | None) -> str:
    tr = QCoreApplication.translate
    if adapter is None:
        return tr("PrefixWords", "without an adapter")
    return tr("PrefixWords", "with the adapter {0}").format(adapter)


def _next_block(reason: PrefixReason) -> tuple[str, str]:
    """The first and the last token of the block that was not found."""
    return figures.count(reason.cached_tokens + 1), figures.count(reason.cached_tokens + reason.block_size)


def saved_text(tree: PrefixTree, bytes_per_block: float | None) -> str:
    """What sharing saves at the moment of the tree, and how much is cached."""
    tr = QCoreApplication.translate
    saved = figures.count(tree.saved_blocks)
    if bytes_per_block is not None:
        saved += f" ({figures.size(tree.saved_blocks * bytes_per_block)})"
    parts = [
        tr("PrefixWords", "Blocks saved by sharing: {0}").format(saved),
        tr("PrefixWords", "cached: {0}").format(figures.count(tree.cached_blocks)),
        tr("PrefixWords", "step {0}").format(figures.count(tree.step)),
        tr("PrefixWords", "read in {0}").format(figures.duration(tree.walk_ns / 1e9)),
    ]
    if tree.keeps_tokens:
        parts.append(tr("PrefixWords", "token ids: {0}").format(figures.size(tree.token_bytes)))
    if tree.nodes_left_out:
        parts.append(tr("PrefixWords", "smaller branches not shown: {0}").format(figures.count(tree.nodes_left_out)))
    return " · ".join(parts)
