"""Settings that are written beside the window."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings

from app.quiet_settings import QuietSettings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import Quiet


def _on_disk(file: Path) -> QSettings:
    return QSettings(str(file), QSettings.Format.IniFormat)


def test_what_was_kept_is_there_and_what_changed_is_written(qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "settings.ini"
    before = _on_disk(file)
    before.setValue("chat/last", "a")
    before.setValue("docks/state", QByteArray(b"\x00\x01"))
    before.setValue("docks/old", 3)
    before.sync()
    settings = QuietSettings(str(file))
    assert (settings.value("chat/last"), settings.value("docks/state")) == ("a", QByteArray(b"\x00\x01"))
    assert settings.value("no/such", "else") == "else"
    assert not settings.contains("no/such")
    settings.setValue("cache/split", [QByteArray(b"x"), QByteArray(b"y")])
    settings.setValue("chat/last", "b")
    settings.remove("docks")
    assert settings.allKeys() == ["cache/split", "chat/last"]
    qtbot.waitUntil(lambda: _on_disk(file).value("chat/last") == "b")
    settings.sync()
    found = _on_disk(file)
    assert found.value("cache/split") == [QByteArray(b"x"), QByteArray(b"y")]
    assert not [key for key in found.allKeys() if key.startswith("docks")]


def test_sync_writes_at_once_and_keeps_what_another_window_wrote(qapp: object, tmp_path: Path) -> None:
    file = tmp_path / "settings.ini"
    first, second = QuietSettings(str(file)), QuietSettings(str(file))
    first.setValue("a", "1")
    second.setValue("b", "2")
    first.sync()
    second.sync()
    found = _on_disk(file)
    assert (found.value("a"), found.value("b")) == ("1", "2")


_HOLDER = """
import sys
from PySide6.QtCore import QLockFile
lock = QLockFile(sys.argv[1] + ".lock")
print(lock.tryLock(10_000), flush=True)
sys.stdin.readline()
"""


def test_a_window_that_hangs_with_the_file_holds_no_other_up(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet: Quiet
) -> None:
    monkeypatch.setattr("app.quiet_settings._PATIENCE_MS", 50)
    quiet.allow("is held by another window")
    file = tmp_path / "settings.ini"
    settings = QuietSettings(str(file))
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        settings.setValue("a", "1")
        settings.sync()  # would be waited in until the other one ends, which it does not
        assert other.poll() is None
        assert not file.exists()
        assert settings.value("a") == "1"
        other.communicate("")
    qtbot.waitUntil(lambda: _on_disk(file).value("a") == "1")
    settings.sync()


def test_the_same_value_again_writes_nothing(qapp: object, tmp_path: Path) -> None:
    file = tmp_path / "settings.ini"
    settings = QuietSettings(str(file))
    settings.setValue("a", "1")
    settings.sync()
    file.unlink()
    settings.setValue("a", "1")
    settings.sync()
    assert not file.exists()
