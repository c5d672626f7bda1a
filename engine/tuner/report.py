"""What a search or a comparison came to, as one HTML file with pictures. It asks no other host for anything."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from engine.bench import svg
from engine.bench.report import cards, page, table
from engine.tuner.export import ab_table, experiment_table, search_table, shown_value
from engine.tuner.outcome import COLUMNS, ABResult, ExperimentResult, SearchResult
from engine.tuner.saying import english
from engine.tuner.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.tuner.outcome import Result, Trial


def to_html(result: Result) -> str:
    """A page of its sentences, its table and its pictures."""
    match result:
        case SearchResult():
            title, told = "Search", list(map(english, result.explanation))
            rows, charts = search_table(result), _search_charts(result)
        case ABResult():
            title = f"{words_of(result.a)} against {words_of(result.b)}"
            told = [one.sentence for one in result.differences[:1]]
            rows, charts = ab_table(result), _pairs(result)
        case ExperimentResult():
            title, told = "Formats of one model", list(map(english, result.explanation))
            rows, charts = experiment_table(result.rows), _columns(result)
    body = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(sentence)}</p>" for sentence in told if sentence)]
    body += ["<h2>Figures</h2>", table(rows[0], rows[1:]), "<h2>Pictures</h2>", cards(charts)]
    notes = _notes(result)
    if notes:
        body += ["<h2>Notes</h2>", *(f"<p>{escape(note)}</p>" for note in notes)]
    return page(title, body)


def _search_charts(result: SearchResult) -> list[str]:
    known = [(trial, _point(trial)) for trial in result.trials]
    dots = [
        svg.Dot(*at, f"{trial.number}: {words_of(trial.setting)}", "b" if trial.number == result.best else "a")
        for trial, at in known
        if at is not None
    ]
    places = {trial.number: at for trial, at in known if at is not None}
    front = [places[number] for number in result.front if number in places]
    title = "Output tokens/s against TTFT p95; the best in another colour, the line: nothing beats these in both"
    charts = [svg.scatter_chart(title, ("tokens/s", "s"), dots, front)] if dots else []
    measured = [trial for trial in result.trials if trial.score is not None and trial.state.value == "measured"]
    ordered = sorted(measured, key=lambda trial: (trial.number != result.best, -(trial.score or 0.0)))
    if ordered:
        bars = [(f"trial {trial.number}", trial.score, f"{trial.score:.4g}") for trial in ordered]
        charts.append(svg.bar_chart(result.objective, bars))
    return charts


def _point(trial: Trial) -> tuple[float, float] | None:
    found = trial.figures
    return None if found is None or found.ttft is None else (found.tokens_out_per_s, found.ttft.p95)


def _pairs(result: ABResult) -> list[str]:
    sides = [
        svg.Series(label, [(float(at), getattr(pair, side)) for at, pair in enumerate(result.pairs, 1)], side)
        for label, side in (("A", "a"), ("B", "b"))
    ]
    return [svg.line_chart(f"{result.objective}, pair by pair", "count", sides, x_unit="count")]


def _columns(result: ExperimentResult) -> list[str]:
    charts = []
    for column in COLUMNS:
        values = [(row.label, getattr(row, column.field)) for row in result.rows]
        if any(value is not None for _, value in values):
            bars = [(name, value, "—" if value is None else shown_value(value, column.unit)) for name, value in values]
            charts.append(svg.bar_chart(f"{column.label}. {column.definition}", bars))
    return charts


def _notes(result: Result) -> Iterable[str]:
    if not isinstance(result, ExperimentResult):
        return []
    return [f"{row.label}: {note}" for row in result.rows for note in (*row.notes, row.error) if note]
