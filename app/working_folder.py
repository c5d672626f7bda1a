"""The folder that the window works in: its own, not the one it happens to be started from.

It starts programs of KVDeck's by name (`python -m engine.host`), and Python looks for those in the working folder
first: a folder `engine` of somebody's game would be taken for ours.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.options import Options


def go_home(options: Options) -> Options:
    """Make this package's parent the working folder; returns the options with their paths as they were meant."""
    meant: dict[str, Any] = {}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if isinstance(value, Path):
            meant[field.name] = value.absolute()
    if options.report_start not in (None, "-"):
        meant["report_start"] = str(Path(str(options.report_start)).absolute())
    os.chdir(Path(__file__).resolve().parent.parent)
    return dataclasses.replace(options, **meant)
