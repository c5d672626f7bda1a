"""What the lab says of searches and comparisons, in the user's language: why, what came of it, where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

from app.widgets import figures
from app.widgets.lab_axes import shown
from app.widgets.lab_words import full_name, unit_of, value_text
from engine.tuner.saying import (
    ChangeValue,
    FigureValue,
    SecondsValue,
    SettingValue,
    ShareValue,
    TimesValue,
    english,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.domain.lifecycle import ParameterValue
    from engine.tuner.outcome import Difference
    from engine.tuner.saying import Saying, Value

_CONTEXT = "LabSentences"

# The same as engine.tuner.saying.TEMPLATES, where translations can be collected from; a test holds them together.
TEMPLATES = {
    "present": QT_TRANSLATE_NOOP("LabSentences", "The setting in force: what the others are compared with."),
    "largest": QT_TRANSLATE_NOOP("LabSentences", "The largest batch, as a beginning."),
    "middle": QT_TRANSLATE_NOOP("LabSentences", "The middle of the grid, to see which way the figure goes."),
    "promising": QT_TRANSLATE_NOOP(
        "LabSentences", "Expected {expected} ± {deviation}: the largest expected gain for the time it takes."
    ),
    "promising_reload": QT_TRANSLATE_NOOP(
        "LabSentences",
        "Expected {expected} ± {deviation}: the largest expected gain for the time it takes, a reload of "
        "about {seconds} counted in.",
    ),
    "again": QT_TRANSLATE_NOOP(
        "LabSentences",
        "Expected {expected} ± {deviation}: measured again on other requests, to tell it from its rivals.",
    ),
    "every_point": QT_TRANSLATE_NOOP("LabSentences", "Every point is measured."),
    "score": QT_TRANSLATE_NOOP("LabSentences", "{score}."),
    "score_against": QT_TRANSLATE_NOOP(
        "LabSentences", "{score}, {change} against the best before it (trial {number})."
    ),
    "scores": QT_TRANSLATE_NOOP("LabSentences", "{score} on average of {runs} runs ({each})."),
    "scores_against": QT_TRANSLATE_NOOP(
        "LabSentences",
        "{score} on average of {runs} runs ({each}), {change} against the best before it (trial {number}).",
    ),
    "pruned_most": QT_TRANSLATE_NOOP(
        "LabSentences",
        "Ended early after {seconds}: even if all requests left in the running ({left}) had been good, {most}"
        " was the most it could come to.",
    ),
    "pruned_half": QT_TRANSLATE_NOOP(
        "LabSentences",
        "Ended early after {seconds}, half the best run's time: {most} so far, with all that was under way "
        "counted in.",
    ),
    "no_success": QT_TRANSLATE_NOOP("LabSentences", "No request succeeded."),
    "no_figures": QT_TRANSLATE_NOOP("LabSentences", "The run has no figures."),
    "error": QT_TRANSLATE_NOOP("LabSentences", "{message}"),
    "sweep_done": QT_TRANSLATE_NOOP(
        "LabSentences", "{done} of {points} points were measured in {seconds}; reloads: {reloads}."
    ),
    "tuner_done": QT_TRANSLATE_NOOP(
        "LabSentences",
        "{done} of {points} points were tried in {runs} runs of {share} of the load each, {seconds} together;"
        " reloads: {reloads}; ended early, because they could no longer win: {pruned}.",
    ),
    "left_out": QT_TRANSLATE_NOOP(
        "LabSentences", "Points left out, because they contradict themselves or would need a reload: {count}."
    ),
    "cancelled": QT_TRANSLATE_NOOP("LabSentences", "It was cancelled before the rest."),
    "ended_work": QT_TRANSLATE_NOOP("LabSentences", "It ended because as many runs as were asked for are done."),
    "ended_time": QT_TRANSLATE_NOOP("LabSentences", "It ended because the time was up ({seconds})."),
    "ended_decided": QT_TRANSLATE_NOOP(
        "LabSentences", "It ended because no other point is likely to be better than the best by {share}."
    ),
    "did_not_work": QT_TRANSLATE_NOOP("LabSentences", "Trial {number} ({setting}) did not work: {message}"),
    "nothing_measured": QT_TRANSLATE_NOOP("LabSentences", "Nothing could be measured."),
    "best": QT_TRANSLATE_NOOP("LabSentences", "Best is trial {number}: {setting}, with {score}."),
    "best_runs": QT_TRANSLATE_NOOP(
        "LabSentences", "Best is trial {number}: {setting}, with {score}, the mean of {runs} runs."
    ),
    "best_is_present": QT_TRANSLATE_NOOP("LabSentences", "That is the setting that was in force already."),
    "best_against_present": QT_TRANSLATE_NOOP(
        "LabSentences", "That is {change} against the setting in force ({score})."
    ),
    "runner_up": QT_TRANSLATE_NOOP("LabSentences", "The runner-up is trial {number} ({setting}), with {score}."),
    "luck": QT_TRANSLATE_NOOP(
        "LabSentences", "Trial {number} ({setting}) had {score} (runs: {runs}): by what the others show, that was luck."
    ),
    "near": QT_TRANSLATE_NOOP(
        "LabSentences", "Other trials within {share} of the best: {count}. Between those, choose by latency."
    ),
    "nothing_good": QT_TRANSLATE_NOOP("LabSentences", "No setting kept the targets for a single request."),
    "nearest": QT_TRANSLATE_NOOP(
        "LabSentences", "The fastest first token, trial {number} ({setting}), took {ttft} in the median."
    ),
    "nearest_tpot": QT_TRANSLATE_NOOP(
        "LabSentences",
        "The fastest first token, trial {number} ({setting}), took {ttft} in the median, each further one {tpot}.",
    ),
    "not_measured": QT_TRANSLATE_NOOP("LabSentences", "{label} could not be measured: {message}"),
    "against": QT_TRANSLATE_NOOP("LabSentences", "{label} against {reference}: {ratios}."),
    "against_nothing": QT_TRANSLATE_NOOP("LabSentences", "{label} against {reference}: nothing to compare."),
    "trial_at": QT_TRANSLATE_NOOP("LabSentences", "Run {number} of up to {most}: {setting}"),
    "again_at": QT_TRANSLATE_NOOP("LabSentences", "Run {number} of up to {most}, once more: {setting}"),
    "sweep_at": QT_TRANSLATE_NOOP("LabSentences", "{number} of {total}: {setting}"),
    "pair_at": QT_TRANSLATE_NOOP("LabSentences", "Pair {number} of {total}, {side}: {setting}"),
    "reloading": QT_TRANSLATE_NOOP("LabSentences", "Loading again for {names}"),
    "restoring": QT_TRANSLATE_NOOP("LabSentences", "Putting back what was in force before"),
    "loading": QT_TRANSLATE_NOOP("LabSentences", "Loading {label}"),
    "one_client": QT_TRANSLATE_NOOP("LabSentences", "{label}: one client"),
    "many_clients": QT_TRANSLATE_NOOP("LabSentences", "{label}: many clients"),
    "scoring": QT_TRANSLATE_NOOP("LabSentences", "{label}: how well it predicts a text"),
    "ending_engine": QT_TRANSLATE_NOOP(
        "LabSentences", "Ending the engine, so that transformers has the machine to itself"
    ),
    "transformers_loads": QT_TRANSLATE_NOOP("LabSentences", "transformers loads {label}"),
}
COMPARED = {
    "disk_bytes": QT_TRANSLATE_NOOP("LabSentences", "{ratio} × the size on disk"),
    "alone_tokens_per_s": QT_TRANSLATE_NOOP("LabSentences", "{ratio} × the tokens/s alone"),
    "load_tokens_per_s": QT_TRANSLATE_NOOP("LabSentences", "{ratio} × the tokens/s at load"),
    "perplexity": QT_TRANSLATE_NOOP("LabSentences", "{ratio} × the perplexity"),
}


def sentence(said: Saying | None) -> str:
    """A saying in words; empty of None. One that a newer KVDeck wrote is shown as the engine has it."""
    if said is None:
        return ""
    template = TEMPLATES.get(said.kind)
    if template is None:
        return english(said)
    values = {name: _word(value) for name, value in said.values.items()}
    return QCoreApplication.translate(_CONTEXT, str(template)).format_map(values)


def sentences(said: Iterable[Saying]) -> str:
    """Several, a line each."""
    return "\n".join(map(sentence, said))


def difference_text(found: Difference, confidence: float) -> str:
    """What an A/B came to for one figure."""
    unit, name = unit_of(found.key), full_name(found.key)
    a, b = value_text(found.mean_a, unit), value_text(found.mean_b, unit)
    if found.ratio is None or found.low is None or found.high is None:
        text = QCoreApplication.translate(
            "LabSentences", "{name}: A {a}, B {b}; too few pairs have a value to say how sure that is."
        )
        return text.format(name=name, a=a, b=b)
    if found.shown:
        text = QCoreApplication.translate(
            "LabSentences",
            "{name}: B has {change} against A ({confidence} interval {low} to {high}): A {a}, B {b}.",
        )
    else:
        text = QCoreApplication.translate(
            "LabSentences",
            "{name}: no difference is shown. B is at {change} against A ({confidence} interval {low} to {high}).",
        )
    return text.format(
        name=name, a=a, b=b, change=_change(found.ratio - 1), low=_change(found.low - 1),
        high=_change(found.high - 1), confidence=_share(confidence),
    )  # fmt: skip


def setting_words(setting: Mapping[str, ParameterValue]) -> str:
    """A setting in one line."""
    return ", ".join(f"{name} {shown(value)}" for name, value in setting.items()) or figures.UNKNOWN


def _word(value: Value) -> str:
    match value:
        case FigureValue(key=key, value=figure):
            return value_text(figure, unit_of(key))
        case SecondsValue(seconds=seconds):
            return figures.duration(seconds)
        case ChangeValue(share=share):
            return QCoreApplication.translate("LabSentences", "more") if share is None else _change(share)
        case ShareValue(share=share):
            return _share(share)
        case SettingValue(setting=setting):
            return setting_words(setting)
        case TimesValue(ratios=ratios):
            return ", ".join(_times(field, ratio) for field, ratio in ratios.items())
        case int():
            return figures.count(value)
        case float():
            return figures.significant(value)
    return str(value)


def _times(field: str, ratio: float) -> str:
    return QCoreApplication.translate(_CONTEXT, str(COMPARED[field])).format(ratio=QLocale().toString(ratio, "f", 2))


def _change(share: float) -> str:
    """ "+12.5 %": a change with its sign."""
    sign = "+" if share >= 0 else "\u2212"
    return f"{sign}{QLocale().toString(abs(share) * 100, 'f', 1)}\u202f%"


def _share(share: float) -> str:
    return f"{QLocale().toString(share * 100, 'g', 3)}\u202f%"
