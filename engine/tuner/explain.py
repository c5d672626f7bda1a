"""Tells what a search tried, what it found, and why; and finds the points that nothing beats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.bench.definitions import BY_KEY
from engine.tuner.outcome import Trial, TrialState
from engine.tuner.saying import ChangeValue, FigureValue, SecondsValue, SettingValue, ShareValue, english, saying

if TYPE_CHECKING:
    from engine.tuner.saying import Saying
    from engine.tuner.space import Grid
    from engine.tuner.trials import Trials

_CLOSE = 0.03


def front_of(trials: tuple[Trial, ...]) -> tuple[int, ...]:
    """The trials that no other beats in output tokens/s and in p95 TTFT both, by rising throughput."""
    known = [
        (one.figures.tokens_out_per_s, one.figures.ttft.p95, one.number)
        for one in trials
        if one.state is TrialState.MEASURED and one.figures is not None and one.figures.ttft is not None
    ]
    front: list[int] = []
    fastest = float("inf")
    for _, ttft, number in sorted(known, key=lambda one: (-one[0], one[1])):
        if ttft < fastest:
            front.append(number)
            fastest = ttft
    return tuple(reversed(front))


def explain_sweep(trials: Trials, grid: Grid, seconds: float, *, cancelled: bool) -> tuple[Saying, ...]:
    """What a sweep found."""
    done = saying(
        "sweep_done", done=len(trials.all), points=len(grid.points), seconds=SecondsValue(seconds),
        reloads=trials.restarts,
    )  # fmt: skip
    ended = [saying("cancelled")] if cancelled else []
    return (done, *ended, *_verdict(trials, grid))


def explain_tuning(
    trials: Trials, grid: Grid, seconds: float, why_ended: Saying | None, *, share: float, cancelled: bool
) -> tuple[Saying, ...]:
    """What the tuner tried, why it ended, and what it chose; `share` is how much of the load a run was."""
    all_trials = list(trials.all.values())
    told = [
        saying(
            "tuner_done", done=len(all_trials), points=len(grid.points),
            runs=sum(len(one.run_ids) for one in all_trials), share=ShareValue(share), seconds=SecondsValue(seconds),
            reloads=trials.restarts, pruned=sum(one.state is TrialState.PRUNED for one in all_trials),
        )
    ]  # fmt: skip
    if grid.left_out:
        told.append(saying("left_out", count=grid.left_out))
    if cancelled:
        told.append(saying("cancelled"))
    elif why_ended is not None:
        told.append(why_ended)
    refused = [one for one in all_trials if one.state in (TrialState.REFUSED, TrialState.FAILED)]
    told += [
        saying(
            "did_not_work", number=one.number, setting=SettingValue(one.setting),
            message=one.error or english(one.outcome),
        )
        for one in refused[:3]
    ]  # fmt: skip
    return (*told, *_verdict(trials, grid))


def _verdict(trials: Trials, grid: Grid) -> list[Saying]:
    """The best against what was in force, and against the runner-up."""
    best, key = trials.best, trials.objective
    if best is None or best.score is None:
        return [saying("nothing_measured")]
    if not best.score and BY_KEY[key].better == "more":
        return [saying("nothing_good"), *_nearest(trials)]
    score, setting = FigureValue(key, best.score), SettingValue(best.setting)
    if len(best.scores) > 1:
        told = [saying("best_runs", number=best.number, setting=setting, score=score, runs=len(best.scores))]
    else:
        told = [saying("best", number=best.number, setting=setting, score=score)]
    number = None if grid.present is None else trials.number_of(grid.present)
    present = None if number is None else trials.all[number]
    if present is not None and present.number == best.number:
        told.append(saying("best_is_present"))
    elif present is not None and present.score is not None and present.state is TrialState.MEASURED:
        change = change_of(best.score, present.score)
        told.append(saying("best_against_present", change=change, score=FigureValue(key, present.score)))
    return told + _runner_up(trials, best)


def change_of(value: float, reference: float) -> ChangeValue:
    """How much more a value is than another."""
    return ChangeValue(value / reference - 1 if reference else None)


def _runner_up(trials: Trials, best: Trial) -> list[Saying]:
    others = [
        one
        for one in trials.all.values()
        if one.state is TrialState.MEASURED and one.score is not None and one.number != best.number
    ]
    if not others or not best.score:
        return []
    second = max(others, key=lambda one: trials.sign * (one.score or 0.0))
    near = [one for one in others if abs((one.score or 0.0) / best.score - 1) < _CLOSE]
    score = FigureValue(trials.objective, second.score)
    setting = SettingValue(second.setting)
    if trials.sign * ((second.score or 0.0) - best.score) > 0:  # the search chose by more than the means
        told = [saying("luck", number=second.number, setting=setting, score=score, runs=len(second.scores))]
    else:
        told = [saying("runner_up", number=second.number, setting=setting, score=score)]
    if near:
        told.append(saying("near", count=len(near), share=ShareValue(_CLOSE)))
    return told


def _nearest(trials: Trials) -> list[Saying]:
    measured = [one for one in trials.all.values() if one.figures is not None and one.figures.ttft is not None]
    nearest = min(measured, key=lambda one: one.figures.ttft.p50, default=None)  # type: ignore[union-attr]
    if nearest is None or nearest.figures is None or nearest.figures.ttft is None:
        return []
    ttft, tpot = FigureValue("ttft.p50", nearest.figures.ttft.p50), nearest.figures.tpot
    setting = SettingValue(nearest.setting)
    if tpot is None:
        return [saying("nearest", number=nearest.number, setting=setting, ttft=ttft)]
    each = FigureValue("tpot.p50", tpot.p50)
    return [saying("nearest_tpot", number=nearest.number, setting=setting, ttft=ttft, tpot=each)]
