"""What `kvdeck bench` writes: a live line, tables, verdicts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from engine.bench import numbers
from engine.bench.definitions import BY_KEY, value_of
from engine.bench.export import latency_rows
from engine.bench.messages import Progress, Tick

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from engine.bench.messages import Message
    from engine.bench.regression import Regression
    from engine.bench.result import RunRecord, Window

_PLAIN_EVERY_S = 10.0
_SUMMARY = (
    "requests_per_s", "tokens_out_per_s", "tokens_in_per_s", "goodput_per_s", "good_share", "prefix_hit_rate",
    "preemptions", "duration_s",
)  # fmt: skip


class LiveLine:
    """One line that renews itself on a terminal, elsewhere one every ten seconds and at each phase; on stderr."""

    def __init__(self, out: TextIO | None = None, *, quiet: bool = False) -> None:
        self._out = sys.stderr if out is None else out
        self._quiet = quiet
        self._terminal = self._out.isatty()
        self._window: Window | None = None
        self._next_plain_s = 0.0
        self._phase = ""
        self._shown = False

    def say(self, text: str) -> None:
        """A sentence of its own, which stays."""
        if not self._quiet:
            self.clear()
            self._out.write(text + "\n")
            self._out.flush()

    def take(self, message: Message) -> None:
        """Show what a load process told."""
        if self._quiet:
            return
        if isinstance(message, Tick):
            self._window = message.window
        elif isinstance(message, Progress):
            text = progress_line(message, self._window)
            if self._terminal:
                self._out.write(f"\r\x1b[K{text}")
                self._out.flush()
                self._shown = True
            elif message.phase != self._phase or message.elapsed_s >= self._next_plain_s:
                self._phase, self._next_plain_s = message.phase, message.elapsed_s + _PLAIN_EVERY_S
                self._out.write(text + "\n")
                self._out.flush()

    def clear(self) -> None:
        """Take the live line away."""
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()
            self._shown = False


def progress_line(progress: Progress, window: Window | None) -> str:
    """How far it is, in one line."""
    ended = progress.successful + progress.incomplete + progress.failed
    parts = [progress.phase.replace("_", " "), f"{ended}/{progress.total}" if progress.total else f"{ended} done"]
    parts.append(f"{progress.running} running")
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if window is not None and progress.phase != "warming_up":
        parts.append(f"{window.tokens_out / window.seconds:,.0f} tokens/s")
        if window.itl_p50_s is not None:
            parts.append(f"ITL {numbers.duration(window.itl_p50_s)}")
    if progress.left_s is not None:
        parts.append(f"{numbers.duration(round(progress.left_s) or 1.0)} left")
    return " · ".join(parts)


def result_table(record: RunRecord) -> str:
    """A run's figures for a terminal."""
    assert record.result is not None
    figures = record.result.figures
    rows = [(BY_KEY[key].label, numbers.shown(value_of(figures, key), BY_KEY[key].unit)) for key in _SUMMARY]
    counts = f"{figures.successful} successful, {figures.incomplete} incomplete, {figures.failed} failed"
    blocks = [record.title, counts, "", *aligned(rows), ""]
    blocks += aligned([("", "mean", "p50", "p90", "p95", "p99"), *latency_rows(record)])
    blocks += [f"{count} × {reason}" for reason, count in figures.failures.items()]
    if figures.phases_from == "histograms":
        blocks.append("Queue, prefill and decode time: from vLLM's histograms, interpolated.")
    return "\n".join(blocks)


def regression_table(found: Sequence[Regression]) -> str:
    """Which figures are beyond their tolerance."""
    rows: list[tuple[str, ...]] = [("beyond tolerance", "baseline", "now", "change", "allowed")]
    for row in found:
        figure = BY_KEY[row.key]
        rows.append((figure.label, numbers.shown(row.baseline, figure.unit), numbers.shown(row.now, figure.unit),
                     numbers.change(row.change), f"{row.allowed * 100:g} %"))  # fmt: skip
    return "\n".join(aligned(rows))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns: the first to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    return ["  ".join(_padded(row, widths)) for row in rows]


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = enumerate(zip(row, widths, strict=True))
    return [cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in cells]
