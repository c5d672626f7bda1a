"""Tells in sentences what a search tried, what it found, and why; and finds the points that nothing beats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.bench.definitions import BY_KEY
from engine.tuner.outcome import Trial, TrialState
from engine.tuner.words import figure_words, gain_words, seconds_words, words_of

if TYPE_CHECKING:
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


def explain_sweep(trials: Trials, grid: Grid, seconds: float, *, cancelled: bool) -> tuple[str, ...]:
    """What a sweep found."""
    done = len(trials.all)
    told = [f"{done} of {len(grid.points)} points were measured in {seconds_words(seconds)}{_restarts(trials)}."]
    if cancelled:
        told.append("It was cancelled before the rest.")
    return (*told, *_verdict(trials, grid))


def explain_tuning(
    trials: Trials, grid: Grid, seconds: float, why_ended: str, *, cancelled: bool
) -> tuple[str, ...]:
    """What the tuner tried, why it ended, and what it chose."""
    done = list(trials.all.values())
    pruned = sum(one.state is TrialState.PRUNED for one in done)
    tried = f"{len(done)} of {len(grid.points)} points were tried in {seconds_words(seconds)}{_restarts(trials)}; "
    told = [f"{tried}ended early, because they could no longer win: {pruned}."]
    if grid.left_out:
        told.append(f"Points left out, because they contradict themselves or would need a reload: {grid.left_out}.")
    if cancelled:
        told.append("The search was cancelled.")
    elif why_ended:
        told.append(f"It ended because {why_ended}.")
    refused = [one for one in done if one.state in (TrialState.REFUSED, TrialState.FAILED)]
    told += [f"Trial {one.number} ({words_of(one.setting)}) did not work: {one.outcome}" for one in refused[:3]]
    return (*told, *_verdict(trials, grid))


def _verdict(trials: Trials, grid: Grid) -> list[str]:
    """The best against what was in force, and against the runner-up."""
    best, key = trials.best, trials.objective
    if best is None or best.score is None:
        return ["Nothing could be measured."]
    if not best.score and BY_KEY[key].better == "more":
        return [_nothing_good(trials)]
    runs = f", the mean of {len(best.scores)} runs" if len(best.scores) > 1 else ""
    told = [f"Best is trial {best.number}: {words_of(best.setting)}, with {figure_words(key, best.score)}{runs}."]
    number = None if grid.present is None else trials.number_of(grid.present)
    present = None if number is None else trials.all[number]
    if present is not None and present.number == best.number:
        told.append("That is the setting that was in force already.")
    elif present is not None and present.score is not None and present.state is TrialState.MEASURED:
        told.append(
            f"That is {gain_words(best.score, present.score)} than the setting in force "
            f"({figure_words(key, present.score)})."
        )
    return told + _runner_up(trials, best)


def _runner_up(trials: Trials, best: Trial) -> list[str]:
    others = [
        one
        for one in trials.all.values()
        if one.state is TrialState.MEASURED and one.score is not None and one.number != best.number
    ]
    if not others or not best.score:
        return []
    second = max(others, key=lambda one: trials.sign * (one.score or 0.0))
    near = [one for one in others if abs((one.score or 0.0) / best.score - 1) < _CLOSE]
    score = figure_words(trials.objective, second.score)
    told = [f"The runner-up is trial {second.number} ({words_of(second.setting)}), with {score}."]
    if near:
        told.append(
            f"{len(near)} other trials lie within {_CLOSE:.0%} of the best: between those, choose by latency.".replace(
                "%", " %"
            )
        )
    return told


def _nothing_good(trials: Trials) -> str:
    measured = [one for one in trials.all.values() if one.figures is not None and one.figures.ttft is not None]
    nearest = min(measured, key=lambda one: one.figures.ttft.p50, default=None)  # type: ignore[union-attr]
    told = "No setting kept the targets for a single request."
    if nearest is None or nearest.figures is None or nearest.figures.ttft is None:
        return told
    tpot = nearest.figures.tpot
    return (
        f"{told} The fastest first token, trial {nearest.number} ({words_of(nearest.setting)}), took "
        f"{figure_words('ttft.p50', nearest.figures.ttft.p50)} in the median"
        + (f", each further one {figure_words('tpot.p50', tpot.p50)}." if tpot is not None else ".")
    )


def _restarts(trials: Trials) -> str:
    if not trials.restarts:
        return ", without a reload"
    return f", with {trials.restarts} reload{'s' if trials.restarts > 1 else ''}"
