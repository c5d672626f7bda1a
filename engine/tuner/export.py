"""Results of the lab as Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import msgspec

from engine.bench.definitions import BY_KEY, value_of
from engine.bench.markdown import table_lines
from engine.tuner.outcome import COLUMNS, ABResult, ExperimentResult, Row, SearchResult, ratio_to
from engine.tuner.saying import all_english, english
from engine.tuner.words import figure_words, number, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.lifecycle import ParameterValue
    from engine.tuner.outcome import Column, Result, Trial

_UNKNOWN = "—"
_MIB = 1 << 20
_EXTRA = ("tokens_out_per_s", "ttft.p95", "tpot.p50")


def to_json(result: Result) -> str:
    """Everything, for programs."""
    return msgspec.json.format(msgspec.json.encode(result), indent=2).decode() + "\n"


def to_markdown(result: Result) -> str:
    """A table and what it says, for people."""
    match result:
        case SearchResult():
            told, table = all_english(result.explanation), search_table(result)
        case ABResult():
            told, table = tuple(one.sentence for one in result.differences), ab_table(result)
        case ExperimentResult():
            told, table = all_english(result.explanation), experiment_table(result.rows)
    return "\n".join([*table_lines(table[0], table[1:]), "", *(f"- {sentence}" for sentence in told)]) + "\n"


def to_csv(result: Result) -> str:
    """One line a trial, a pair or a format, with plain numbers in the figures' own units."""
    match result:
        case SearchResult():
            rows = _trial_lines(result.trials)
        case ABResult():
            head = ("pair", "order", f"a.{result.objective}", f"b.{result.objective}", "run_a", "run_b")
            pairs = enumerate(result.pairs, 1)
            rows = [head, *((at, one.order, one.a, one.b, one.run_a, one.run_b) for at, one in pairs)]
        case ExperimentResult():
            names = ["key", "label", "state", *(column.field for column in COLUMNS), "error"]
            rows = [tuple(names), *(tuple(getattr(row, name) for name in names) for row in result.rows)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def search_table(result: SearchResult) -> list[list[str]]:
    """The trials as a table of words, best first; the first row is the heading."""
    keys = [result.objective, *(key for key in _EXTRA if key != result.objective)]
    sign = -1 if BY_KEY[result.objective].better == "less" else 1
    ordered = sorted(result.trials, key=lambda one: (one.state.value != "measured", -sign * (one.score or 0.0)))
    table = [["trial", "setting", "state", *(BY_KEY[key].label for key in keys)]]
    for trial in ordered:
        marks = ("best" if trial.number == result.best else "", "before" if trial.is_present else "")
        state = ", ".join(filter(None, (trial.state.value, *marks)))
        shown = [figure_words(keys[0], trial.score), *(_figure(trial, key) for key in keys[1:])]
        table.append([str(trial.number), words_of(trial.setting), state, *shown])
    return table


def experiment_table(rows: Sequence[Row]) -> list[list[str]]:
    """The formats as a table of words, each value with its ratio to the reference; the first row is the heading."""
    reference = next((row for row in rows if row.is_reference), None)
    used = [column for column in COLUMNS if any(getattr(row, column.field) is not None for row in rows)]
    table = [["", *(column.label for column in used)]]
    for row in rows:
        if row.state == "failed":
            table.append([row.label, f"failed: {row.error}", *[""] * (len(used) - 1)])
            continue
        table.append([row.label, *(_cell(row, column, reference) for column in used)])
    return table


def _cell(row: Row, column: Column, reference: Row | None) -> str:
    value: ParameterValue = getattr(row, column.field)
    if not isinstance(value, int | float):
        return _UNKNOWN
    shown = shown_value(float(value), column.unit)
    if reference is None or row.key == reference.key:
        return shown
    ratio = ratio_to(row, reference, column.field)
    return shown if ratio is None else f"{shown} (×{ratio:.2f})"


def shown_value(value: float, unit: str) -> str:
    """A column's value with its unit."""
    if unit == "bytes":
        return f"{number(value / _MIB)} MiB"
    if unit == "s":
        return f"{number(value * 1000)} ms" if value < 1 else f"{number(value)} s"
    if unit == "tokens":
        return f"{value:,.0f}"
    return f"{number(value)} {unit}".strip()


def _figure(trial: Trial, key: str) -> str:
    return _UNKNOWN if trial.figures is None else figure_words(key, value_of(trial.figures, key))


def ab_table(result: ABResult) -> list[list[str]]:
    """Each figure under A and B as a table of words; the first row is the heading."""
    table = [["figure", "A", "B", "B / A", f"{100 * result.confidence:g} % interval", "shown"]]
    for one in result.differences:
        interval = _UNKNOWN if one.low is None or one.high is None else f"{one.low:.3f} – {one.high:.3f}"
        ratio = _UNKNOWN if one.ratio is None else f"{one.ratio:.3f}"
        shown = f"{one.better.upper() or 'yes'}" if one.shown else "no difference shown"
        means = (figure_words(one.key, one.mean_a), figure_words(one.key, one.mean_b))
        table.append([BY_KEY[one.key].label, *means, ratio, interval, shown])
    return table


def _trial_lines(trials: Iterable[Trial]) -> list[tuple[object, ...]]:
    known = list(trials)
    names = list(dict.fromkeys(name for trial in known for name in trial.setting))
    keys = ("goodput_per_s", *_EXTRA, "ttft.p50", "e2e.p95", "successful", "failed")
    head = ("trial", "state", *names, "score", "runs", *keys, "seconds", "reloaded", "reason", "outcome")
    rows: list[tuple[object, ...]] = [head]
    for trial in known:
        figures = [None if trial.figures is None else value_of(trial.figures, key) for key in keys]
        rows.append(
            (
                trial.number, trial.state.value, *(trial.setting.get(name) for name in names), trial.score,
                len(trial.scores), *figures, round(trial.seconds, 3), trial.restarted, english(trial.reason),
                english(trial.outcome),
            )
        )  # fmt: skip
    return rows
