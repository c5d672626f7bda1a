"""Whether KVDeck's own folders can be written: without them no setting is kept, and no engine host starts."""

from __future__ import annotations

import errno
import os
import sys

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from engine.domain.paths import cache_dir, config_dir, data_dir, log_dir, runtime_dir

_AT_FAULT = 1
_UNSEEN = ("offscreen", "minimal")


def refuse_unwritable_folders(qt: QApplication) -> None:
    """End the program, with what is wrong and what helps, where one of them cannot be made or written."""
    fault = _fault()
    if fault is None:
        return
    from app.translations import use_language  # the chosen language lies in one of those folders

    use_language(qt, "system")
    tr = QCoreApplication.translate
    what = tr("OwnFolders", "KVDeck cannot write its folder {folder}: {reason}.")
    what = what.format(folder=fault.filename, reason=fault.strerror)
    remedy = tr("OwnFolders", "Make it writable for you, or name another place: KVDECK_HOME=FOLDER kvdeck")
    sys.stderr.write(f"{what}\n{remedy}\n")
    if qt.platformName() not in _UNSEEN:
        QMessageBox.critical(None, "KVDeck", f"{what}\n\n{remedy}")
    raise SystemExit(_AT_FAULT)


def _fault() -> OSError | None:
    for own in (config_dir, data_dir, cache_dir, log_dir, runtime_dir):
        try:
            folder = own()
        except OSError as error:
            return error
        if not os.access(folder, os.W_OK | os.X_OK):
            code = errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES
            return OSError(code, os.strerror(code), str(folder))
    return None
