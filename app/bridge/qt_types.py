"""Qt's types are made on the window's thread, before any other thread meets them."""

from __future__ import annotations

import asyncio
import time

from PySide6 import QtCore, QtGui, QtWidgets

_SLICE_S = 0.003  # of a frame


async def make_types() -> None:
    """Have PySide make all types of Qt that it knows; the window draws meanwhile. Half a millisecond when done again.

    PySide makes a type when its name is first asked for, and not safely: where two threads are at it at once, the
    program crashes or hangs. pyqtgraph asks for every name when it is imported, which is done beside the window.
    """
    began = time.monotonic()
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            if time.monotonic() - began > _SLICE_S:
                await asyncio.sleep(0)
                began = time.monotonic()
