"""What the user has set for the window itself, kept in an ini file. Panels keep their own keys in the same file."""

from __future__ import annotations

import math
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal

from app.consents import Consents
from app.remembered import Remembered
from engine.domain.paths import config_dir
from engine.domain.sleepers import Keep, KeepPolicy

THEME = "view/theme"
TEXT_SIZE = "view/text_size"
REDUCED_MOTION = "view/reduced_motion"
FRAME_RATE = "view/frame_rate"
LANGUAGE = "view/language"
PORT = "server/port"
KEEP = "engine/keep"
KEEP_MOST = "engine/keep_most"
KEEP_GIB = "engine/keep_gib"
KEEP_MOST_LIMIT = 32
KEEP_GIB_LIMIT = 4096.0

FRAME_RATES = (10, 30, 60)
DEFAULT_FRAME_RATE = 60  # an engine sends 30 pictures a second; a frame without a new one costs next to nothing
DEFAULT_PORT = 8000
_GIB = 1 << 30


def stored_language() -> str:
    """The language chosen in an earlier session, read before there is a window; "system" where none was."""
    settings = QSettings(str(settings_file()), QSettings.Format.IniFormat)
    return str(settings.value(LANGUAGE) or "system")


def settings_file() -> Path:
    """The ini file of the window and its panels."""
    return config_dir() / "window.ini"


class Preferences(QObject):
    """Typed access to the settings file; a value of the wrong kind in it counts as absent.

    `not_saved` carries the file's path where a value could not be written: it then holds for this session alone.
    """

    changed = Signal(str)
    not_saved = Signal(str)

    def __init__(self, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    @property
    def theme(self) -> str:
        """ "system", "dark" or "light"."""
        value = self._text(THEME, "system")
        return value if value in ("system", "dark", "light") else "system"

    @property
    def text_size(self) -> float:
        """Factor on the system's text size, 0.7 to 2."""
        return min(max(self._number(TEXT_SIZE, 1.0), 0.7), 2.0)

    @property
    def reduced_motion(self) -> bool:
        """Whether glows, fades and sliding are off."""
        return self._text(REDUCED_MOTION, "false").lower() == "true"

    @property
    def frame_rate(self) -> int:
        """Frames a second that live views are drawn with."""
        value = int(self._number(FRAME_RATE, DEFAULT_FRAME_RATE))
        return value if value in FRAME_RATES else DEFAULT_FRAME_RATE

    @property
    def language(self) -> str:
        """A language code ("de"), or "system"."""
        return self._text(LANGUAGE, "system")

    @property
    def port(self) -> int:
        """The port that a local engine host serves on; 0 lets the system choose."""
        value = int(self._number(PORT, DEFAULT_PORT))
        return value if value == 0 or 1024 <= value <= 65535 else DEFAULT_PORT

    @property
    def consents(self) -> Consents:
        """What may run unasked."""
        return Consents(self._settings)

    @property
    def remembered(self) -> Remembered:
        """What is kept beside the preferences."""
        return Remembered(self._settings)

    @property
    def keep(self) -> KeepPolicy:
        """Whether outgoing engines are kept, and how many; limits of 0 are left to the host."""
        wanted = self._text(KEEP, Keep.OFF.value)
        keep = Keep(wanted) if wanted in [each.value for each in Keep] else Keep.OFF
        most, gib = int(self._number(KEEP_MOST, 0.0)), self._number(KEEP_GIB, 0.0)
        most_bytes = int(gib * _GIB) if 0 < gib <= KEEP_GIB_LIMIT else None
        return KeepPolicy(keep, most if 0 < most <= KEEP_MOST_LIMIT else None, most_bytes)

    def set(self, key: str, value: str | float | bool) -> None:
        """Keep one value and tell it to whoever follows `changed`."""
        self._settings.setValue(key, "true" if value is True else "false" if value is False else value)
        self.changed.emit(key)
        self._settings.sync()  # now: Qt would write it later, and tell nobody that it could not
        if self._settings.status() is QSettings.Status.AccessError and not self._is_in_file(key):
            self.not_saved.emit(self._settings.fileName())

    def _is_in_file(self, key: str) -> bool:
        """Whether the file has the present value. Qt's status stays an error for ever after the first one."""
        try:
            content = Path(self._settings.fileName()).read_text(encoding="utf-8")
        except OSError:
            return False
        return f"\n{key.rpartition('/')[2]}={self._text(key, '')}\n" in content

    def _text(self, key: str, default: str) -> str:
        value = self._settings.value(key)
        return default if value is None else str(value)

    def _number(self, key: str, default: float) -> float:
        try:
            number = float(self._text(key, str(default)))
        except ValueError:
            return default
        return number if math.isfinite(number) else default
