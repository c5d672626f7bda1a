"""Runs and samples as CSV, JSON and Markdown. The HTML report is in engine.bench.report."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import msgspec

from engine.bench.definitions import BY_KEY, FIGURES, value_of
from engine.bench.figures import LATENCIES
from engine.bench.markdown import cell, table_lines
from engine.bench.numbers import DASH, change, shown
from engine.bench.result import RunRecord
from engine.bench.sample import Sample
from engine.bench.setup import differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.bench.comparison import Difference

_SAMPLE_COLUMNS = (
    "number", "request_id", "outcome", "reason", "client", "turn", "due_s", "sent_s", "first_token_s", "last_token_s",
    "ended_s", "prompt_tokens", "cached_tokens", "output_tokens", "wanted_tokens", "ttft_s", "tpot_s",
    "tpot_with_first_s", "e2e_s", "queue_s", "prefill_s", "decode_s",
)  # fmt: skip
_SUMMARY_KEYS = (
    "requests_per_s", "tokens_out_per_s", "tokens_in_per_s", "goodput_per_s", "good_share", "prefix_hit_rate",
    "preemptions", "successful", "incomplete", "failed", "duration_s",
)  # fmt: skip


class _Exported(msgspec.Struct):
    """What a JSON export holds."""

    format: str
    run: RunRecord
    samples: tuple[Sample, ...]


def samples_csv(samples: Sequence[Sample]) -> str:
    """One line a request; the gaps in milliseconds in the last column, separated by spaces."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow((*_SAMPLE_COLUMNS, "itl_ms"))
    for sample in samples:
        values = [getattr(sample, name) for name in _SAMPLE_COLUMNS]
        gaps = " ".join(f"{gap * 1e3:.3f}" for gap in sample.gaps_s.tolist())
        writer.writerow((*("" if value is None else value for value in values), gaps))
    return out.getvalue()


def runs_csv(records: Sequence[RunRecord]) -> str:
    """One line a run: what was measured, and every figure in its base unit (seconds, tokens, shares from 0 to 1)."""
    out = io.StringIO()
    writer = csv.writer(out)
    about = ("id", "title", "created_unix_s", "state", "origin", "group", "tags", "model", "quantization",
             "checkpoint", "vllm_version", "max_num_seqs", "max_num_batched_tokens", "workload")  # fmt: skip
    writer.writerow((*about, *(figure.key for figure in FIGURES)))
    for record in records:
        setup = record.setup
        head = (record.id, record.title, record.created_unix_s, record.state.value, record.origin, record.group,
                " ".join(record.tags), setup.model or "", setup.quantization or "", setup.checkpoint or "",
                setup.vllm_version or "", setup.max_num_seqs or "", setup.max_num_batched_tokens or "",
                msgspec.json.encode(record.workload).decode())  # fmt: skip
        figures = None if record.result is None else record.result.figures
        values = [None if figures is None else value_of(figures, figure.key) for figure in FIGURES]
        writer.writerow((*head, *("" if value is None else value for value in values)))
    return out.getvalue()


def run_json(record: RunRecord, samples: Sequence[Sample]) -> bytes:
    """Everything of one run; gaps are base64 of little-endian float32 seconds. Ends in a newline."""
    exported = _Exported("kvdeck-run-1", record, tuple(samples))
    return msgspec.json.format(msgspec.json.encode(exported), indent=1) + b"\n"


def run_markdown(record: RunRecord) -> str:
    """One run as a Markdown document: what was measured, the rates, the latencies."""
    setup = record.setup
    about = [("Model", setup.model), ("Weights", setup.quantization), ("vLLM", setup.vllm_version),
             ("KVDeck", setup.kvdeck_version), ("GPU", ", ".join(setup.gpus) or None), ("CPU", setup.cpu),
             ("max_num_seqs", setup.max_num_seqs), ("max_num_batched_tokens", setup.max_num_batched_tokens),
             ("State", record.state.value), ("Tags", ", ".join(record.tags) or None)]  # fmt: skip
    lines = [f"# {cell(record.title)}", "", *(f"- {name}: {cell(str(value))}" for name, value in about if value)]
    if record.notes:
        lines += ["", record.notes]
    if record.error:
        lines += ["", f"**{cell(record.error)}**"]
    if record.result is not None:
        figures = record.result.figures
        rows = [(BY_KEY[key].label, shown(value_of(figures, key), BY_KEY[key].unit)) for key in _SUMMARY_KEYS]
        lines += ["", *table_lines(("Figure", "Value"), rows)]
        lines += ["", *table_lines(("Latency", "mean", "p50", "p90", "p95", "p99"), latency_rows(record))]
    if record.annotations:
        lines += ["", *(f"- at {note.at_s:.1f} s: {cell(note.text)}" for note in record.annotations)]
    return "\n".join(lines) + "\n"


def latency_rows(record: RunRecord) -> list[tuple[str, ...]]:
    """A row for each latency that is known: its label and five numbers."""
    assert record.result is not None
    found = []
    for name in LATENCIES:
        spread = getattr(record.result.figures, name)
        if spread is not None:
            values = (spread.mean, spread.p50, spread.p90, spread.p95, spread.p99)
            label = BY_KEY[f"{name}.mean"].label.removesuffix(" mean")
            found.append((label, *(shown(value, "s") for value in values)))
    return found


def comparison_markdown(first: RunRecord, second: RunRecord, rows: Sequence[Difference]) -> str:
    """Two runs side by side, what differs in their setups first."""
    lines = [f"# {cell(first.title)} against {cell(second.title)}", ""]
    changed = differences(first.setup, second.setup)
    if changed:
        lines += [*table_lines(("Setting", "first", "second"), changed), ""]
    lines += table_lines(("Figure", "first", "second", "change", "95 % interval", ""), difference_rows(rows))
    return "\n".join(lines) + "\n"


def difference_rows(rows: Sequence[Difference]) -> list[tuple[str, ...]]:
    """Differences in words: label, both values, change, interval, verdict."""
    found: list[tuple[str, ...]] = []
    for row in rows:
        figure = BY_KEY[row.key]
        interval = DASH if row.low is None else f"{change(row.low)} to {change(row.high)}"
        found.append((figure.label, shown(row.first, figure.unit), shown(row.second, figure.unit), change(row.change),
                      interval, row.verdict))  # fmt: skip
    return found
