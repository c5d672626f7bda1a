"""The lower part of the KV cache panel: requests, block table, prefixes, waste, events, block times, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from app.bridge.store import Look, Selection
from app.widgets.block_table_view import BlockTableView
from app.widgets.block_times_view import BlockTimesView
from app.widgets.event_list import EventList
from app.widgets.prefix_view import PrefixView
from app.widgets.waste_view import WasteView
from engine.metrics.stalls import StallWatch
from engine.metrics.waste_average import WasteMeter

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings

    from app.bridge.adapter_state import AdaptersState
    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from app.theme.tokens import Theme
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import BlockOwners

_TAB_KEY = "cache/details"


class CacheDetails(QWidget):
    """Tabs beside each other. `pointed` carries an array of physical blocks to light alone (None: as before)."""

    pointed = Signal(object)

    def __init__(
        self, requests: QWidget, store: Store, commands: Commands, theme: Theme, settings: QSettings,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._store, self._settings = store, settings
        self._shown: tuple[CacheSnapshot, BlockOwners] | None = None
        self.table = BlockTableView()
        self.prefixes = PrefixView(store, commands)
        self.waste = WasteView(theme)
        self.events = EventList()
        self.times = BlockTimesView(store, commands, theme)
        self._stalls = StallWatch()
        self._waste_meter = WasteMeter()
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setAccessibleName(self.tr("Details of the KV cache"))
        self.pages = QStackedWidget()
        for name, page in (
            (self.tr("Requests"), requests), (self.tr("Block table"), self.table), (self.tr("Prefixes"), self.prefixes),
            (self.tr("Waste"), self.waste), (self.tr("Events"), self.events), (self.tr("Times"), self.times),
        ):  # fmt: skip
            self.tabs.addTab(name)
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.tabs)
        column.addWidget(self.pages)
        self.tabs.currentChanged.connect(self._show_page)
        self.table.pointed.connect(self._point)
        self.table.walked.connect(lambda request_id, block: store.publish(Selection(request_id, block)))
        self.events.chosen.connect(lambda *chosen: store.publish(Selection(*chosen)))
        self.events.look_asked.connect(lambda: store.publish(Look("timeline")))
        store.selection_changed.connect(self._redraw)
        store.adapters_changed.connect(self._take_adapters)
        store.cache_changed.connect(self._take_events)
        self._take_events(store.cache)
        self.tabs.setCurrentIndex(_whole(settings.value(_TAB_KEY), self.tabs.count()))

    def show_snapshot(self, snapshot: CacheSnapshot, owners: BlockOwners) -> None:
        """Draw the page that is open."""
        self._shown = (snapshot, owners)
        self._redraw()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.waste.use_theme(theme)
        self.times.use_theme(theme)
        self._redraw()

    def _point(self, block: int | None) -> None:
        self.pointed.emit(None if block is None else np.array([block], np.int32))

    def _take_adapters(self, state: AdaptersState) -> None:
        self.table.adapters = state.engine.requests
        self._redraw()

    def _redraw(self) -> None:
        if self._shown is None:
            return
        snapshot, owners = self._shown
        page = self.pages.currentWidget()
        if page is self.table:
            wanted = self._store.selection.request_id
            request = next((row for row in snapshot.requests if row.request_id == wanted), None)
            self.table.show_request(request, owners, snapshot)
        elif page is self.waste:
            self.waste.show_snapshot(snapshot, self._max_model_len(), self._waste_meter.average)

    def _show_page(self, place: int) -> None:
        self.pointed.emit(None)
        self.pages.setCurrentIndex(place)
        self._settings.setValue(_TAB_KEY, place)
        self._redraw()

    def _take_events(self, snapshot: CacheSnapshot | None) -> None:
        # Collected even while nothing is drawn: a snapshot carries only the events and steps that are new.
        if snapshot is None:
            self.events.model.clear()
            self._stalls = StallWatch()
            self._waste_meter = WasteMeter()
            self._shown = None
            return
        self.events.model.add(snapshot.events)
        for stall in self._stalls.take(snapshot):
            self.events.model.add_stall(stall)
        self._waste_meter.take(snapshot, self._max_model_len())

    def _max_model_len(self) -> int | None:
        facts = self._store.lifecycle.facts
        return facts.max_model_len if facts is not None else None


def _whole(value: object, below: int) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and int(text) < below else 0
