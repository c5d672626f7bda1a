"""Runs the trials of a search, one at a time, and keeps what came of them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import msgspec

from engine.bench.definitions import BY_KEY
from engine.domain.errors import EngineBusy, EngineCrashed, HostUnreachable, KVDeckError, ParameterInvalid
from engine.tuner.apply import SettingRefused, apply_setting
from engine.tuner.explain import change_of
from engine.tuner.jobs import TrialLine
from engine.tuner.measure import Measurer
from engine.tuner.messages import TrialChanged
from engine.tuner.outcome import Trial, TrialState
from engine.tuner.pieces import piece_of
from engine.tuner.saying import FigureValue, saying
from engine.tuner.words import words_of

if TYPE_CHECKING:
    from engine.bench.workload import Workload
    from engine.tuner.ceiling import Ceiling
    from engine.tuner.context import JobContext
    from engine.tuner.measure import Measurement
    from engine.tuner.optimizer import Prediction
    from engine.tuner.saying import Saying, Value
    from engine.tuner.space import Grid, Point

_FATAL = (EngineBusy, EngineCrashed, HostUnreachable)


class Trials:
    """All trials of one search. `objective` is the figure's key; trials compare by it, whichever way is better."""

    def __init__(self, context: JobContext, workload: Workload, objective: str, grid: Grid) -> None:
        self._context = context
        self._workload = workload
        self.share = 1.0  # of the load that each run sends
        self.chosen: int | None = None  # the best by a search that knows more than the means
        self._grid = grid
        self.objective = objective
        self.sign = -1.0 if BY_KEY[objective].better == "less" else 1.0
        self.all: dict[int, Trial] = {}
        self.point_of: dict[int, int] = {}
        self.restarts = 0
        self.newest: int | None = None  # the trial that ran last: its setting is in force
        self.reload_s: float | None = None
        self._run_s = 0.0  # of the last run, with what it took to begin it
        self._measurer = Measurer(context.engine, context.store, context.hear)

    @property
    def best(self) -> Trial | None:
        """The best measured trial so far: by its mean, unless a search has chosen."""
        if self.chosen is not None and self.chosen in self.all:
            return self.all[self.chosen]
        measured = [one for one in self.all.values() if one.state is TrialState.MEASURED and one.score is not None]
        return max(measured, key=lambda one: self.sign * (one.score or 0.0), default=None)

    @property
    def best_pair(self) -> tuple[int, float] | None:
        """The best trial's number and score, for the progress."""
        best = self.best
        return None if best is None or best.score is None else (best.number, best.score)

    @property
    def best_run_s(self) -> float | None:
        """How long the best trial's load took."""
        best = self.best
        return None if best is None or best.figures is None else best.figures.duration_s

    def take_over(self, past: tuple[Trial, ...]) -> None:
        """The trials of a job that is resumed; one that was cut short is forgotten, and done again."""
        settings = {repr(sorted(point.setting.items())): point.index for point in self._grid.points}
        for trial in past:
            index = settings.get(repr(sorted(trial.setting.items())))
            if trial.state is not TrialState.RUNNING and index is not None:
                self.all[trial.number] = trial
                self.point_of[trial.number] = index
                self.restarts += trial.restarted
                self.newest = trial.number

    def number_of(self, index: int) -> int | None:
        """The trial of a point, None where it has none."""
        return next((number for number, point in self.point_of.items() if point == index), None)

    async def run(
        self,
        point: Point,
        reason: Saying,
        *,
        expected: Prediction | None = None,
        ceiling: Ceiling | None = None,
        batch: int = 0,
    ) -> Trial:
        """Try a point: bring it into force, measure. What the engine refuses is a trial, too.

        `batch` says which requests are sent.

        Raises what makes the whole job impossible (no engine, no host).
        """
        known = self.number_of(point.index)
        if known is None:
            trial = Trial(
                number=max(self.all, default=0) + 1,  # a resumed job may have left some out
                setting=point.setting,
                reason=reason,
                expected=None if expected is None else expected.mean,
                expected_deviation=None if expected is None else expected.deviation,
                is_present=point.index == self._grid.present,
                share=self.share,
            )
        else:
            trial = msgspec.structs.replace(self.all[known], state=TrialState.RUNNING)
        self.point_of[trial.number] = point.index
        self.newest = trial.number
        self._keep(trial)
        began = time.monotonic()
        try:
            restarted = await self._apply(point)
            found = await self._measurer.measure(
                piece_of(self._workload, self.share, batch),
                self.objective,
                title=words_of(point.setting),
                origin=self._context.by,
                group=self._context.job_id,
                ceiling=ceiling,
            )
        except _FATAL:
            self._forget(trial, known)
            raise
        except asyncio.CancelledError:
            self._forget(trial, known)
            raise
        except KVDeckError as error:
            refused = isinstance(error, ParameterInvalid | SettingRefused)
            state = TrialState.REFUSED if refused else TrialState.FAILED
            trial = msgspec.structs.replace(
                trial, state=state, error=error.message, outcome=saying("error", message=error.message)
            )
        else:
            self._run_s = found.seconds
            trial = self._judged(trial, found, ceiling, restarted=restarted)
        trial = msgspec.structs.replace(trial, seconds=trial.seconds + time.monotonic() - began)
        self._keep(trial)
        await asyncio.to_thread(self._context.file.add, TrialLine(trial))
        return trial

    @property
    def run_cost(self) -> float:
        """What the last run took, in whole runs of the load at the same setting: to begin one costs time, too."""
        trial = None if self.newest is None else self.all.get(self.newest)
        if trial is None or trial.figures is None or not trial.run_ids:
            return self.share
        sending = trial.figures.duration_s
        beginning = max(0.0, self._run_s - sending)
        return min(1.0, (beginning + sending) / max(1e-9, beginning + sending / self.share))

    async def _apply(self, point: Point) -> bool:
        began = time.monotonic()

        def reloading(names: tuple[str, ...]) -> None:
            self._context.update(
                "loading", saying("reloading", names=", ".join(names)), done=len(self.all) - 1, best=self.best_pair
            )

        applied = await apply_setting(
            self._context.engine,
            point.setting,
            by=self._context.by,
            capacity=self._grid.capacity,
            on_reload=reloading,
        )
        if applied.reloaded:
            self.restarts += 1
            self.reload_s = time.monotonic() - began
        return applied.reloaded

    def _judged(self, trial: Trial, found: Measurement, ceiling: Ceiling | None, *, restarted: bool) -> Trial:
        best = self.best
        changes: dict[str, object] = {
            "run_ids": (*trial.run_ids, found.run_id),
            "figures": found.figures,
            "restarted": trial.restarted or restarted,
        }
        if found.pruned and ceiling is not None:
            return msgspec.structs.replace(
                trial,
                state=TrialState.PRUNED,
                score=ceiling.most,
                estimate=ceiling.estimate,
                outcome=ceiling.why,
                **changes,
            )
        if found.figures is None or found.score is None or not found.figures.successful:
            outcome = saying("no_success" if found.figures else "no_figures")
            return msgspec.structs.replace(trial, state=TrialState.FAILED, outcome=outcome, **changes)
        scores = (*trial.scores, found.score)
        score = sum(scores) / len(scores)
        return msgspec.structs.replace(
            trial,
            state=TrialState.MEASURED,
            score=score,
            scores=scores,
            outcome=self._outcome(score, scores, best, trial.number),
            **changes,
        )

    def _outcome(self, score: float, scores: tuple[float, ...], best: Trial | None, number: int) -> Saying:
        values: dict[str, Value] = {"score": FigureValue(self.objective, score)}
        kind = "score"
        if len(scores) > 1:
            kind, each = "scores", ", ".join(f"{one:.3g}" for one in scores)
            values |= {"runs": len(scores), "each": each}
        if best is not None and best.number != number and best.score is not None:
            kind += "_against"
            values |= {"change": change_of(score, best.score), "number": best.number}
        return saying(kind, **values)

    def _keep(self, trial: Trial) -> None:
        self.all[trial.number] = trial
        self._context.say(TrialChanged(trial))

    def _forget(self, trial: Trial, known: int | None) -> None:
        """A trial that was cut short tells nothing; one that was being confirmed keeps what it had."""
        if known is None:
            self.all.pop(trial.number, None)
            self.point_of.pop(trial.number, None)
        elif trial.scores:
            self._keep(msgspec.structs.replace(trial, state=TrialState.MEASURED))
