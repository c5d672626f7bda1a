"""Waste, measured: the cache as it is, beside one contiguous piece of max_model_len for each of the same requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.block_map_figures import Figure, FigureRow
from app.widgets.labels import role_label
from app.widgets.slot_bar import SlotBar, SlotPart
from engine.metrics.reservation import contiguous_use, holders, paged_use, pool_slots

if TYPE_CHECKING:
    from app.theme.tokens import Theme
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.reservation import ContiguousUse, PagedUse
    from engine.metrics.waste_average import WasteAverage


class WasteView(QScrollArea):
    """Two bars over the same slots, with their numbers in words."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(self.tr("Waste in the KV cache"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.paged_title = role_label(self.tr("Paged, as it is"), "panelTitle")
        self.paged_bar = SlotBar(self.tr("Slots of the paged cache"))
        self.paged_figures = FigureRow(theme)
        self.paged_text = role_label("", "muted", wrap=True)
        self.contiguous_title = role_label(self.tr("One piece of max_model_len a request"), "panelTitle")
        self.contiguous_bar = SlotBar(self.tr("Slots with contiguous reservation"))
        self.contiguous_figures = FigureRow(theme)
        self.contiguous_text = role_label("", "muted", wrap=True)
        self.average_text = role_label("", "", wrap=True)
        self._contiguous = (
            self.contiguous_title, self.contiguous_bar, self.contiguous_figures, self.contiguous_text
        )  # fmt: skip
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 2, 8, 4)
        column.setSpacing(4)
        for widget in (self.paged_title, self.paged_bar, self.paged_figures, self.paged_text):
            column.addWidget(widget)
        column.addSpacing(6)
        for widget in self._contiguous:
            column.addWidget(widget)
        column.addSpacing(6)
        column.addWidget(self.average_text)
        column.addStretch(1)
        body.setObjectName("scrollBody")  # shows the panel's surface through
        self.setWidget(body)

    def use_theme(self, theme: Theme) -> None:
        """Take another theme's colours; the next snapshot is drawn with them."""
        self._theme = theme
        self.paged_figures.use_theme(theme)
        self.contiguous_figures.use_theme(theme)

    def show_snapshot(
        self, snapshot: CacheSnapshot, max_model_len: int | None, average: WasteAverage | None = None
    ) -> None:
        """Measure this snapshot; `max_model_len` None: not known, and then there is no counterfactual. `average` is
        over what was seen so far.
        """
        paged = paged_use(snapshot)
        if paged is None:
            text = self.tr("Waste is not measured for models of several KV-cache groups: their blocks differ.")
            self.paged_text.setText(text)
        else:
            self._show_paged(paged, snapshot)
        self._show_average(average)
        known = paged is not None and max_model_len is not None
        for widget in self._contiguous:
            widget.setVisible(known)
        self.paged_bar.setVisible(paged is not None)
        self.paged_figures.setVisible(paged is not None)
        if known and max_model_len is not None:
            use = contiguous_use(holders(snapshot), pool_slots(snapshot), max_model_len)
            self._show_contiguous(use, max_model_len)

    def _show_average(self, average: WasteAverage | None) -> None:
        self.average_text.setVisible(average is not None)
        if average is None:
            return
        text = self.tr(
            "On average over {0} with requests: {1} empty with paging, {2} lost in one piece a request. Requests that "
            "held blocks: {3}, at most {4}; in one piece each, {5} of them would have run, and never more than {6}."
        )
        self.average_text.setText(text.format(
            figures.duration(average.seconds), _share(average.paged_share), _share(average.contiguous_share),
            figures.significant(average.requests, 2), figures.count(average.most_requests),
            figures.significant(average.contiguous_requests, 2), figures.count(average.contiguous_fits),
        ))  # fmt: skip

    def _show_paged(self, use: PagedUse, snapshot: CacheSnapshot) -> None:
        theme = self._theme
        parts = (
            SlotPart(self.tr("filled"), use.filled, theme.block_used),
            SlotPart(self.tr("empty"), use.wasted, theme.warning, lost=True),
            SlotPart(self.tr("cached"), use.cached, theme.block_cached),
            SlotPart(self.tr("free"), use.free, theme.block_free),
        )
        self.paged_bar.show_parts(parts)
        self.paged_figures.show_figures(_legend(parts))
        if not use.requests:
            self.paged_text.setText(self.tr("No request holds blocks now."))
            return
        text = self.tr(
            "{0} of the slots that requests hold are empty: {1} of {2}, all in last blocks of {3} slots. "
            "Requests held now: {4}; of their size, about {5} would fit."
        ).format(
            _share(use.waste_share), figures.count(use.wasted), figures.count(use.filled + use.wasted),
            figures.count(snapshot.block_size), figures.count(use.requests), figures.count(use.fits),
        )  # fmt: skip
        if use.saved:
            text += " " + self.tr("Sharing saves {0} slots more.").format(figures.count(use.saved))
        self.paged_text.setText(text)

    def _show_contiguous(self, use: ContiguousUse, length: int) -> None:
        theme = self._theme
        parts = (
            SlotPart(self.tr("filled"), use.filled, theme.block_used),
            SlotPart(self.tr("reserved"), use.reserved, theme.warning, lost=True),
            SlotPart(self.tr("internal"), use.internal, theme.error, lost=True),
            SlotPart(self.tr("external"), use.external, theme.memory_others, lost=True),
            SlotPart(self.tr("free"), use.free, theme.block_free),
        )
        self.contiguous_bar.show_parts(parts)
        self.contiguous_figures.show_figures(_legend(parts))
        if not use.fits:
            text = self.tr("The whole cache has {0} slots: not one piece of {1} fits.")
            self.contiguous_text.setText(text.format(figures.count(use.pool_slots), figures.count(length)))
            return
        text = self.tr(
            "{0} of the slots taken hold no token: {1} reserved for later tokens, {2} internal, {3} external. "
            "Pieces of {4} slots that fit: {5}; of the requests held now, {6} would run and {7} wait."
        )
        self.contiguous_text.setText(text.format(
            _share(use.waste_share), figures.count(use.reserved), figures.count(use.internal),
            figures.count(use.external), figures.count(length), figures.count(use.fits),
            figures.count(use.requests), figures.count(use.waiting),
        ))  # fmt: skip


def _legend(parts: tuple[SlotPart, ...]) -> list[Figure]:
    return [Figure(part.name, figures.count(part.slots), "88888", part.name, part.colour) for part in parts]


def _share(share: float | None) -> str:
    return figures.UNKNOWN if share is None else f"{figures.significant(share * 100, 2)}\u202f%"
