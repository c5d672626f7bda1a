"""Whether Qt can open a window here: a display that answers, and the system libraries that it needs for it.

Asked before there is a QApplication, because Qt's own answer is to abort the process.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING

from app.qt_libraries import QT_LIBRARIES, X11_LIBRARIES, how_to_get, missing_packages

if TYPE_CHECKING:
    from app.options import Options

_AT_FAULT = 1


def has_display() -> bool:
    """False only on Unix without X11 and Wayland; an explicit Qt platform counts as a display."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def refuse_without_display(options: Options) -> None:
    """Let the tour run offscreen; end the program with a clear sentence where a window cannot open."""
    if not has_display():
        if options.tour:
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
            return
        _refuse(
            "there is no display to open a window on.",
            "Run it in a desktop session, or let it drive itself offscreen with --tour.",
        )
    if _means_x11():
        _refuse_without_x11()


def refuse_without_qt(error: ImportError) -> None:
    """End the program because Qt cannot be imported: name the missing system library, if that is the cause."""
    missing = missing_packages(QT_LIBRARIES)
    if missing:
        _refuse(f"Qt cannot be used: {error}.", how_to_get(missing))
    _refuse(f"Qt cannot be used: {error}.", "Install KVDeck again: `make run` in its folder does.")


def _means_x11() -> bool:
    """Whether Qt will choose X11 (under Wayland it may still fall back to it, and tells by itself)."""
    if not sys.platform.startswith("linux"):
        return False
    asked = os.environ.get("QT_QPA_PLATFORM", "")
    if asked:
        return asked.partition(":")[0] == "xcb"
    return not os.environ.get("WAYLAND_DISPLAY")


def _refuse_without_x11() -> None:
    missing = missing_packages(X11_LIBRARIES)
    if missing:
        _refuse("Qt lacks system libraries for a window under X11.", how_to_get(missing))
    if not _answers():
        name = os.environ.get("DISPLAY", "")
        _refuse(
            f"the display {name or '(none named)'} does not answer.",
            "Run it in a desktop session; over SSH, log in with `ssh -X`. DISPLAY says which display is meant.",
        )


def _answers() -> bool:
    """Whether the X server of DISPLAY lets us in; True where that cannot be asked."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
        xcb.xcb_connect.restype = ctypes.c_void_p
        xcb.xcb_connect.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
        xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = (ctypes.c_void_p,)
    except (OSError, AttributeError):
        return True
    connection = xcb.xcb_connect(None, None)
    refused = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not refused


def _refuse(what: str, remedy: str) -> None:
    sys.stderr.write(f"KVDeck: {what}\n{remedy}\n")
    raise SystemExit(_AT_FAULT)
