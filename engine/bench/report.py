"""A report as one HTML file: tables with definitions to hover, and pictures. It asks no other host for anything."""

from __future__ import annotations

import time
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from engine.bench import svg
from engine.bench.definitions import BY_KEY, value_of
from engine.bench.export import difference_rows, latency_rows
from engine.bench.figures import Histogram, edges_for, heat_map, values_of
from engine.bench.numbers import DASH, shown
from engine.bench.setup import differences

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engine.bench.comparison import Difference
    from engine.bench.result import RunRecord, Window
    from engine.bench.sample import Sample

_SUMMARY = (
    "requests_per_s", "tokens_out_per_s", "tokens_in_per_s", "goodput_per_s", "good_share", "successful", "incomplete",
    "failed", "prefix_hit_rate", "cached_share", "preemptions", "most_running", "duration_s",
)  # fmt: skip
_ABOUT = (
    ("Model", "model"), ("Weights", "quantization"), ("Checkpoint", "checkpoint"), ("vLLM", "vllm_version"),
    ("KVDeck", "kvdeck_version"), ("Device", "device"), ("GPU", "gpus"), ("Driver", "driver_version"), ("CPU", "cpu"),
    ("Cores", "cores"), ("max_num_seqs", "max_num_seqs"), ("max_num_batched_tokens", "max_num_batched_tokens"),
    ("max_model_len", "max_model_len"), ("KV-cache blocks", "num_blocks"), ("Block size", "block_size"),
)  # fmt: skip
_STYLE = """
:root{--paper:#fbfbfc;--card:#fff;--ink:#1c2026;--soft:#5c6672;--line:#dfe3e8;--a:#2463c4;--b:#b3541e;--c:#2e7d4f;
--d:#7a4fb3}
@media (prefers-color-scheme:dark){:root{--paper:#14171b;--card:#1b1f25;--ink:#e6e9ee;--soft:#9aa5b1;--line:#323a44;
--a:#6ea8ff;--b:#ef9a5f;--c:#6cc594;--d:#bd9bf0}}
body{background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;max-width:1320px;margin:0 auto;
padding:28px}h1{font-size:24px;margin:0 0 4px}h2{font-size:17px;margin:32px 0 10px}p{margin:0 0 8px}
.soft,small{color:var(--soft)}
table{border-collapse:collapse;background:var(--card);border:1px solid var(--line)}th,td{padding:5px 12px;
text-align:right;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}th:first-child,td:first-child{
text-align:left}th{color:var(--soft);font-weight:600}abbr{text-decoration:underline dotted}
.wide{overflow-x:auto}.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,520px),1fr));gap:16px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:12px}
figcaption{font-weight:600;margin-bottom:6px}svg{width:100%;height:auto;display:block}
.key{font-weight:400;color:var(--soft);margin-inline-start:14px}.key::before{content:"";display:inline-block;
width:12px;height:3px;vertical-align:middle;margin-inline-end:6px;background:currentColor}
.key.a::before{background:var(--a)}.key.b::before{background:var(--b)}.key.c::before{background:var(--c)}
.key.d::before{background:var(--d)}
.grid{stroke:var(--line)}.tick{fill:var(--soft);font-size:11px}.end{text-anchor:end}.middle{text-anchor:middle}
.line{fill:none;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}.line.a{stroke:var(--a)}.line.b{stroke:var(--b)}.line.c{stroke:var(--c)}
.line.d{stroke:var(--d)}.bar{opacity:.75}.bar.a{fill:var(--a)}.bar.b{fill:var(--b)}.heat{fill:var(--a)}
.dot{fill:var(--a)}.dot.b{fill:var(--b)}.dot.c{fill:var(--c)}.name{fill:var(--ink);font-size:13px}
.mark{stroke:var(--ink);stroke-dasharray:4 3}.better{color:var(--c)}.worse{color:var(--b)}
"""


def run_report(record: RunRecord, samples: Sequence[Sample]) -> str:
    """One run as a page."""
    body = [f"<h1>{escape(record.title)}</h1>", f'<p class="soft">{_when(record)} · {record.state.value}</p>']
    body += [f"<p>{escape(line)}</p>" for line in (record.notes, record.error) if line]
    if record.result is not None:
        body += ["<h2>Figures</h2>", _summary(record), "<h2>Latencies</h2>", _latencies(record)]
        body += ["<h2>Over time</h2>", cards(_over_time(record))]
        body += ["<h2>Distributions</h2>", cards(_distributions([("", samples, "a")]) + _heat_maps(samples))]
    body += ["<h2>What was measured</h2>", _about(record)]
    return page(record.title, body)


def comparison_report(
    first: RunRecord, second: RunRecord, rows: Sequence[Difference], samples: tuple[Sequence[Sample], Sequence[Sample]]
) -> str:
    """Two runs as a page: the differences with their intervals, and overlaid pictures."""
    title = f"{first.title} against {second.title}"
    changed = differences(first.setup, second.setup)
    body = [f"<h1>{escape(title)}</h1>", f'<p class="soft">{_when(first)} · {_when(second)}</p>', "<h2>Figures</h2>"]
    words = zip(rows, difference_rows(rows), strict=True)
    cells = [(_hover(row.key), *cell[1:-1], _verdict(cell[-1])) for row, cell in words]
    body.append(table(("Figure", first.title, second.title, "Change", "95 % interval", ""), cells, escaped={0, 5}))
    if changed:
        body += ["<h2>What differs in the settings</h2>", table(("Setting", first.title, second.title), changed)]
    sides = [(first.title, samples[0], "a"), (second.title, samples[1], "b")]
    body += ["<h2>Distributions</h2>", cards(_distributions(sides))]
    lines = [_rate_chart("Output tokens/s", "tokens/s", "tokens_out", [(first, "a"), (second, "b")])]
    body += ["<h2>Over time</h2>", cards(lines)]
    return page(title, body)


