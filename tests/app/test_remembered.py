"""What the window remembers is shown, and forgotten when it is asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QPushButton

from app.dialogs.settings import SettingsDialog
from app.remembered import Memory, Remembered

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings
    from pytestqt.qtbot import QtBot

    from app.preferences import Preferences

_LEFT = {
    "session/checkpoint": "/m/SmolLM2-135M-Instruct", "chat/last": "c1", "cache/colour_mode": "age",
    "explain/page": "lessons", "window/geometry": "x", "docks/screen_1": "y", "replay_docks/screen_1": "z",
    "view/theme": "dark", "library/folders": ["/m"],
}  # fmt: skip


def test_it_finds_what_was_left_and_nothing_else(settings: QSettings) -> None:
    remembered = Remembered(settings)
    assert remembered.found() == ()
    for key, value in _LEFT.items():
        settings.setValue(key, value)
    assert remembered.found() == (
        Memory("model", "SmolLM2-135M-Instruct", 1), Memory("chat", "", 1), Memory("panels", "", 2),
        Memory("layout", "", 3),
    )  # fmt: skip
    for memory in remembered.found():
        remembered.forget(memory.what)
    assert sorted(settings.allKeys()) == ["library/folders", "view/theme"], "what was chosen stays"


def test_settings_shows_and_forgets_it(settings: QSettings, preferences: Preferences, qtbot: QtBot) -> None:
    for key, value in _LEFT.items():
        settings.setValue(key, value)
    resets: list[int] = []
    dialog = SettingsDialog(preferences, reset_layout=lambda: resets.append(1))
    qtbot.addWidget(dialog)
    dialog.show()
    shown = [each.text() for each in dialog.findChildren(QLabel)]
    assert "The model that is offered first: SmolLM2-135M-Instruct" in shown
    for what in ("model", "chat", "panels", "layout"):
        button = next(each for each in dialog.findChildren(QPushButton, f"forget-{what}") if each.isVisible())
        assert button.accessibleName().startswith(button.text())
        button.click()
    assert resets == [1]
    assert Remembered(settings).found() == ()
    assert "Nothing." in [each.text() for each in dialog.findChildren(QLabel) if each.isVisible()]
