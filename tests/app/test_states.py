"""What the window says while there is nothing to draw: why, and what brings it, in each state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea

from app.widgets.block_map_empty import CacheEmpty
from app.widgets.chat_state import readiness
from app.widgets.empty_state import EmptyState
from app.widgets.failure_panel import FailurePanel
from app.widgets.lab_runs_control import RunsControl
from app.widgets.memory_bar_card import GpuCard
from app.widgets.roofline_page import RooflinePage
from app.widgets.timeline_plots import TimeAxis
from engine.domain.lifecycle import Failure, Lifecycle, Phase
from engine.metrics.memory_split import split_gpu
from engine.metrics.roofline import Roof
from tests.app.test_shell_room import _GPU

if TYPE_CHECKING:
    import pytest
    from pytestqt.qtbot import QtBot

    from app.bridge.engine_commands import EngineCommands
    from app.bridge.lab import Lab
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.theme.themes import Themes

_ASLEEP = Lifecycle(Phase.ASLEEP, checkpoint="/m/llama-8b")


def test_a_sleeping_model_can_be_woken_from_where_its_blocks_would_be(
    store: Store, commands: EngineCommands, themes: Themes, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(commands, "load", asked.append)
    empty = CacheEmpty(store, commands)
    qtbot.addWidget(empty)
    store.publish(_ASLEEP)
    assert "llama-8b is asleep" in empty._text.text()
    assert empty.button.text() == "Wake"
    empty.button.click()
    assert asked == ["/m/llama-8b"]
    said = readiness(_ASLEEP, None, None)
    assert (said.remedy, said.load) == ("Wake", "/m/llama-8b")


def test_the_numbers_of_a_failure_stand_under_each_other(
    store: Store, commands: EngineCommands, themes: Themes, qtbot: QtBot
) -> None:
    panel = FailurePanel(store, commands)
    qtbot.addWidget(panel)
    numbers = ("max_model_len: 131,072 tokens", "needs: 4.5 GiB", "a line without any", "there is: 1 GiB")
    panel.show_lifecycle(Lifecycle(Phase.FAILED, "/m/x", failure=Failure("context_too_long", "Too long.", "", numbers)))
    lines = panel._numbers.text().splitlines()
    assert len(lines) == 4
    assert {line.index(value) for line, value in zip(lines, ("131", "4.5", "line", "1 G"), strict=True)} == {15, 2}
    assert lines[2] == "a line without any"


def test_an_error_in_place_has_the_colour_of_one(themes: Themes, qtbot: QtBot) -> None:
    state = EmptyState("search", "Searching", "")
    qtbot.addWidget(state)
    state.resize(QSize(400, 300))
    state.show()
    state.show_state("search", "Title", "Words", "Again")
    plain = state._icon.grab().toImage()
    state.show_state("error", "Title", "Words", "Again")
    colours = {state._icon.grab().toImage().pixelColor(18, y).name() for y in range(36)}
    assert themes.current.error in colours
    state.show_state("search", "Title", "Words", "Again")
    assert state._icon.grab().toImage() == plain


def test_a_roofline_without_anything_on_it_is_words(themes: Themes, qtbot: QtBot) -> None:
    page = RooflinePage(themes.current)
    qtbot.addWidget(page)
    page.resize(320, 600)
    page.show()
    page.show_all(None, None, (), "Load a model and ask it.")
    QApplication.processEvents()
    assert not page.plot.isVisible()
    assert "Load a model and ask it." in [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    page.show_all(None, Roof(1e12, 1e11, "bfloat16"), (), "Nothing seen yet.")
    QApplication.processEvents()
    assert page.plot.isVisible()
    assert page.note.isVisible()


def test_no_time_stands_before_the_beginning(themes: Themes) -> None:
    axis = TimeAxis("bottom")
    assert axis.tickStrings([-2.0, -1.0, 0.0, 1.0], 1.0, 1.0) == ["", "", "00:00", "00:01"]
    assert axis.tickStrings([-0.2, 0.0, 0.2], 1.0, 0.2) == ["", "00:00.0", "00:00.2"]


def test_words_that_have_no_room_scroll(themes: Themes, qtbot: QtBot) -> None:
    words = "Many words that nobody can read where they are cut. " * 8
    state = EmptyState("search", "A title of some words", words, "Go")
    qtbot.addWidget(state)
    state.resize(220, 160)
    state.show()
    QApplication.processEvents()
    (area,) = state.findChildren(QScrollArea)
    assert area.verticalScrollBar().maximum() > 0
    assert state._text.height() >= state._text.heightForWidth(state._text.width())
    assert state.minimumSizeHint().height() < 160
    state.resize(500, 500)
    QApplication.processEvents()
    assert area.verticalScrollBar().maximum() == 0


def test_a_list_without_runs_leads_to_the_first_one(
    store: Store, tasks: Tasks, lab: Lab, themes: Themes, qtbot: QtBot
) -> None:
    holder = QObject()
    control = RunsControl(store, tasks, lab.shelf, themes.current, holder)
    qtbot.addWidget(control.page)
    with qtbot.waitSignal(control.opened):
        control.page.empty.button.click()


def test_a_lost_gpu_is_told_as_an_error(themes: Themes, qtbot: QtBot) -> None:
    card = GpuCard(themes.current)
    qtbot.addWidget(card)
    card.show()
    for error in (None, "The GPU is lost.", None):
        sample = replace(_GPU, error=error)
        card.show_sample(sample, split_gpu(sample, Lifecycle(Phase.IDLE)))
        wanted = themes.current.error if error else themes.current.text_muted
        assert card.note.palette().windowText().color().name() == wanted
