"""The handful of figures over a run's charts: live from the newest windows, at the end from its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.widgets import figures
from app.widgets.block_map_figures import Figure
from app.widgets.lab_words import definition_text, figure_name, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.bridge.lab_state import LabRun
    from app.theme.tokens import Theme
    from engine.bench.result import Figures, Window

tr = QCoreApplication.translate

_NEWEST = 5  # windows that a live figure is taken over


def run_figures(run: LabRun, theme: Theme) -> tuple[Figure, ...]:
    """What stands over the charts."""
    if run.result is not None:
        return _of_result(run.result.figures, theme)
    return _live(run, theme)


def _of_result(found: Figures, theme: Theme) -> tuple[Figure, ...]:
    spreads = [
        _figure(name, value_text(None if spread is None else getattr(spread, part), "s"), f"{figure_name(name)} {part}")
        for name, part, spread in (
            ("ttft", "p50", found.ttft), ("ttft", "p95", found.ttft), ("tpot", "p50", found.tpot),
            ("itl", "p95", found.itl),
        )
    ]  # fmt: skip
    goodput = [_figure("goodput_per_s", value_text(found.goodput_per_s, "1/s"))] if found.good is not None else []
    return (
        _figure("tokens_out_per_s", value_text(found.tokens_out_per_s, "tokens/s")),
        _figure("requests_per_s", value_text(found.requests_per_s, "1/s")),
        *goodput, *spreads, *_ended(found.successful, found.incomplete, found.failed, theme),
    )  # fmt: skip


def _live(run: LabRun, theme: Theme) -> tuple[Figure, ...]:
    newest = run.windows[-_NEWEST:]
    seconds = sum(window.seconds for window in newest)
    progress = run.progress
    tokens = sum(window.tokens_out for window in newest) / seconds if seconds else None
    requests = sum(window.successful for window in newest) / seconds if seconds else None
    ended = (progress.successful, progress.incomplete, progress.failed) if progress is not None else (0, 0, 0)
    return (
        _figure("tokens_out_per_s", value_text(tokens, "tokens/s")),
        _figure("requests_per_s", value_text(requests, "1/s")),
        Figure(tr("LabRun", "under way"), figures.count(progress.running) if progress else figures.UNKNOWN, "8,888",
               tr("LabRun", "Requests that were sent and have not ended.")),
        _figure("ttft", value_text(_last(newest, "ttft_p50_s"), "s"), "TTFT p50"),
        _figure("ttft", value_text(_last(newest, "ttft_p95_s"), "s"), "TTFT p95"),
        _figure("itl", value_text(_last(newest, "itl_p50_s"), "s"), "ITL p50"),
        *_ended(*ended, theme),
    )  # fmt: skip


def _ended(successful: int, incomplete: int, failed: int, theme: Theme) -> tuple[Figure, ...]:
    return (
        Figure(tr("LabRun", "successful"), figures.count(successful), "8,888", definition_text("successful"),
               begins_group=True),
        Figure(tr("LabRun", "incomplete"), figures.count(incomplete), "888", definition_text("incomplete")),
        Figure(tr("LabRun", "failed"), figures.count(failed), "888", definition_text("failed"),
               tint=theme.error if failed else None),
    )  # fmt: skip


def _figure(name: str, text: str, title: str = "") -> Figure:
    return Figure(title or figure_name(name), text, "88,888 tok/s" if "tokens" in name else "888 ms",
                  definition_text(name))  # fmt: skip


def _last(windows: Sequence[Window], key: str) -> float | None:
    return next((value for window in reversed(windows) if (value := getattr(window, key)) is not None), None)
