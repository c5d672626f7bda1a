"""What the timeline says in words: a lane, a step, and both kinds of batching compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

from app.widgets import figures
from engine.metrics.step_levels import Column
from engine.metrics.timeline import SpanKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.metrics.static_batching import BatchingComparison
    from engine.metrics.timeline import Lane


def kind_names() -> dict[SpanKind, str]:
    """The kinds of spans as a user reads them."""
    tr = QCoreApplication.translate
    return {
        SpanKind.QUEUED: tr("Timeline", "queued"),
        SpanKind.PREFILL: tr("Timeline", "prefill, a bar a chunk"),
        SpanKind.DECODE: tr("Timeline", "decode"),
        SpanKind.PREEMPTED: tr("Timeline", "preempted"),
        SpanKind.RECOMPUTE: tr("Timeline", "computed again"),
    }


def lane_text(lane: Lane, now_ns: int) -> str:
    """One request in a line."""
    tr = QCoreApplication.translate
    parts = [
        lane.request_id,
        tr("Timeline", "{0} prompt ({1} from the cache) + {2} output").format(
            figures.count(lane.num_prompt_tokens), figures.count(lane.num_cached_tokens),
            figures.count(lane.output_tokens),
        ),
    ]  # fmt: skip
    if lane.first_token_ns is not None:
        parts.append(tr("Timeline", "TTFT {0}").format(_span(lane.first_token_ns - lane.arrival_ns)))
    ended = lane.end_ns is not None
    text = tr("Timeline", "done after {0}") if ended else tr("Timeline", "for {0} so far")
    parts.append(text.format(_span((lane.end_ns or max(now_ns, lane.arrival_ns)) - lane.arrival_ns)))
    if lane.num_preemptions:
        parts.append(
            tr("Timeline", "preempted {0}×, {1} tokens computed again").format(
                figures.count(lane.num_preemptions), figures.count(lane.recomputed_tokens)
            )
        )
    return " · ".join(parts)


def lot_text(lot: NDArray[np.int64]) -> str:
    """One step, or a lot of them, in a line."""
    tr = QCoreApplication.translate
    value = {column: int(lot[column]) for column in Column}
    count = max(1, value[Column.COUNT])
    if count == 1:
        head = tr("Timeline", "step {0}").format(figures.count(value[Column.FIRST_STEP]))
        took = figures.duration(value[Column.BUSY_NS] / 1e9) if value[Column.BUSY_NS] else ""
    else:
        head = tr("Timeline", "steps {0}–{1}, mean").format(
            figures.count(value[Column.FIRST_STEP]), figures.count(value[Column.LAST_STEP])
        )
        took = tr("Timeline", "longest {0}").format(_span(value[Column.LONGEST_NS]))
    parts = [
        head,
        tr("Timeline", "{0} prefill + {1} decode of {2}").format(
            figures.count(value[Column.PREFILL_TOKENS] / count), figures.count(value[Column.DECODE_TOKENS] / count),
            figures.count(value[Column.MAX_NUM_BATCHED_TOKENS]),
        ),
        tr("Timeline", "{0} running of {1}, {2} waiting").format(
            figures.count(value[Column.RUNNING]), figures.count(value[Column.MAX_NUM_SEQS]),
            figures.count(value[Column.WAITING]),
        ),
    ]  # fmt: skip
    if took:
        parts.append(took)
    if value[Column.PREEMPTIONS]:
        parts.append(tr("Timeline", "preempted: {0}").format(figures.count(value[Column.PREEMPTIONS])))
    return " · ".join(parts)


def comparison_text(found: BatchingComparison) -> str:
    """What continuous batching saved, in one sentence."""
    tr = QCoreApplication.translate
    return tr(
        "Timeline",
        "{requests} requests took {busy} of engine time; static batches of {size} would take {static} ({saved}). "
        "Mean latency {latency}, static {static_latency}.",
    ).format(
        requests=figures.count(found.requests),
        busy=figures.duration(found.busy_s),
        size=figures.count(found.batch_size),
        static=figures.duration(found.static_busy_s),
        saved=_change(found.saved_s / found.busy_s if found.busy_s else 0.0),
        latency=figures.duration(found.latency_s),
        static_latency=figures.duration(found.static_latency_s),
    )


def comparison_method(found: BatchingComparison) -> str:
    """How the comparison was computed."""
    cost = found.cost
    return QCoreApplication.translate(
        "Timeline",
        "The same requests, arriving when they did, on this engine's own step times: {step} a step, {prefill} a "
        "prefill token, {decode} a decode token (least squares over the steps that ran). A static batch takes whoever "
        "waits, up to {size}, and nobody else until its last request is done. Nothing is padded.",
    ).format(
        step=figures.duration(cost.step_s), prefill=_tiny(cost.prefill_s), decode=_tiny(cost.decode_s),
        size=figures.count(found.batch_size),
    )  # fmt: skip


def _span(nanoseconds: int) -> str:
    return figures.duration(nanoseconds / 1e9)


def _change(share: float) -> str:
    return f"{'+' if share >= 0 else '−'}{QLocale().toString(abs(share) * 100, 'f', 0)}\u202f%"


def _tiny(seconds: float) -> str:
    return f"{figures.significant(seconds * 1e6)}\u202fµs"
