"""Whether there is a display to open a window on."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.options import Options


def has_display() -> bool:
    """False only on Unix without X11 and Wayland; an explicit Qt platform counts as a display."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def refuse_without_display(options: Options) -> None:
    """Let the tour run offscreen; end the program with a clear sentence where a window cannot open."""
    if has_display():
        return
    if options.tour:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        return
    sys.stderr.write(
        "KVDeck: there is no display to open a window on.\n"
        "Run it in a desktop session, or let it drive itself offscreen with --tour.\n"
    )
    raise SystemExit(1)
