"""Finds the best point of a grid in few trials: what the optimizer asks for, reloads only where they pay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.tuner.ceiling import Ceiling
from engine.tuner.explain import explain_tuning, front_of
from engine.tuner.optimizer import GridOptimizer
from engine.tuner.outcome import SearchResult, TrialState
from engine.tuner.space import span
from engine.tuner.spec import SpecInvalid, objective_of
from engine.tuner.sweep import left_s
from engine.tuner.trials import Trials
from engine.tuner.words import figure_words, number, seconds_words, words_of

if TYPE_CHECKING:
    from engine.tuner.context import JobContext
    from engine.tuner.optimizer import Prediction
    from engine.tuner.outcome import Trial
    from engine.tuner.space import Grid, Point
    from engine.tuner.spec import TunerSpec

_FEWEST_TRIALS = 6
_UNKNOWN_RELOAD_S = 60.0  # until the first one was timed


@dataclass(frozen=True, slots=True)
class _Choice:
    """The next point, why, and what is expected of it."""

    point: Point
    reason: str
    expected: Prediction | None = None


class Tuner:
    """One tuning job. `run` once."""

    def __init__(self, context: JobContext, spec: TunerSpec) -> None:
        self._context = context
        self._spec = spec
        self._why_ended = ""

    async def run(self) -> SearchResult:
        """Carry it out. Raises JobBroken, SpecInvalid; cancelled, it hands back what was found so far."""
        context, spec = self._context, self._spec
        await context.remember_before()
        grid = span(spec.axes, await context.engine.status())
        if not spec.restarts:
            grid = _without_reloads(grid)
        self._grid = grid
        self._trials = Trials(context, spec.workload, objective_of(spec), grid)
        self._trials.take_over(context.file.past.trials)
        self._optimizer = GridOptimizer(grid.coordinates)
        for trial in self._trials.all.values():
            self._tell(trial)
        trials = self._trials
        cancelled, restored = await context.carry_out(self._search(), done=lambda: len(trials.all))
        best = trials.best
        return SearchResult(
            objective=trials.objective,
            trials=tuple(trials.all.values()),
            best=None if best is None else best.number,
            present=None if grid.present is None else trials.number_of(grid.present),
            front=front_of(tuple(trials.all.values())),
            explanation=explain_tuning(trials, grid, context.elapsed_s, self._why_ended, cancelled=cancelled),
            before=context.before.live,
            restored=restored,
            restarts=trials.restarts,
            points=len(grid.points),
            seconds=context.elapsed_s,
            cancelled=cancelled,
        )

    async def _search(self) -> None:
        most = min(len(self._grid.points), self._spec.most_trials or max(_FEWEST_TRIALS, len(self._grid.points) // 5))
        while True:
            if len(self._trials.all) >= most:
                self._why_ended = f"as many trials as were asked for are done ({most})"
                break
            if self._out_of_time():
                break
            choice = self._choose()
            if choice is None:
                break
            self._say("measuring", f"Trial {len(self._trials.all) + 1} of up to {most}", choice.point, most)
            ceiling = self._ceiling() if self._spec.prune else None
            trial = await self._trials.run(choice.point, choice.reason, expected=choice.expected, ceiling=ceiling)
            self._tell(trial)
        await self._confirm(most)

    def _choose(self) -> _Choice | None:
        """The next point, None when none is worth a trial."""
        untried = [point for point in self._grid.points if self._trials.number_of(point.index) is None]
        if not untried:
            self._why_ended = "every point was tried"
            return None
        known = self._optimizer.told
        if known == 0:
            return self._first()
        loaded = self._loaded()
        if known == 1 or self._all_zero():
            near = [point.index for point in untried if not self._needs_reload(point, loaded)]
            near = near or [point.index for point in untried]
            point = self._grid.points[self._optimizer.middle(near)]
            return _Choice(point, "The middle of the grid, to see which way the figure goes.")
        return self._most_promising(untried, loaded)

    def _first(self) -> _Choice:
        """The present setting; where the grid does not have it, the point with most of everything that is loaded."""
        grid = self._grid
        if grid.present is not None:
            return _Choice(grid.points[grid.present], "The setting in force: what the others are compared with.")
        loaded = self._loaded()
        candidates = [point for point in grid.points if not self._needs_reload(point, loaded)] or list(grid.points)
        point = max(candidates, key=lambda one: float(grid.coordinates[one.index].sum()))
        return _Choice(point, "The largest batch, as a beginning.")

    def _most_promising(self, untried: list[Point], loaded: object) -> _Choice | None:
        predictions = self._optimizer.predict([point.index for point in untried])
        run_s = max(0.1, (left_s(self._trials, 1) or 0.1))
        reload_s = self._trials.reload_s or _UNKNOWN_RELOAD_S

        def worth(prediction: Prediction) -> float:
            point = self._grid.points[prediction.index]
            return prediction.gain / (run_s + (reload_s if self._needs_reload(point, loaded) else 0.0))

        best = max(predictions, key=worth)
        leader = self._trials.best
        least = self._spec.least_gain * abs(leader.score or 0.0) if leader is not None else 0.0
        if len(self._trials.all) >= _FEWEST_TRIALS and max(one.gain for one in predictions) < least:
            share = f"{100 * self._spec.least_gain:g} %"
            self._why_ended = f"no untried point was expected to gain {share} over the best"
            return None
        return _Choice(self._grid.points[best.index], self._reason(best, loaded, reload_s), self._in_figures(best))

    def _reason(self, best: Prediction, loaded: object, reload_s: float) -> str:
        point = self._grid.points[best.index]
        shown = self._in_figures(best)
        told = (
            f"Expected {figure_words(self._trials.objective, shown.mean)} ± {number(shown.deviation)}: the largest "
            "expected gain for the time it takes"
        )
        if self._needs_reload(point, loaded):
            return f"{told}, a reload of about {seconds_words(reload_s)} counted in."
        return f"{told}."

    def _in_figures(self, prediction: Prediction) -> Prediction:
        """The optimizer maximizes; a latency comes back with its own sign."""
        return replace(prediction, mean=self._trials.sign * prediction.mean)

    def _tell(self, trial: Trial) -> None:
        index = self._trials.point_of[trial.number]
        if trial.state is TrialState.MEASURED:
            self._optimizer.tell(index, self._trials.sign * trial.scores[-1])
        elif trial.state is TrialState.PRUNED and trial.score is not None:
            likely = trial.score if trial.estimate is None else min(trial.score, trial.estimate)
            self._optimizer.tell(index, self._trials.sign * likely)
        elif trial.state in (TrialState.FAILED, TrialState.REFUSED):
            worst = [self._trials.sign * (one.score or 0.0) for one in self._trials.all.values() if one.scores]
            self._optimizer.tell(index, min(worst, default=0.0))

    def _all_zero(self) -> bool:
        """Whether nothing that was measured has any goodput yet: there is no slope to follow then."""
        scores = [one.score for one in self._trials.all.values() if one.score is not None]
        return not any(scores) and len(scores) < _FEWEST_TRIALS

    def _loaded(self) -> object:
        """The reload part of what is in the engine now."""
        newest = max(self._trials.all.values(), default=None, key=lambda one: one.number)
        if newest is not None:
            return self._grid.points[self._trials.point_of[newest.number]].reload
        return self._grid.loaded

    def _needs_reload(self, point: Point, loaded: object) -> bool:
        # Any reload makes room for the whole grid, so only the first one is asked for by a limit's size.
        return point.reload != loaded or (point.needs_room and not self._trials.restarts)

    def _ceiling(self) -> Ceiling:
        best = self._trials.best
        score = None if best is None else best.score
        return Ceiling(self._spec.workload, self._trials.objective, score, self._trials.best_run_s)

    async def _confirm(self, most: int) -> None:
        """The best few once more, in turns, so that no lucky run decides."""
        trials = self._trials
        for _ in range(self._spec.confirmations):
            measured = [one for one in trials.all.values() if one.state is TrialState.MEASURED]
            ranked = sorted(measured, key=lambda one: -trials.sign * (one.score or 0.0))
            finalists = [one for one in ranked[: self._spec.finalists] if one.score]
            if len(finalists) < 2:
                return
            for trial in finalists:
                if self._out_of_time():
                    return
                point = self._grid.points[trials.point_of[trial.number]]
                self._say("confirming", "Once more", point, most)
                await trials.run(point, trial.reason)

    def _out_of_time(self) -> bool:
        budget = self._spec.budget_s
        if budget is None or self._context.elapsed_s < budget:
            return False
        self._why_ended = f"the time was up ({seconds_words(budget)})"
        return True

    def _say(self, step: str, sentence: str, point: Point, most: int) -> None:
        trials = self._trials
        runs = most - len(trials.all) + self._spec.finalists * self._spec.confirmations
        self._context.update(
            "confirming" if step == "confirming" else "measuring",
            f"{sentence}: {words_of(point.setting)}",
            done=len(trials.all),
            total=most,
            left_s=left_s(trials, max(0, runs)),
            best=trials.best_pair,
        )


def _without_reloads(grid: Grid) -> Grid:
    """Only the points that the loaded engine takes as it is. Raises SpecInvalid where there is none."""
    kept = [point for point in grid.points if point.reload == grid.loaded and not point.needs_room]
    if not kept:
        raise SpecInvalid("Every point of the grid needs a reload.", remedy="Allow reloads, or vary live parameters.")
    present = next((at for at, point in enumerate(kept) if point.index == grid.present), None)
    return replace(
        grid,
        points=tuple(replace(point, index=at) for at, point in enumerate(kept)),
        coordinates=grid.coordinates[[point.index for point in kept]],
        present=present,
        left_out=grid.left_out + len(grid.points) - len(kept),
    )
