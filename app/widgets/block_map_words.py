"""The block map in words: one block for the inspector and the tooltip, the counters as figures, one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

from app.tables.requests import short_id
from app.widgets import figures
from app.widgets.block_map_figures import Figure
from app.widgets.kv_group_words import group_name
from engine.domain.blocks import MOST_REUSES, BlockState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.theme.tokens import Theme
    from engine.domain.telemetry import CacheSnapshot, Counters, StepSample
    from engine.metrics.block_owners import BlockOwners, Ownership

_NAMED_OWNERS = 4
_LISTED_OWNERS = 16


def state_name(state: BlockState) -> str:
    """What a user reads for a block's state."""
    tr = QCoreApplication.translate
    return {
        BlockState.FREE: tr("BlockWords", "free"),
        BlockState.CACHED: tr("BlockWords", "cached (free, holds a reusable prefix)"),
        BlockState.USED: tr("BlockWords", "used"),
        BlockState.SHARED: tr("BlockWords", "shared"),
        BlockState.NULL: tr("BlockWords", "null (vLLM's placeholder, never holds tokens)"),
    }[state]


def block_parts(block: int, snapshot: CacheSnapshot, owners: BlockOwners) -> list[str]:
    """What there is to say about one block, the most important first: number, state, slots, owners, past."""
    tr = QCoreApplication.translate
    state = BlockState(int(snapshot.states[block]))
    holds = owners.of(block)
    parts = [tr("BlockWords", "block {0}").format(figures.count(block)), state_name(state)]
    count = int(snapshot.ref_counts[block])
    if state is BlockState.SHARED:
        parts[1] = tr("BlockWords", "shared by {0}").format(figures.count(count))
    if holds:
        parts.append(_slots_text(holds))
        names = ", ".join(_hold_text(hold, snapshot) for hold in holds[:_NAMED_OWNERS])
        if len(holds) > _NAMED_OWNERS:
            names += tr("BlockWords", " and {0} more").format(len(holds) - _NAMED_OWNERS)
        parts.append(names)
    elif state is BlockState.CACHED and snapshot.cached_groups is not None:
        parts.append(_group_text(int(snapshot.cached_groups[block]), snapshot))
    parts += _past_parts(block, state, snapshot)
    return parts


def _slots_text(holds: Sequence[Ownership]) -> str:
    tr = QCoreApplication.translate
    slots = holds[0].slots
    if slots is None:
        return tr("BlockWords", "holds a state instead of tokens")
    return tr("BlockWords", "{0} of {1} slots filled").format(max(hold.filled or 0 for hold in holds), slots)


def _group_text(group: int, snapshot: CacheSnapshot) -> str:
    if group < len(snapshot.groups):
        return group_name(group, snapshot.groups[group])
    return QCoreApplication.translate("BlockWords", "group {0}").format(figures.count(group))


def _past_parts(block: int, state: BlockState, snapshot: CacheSnapshot) -> list[str]:
    tr = QCoreApplication.translate
    parts = []
    if snapshot.reuse_counts is not None and (reused := int(snapshot.reuse_counts[block])):
        times = figures.count(reused) + ("+" if reused == MOST_REUSES else "")
        parts.append(tr("BlockWords", "found by later requests: {0}×").format(times))
    used_at = int(snapshot.last_used_step[block])
    if used_at and state is not BlockState.NULL:
        ago = max(0, snapshot.counters.step - used_at)
        parts.append(tr("BlockWords", "last used in step {0}, steps since: {1}")
                     .format(figures.count(used_at), figures.count(ago)))
    elif state is BlockState.FREE:
        parts.append(tr("BlockWords", "never used"))
    return parts


def block_tooltip(block: int, snapshot: CacheSnapshot, owners: BlockOwners) -> str:
    """The same in lines, with every owner's full id (up to sixteen)."""
    parts = block_parts(block, snapshot, owners)
    holds = owners.of(block)
    lines = [" · ".join(parts[:3] if holds else parts[:2])]
    lines += [_long_hold_text(hold, snapshot) for hold in holds[:_LISTED_OWNERS]]
    if len(holds) > _LISTED_OWNERS:
        lines.append(QCoreApplication.translate("BlockWords", "and {0} more").format(len(holds) - _LISTED_OWNERS))
    if holds and snapshot.num_groups > 1:
        lines.append(_group_text(holds[0].group, snapshot))
    lines += parts[4:] if holds else parts[2:]
    return "\n".join(lines)


def _hold_text(hold: Ownership, snapshot: CacheSnapshot) -> str:
    text = f"{short_id(hold.request.request_id)} [{hold.position}]"
    return f"{text} g{hold.group}" if snapshot.num_groups > 1 else text


