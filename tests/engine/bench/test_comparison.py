"""Comparison, baselines, exports, reports."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from engine.bench import export, report
from engine.bench.comparison import Bootstrap, Side, compare
from engine.bench.figures import heat_map, histogram
from engine.bench.markdown import table_lines
from engine.bench.numbers import change, duration, shown, tick
from engine.bench.regression import (
    BaselineInvalid,
    Tolerance,
    load_baseline,
    parse_tolerance,
    regressions,
    save_baseline,
)
from engine.bench.result import Annotation, EngineSetup
from engine.bench.setup import differences
from engine.bench.svg import Mark, Series, heat_chart, histogram_chart, line_chart, nice_ticks
from tests.engine.bench.making import record, sample, samples, windows

if TYPE_CHECKING:
    from pathlib import Path

QUICK = Bootstrap(resamples=400)


def verdicts(first: Side, second: Side) -> dict[str, tuple[str, float | None, float | None]]:
    return {row.key: (row.verdict, row.low, row.high) for row in compare(first, second, bootstrap=QUICK)}


def test_a_real_difference_is_told() -> None:
    slow, fast = Side(samples(120, 0.4), windows(60, 50)), Side(samples(120, 0.2, seed=1), windows(60, 80, seed=1))
    found = verdicts(slow, fast)
    verdict, low, high = found["ttft.p50"]
    assert verdict == "better"
    assert low is not None
    assert high is not None
    assert low < -0.5 < high < 0
    assert found["tokens_out_per_s"][0] == "better"
    assert verdicts(fast, slow)["ttft.p95"][0] == "worse"


def test_no_difference_is_unclear() -> None:
    found = verdicts(Side(samples(100, 0.2), windows(60, 50)), Side(samples(100, 0.2, seed=5), windows(60, 50, seed=5)))
    assert [found[key][0] for key in ("ttft.mean", "itl.p50", "itl.mean", "tokens_out_per_s")] == ["unclear"] * 4


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    held = 0
    for seed in range(40):
        one, other = samples(60, 0.2, seed=seed), samples(60, 0.25, seed=1000 + seed)
        (row,) = compare(Side(one), Side(other), ["ttft.mean"], Bootstrap(resamples=300, seed=seed))
        assert row.low is not None
        assert row.high is not None
        held += row.low <= 0.25 <= row.high
    assert held >= 33


def test_too_few_requests_have_no_interval() -> None:
    (row,) = compare(Side([sample(0)]), Side([sample(1)]), ["ttft.mean"])
    assert (row.low, row.high, row.verdict) == (None, None, "")
    assert row.change == pytest.approx(0.0)
    (row,) = compare(Side([]), Side([]), ["ttft.mean"])
    assert row.first is None


def test_tolerances() -> None:
    found = parse_tolerance("10%,ttft.p95=25%,e2e.p50=0.5")
    assert (found.for_key("tpot.p50"), found.for_key("ttft.p95"), found.for_key("e2e.p50")) == (0.1, 0.25, 0.5)
    for wrong in ("x", "10%,nothing=5%", "-5%", "inf"):
        with pytest.raises(ValueError, match=r".+"):
            parse_tolerance(wrong)


def test_regressions_name_what_got_worse() -> None:
    base = record()
    assert base.result is not None
    figures = base.result.figures
    assert regressions(figures, figures, Tolerance(0.0)) == ()
    assert figures.ttft is not None
    slower = msgspec.structs.replace(
        figures, ttft=msgspec.structs.replace(figures.ttft, p95=figures.ttft.p95 * 1.2),
        requests_per_s=figures.requests_per_s * 1.5,
    )  # fmt: skip
    assert [row.key for row in regressions(figures, slower, Tolerance(0.1))] == ["ttft.p95"]
    assert regressions(figures, slower, Tolerance(0.1, {"ttft.p95": 0.3})) == ()
    failing = msgspec.structs.replace(figures, failed=1)
    assert [row.key for row in regressions(figures, failing, Tolerance(0.1))] == ["failed"]
    nothing = msgspec.structs.replace(figures, ttft=None)
    assert {row.key for row in regressions(figures, nothing, Tolerance(9.0))} == {"ttft.p50", "ttft.p95"}


def test_a_baseline_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    save_baseline(path, record())
    loaded = load_baseline(path)
    assert loaded == record(baseline=True)
    path.write_text("{}")
    with pytest.raises(BaselineInvalid):
        load_baseline(path)
    with pytest.raises(BaselineInvalid):
        load_baseline(tmp_path / "none")
    with pytest.raises(BaselineInvalid):
        save_baseline(path, record(result=None))


def test_csv_and_json_hold_everything() -> None:
    found = samples(4, 0.2)
    lines = list(csv.DictReader(io.StringIO(export.samples_csv(found))))
    assert len(lines) == 4
    assert float(lines[2]["ttft_s"]) == pytest.approx(found[2].ttft_s)
    assert [float(gap) for gap in lines[2]["itl_ms"].split()] == pytest.approx(found[2].gaps_s * 1e3, abs=1e-3)
    (line,) = csv.DictReader(io.StringIO(export.runs_csv([record(title='with "quotes", commas')])))
    assert line["title"] == 'with "quotes", commas'
    assert float(line["ttft.p95"]) > 0
    whole = json.loads(export.run_json(record(), found))
    assert whole["run"]["setup"]["quantization"] == "AWQ"
    assert len(whole["samples"]) == 4


def test_markdown_tables_are_whole() -> None:
    text = export.run_markdown(record(title="a | b", notes="note"))
    assert "# a \\| b" in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("| TTFT")}
    assert widths == {7}
    first, second = record(), record("two", setup=EngineSetup(quantization="FP8"))
    rows = compare(Side(samples(9, 0.2)), Side(samples(9, 0.3)), ["ttft.p50"])
    both = export.comparison_markdown(first, second, rows)
    assert "| quantization | AWQ | FP8 |" in both
    assert "TTFT p50" in both


def test_columns_of_numbers_stand_at_the_right() -> None:
    rows = [("BF16", "200 MiB", "7", "yes"), ("GPTQ", "failed: x", "—", ""), ("AWQ", "×0.50", "+3.2 %", "1 of 2")]
    lines = table_lines(("", "size", "change", "a|b"), [*rows, ("INT8", "150 MiB", "", "no")])
    assert lines[:2] == ["|  | size | change | a\\|b |", "|---|---:|---:|---|"]
    assert len(lines) == 6


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "data", "srcset")]


def test_the_report_stands_alone_and_escapes() -> None:
    run = record(title="<script>alert(1)</script>", annotations=(Annotation(3.0, 'x"y<z'),))
    found = samples(60, 0.2)
    page = report.run_report(run, found)
    reader = _Reader()
    reader.feed(page)
    assert reader.references == []
    assert "script" not in reader.tags
    assert "url(" not in page
    assert reader.tags.count("svg") >= 8
    assert "Time to first token" in page
    other = record("two")
    both = report.comparison_report(run, other, compare(Side(found), Side(found), ["ttft.p50"]), (found, found))
    reader = _Reader()
    reader.feed(both)
    assert "script" not in reader.tags
    assert reader.references == []
    assert report.run_report(record(result=None, error="no"), [])


def test_charts_are_well_formed() -> None:
    values = np.random.default_rng(0).lognormal(-2, 1, 200)
    charts = (
        line_chart("a <b>", "s", [Series("x & y", [(0.0, 1.0), (1.0, None), (2.0, 3.0)])], [Mark(1.0, "<>")]),
        line_chart("empty", "tokens/s", [Series("none", [])]),
        histogram_chart("h", "s", [("", histogram(values), "a")]),
        heat_chart("heat", "s", heat_map(np.linspace(0, 9, 200), values)),
        heat_chart("nothing", "s", heat_map(np.empty(0), np.empty(0))),
    )
    for chart in charts:
        tree = ET.fromstring(chart)
        assert "nan" not in chart
        assert tree.find("svg") is not None


def test_ticks_are_round_and_cover() -> None:
    assert nice_ticks(0.0, 8.0) == [0, 2, 4, 6, 8]
    for high in (0.003, 1.0, 7.3, 950.0, 1e6):
        ticks = nice_ticks(0.0, high)
        assert ticks[-1] >= high * 0.999
        assert 3 <= len(ticks) <= 9


def test_numbers_in_words() -> None:
    assert [duration(value) for value in (5e-6, 0.0123, 2.5, 75.0, 7380.0)] == [
        "5 µs", "12.3 ms", "2.50 s", "1 min 15 s", "2 h 03 min"
    ]  # fmt: skip
    assert shown(None, "s") == "—"
    assert shown(0.123, "share") == "12.3 %"
    assert shown(12345.6, "tokens/s") == "12,346 tokens/s"
    assert shown(3.456, "1/s") == "3.46/s"
    assert change(0.031) == "+3.1 %"
    assert [tick(value, "s") for value in (0, 0.05, 2.5, 600)] == ["0", "50 ms", "2.5 s", "10 min"]


def test_differences_of_setups() -> None:
    one = EngineSetup(quantization="AWQ", parameters={"max_num_seqs": 16, "seed": 0})
    other = EngineSetup(quantization="FP8", parameters={"max_num_seqs": 4, "seed": 0}, gpus=("A", "B"))
    assert differences(one, other) == (
        ("quantization", "AWQ", "FP8"), ("gpus", "—", "A, B"), ("max_num_seqs", "16", "4")
    )  # fmt: skip
    assert differences(one, one) == ()