def _summary(record: RunRecord) -> str:
    assert record.result is not None
    figures = record.result.figures
    rows = [(_hover(key), shown(value_of(figures, key), BY_KEY[key].unit)) for key in _SUMMARY]
    failed = "".join(f"<p>{count} × {escape(reason)}</p>" for reason, count in figures.failures.items())
    return table(("Figure", "Value"), rows, escaped={0}) + failed


def _latencies(record: RunRecord) -> str:
    labels = {figure.label.removesuffix(" mean"): key for key, figure in BY_KEY.items() if key.endswith(".mean")}
    rows = [(_hover(labels[row[0]], row[0]), *row[1:]) for row in latency_rows(record)]
    told = record.result.figures.phases_from if record.result is not None else None
    note = "<p><small>Queue, prefill and decode are from vLLM's histograms: percentiles are interpolated.</small></p>"
    return table(("", "mean", "p50", "p90", "p95", "p99"), rows, escaped={0}) + (note if told == "histograms" else "")


def _over_time(record: RunRecord) -> list[str]:
    assert record.result is not None
    windows = record.result.windows
    marks = [svg.Mark(note.at_s, note.text) for note in record.annotations]
    running = svg.Series("Requests under way", [(_middle(window), float(window.running)) for window in windows], "c")
    charts = [_rate_chart("Output tokens/s", "tokens/s", "tokens_out", [(record, "a")], marks)]
    charts.append(svg.line_chart("Requests under way", "count", [running], marks))
    for name, label in (("ttft", "TTFT"), ("itl", "ITL"), ("e2e", "E2E")):
        lines = [
            svg.Series(part, [(_middle(window), getattr(window, f"{name}_{part}_s")) for window in windows], style)
            for part, style in (("p50", "a"), ("p95", "b"))
        ]
        if any(y is not None for line in lines for _, y in line.points):
            charts.append(svg.line_chart(label, "s", lines, marks))
    return charts


def _rate_chart(
    title: str, unit: str, name: str, records: Sequence[tuple[RunRecord, str]], marks: Sequence[svg.Mark] = ()
) -> str:
    lines = []
    for record, style in records:
        windows = () if record.result is None else record.result.windows
        points = [(_middle(window), getattr(window, name) / window.seconds) for window in windows]
        lines.append(svg.Series(record.title if len(records) > 1 else title, points, style))
    return svg.line_chart(title, unit, lines, marks)


def _distributions(sides: Sequence[tuple[str, Sequence[Sample], str]]) -> list[str]:
    charts = []
    for key, label in (("ttft", "TTFT"), ("tpot", "TPOT"), ("itl", "ITL"), ("e2e", "E2E")):
        values = [values_of(samples, key)[1] for _, samples, _ in sides]
        together = np.concatenate(values)
        if not together.size:
            continue
        most = float(np.percentile(together, 99.5))  # a single straggler would press all else into one bar
        edges = edges_for(together[together <= most], 48, log=False)
        shown_sides = [
            (title, Histogram(np.histogram(np.minimum(each, edges[-1]), edges)[0].astype(np.int64), edges), style)
            for (title, _, style), each in zip(sides, values, strict=True)
        ]
        charts.append(svg.histogram_chart(f"{label} (last bar: this and more)", "s", shown_sides))
    return charts


def _heat_maps(samples: Sequence[Sample]) -> list[str]:
    charts = []
    for key, label in (("ttft", "TTFT over time"), ("itl", "ITL over time")):
        times, values = values_of(samples, key)
        if values.size:
            charts.append(svg.heat_chart(label, "s", heat_map(times, values, columns=80, rows=30)))
    return charts


def _about(record: RunRecord) -> str:
    rows = []
    for label, name in _ABOUT:
        value = getattr(record.setup, name)
        text = ", ".join(value) if isinstance(value, tuple) else value
        rows.append((label, DASH if text in (None, "") else str(text)))
    rows += [(name, str(value)) for name, value in sorted(record.setup.parameters.items()) if value is not None]
    return table(("", ""), rows)


def _middle(window: Window) -> float:
    return window.start_s + window.seconds / 2


def _when(record: RunRecord) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(record.created_unix_s))


def _hover(key: str, label: str | None = None) -> str:
    figure = BY_KEY[key]
    return f'<abbr title="{escape(figure.definition, quote=True)}">{escape(label or figure.label)}</abbr>'


def _verdict(text: str) -> str:
    return f'<span class="{text}">{text}</span>' if text in ("better", "worse") else escape(text)


def cards(charts: Sequence[str]) -> str:
    """Charts beside each other, as many as there is room for."""
    return f'<div class="cards">{"".join(charts)}</div>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], escaped: Collection[int] = ()) -> str:
    """A table as HTML; `escaped` are columns whose cells are HTML already."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = [
        "<tr>" + "".join(f"<td>{cell if at in escaped else escape(cell)}</td>" for at, cell in enumerate(row)) + "</tr>"
        for row in rows
    ]
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def page(title: str, body: Sequence[str]) -> str:
    """A whole document of these pieces of HTML, which asks no other host for anything."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"style-src 'unsafe-inline'\"><title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )
