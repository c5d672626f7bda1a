"""Measures every point of a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.tuner.explain import explain_sweep, front_of
from engine.tuner.outcome import SearchResult
from engine.tuner.saying import SettingValue, saying
from engine.tuner.space import span
from engine.tuner.spec import objective_of
from engine.tuner.trials import Trials

if TYPE_CHECKING:
    from engine.tuner.context import JobContext
    from engine.tuner.space import Grid, Point
    from engine.tuner.spec import SweepSpec


async def sweep(context: JobContext, spec: SweepSpec) -> SearchResult:
    """Carry out a sweep. Raises JobBroken; cancelled, it hands back what was measured."""
    await context.remember_before()
    grid = span(spec.axes, await context.engine.status())
    trials = Trials(context, spec.workload, objective_of(spec), grid)
    trials.take_over(context.file.past.trials)
    work = _measure_all(context, spec, grid, trials)
    cancelled, restored = await context.carry_out(work, done=lambda: len(trials.all))
    best = trials.best
    return SearchResult(
        objective=trials.objective,
        trials=tuple(trials.all.values()),
        best=None if best is None else best.number,
        present=None if grid.present is None else trials.number_of(grid.present),
        front=front_of(tuple(trials.all.values())),
        explanation=explain_sweep(trials, grid, context.elapsed_s, cancelled=cancelled),
        before=context.before.live,
        restored=restored,
        restarts=trials.restarts,
        points=len(grid.points),
        seconds=context.elapsed_s,
        cancelled=cancelled,
    )


async def _measure_all(context: JobContext, spec: SweepSpec, grid: Grid, trials: Trials) -> None:
    order = in_order(grid)
    total = len(order) * spec.repeats
    for repeat in range(spec.repeats):
        for point in order:
            number = trials.number_of(point.index)
            if number is not None and len(trials.all[number].run_ids) > repeat:
                continue  # a resumed job has it already
            if spec.budget_s is not None and context.elapsed_s >= spec.budget_s:
                return
            done = repeat * len(order) + sum(len(one.run_ids) > repeat for one in trials.all.values())
            context.update(
                "measuring",
                saying("sweep_at", number=done + 1, total=total, setting=SettingValue(point.setting)),
                done=done,
                total=total,
                left_s=left_s(trials, total - done),
                best=trials.best_pair,
            )
            await trials.run(point, saying("every_point"))


def in_order(grid: Grid) -> list[Point]:
    """All points, those that need no reload first and those of one reload together, so that reloads are few."""
    def order(point: Point) -> tuple[bool, bool, str, int]:
        return point.reload != grid.loaded, point.needs_room, repr(point.reload), point.index

    return sorted(grid.points, key=order)


def left_s(trials: Trials, runs: int) -> float | None:
    """An estimate of the time that so many more runs take, from those that were."""
    times = [one.seconds / max(1, len(one.run_ids)) for one in trials.all.values() if one.run_ids]
    return None if not times else runs * sum(times) / len(times)
