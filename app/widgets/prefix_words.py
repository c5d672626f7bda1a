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
    }
    return texts[reason.cause] if reason.cause is PrefixCause.NOT_ADMITTED else f"{found} {texts[reason.cause]}"


def _difference(reason: PrefixReason) -> str:
    tr = QCoreApplication.translate
    first, last = figures.count(reason.cached_tokens + 1), figures.count(reason.cached_tokens + reason.block_size)
    text = tr("PrefixWords", "Nobody had the same tokens {0} to {1} before.").format(first, last)
    if reason.common_tokens is None or reason.other_request_id is None:
        return text
    nearest = tr("PrefixWords", "The nearest live request, {0}, begins with the same {1} tokens and then differs.")
    return f"{text} {nearest.format(short_id(reason.other_request_id), figures.count(reason.common_tokens))}"


def saved_text(tree: PrefixTree, bytes_per_block: float | None) -> str:
    """What sharing saves at the moment of the tree, and how much is cached."""
    tr = QCoreApplication.translate
    saved = figures.count(tree.saved_blocks)
    if bytes_per_block is not None:
        saved = tr("PrefixWords", "{0} blocks ({1})").format(saved, figures.size(tree.saved_blocks * bytes_per_block))
    else:
        saved = tr("PrefixWords", "{0} blocks").format(saved)
    parts = [
        tr("PrefixWords", "Sharing saves {0}").format(saved),
        tr("PrefixWords", "cached: {0} blocks").format(figures.count(tree.cached_blocks)),
        tr("PrefixWords", "step {0}").format(figures.count(tree.step)),
        tr("PrefixWords", "read in {0}").format(figures.duration(tree.walk_ns / 1e9)),
    ]
    if tree.nodes_left_out:
        parts.append(tr("PrefixWords", "not shown: {0} smaller branches").format(figures.count(tree.nodes_left_out)))
    return " · ".join(parts)
