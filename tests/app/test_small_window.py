"""The window on small screens and with large text: what has no room beside the map is behind tabs, and none is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QTabBar, QVBoxLayout, QWidget

from app.bridge.store import Address
from app.main_window import MainWindow
from app.panels.registry import PANELS
from app.preferences import TEXT_SIZE, Preferences
from app.widgets.block_map_figures import Figure, FigureRow
from app.widgets.header_bar import HeaderBar
from app.widgets.lab_form import LoadForm
from app.widgets.labels import ShrinkingLabel
from app.widgets.last_resort_scroll import LastResortScroll
from app.widgets.log_book import LogBook
from app.widgets.panel_slot import PanelDock
from app.widgets.status_line import StatusLine
from app.widgets.timeline_toolbar import TimelineToolbar
from engine.domain.gpu import HardwareSample
from engine.domain.lifecycle import Lifecycle, Phase
from tests.app.showing import shown
from tests.app.test_shell_room import _GPU, _HOST, _busy, _load, _settle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtCore import QSettings
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.panels.panel import PanelContext
    from app.theme.themes import Themes

_SMALL = [(911, 461, 1.0), (960, 540, 1.0), (960, 1000, 1.0), (1280, 500, 1.0), (900, 500, 1.3), (900, 500, 1.75)]


@pytest.fixture
def window(
    store: Store, context: PanelContext, settings: QSettings, preferences: Preferences, qtbot: QtBot
) -> Iterator[MainWindow]:
    """The whole window, at first with room for all of it."""
    result = MainWindow(store, context.themes, settings, LogBook(store), PANELS)
    result.use(context.commands)
    yield from shown(result, context, qtbot)


def _docks(window: MainWindow) -> dict[str, PanelDock]:
    return {key: slot for key, slot in window.slots.items() if isinstance(slot, PanelDock)}


def _in_front(window: MainWindow) -> set[str]:
    """The panels that can be seen."""
    return {key for key, slot in window.slots.items() if not slot.visibleRegion().isEmpty()}


def _area(outer: QWidget, part: QWidget) -> QRect:
    return QRect(part.mapTo(outer, QPoint(0, 0)), part.size())


def test_a_small_window_shows_all_of_itself(
    window: MainWindow, store: Store, preferences: Preferences, tmp_path: Path
) -> None:
    store.publish(Address("http://127.0.0.1:8000", "key"))
    store.publish(HardwareSample(_HOST, (_GPU,)))
    _busy(store, tmp_path)
    for width, height, text_size in _SMALL:
        preferences.set(TEXT_SIZE, text_size)
        window.resize(width, height)
        _settle()
        assert (window.width(), window.height()) == (width, height), "it can be made as small"
        _check_that_nothing_overlaps(window)


def _check_that_nothing_overlaps(window: MainWindow) -> None:
    seen = [window.header, window.pages, window.status]
    seen += [dock for key, dock in _docks(window).items() if key in _in_front(window)]
    areas = [_area(window, widget) for widget in seen]
    for place, area in enumerate(areas):
        assert window.rect().contains(area), seen[place].objectName()
        for other in areas[:place]:
            assert not area.intersects(other)
    assert window.pages.width() >= window.width() * 0.4, "the middle has most of the room"
    cache = window.slots["cache"].panel
    assert cache is not None
    assert cache.height() <= window.slots["cache"].height(), "and need not be scrolled"
    for row in (row for row in cache.findChildren(FigureRow) if row.isVisible()):
        assert row.cut_off() == [], window.size()


def test_every_panel_of_a_small_window_can_be_brought_to_the_front(window: MainWindow) -> None:
    window.resize(911, 500)
    _settle()
    for key, dock in _docks(window).items():
        window.show_panel(key)
        _settle()
        assert key in _in_front(window)
        assert window.rect().contains(_area(window, dock))
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    tabs = [bar for bar in bars if bar.isVisible()]
    assert sum(bar.count() for bar in tabs) == len(_docks(window))
    assert {bar.elideMode() for bar in tabs} == {Qt.TextElideMode.ElideNone}, "a name of one letter is none"
    assert all(bar.accessibleName() for bar in tabs)


class _OtherScreen:
    """What the window asks a screen for; Qt's offscreen platform has one alone."""

    def name(self) -> str:
        return "another"

    def size(self) -> QSize:
        return QSize(1920, 1200)


def test_another_screen_while_the_lab_is_in_front_costs_no_docks(window: MainWindow) -> None:
    window.resize(1440, 900)
    _settle()
    here, before = window.screen(), _in_front(window)
    window.show_panel("lab")
    _settle()
    assert window.slots["gpu"].isHidden(), "the lab has its room"
    window._screen_changed(_OtherScreen())  # type: ignore[arg-type]
    _settle()
    assert window.slots["gpu"].isHidden()
    window.show_panel("cache")
    _settle()
    window._screen_changed(here)
    _settle()
    assert _in_front(window) == before


