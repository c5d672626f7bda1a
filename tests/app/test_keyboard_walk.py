"""Tab through the whole window: it comes to everything, in the order of what is seen, and shows where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QCheckBox, QPushButton, QWidget

from app.main_window import MainWindow
from app.panels.registry import PANELS
from app.widgets.block_map import BlockMap
from app.widgets.failure_panel import FailurePanel
from app.widgets.log_book import LogBook
from app.widgets.model_chip import VariantChip
from app.widgets.step_chart import StepChart
from app.widgets.tab_order import tab_through
from benchmarks.page_traffic import PageTraffic
from engine.domain.gpu import HardwareSample
from engine.domain.lifecycle import Failure, Lifecycle, Phase, RemedyAction
from tests.app.showing import shown
from tests.app.test_models_panel import LIBRARY
from tests.app.test_shell_room import _FACTS, _GPU, _HOST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtCore import QSettings
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.panels.panel import PanelContext

_MOST = 300


@pytest.fixture
def window(store: Store, context: PanelContext, settings: QSettings, qtbot: QtBot) -> Iterator[MainWindow]:
    """The whole window with a library, an engine and a GPU: what they bring comes after the panels."""
    result = MainWindow(store, context.themes, settings, LogBook(store), PANELS)
    result.use(context.commands)
    for each in shown(result, context, qtbot):
        store.publish(LIBRARY)
        store.publish(HardwareSample(_HOST, (_GPU,)))
        facts = replace(_FACTS, device="cuda")
        store.publish(Lifecycle(Phase.READY, checkpoint=facts.checkpoint, facts=facts))
        QApplication.processEvents()
        yield each


def _walk(window: MainWindow) -> list[QWidget]:
    """What Tab comes to, from the first part of the header on, until it comes to something again."""
    window.activateWindow()
    window.header.switcher.setFocus()
    found: list[QWidget] = []
    while len(found) < _MOST:
        here = window.focusWidget()
        assert here is not None
        if here in found:
            return found
        found.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
    return found


def _takes_tab(part: QWidget) -> bool:
    return (
        part.isVisible() and part.isEnabled() and bool(part.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and not part.visibleRegion().isEmpty() and not isinstance(part.parentWidget(), QAbstractSpinBox)
    )  # fmt: skip


def test_tab_comes_to_everything_that_is_seen(window: MainWindow, store: Store, tmp_path: Path) -> None:
    traffic = PageTraffic(tmp_path / "page", 500)
    for number in range(4):
        traffic.add(f"chatcmpl-{number}", 200)
    store.publish(traffic.publish())
    traffic.close()
    QApplication.processEvents()
    walked = _walk(window)
    panels = [place for place, part in enumerate(walked) if any(s.isAncestorOf(part) for s in window.slots.values())]
    assert walked.index(window.status.log_button) > max(panels), "what stands at the bottom comes last"
    missed = [part for part in window.findChildren(QWidget) if _takes_tab(part) and part not in walked]
    assert [f"{type(part).__name__} {part.accessibleName()}" for part in missed] == []


def test_what_came_later_is_walked_where_it_is_seen(window: MainWindow) -> None:
    walked = _walk(window)
    chips = [part for part in walked if isinstance(part, VariantChip)]
    assert len(chips) > 1
    first = walked.index(chips[0])
    assert walked[first : first + len(chips)] == chips
    box = next(part for part in walked if isinstance(part, QCheckBox) and part.objectName() == "gpu_0")
    names = [part.accessibleName() for part in walked]
    assert names.index("max_lora_rank") < walked.index(box) < names.index("tensor_parallel_size")


def test_the_ways_out_of_a_failure_are_walked_before_its_log(window: MainWindow, store: Store) -> None:
    actions = (RemedyAction("max_model_len 4,096", {"max_model_len": 4096}),)
    store.publish(Lifecycle(Phase.FAILED, "/m/x", failure=Failure("context_too_long", "Too long.", "", (), actions)))
    QApplication.processEvents()
    panel = window.findChild(FailurePanel)
    assert panel is not None
    within = [part for part in _walk(window) if panel.isAncestorOf(part)]
    texts = [part.text() for part in within if isinstance(part, QPushButton)]
    assert texts == ["max_model_len 4,096", "Try again", "Open the log", "Copy details"]


@pytest.mark.parametrize("kind", [BlockMap, StepChart])
def test_what_draws_itself_shows_that_it_has_the_keyboard(
    window: MainWindow, store: Store, tmp_path: Path, kind: type[QWidget]
) -> None:
    traffic = PageTraffic(tmp_path / "page", 500)
    traffic.add("chatcmpl-0", 200)
    store.publish(traffic.publish())
    traffic.close()
    QApplication.processEvents()
    part = window.findChild(kind)
    window.setFocus()
    without = part.grab().toImage()
    part.setFocus(Qt.FocusReason.TabFocusReason)
    assert part.hasFocus()
    assert part.grab().toImage() != without


def test_parts_go_first_of_what_they_are_in_or_after_what_was_before(qtbot: QtBot) -> None:
    window, box = QWidget(), QWidget()
    qtbot.addWidget(window)
    buttons = {name: QPushButton(name) for name in ("before", "inside", "after", "late", "later")}
    for name, parent in (("before", window), ("inside", box), ("after", window)):
        buttons[name].setParent(parent)
    box.setParent(window)
    QWidget.setTabOrder(buttons["before"], buttons["inside"])
    QWidget.setTabOrder(buttons["inside"], buttons["after"])
    for name in ("late", "later"):
        buttons[name].setParent(box)
    tab_through(buttons["before"], (buttons["late"], buttons["later"]))
    window.show()
    buttons["before"].setFocus()
    walked = []
    for _ in range(len(buttons)):
        here = window.focusWidget()
        assert isinstance(here, QPushButton)
        walked.append(here.text())
        QTest.keyClick(here, Qt.Key.Key_Tab)
    assert walked == ["before", "late", "later", "inside", "after"]
    assert box.focusPolicy() is Qt.FocusPolicy.NoFocus
