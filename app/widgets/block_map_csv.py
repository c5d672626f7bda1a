"""Blocks and steps as comma-separated text."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from engine.domain.blocks import BlockState
from engine.domain.telemetry import StepSample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import BlockOwners


def blocks_as_csv(snapshot: CacheSnapshot, owners: BlockOwners) -> str:
    """One line a block: id, state, reference count, step of the last use, reuses (empty: not known), and the owners as
    request:position, ";" between.
    """
    holders: dict[int, list[str]] = {}
    entries = owners.entries
    for block, owner, position in zip(entries.blocks.tolist(), entries.owners.tolist(), entries.positions.tolist(),
                                      strict=True):
        holders.setdefault(block, []).append(f"{owners.requests[owner].request_id}:{position}")
    names = {int(state): state.name.lower() for state in BlockState}
    lines = ["block,state,ref_count,last_used_step,reuses,owners"]
    columns = zip(snapshot.states.tolist(), snapshot.ref_counts.tolist(), snapshot.last_used_step.tolist(),
                  [""] * snapshot.num_blocks if snapshot.reuse_counts is None else snapshot.reuse_counts.tolist(),
                  strict=True)
    lines += [
        f"{block},{names[state]},{count},{used},{reuses},{';'.join(holders.get(block, ()))}"
        for block, (state, count, used, reuses) in enumerate(columns)
    ]
    return "\n".join(lines) + "\n"


def steps_as_csv(steps: Sequence[StepSample]) -> str:
    """One line a step, with the fields of StepSample."""
    lines = [",".join(field.name for field in fields(StepSample))]
    lines += [",".join(map(str, astuple(step))) for step in steps]
    return "\n".join(lines) + "\n"
