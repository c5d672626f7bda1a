"""What the lab has to say, as a kind with values: worded in English here, and in the user's language by the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from engine.domain.lifecycle import ParameterValue
from engine.tuner.words import figure_words, number, seconds_words, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class FigureValue(msgspec.Struct, frozen=True, tag="figure"):
    """A figure of engine.bench.definitions with its unit; None: unknown."""

    key: str
    value: float | None


class SecondsValue(msgspec.Struct, frozen=True, tag="seconds"):
    """A time."""

    seconds: float


class ChangeValue(msgspec.Struct, frozen=True, tag="change"):
    """How much more something is: 0.12 is 12 % more; None where the reference is zero."""

    share: float | None


class ShareValue(msgspec.Struct, frozen=True, tag="share"):
    """A part of a whole: 0.25 is a quarter."""

    share: float


class SettingValue(msgspec.Struct, frozen=True, tag="setting"):
    """Parameters by name, with their values."""

    setting: dict[str, ParameterValue]


class TimesValue(msgspec.Struct, frozen=True, tag="times"):
    """Ratios to a reference, each of a column of the formats' table."""

    ratios: dict[str, float]


Value = int | float | str | FigureValue | SecondsValue | ChangeValue | ShareValue | SettingValue | TimesValue


class Saying(msgspec.Struct, frozen=True):
    """One sentence. `kind` is a key of TEMPLATES, whose gaps `values` fill."""

    kind: str
    values: dict[str, Value] = {}


TEMPLATES = {
    # Why a point was chosen
    "present": "The setting in force: what the others are compared with.",
    "largest": "The largest batch, as a beginning.",
    "middle": "The middle of the grid, to see which way the figure goes.",
    "promising": "Expected {expected} ± {deviation}: the largest expected gain for the time it takes.",
    "promising_reload": (
        "Expected {expected} ± {deviation}: the largest expected gain for the time it takes, a reload of about "
        "{seconds} counted in."
    ),
    "again": "Expected {expected} ± {deviation}: measured again on other requests, to tell it from its rivals.",
    "every_point": "Every point is measured.",
    # What came of it
    "score": "{score}.",
    "score_against": "{score}, {change} against the best before it (trial {number}).",
    "scores": "{score} on average of {runs} runs ({each}).",
    "scores_against": (
        "{score} on average of {runs} runs ({each}), {change} against the best before it (trial {number})."
    ),
    "pruned_most": (
        "Ended early after {seconds}: even if all requests left in the running ({left}) had been good, {most} was the "
        "most it could come to."
    ),
    "pruned_half": (
        "Ended early after {seconds}, half the best run's time: {most} so far, with all that was under way counted in."
    ),
    "no_success": "No request succeeded.",
    "no_figures": "The run has no figures.",
    "error": "{message}",
    # What a search found
    "sweep_done": "{done} of {points} points were measured in {seconds}; reloads: {reloads}.",
    "tuner_done": (
        "{done} of {points} points were tried in {runs} runs of {share} of the load each, {seconds} together; "
        "reloads: {reloads}; ended early, because they could no longer win: {pruned}."
    ),
    "left_out": "Points left out, because they contradict themselves or would need a reload: {count}.",
    "cancelled": "It was cancelled before the rest.",
    "ended_work": "It ended because as many runs as were asked for are done.",
    "ended_time": "It ended because the time was up ({seconds}).",
    "ended_decided": "It ended because no other point is likely to be better than the best by {share}.",
    "did_not_work": "Trial {number} ({setting}) did not work: {message}",
    "nothing_measured": "Nothing could be measured.",
    "best": "Best is trial {number}: {setting}, with {score}.",
    "best_runs": "Best is trial {number}: {setting}, with {score}, the mean of {runs} runs.",
    "best_is_present": "That is the setting that was in force already.",
    "best_against_present": "That is {change} against the setting in force ({score}).",
    "runner_up": "The runner-up is trial {number} ({setting}), with {score}.",
    "luck": "Trial {number} ({setting}) had {score} (runs: {runs}): by what the others show, that was luck.",
    "near": "Other trials within {share} of the best: {count}. Between those, choose by latency.",
    "nothing_good": "No setting kept the targets for a single request.",
    "nearest": "The fastest first token, trial {number} ({setting}), took {ttft} in the median.",
    "nearest_tpot": (
        "The fastest first token, trial {number} ({setting}), took {ttft} in the median, each further one {tpot}."
    ),
    # What a comparison of formats found
    "not_measured": "{label} could not be measured: {message}",
    "against": "{label} against {reference}: {ratios}.",
    "against_nothing": "{label} against {reference}: nothing to compare.",
    # Where a job stands
    "trial_at": "Run {number} of up to {most}: {setting}",
    "again_at": "Run {number} of up to {most}, once more: {setting}",
    "sweep_at": "{number} of {total}: {setting}",
    "pair_at": "Pair {number} of {total}, {side}: {setting}",
    "reloading": "Loading again for {names}",
    "restoring": "Putting back what was in force before",
    "loading": "Loading {label}",
    "one_client": "{label}: one client",
    "many_clients": "{label}: many clients",
    "scoring": "{label}: how well it predicts a text",
    "ending_engine": "Ending the engine, so that transformers has the machine to itself",
    "transformers_loads": "transformers loads {label}",
}  # fmt: skip
"""Every kind in English. The window has the same in the user's language (app/widgets/lab_sentences)."""

COMPARED = {
    "disk_bytes": "{ratio} × the size on disk",
    "alone_tokens_per_s": "{ratio} × the tokens/s alone",
    "load_tokens_per_s": "{ratio} × the tokens/s at load",
    "perplexity": "{ratio} × the perplexity",
}
"""The columns of the formats' table that are told as ratios."""


def saying(kind: str, **values: Value) -> Saying:
    """A saying of this kind, one of TEMPLATES."""
    assert kind in TEMPLATES, kind
    return Saying(kind, values)


def english(said: Saying | None) -> str:
    """It in English; empty of None. A kind that a newer KVDeck wrote is named as it is."""
    if said is None:
        return ""
    template = TEMPLATES.get(said.kind)
    if template is None:
        return said.kind
    return template.format_map({name: _word(value) for name, value in said.values.items()})


def all_english(said: Iterable[Saying]) -> tuple[str, ...]:
    """Each in English."""
    return tuple(map(english, said))


def _word(value: Value) -> str:
    match value:
        case FigureValue(key=key, value=figure):
            return figure_words(key, figure)
        case SecondsValue(seconds=seconds):
            return seconds_words(seconds)
        case ChangeValue(share=share):
            return "more" if share is None else f"{share:+.0%}".replace("%", " %").replace("-", "−")
        case ShareValue(share=share):
            return f"{100 * share:.3g} %"
        case SettingValue(setting=setting):
            return words_of(setting)
        case TimesValue(ratios=ratios):
            return ", ".join(COMPARED[field].format(ratio=f"{ratio:.2f}") for field, ratio in ratios.items())
        case int():
            return f"{value:,}"
        case float():
            return number(value)
    return str(value)
