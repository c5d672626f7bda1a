"""Stretches of time that the timeline can go to: of what is chosen, and of the longest step."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.bridge.store import Selection
    from engine.metrics.timeline import Lane, Timeline


def chosen_span(timeline: Timeline, chosen: Selection, lane: Lane | None) -> tuple[int, int] | None:
    """From when to when (nanoseconds) the chosen step ran, else the chosen request's `lane`; None for neither."""
    if chosen.step is not None:
        step = next((one for one in timeline.steps.samples() if one.step == chosen.step), None)
        if step is not None:
            return step.monotonic_ns, step.monotonic_ns + step.duration_ns
    return (lane.arrival_ns, lane.end_ns or timeline.newest_ns) if lane is not None else None


def longest_step_span(timeline: Timeline) -> tuple[int, int] | None:
    """From when to when the longest step ran that is kept one by one."""
    longest = max(timeline.steps.samples(), key=lambda step: step.duration_ns, default=None)
    return None if longest is None else (longest.monotonic_ns, longest.monotonic_ns + longest.duration_ns)