def _long_hold_text(hold: Ownership, snapshot: CacheSnapshot) -> str:
    tr = QCoreApplication.translate
    last = len(hold.request.block_tables[hold.group]) - 1
    text = tr("BlockWords", "{0}: position {1} of 0–{2}").format(hold.request.request_id, hold.position, last)
    return text + tr("BlockWords", ", group {0}").format(hold.group) if snapshot.num_groups > 1 else text


def cache_figures(counters: Counters, snapshot: CacheSnapshot, theme: Theme) -> tuple[Figure, ...]:
    """The figures above the map, their widest texts from the pool's size."""
    tr = QCoreApplication.translate
    total = max(1, snapshot.num_blocks - 1)
    wide = figures.count(int("8" * len(str(total))))
    slots = (counters.num_used + counters.num_shared) * snapshot.block_size
    wasted = counters.wasted_slots / slots if slots else None
    rate = counters.prefix_hit_rate
    return (
        Figure(tr("BlockWords", "in use"), _share(counters.usage), "88.8 %",
               tr("BlockWords", "Share of the blocks that requests own, as vLLM computes it. "
                  "The null block does not count."), optional=True),
        Figure(tr("BlockWords", "used"), figures.count(counters.num_used), wide,
               tr("BlockWords", "Blocks that exactly one request owns."), theme.block_used),
        Figure(tr("BlockWords", "shared"), figures.count(counters.num_shared), wide,
               tr("BlockWords", "Blocks that more than one request owns: their common prefix is held once."),
               theme.block_shared),
        Figure(tr("BlockWords", "cached"), figures.count(counters.num_cached), wide,
               tr("BlockWords", "Free blocks whose tokens can still be reused by a request with the same prefix."),
               theme.block_cached),
        Figure(tr("BlockWords", "free"), figures.count(counters.num_free), wide,
               tr("BlockWords", "Free blocks that hold nothing reusable."), theme.block_free),
        Figure(tr("BlockWords", "waste"), f"{figures.count(counters.wasted_slots)} · {_share(wasted)}",
               figures.count(8888) + " · 88.8 %",
               tr("BlockWords", "Token slots in used and shared blocks that hold nothing, and their share of those "
                  "blocks' slots. Paging wastes at most a part of each request's last block.")),
        Figure(tr("BlockWords", "hit rate"), _share(rate), "88.8 %",
               tr("BlockWords", "Prompt tokens found in the prefix cache, as a share of all prompt tokens looked up "
                  "since the engine started ({0} of {1}). Only whole blocks can be found: a prefix shorter than "
                  "{2} tokens never hits.").format(figures.count(counters.prefix_hits),
                                                   figures.count(counters.prefix_queries), snapshot.block_size),
               begins_group=True),
        Figure(tr("BlockWords", "running"), figures.count(counters.num_running), "888",
               tr("BlockWords", "Requests in the running batch, of at most {0} (max_num_seqs).")
               .format(figures.count(counters.max_num_seqs))),
        Figure(tr("BlockWords", "waiting"), figures.count(counters.num_waiting), "8,888",
               tr("BlockWords", "Requests in the queue.")),
        Figure(tr("BlockWords", "preempted"), figures.count(counters.preemptions), "888",
               tr("BlockWords", "How often a running request had to give its blocks back and start again, since "
                  "the engine started. More than a few: lower max_num_seqs or give the KV cache more memory."),
               tint=theme.warning if counters.preemptions else None),
    )


def step_texts(step: StepSample) -> tuple[str, ...]:
    """One step in a line, in ever fewer words."""
    tr = QCoreApplication.translate
    number = tr("BlockWords", "step {0}").format(figures.count(step.step))
    tokens = tr("BlockWords", "{0} prefill + {1} decode of {2}").format(
        figures.count(step.prefill_tokens), figures.count(step.decode_tokens),
        figures.count(step.max_num_batched_tokens),
    )
    took = [figures.duration(step.duration_ns / 1e9)] if step.duration_ns else []
    preempted = [tr("BlockWords", "{0} preempted").format(figures.count(step.preemptions))] if step.preemptions else []
    requests = [tr("BlockWords", "{0} running").format(figures.count(step.num_running)),
                tr("BlockWords", "{0} waiting").format(figures.count(step.num_waiting))]
    wordings = ([number, tokens, *took, *requests, *preempted], [number, tokens, *took, *preempted],
                [number, tokens, *took], [tokens, *took], [tokens], [number])
    return tuple(" · ".join(parts) for parts in wordings)


def _share(share: float | None) -> str:
    return figures.UNKNOWN if share is None else QLocale().toString(share * 100, "f", 1) + "\u202f%"