def test_the_places_of_a_large_window_come_back_with_its_size(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1440, 900)
    _settle()
    window.slots["explain"].hide()
    qtbot.waitUntil(lambda: window.places.is_settled)
    before = {key: dock.geometry() for key, dock in _docks(window).items() if key in _in_front(window)}
    assert {"models", "parameters", "gpu", "chat"} <= set(before)
    window.resize(911, 500)
    _settle()
    assert window.dockWidgetArea(_docks(window)["gpu"]) is Qt.DockWidgetArea.LeftDockWidgetArea
    window.slots["models"].hide()
    qtbot.waitUntil(lambda: window.places.is_settled)
    window.resize(1440, 900)
    _settle()
    after = {key: dock.geometry() for key, dock in _docks(window).items() if key in _in_front(window)}
    assert after == before
    assert window.slots["explain"].isHidden()
    window.resize(911, 500)
    _settle()
    assert window.slots["models"].isHidden(), "each size remembers its own"


def test_the_lab_stays_in_front_when_the_window_becomes_small(window: MainWindow) -> None:
    window.resize(1440, 900)
    _settle()
    window.show_panel("lab")
    _settle()
    window.resize(911, 500)
    _settle()
    assert _in_front(window) == {"lab"}
    assert window.slots["lab"].width() == window.width()
    window.show_panel("cache")
    _settle()
    assert {"cache", "models"} <= _in_front(window)


@pytest.mark.parametrize("page", ["cache", "lab"])
def test_whoever_writes_in_a_panel_goes_on_when_the_window_changes_its_size(window: MainWindow, page: str) -> None:
    """What the keyboard goes to otherwise is a button of the header, which the next space presses."""
    for key in ("parameters", "gpu", "chat"):
        for before, after in (((1440, 900), (911, 500)), ((911, 500), (1440, 900))):
            window.resize(*before)
            _settle()
            window.show_panel(page)
            window.show_panel(key)
            _settle()
            writing = QApplication.focusWidget()
            assert writing is not None
            assert window.slots[key].isAncestorOf(writing)
            window.resize(*after)
            _settle()
            assert QApplication.focusWidget() is writing, (key, after)
            assert key in _in_front(window)


