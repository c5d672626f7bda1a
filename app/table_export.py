"""`kvdeck --replay FILE --export FOLDER`: a recording's tables, without a window."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError
from engine.recording.export import export_recording

if TYPE_CHECKING:
    from app.options import Options

_FAILED = 1


def export_tables(options: Options) -> int:
    """Write the tables and say where; the exit status."""
    assert options.replay is not None
    assert options.export is not None
    try:
        written = export_recording(options.replay, options.export, options.export_format)
    except KVDeckError as error:
        sys.stderr.write(f"KVDeck: {error}\n")
        return _FAILED
    except OSError as error:
        sys.stderr.write(f"KVDeck: {options.export} cannot be written: {error.strerror}.\n")
        return _FAILED
    for path, rows in written:
        sys.stdout.write(f"{path}: {rows} {'row' if rows == 1 else 'rows'}\n")
    return 0
