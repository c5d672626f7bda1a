"""The fit estimate as a bar: weights, KV cache, what else the engine needs, what others hold; and what it comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.elided_label import ElidedLabel
from app.widgets.figures import count, gib, percent, significant
from app.widgets.labels import role_label, show_role
from app.widgets.memory_bar import StackedBar
from app.widgets.memory_bar_parts import MemoryPart, part_colour

if TYPE_CHECKING:
    from app.bridge.fit_estimate import FitView
    from app.theme.tokens import Theme
    from engine.checkpoints.fit import MemoryFit
    from engine.checkpoints.fit_record import FitRecord


class FitCard(QWidget):
    """Three lines: what fits, the bar, and the last prediction beside what the engine reported."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._view: FitView | None = None
        self.headline = role_label("", "", wrap=True)
        self.bar = StackedBar(theme)
        self.bar.setAccessibleName(self.tr("Fit estimate"))
        self.record = ElidedLabel("caption")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 6, 16, 6)
        column.setSpacing(5)
        column.addWidget(self.headline)
        column.addWidget(self.bar)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.record, 1)
        column.addLayout(row)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.bar.use_theme(theme)
        if self._view is not None:
            self._show_bar(self._view.fit)

    def show_fit(self, view: FitView | None, record: FitRecord | None) -> None:
        """Draw an estimate; hidden where there is none."""
        self.setVisible(view is not None)
        self._view = view
        if view is None:
            return
        headline = fit_headline(view)
        if headline != self.headline.text():
            self.headline.setText(headline)
        self.headline.setToolTip(fit_explained(view))
        show_role(self.headline, "error" if view.fit.fits is False else "")
        self._show_bar(view.fit)
        self.record.show_text(record_said(record))
        self.record.setVisible(record is not None)

    def _show_bar(self, fit: MemoryFit) -> None:
        tr = QCoreApplication.translate
        named = (
            ("others", tr("FitCard", "others"), fit.others_bytes),
            ("weights", tr("FitCard", "weights"), fit.weights_bytes),
            ("rest", tr("FitCard", "activations, graphs, runtime"), fit.overhead_bytes),
            ("kv_cache", tr("FitCard", "KV cache"), fit.cache.cache_bytes),
        )
        parts = tuple(MemoryPart(key, name, "", part_colour(key, self._theme), size) for key, name, size in named)
        tips = {part.key: f"{part.name}: {gib(part.size_bytes)}" for part in parts}
        free = fit.total_bytes - sum(size for _, _, size in named)
        tips["free"] = tr("FitCard", "free: {size}").format(size=gib(max(0, free)))
        self.bar.show_parts(parts, fit.total_bytes, tips)


def fit_headline(view: FitView) -> str:
    """One sentence: how many tokens and full-length requests fit, or what would be needed."""
    tr = QCoreApplication.translate
    fit, cache = view.fit, view.fit.cache
    if fit.weights_bytes + fit.overhead_bytes > fit.budget_bytes:
        return tr("FitCard", "Does not fit: {weights} of weights and {rest} beside them, {budget} may be used.").format(
            weights=gib(fit.weights_bytes), rest=gib(fit.overhead_bytes), budget=gib(fit.budget_bytes)
        )
    if cache.tokens is None or cache.full_requests is None:
        return tr("FitCard", "{size} for the KV cache; its cost a token is not known.").format(
            size=gib(cache.cache_bytes)
        )
    if cache.full_requests < 1:
        return tr("FitCard", "Too short: {tokens} tokens fit, one request may have {length}.").format(
            tokens=count(cache.longest), length=count(cache.max_model_len)
        ) + _remedy(view)
    fits = tr("FitCard", "Fits {tokens} tokens: {requests} × {length}").format(
        tokens=count(cache.tokens),
        requests=count(int(cache.full_requests)) if cache.full_requests >= 10 else significant(cache.full_requests, 2),
        length=count(cache.max_model_len),
    )
    if view.other_dtype == "auto" and view.other_cache is not None and view.other_cache.tokens is not None:
        fits += " " + tr("FitCard", "(without FP8 {tokens})").format(tokens=count(view.other_cache.tokens))
    return fits


def fit_explained(view: FitView) -> str:
    """The numbers behind the headline, for hovering."""
    tr = QCoreApplication.translate
    fit, cache = view.fit, view.fit.cache
    lines = [
        tr("FitCard", "Weights {size}, counted from the files' headers.").format(size=gib(fit.weights_bytes)),
        tr("FitCard", "KV cache {size} = {tokens} tokens of {each} bytes.").format(
            size=gib(cache.cache_bytes), tokens=count(cache.tokens), each=count(cache.bytes_per_token)
        ),
        tr("FitCard", "Activations, graphs and the runtime about {size} (the load measures them).").format(
            size=gib(fit.overhead_bytes)
        ),
        tr("FitCard", "Others hold {size} of {total}.").format(
            size=gib(fit.others_bytes), total=gib(fit.total_bytes)
        ),
    ]
    if view.other_dtype == "fp8" and view.other_cache is not None and view.other_cache.tokens is not None:
        lines.append(
            tr("FitCard", "With kv_cache_dtype fp8 the same memory would hold {tokens} tokens.").format(
                tokens=count(view.other_cache.tokens)
            )
        )
    if view.waiting_bytes:
        lines.append(tr("FitCard", "Models that wait hold {size} of it.").format(size=gib(view.waiting_bytes)))
    if view.gives_back_bytes:
        lines.append(
            tr("FitCard", "The running engine's {size} are counted as free: it ends before the load.").format(
                size=gib(view.gives_back_bytes)
            )
        )
    if fit.needed_utilization is not None:
        lines.append(
            tr("FitCard", "One request of full length needs gpu_memory_utilization {share}.").format(
                share=significant(fit.needed_utilization, 2)
            )
        )
    return "\n".join(lines)


def record_said(record: FitRecord | None) -> str:
    """The last load's prediction beside what the engine reported."""
    if record is None:
        return ""
    tr = QCoreApplication.translate
    error = record.tokens_error
    if error is None:
        return tr("FitCard", "Last load: {reported} tokens").format(reported=count(record.reported_tokens))
    return tr("FitCard", "Last load: {predicted} predicted, {reported} reported ({error} off)").format(
        predicted=count(record.predicted_tokens), reported=count(record.reported_tokens), error=percent(abs(error))
    )


def _remedy(view: FitView) -> str:
    tr = QCoreApplication.translate
    needed = view.fit.needed_utilization
    if needed is not None:
        return " " + tr("FitCard", "gpu_memory_utilization {share} would do.").format(share=significant(needed, 2))
    if view.device == "cpu":
        return " " + tr("FitCard", "Lower max_model_len, or give the KV cache more room.")
    return " " + tr("FitCard", "Lower max_model_len.")
