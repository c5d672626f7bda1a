"""Dialogs on small screens: none is larger than its screen, and the way out of each can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.bridge.profile_desk import ProfileDesk
from app.dialogs.about import AboutDialog
from app.dialogs.command_palette import CommandPalette, PaletteEntry
from app.dialogs.consent import ConsentDialog
from app.dialogs.exchange import ExchangeDialog
from app.dialogs.guide import GuideDialog
from app.dialogs.settings import SettingsDialog
from app.dialogs.shortcuts import ShortcutsDialog
from app.preferences import TEXT_SIZE
from app.resources import GUIDE
from app.widgets import screen_room
from app.widgets.end_orphans import ask_to_end
from app.widgets.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtCore import QSize
    from pytestqt.qtbot import QtBot

    from app.bridge.engine_commands import EngineCommands
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.preferences import Preferences
    from app.theme.themes import Themes

_WIDE, _HIGH = 640, 400  # what 1280 x 800 pixels are at 200 %


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen of that size: Qt's own is made once, for all tests."""
    frame = screen_room._FRAME

    def within(_window: QWidget, wanted: QSize) -> QSize:
        return wanted.boundedTo(type(wanted)(_WIDE, _HIGH) - frame)

    for name in ("settings", "shortcuts", "guide", "exchange"):
        monkeypatch.setattr(f"app.dialogs.{name}.within_screen", within)


def _shown(dialog: QDialog, qtbot: QtBot) -> QDialog:
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    QApplication.processEvents()
    return dialog


def _fits(dialog: QDialog) -> bool:
    return dialog.width() <= _WIDE and dialog.height() <= _HIGH


def test_a_window_is_never_larger_than_its_screen(qtbot: QtBot, themes: Themes) -> None:
    dialog = _shown(GuideDialog(GUIDE), qtbot)  # wider than the screen of the tests
    room = dialog.screen().availableSize()
    assert dialog.width() < room.width() < 1020
    assert dialog.sections.width() < dialog.text.width(), "the text is what is read"


@pytest.mark.parametrize("text_size", [1.0, 1.75])
def test_settings_scroll_and_can_be_left(
    small: None, preferences: Preferences, themes: Themes, qtbot: QtBot, text_size: float
) -> None:
    preferences.set(TEXT_SIZE, text_size)
    dialog = _shown(SettingsDialog(preferences), qtbot)
    assert _fits(dialog)
    (area,) = dialog.findChildren(QScrollArea)
    assert area.verticalScrollBar().maximum() > 0
    last = next(button for button in dialog.findChildren(QPushButton) if button.text() == "Close")
    corner = last.mapTo(dialog, QPoint(last.width(), last.height()))
    assert dialog.rect().contains(corner), "the way out is seen"
    assert area.geometry().bottom() < last.mapTo(dialog, QPoint(0, 0)).y(), "and does not scroll away"


def test_settings_have_all_their_room_where_there_is_some(
    preferences: Preferences, themes: Themes, qtbot: QtBot
) -> None:
    dialog = _shown(SettingsDialog(preferences), qtbot)
    (area,) = dialog.findChildren(QScrollArea)
    assert area.verticalScrollBar().maximum() == 0
    assert area.widget().width() <= area.viewport().width()


def test_the_palette_stays_on_the_screen(themes: Themes, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    room = window.screen().availableGeometry()
    window.setGeometry(room.right() - 500, room.bottom() - 300, 500, 300)
    window.show()
    entries = [PaletteEntry(f"Entry {number}", "Menu", "", lambda: None) for number in range(40)]
    palette = CommandPalette(entries, window)
    palette.open_over(window)
    assert room.contains(palette.geometry())
    palette.close()


@pytest.mark.parametrize("text_size", [1.0, 1.75])
def test_the_question_for_consent_has_room_for_its_words(
    preferences: Preferences, themes: Themes, qtbot: QtBot, text_size: float
) -> None:
    preferences.set(TEXT_SIZE, text_size)
    dialog = _shown(ConsentDialog("trust_remote_code", "/m/own", ("modeling_own.py",)), qtbot)
    (box,) = dialog.findChildren(QCheckBox)
    assert box.width() >= box.sizeHint().width()


def test_the_other_dialogs_fit(
    small: None, store: Store, tasks: Tasks, themes: Themes, commands: EngineCommands, tmp_path: Path, qtbot: QtBot
) -> None:
    desk = ProfileDesk(store, commands, tasks, tmp_path / "profiles")
    makes: tuple[Callable[[], QDialog], ...] = (
        lambda: ShortcutsDialog(()),
        lambda: GuideDialog(GUIDE),
        lambda: ExchangeDialog(desk, store),
    )
    for make in makes:
        dialog = _shown(make(), qtbot)
        assert _fits(dialog), type(dialog).__name__
        for box in dialog.findChildren(QDialogButtonBox):
            assert dialog.rect().contains(box.geometry())


@pytest.mark.parametrize("text_size", [1.0, 1.75])
def test_about_wraps_what_is_long(
    store: Store, preferences: Preferences, themes: Themes, qtbot: QtBot, text_size: float
) -> None:
    preferences.set(TEXT_SIZE, text_size)
    dialog = _shown(AboutDialog(store), qtbot)
    assert dialog.width() <= _WIDE
    for label in dialog.findChildren(QLabel):
        assert label.height() >= (label.heightForWidth(label.width()) if label.wordWrap() else 0), label.text()


def test_what_cannot_be_undone_is_not_done_by_enter_or_escape(themes: Themes, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    done: list[int] = []
    for key, expected in ((Qt.Key.Key_Return, 0), (Qt.Key.Key_Escape, 0), (None, 1)):
        ask_to_end(window, "An engine of an earlier KVDeck holds 3.1 GiB.", lambda: done.append(1))
        (question,) = window.findChildren(Question)
        qtbot.waitExposed(question)
        assert question.focusWidget() is question.no
        if key is None:
            question.yes.click()
        else:
            qtbot.keyClick(question.focusWidget(), key)
        assert not question.isVisible()
        assert len(done) == expected
        QApplication.sendPostedEvents(question, QEvent.Type.DeferredDelete)


@pytest.mark.parametrize("text_size", [1.0, 1.75])
def test_the_keys_are_seen_beside_long_names(
    small: None, preferences: Preferences, themes: Themes, qtbot: QtBot, text_size: float
) -> None:
    preferences.set(TEXT_SIZE, text_size)
    action = QAction("Show where static batches would have put each of the requests", themes)
    action.setShortcut("Ctrl+Shift+S")
    dialog = _shown(ShortcutsDialog([("Panel › Timeline", action)]), qtbot)
    (area,) = dialog.findChildren(QScrollArea)
    assert area.horizontalScrollBar().maximum() == 0
    keys = next(label for label in dialog.findChildren(QLabel) if label.property("role") == "key")
    assert dialog.rect().contains(keys.mapTo(dialog, QPoint(keys.width(), keys.height())))
