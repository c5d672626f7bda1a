"""Keeps Python's garbage collector from stalling the window.

A full collection looks at every object of the program: with the window's modules and widgets that is 75 ms on a slow
core, in which nothing is drawn. What was there when the window was filled stays until the end anyway, so it is set
aside; what comes and goes later is collected as ever, in a few milliseconds.
"""

from __future__ import annotations

import gc


def set_aside() -> None:
    """Do not look at what exists now any more. Takes no time; harmless when done again."""
    gc.freeze()


def take_back() -> None:
    """Look at everything again (the window's end: what it held shall be collected)."""
    gc.unfreeze()