def test_a_panel_that_is_hidden_at_a_size_gives_the_keyboard_to_the_window(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(911, 500)
    _settle()
    window.slots["chat"].hide()
    qtbot.waitUntil(lambda: window.places.is_settled)
    window.resize(1440, 900)
    _settle()
    window.show_panel("chat")
    window.resize(911, 500)
    _settle()
    assert window.slots["chat"].isHidden()
    assert QApplication.focusWidget() is window


def test_a_small_window_begins_as_it_was_left(
    store: Store, themes: Themes, settings: QSettings, qtbot: QtBot
) -> None:
    def begin() -> MainWindow:
        window = MainWindow(store, themes, settings, LogBook(store), PANELS)
        qtbot.addWidget(window)
        window.show()
        _settle()
        return window

    window = begin()
    window.resize(820, 500)
    _settle()
    window.slots["timeline"].hide()
    window.allow_close()
    window.close()
    again = begin()
    assert (again.width(), again.height()) == (820, 500)
    assert again.slots["timeline"].isHidden()
    assert again.dockWidgetArea(_docks(again)["chat"]) is Qt.DockWidgetArea.LeftDockWidgetArea


def test_the_status_line_leaves_out_its_last_numbers(store: Store, themes: Themes, qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    line = StatusLine(store, holder)
    holder.show()
    line.resize(1440, 40)
    _settle()
    assert line.left_out == ()
    line.resize(500, 40)
    _settle()
    assert line.left_out
    assert line.left_out[-1] is line.ttft
    assert line.running not in line.left_out
    assert line.log_button.geometry().right() < line.width()
    shown = [number for number in (line.running, line.waiting, line.usage) if number not in line.left_out]
    assert all(number.width() >= number.sizeHint().width() for number in shown)


def test_the_header_leaves_the_address_out_before_it_cuts_names(store: Store, themes: Themes, qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    header = HeaderBar(store, themes, holder)
    holder.show()
    store.publish(Address("http://127.0.0.1:8000", "key"))
    header.resize(1280, 48)
    _load(store)
    _settle()
    assert not header._address.isHidden()
    header.resize(560, 48)
    long = "Meta-Llama-3.1-405B-Instruct-quantized-w4a16-g128"
    store.publish(Lifecycle(Phase.LOADING, checkpoint=f"/m/{long}", stages=store.lifecycle.stages))
    _settle()
    assert header._address.isHidden()
    assert "127.0.0.1:8000" in header._copy.toolTip()
    assert long in header.switcher.toolTip()
    for part in (header.light, header.load_button, header.unload_button, header._copy):
        assert header.rect().contains(QRect(part.mapTo(header, QPoint(0, 0)), part.size())), part
    assert header.load_button.width() >= header.load_button.sizeHint().width()
    header.resize(1280, 48)
    _settle()
    assert not header._address.isHidden()


def test_words_that_are_cut_keep_their_text(qtbot: QtBot) -> None:
    label = ShrinkingLabel()
    qtbot.addWidget(label)
    label.setText("loading: compiling")
    assert label.minimumSizeHint().width() < label.sizeHint().width()
    label.resize(label.minimumSizeHint())
    label.show()
    assert label.text() == "loading: compiling"
    assert label.is_cut
    short = ShrinkingLabel()
    qtbot.addWidget(short)
    short.setText("no")
    assert short.minimumSizeHint().width() == short.sizeHint().width()


def test_what_has_less_room_than_it_needs_scrolls_and_nothing_else_does(qtbot: QtBot) -> None:
    content = QWidget()
    column = QVBoxLayout(content)
    words = QLabel("Words that wrap, and would like to have more height than they must have. " * 6)
    words.setWordWrap(True)
    field = QPlainTextEdit()
    field.setMinimumSize(120, 90)
    column.addWidget(words)
    column.addWidget(field)
    area = LastResortScroll(content)
    qtbot.addWidget(area)
    area.show()
    bars = area.verticalScrollBar(), area.horizontalScrollBar()
    area.resize(300, content.minimumSizeHint().height())
    assert [bar.maximum() for bar in bars] == [0, 0]
    assert content.size() == area.size()
    area.resize(300, content.minimumSizeHint().height() - 30)
    assert [bar.maximum() > 0 for bar in bars] == [True, False]
    field.setMinimumHeight(20)
    qtbot.waitUntil(lambda: bars[0].maximum() == 0)
    area.resize(100, 400)
    assert [bar.maximum() > 0 for bar in bars] == [False, True]


@pytest.mark.parametrize("text_size", [1.0, 1.5])
def test_the_numbers_of_the_lab_stand_in_a_column(
    themes: Themes, preferences: Preferences, qtbot: QtBot, text_size: float
) -> None:
    form = LoadForm()
    qtbot.addWidget(form)
    form.resize(360, 900)
    form.show()
    form.show_more(shown=True)
    preferences.set(TEXT_SIZE, text_size)
    for kind in ("ClosedLoop", "Ramp", "Bursts"):
        form.fields.arrival.choice.choose(kind)
        form.fields.prompt.choice.choose("Normal")
        _settle()
        numbers = [number for number in form.fields.trailing if number.isVisible()]
        assert len(numbers) > 10
        ends = {number.line.mapTo(form, QPoint(number.line.width(), 0)).x() for number in numbers}
        assert len(ends) == 1, kind


@pytest.mark.parametrize("width", [240, 300, 1200])
def test_the_timelines_colours_are_told_at_every_width(themes: Themes, qtbot: QtBot, width: int) -> None:
    holder = QWidget()
    column = QVBoxLayout(holder)
    toolbar = TimelineToolbar(themes.current)
    column.addWidget(toolbar)
    column.addWidget(QPlainTextEdit())
    qtbot.addWidget(holder)
    holder.resize(width, 400)
    holder.show()
    _settle()
    legend = toolbar.legend
    assert legend.height() >= legend.heightForWidth(legend.width())
    assert toolbar.rect().contains(_area(toolbar, legend))
    assert toolbar.rect().contains(_area(toolbar, toolbar.follow))


def test_figures_fill_the_lines_that_a_low_panel_has(themes: Themes, qtbot: QtBot) -> None:
    row = FigureRow(themes.current)
    qtbot.addWidget(row)
    figures = [Figure(f"name {number}", "1,000", "1,000", "", begins_group=number == 3) for number in range(6)]
    row.show_figures(figures)
    wide = row.sizeHint().width()
    row.resize(wide // 6 * 4 + 20, 200)
    row.show()
    assert [place.top() > 0 for place in row._places] == [False] * 3 + [True] * 3, "a group begins a line"
    row.limit_lines(2)
    assert [place.top() > 0 for place in row._places] == [False] * 3 + [True] * 3
    row.limit_lines(1)
    assert [place.isEmpty() for place in row._places] == [False] * 4 + [True] * 2, "and else none is begun early"
    assert row.heightForWidth(row.width()) < 60
    row.limit_lines(None)
    assert not any(place.isEmpty() for place in row._places)
