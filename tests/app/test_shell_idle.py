"""What the window does not do: work behind a tab, lay itself out for a word, collect all garbage while it draws."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QVBoxLayout, QWidget

from app.collector import set_aside, take_back
from app.widgets.block_map_inspector import InspectorLine
from app.widgets.panel_slot import PanelDock

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_a_panel_behind_a_tab_is_hidden_and_keeps_its_room(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    docks = [PanelDock("one", "One"), PanelDock("two", "Two")]
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.tabifyDockWidget(*docks)
    window.resize(600, 400)
    window.show()
    panels = [QLabel("one"), QLabel("two")]
    panels[0].setMinimumSize(180, 140)
    for dock, panel in zip(docks, panels, strict=True):
        dock.fill(panel)
    for front in (1, 0, 1):
        docks[front].raise_()
        qtbot.waitUntil(lambda front=front: panels[front].isVisible() and not panels[1 - front].isVisible())
        assert docks[0].minimumSizeHint().width() >= 180, "the least size of the window would jump with the tabs"


class _Layouts(QObject):
    """Counts how often a widget is asked to lay itself out."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__()
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - the name is Qt's
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_a_changed_line_of_words_lays_nothing_out(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    line = InspectorLine()
    QVBoxLayout(holder).addWidget(line)
    holder.resize(600, 60)
    holder.show()
    QApplication.processEvents()
    layouts = _Layouts(holder)
    for step in range(5):
        line.show_text(f"step {step} · 0 prefill + 16 decode of 512", f"step {step}")
        QApplication.processEvents()
    assert (line.text(), line.accessibleName(), line.shown) == (line.toolTip(),) * 3
    assert layouts.count == 0


def test_what_the_window_began_with_is_not_collected_while_it_draws() -> None:
    gc.collect()
    known = len(gc.get_objects())
    set_aside()
    try:
        assert len(gc.get_objects()) < known / 10
    finally:
        take_back()
    assert len(gc.get_objects()) > known / 2
