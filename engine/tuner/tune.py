"""Finds the best point of a grid in few runs: carries out what the strategy asks for, reloads only where they pay."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from engine.tuner.ceiling import Ceiling
from engine.tuner.explain import explain_tuning, front_of
from engine.tuner.outcome import SearchResult, TrialState
from engine.tuner.pieces import piece_of, run_share
from engine.tuner.saying import FigureValue, SecondsValue, SettingValue, ShareValue, saying
from engine.tuner.space import span
from engine.tuner.spec import SpecInvalid, objective_of
from engine.tuner.strategy import Strategy
from engine.tuner.sweep import left_s
from engine.tuner.trials import Trials

if TYPE_CHECKING:
    from engine.tuner.context import JobContext
    from engine.tuner.outcome import Trial
    from engine.tuner.saying import Saying
    from engine.tuner.space import Grid, Point
    from engine.tuner.spec import TunerSpec
    from engine.tuner.strategy import Move

_FEWEST_TRIALS = 6
_UNKNOWN_RELOAD_S = 60.0  # until the first one was timed
_ENDED_EARLY = 0.5  # of a run's weight: what is known of one that was ended is a guess at what it was on course for


class Tuner:
    """One tuning job. `run` once."""

    def __init__(self, context: JobContext, spec: TunerSpec) -> None:
        self._context = context
        self._spec = spec
        self._why_ended: Saying | None = None

    async def run(self) -> SearchResult:
        """Carry it out. Raises JobBroken, SpecInvalid; cancelled, it hands back what was found so far."""
        context, spec = self._context, self._spec
        await context.remember_before()
        grid = span(spec.axes, await context.engine.status())
        if not spec.restarts:
            grid = _without_reloads(grid)
        self._grid = grid
        trials = self._trials = Trials(context, spec.workload, objective_of(spec), grid)
        trials.share = run_share(spec.workload)
        trials.take_over(context.file.past.trials)
        self._strategy = Strategy(
            grid.coordinates,
            work=min(len(grid.points), spec.most_trials or max(_FEWEST_TRIALS, len(grid.points) // 5)),
            share=trials.share,
            least_gain=spec.least_gain,
            first=grid.present,
        )
        for trial in trials.all.values():
            self._tell_past(trial)
        cancelled, restored = await context.carry_out(self._search(), done=lambda: self._runs)
        best = trials.best
        return SearchResult(
            objective=trials.objective,
            trials=tuple(trials.all.values()),
            best=None if best is None else best.number,
            present=None if grid.present is None else trials.number_of(grid.present),
            front=front_of(tuple(trials.all.values())),
            explanation=explain_tuning(
                trials, grid, context.elapsed_s, self._why_ended, share=trials.share, cancelled=cancelled
            ),
            before=context.before.live,
            restored=restored,
            restarts=trials.restarts,
            points=len(grid.points),
            seconds=context.elapsed_s,
            cancelled=cancelled,
        )

    async def _search(self) -> None:
        points = self._grid.points
        while not self._out_of_time():
            loaded = self._loaded()
            at_hand = {point.index for point in points if not self._needs_reload(point, loaded)}
            # A grid of thousands takes seconds.
            move = await asyncio.to_thread(self._strategy.next, partial(self._cost_s, at_hand=at_hand), at_hand)
            if move is None:
                if self._strategy.exhausted:
                    self._why_ended = saying("ended_work")
                else:
                    self._why_ended = saying("ended_decided", share=ShareValue(self._spec.least_gain))
                return
            await self._carry_out(move, needs_reload=move.index not in at_hand)

    async def _carry_out(self, move: Move, *, needs_reload: bool) -> None:
        point = self._grid.points[move.index]
        self._say(move, point)
        ceiling = self._ceiling(move.batch) if self._spec.prune and move.why != "again" else None
        expected = move.expected
        if expected is not None:  # the strategy maximizes; a latency comes back with its own sign
            expected = replace(expected, mean=self._trials.sign * expected.mean)
        reason = self._reason(replace(move, expected=expected), needs_reload=needs_reload)
        trial = await self._trials.run(point, reason, expected=expected, ceiling=ceiling, batch=move.batch)
        self._tell(trial, move.batch)

    def _reason(self, move: Move, *, needs_reload: bool) -> Saying:
        if move.expected is None:
            return saying(move.why)
        expected = FigureValue(self._trials.objective, move.expected.mean)
        if move.why == "promising" and needs_reload:
            seconds = SecondsValue(self._reload_s)
            return saying(
                "promising_reload", expected=expected, deviation=move.expected.deviation, seconds=seconds
            )
        return saying(move.why, expected=expected, deviation=move.expected.deviation)

    def _tell(self, trial: Trial, batch: int) -> None:
        """The strategy learns what the newest run came to, and the trials which of them it would choose now."""
        strategy, trials = self._strategy, self._trials
        index, cost = trials.point_of[trial.number], trials.run_cost
        if trial.state is TrialState.MEASURED:
            strategy.tell(index, trials.sign * trial.scores[-1], batch=batch, cost=cost)
        elif trial.state is TrialState.PRUNED and trial.score is not None:
            likely = trial.score if trial.estimate is None else min(trial.score, trial.estimate)
            strategy.tell(index, trials.sign * likely, batch=batch, share=_ENDED_EARLY * trials.share, cost=cost)
        else:
            known = [trials.sign * (one.score or 0.0) for one in trials.all.values() if one.scores]
            strategy.tell(index, min(known, default=0.0), batch=batch, cost=cost)
        self._choose()

    def _tell_past(self, trial: Trial) -> None:
        """A trial of the job that is resumed: each of its runs."""
        if trial.state is not TrialState.MEASURED:
            self._tell(trial, 0)
            return
        index = self._trials.point_of[trial.number]
        for batch, score in enumerate(trial.scores):
            self._strategy.tell(index, self._trials.sign * score, batch=batch)
        self._choose()

    def _choose(self) -> None:
        best = self._strategy.best
        number = None if best is None else self._trials.number_of(best)
        measured = number is not None and self._trials.all[number].state is TrialState.MEASURED
        self._trials.chosen = number if measured else None

    def _loaded(self) -> object:
        """The reload part of what is in the engine now."""
        newest = self._trials.newest
        if newest is not None:
            return self._grid.points[self._trials.point_of[newest]].reload
        return self._grid.loaded

    def _needs_reload(self, point: Point, loaded: object) -> bool:
        # Any reload makes room for the whole grid, so only the first one is asked for by a limit's size.
        return point.reload != loaded or (point.needs_room and not self._trials.restarts)

    @property
    def _reload_s(self) -> float:
        return self._trials.reload_s or _UNKNOWN_RELOAD_S

    @property
    def _runs(self) -> int:
        return self._strategy.optimizer.told

    def _cost_s(self, index: int, at_hand: set[int]) -> float:
        run_s = max(0.1, left_s(self._trials, 1) or 0.1)
        return run_s if index in at_hand else run_s + self._reload_s

    def _ceiling(self, batch: int) -> Ceiling:
        best = self._trials.best
        score = None if best is None else best.score
        piece = piece_of(self._spec.workload, self._trials.share, batch)
        return Ceiling(piece, self._trials.objective, score, self._trials.best_run_s)

    def _out_of_time(self) -> bool:
        budget = self._spec.budget_s
        if budget is None or self._context.elapsed_s < budget:
            return False
        self._why_ended = saying("ended_time", seconds=SecondsValue(budget))
        return True

    def _say(self, move: Move, point: Point) -> None:
        again, number, most = move.why == "again", self._runs + 1, self._strategy.runs
        self._context.update(
            "confirming" if again else "measuring",
            saying("again_at" if again else "trial_at", number=number, most=most, setting=SettingValue(point.setting)),
            done=self._runs,
            total=most,
            left_s=left_s(self._trials, max(0, most - self._runs)),
            best=self._trials.best_pair,
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
