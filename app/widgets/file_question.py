"""Questions for a file or a folder that wait for nobody: what draws goes on, and the answer comes when it is given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget


def ask_to_save(
    parent: QWidget, title: str, place: str, filters: str, then: Callable[[Path, str], None]
) -> QFileDialog:
    """Ask where to, beginning at `place`; `then` is given the file and the filter chosen ("CSV (*.csv)").

    A name without a suffix gets the filter's, before it is asked whether a file of that name may be written over, and
    also where a system's own dialog does not see to it.
    """
    dialog = QFileDialog(parent, title, str(Path(place).parent) if Path(place).is_absolute() else "", filters)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(suffix_of(chosen)))
    dialog.setDefaultSuffix(suffix_of(dialog.selectedNameFilter()))
    dialog.selectFile(Path(place).name)

    def give(file: str) -> None:
        path, chosen = Path(file), dialog.selectedNameFilter()
        then(path if path.suffix else path.with_suffix(suffix_of(chosen)), chosen)

    dialog.fileSelected.connect(give)
    return _opened(dialog)


def ask_to_open(
    parent: QWidget, title: str, then: Callable[[Path], None], *, folder: str = "", filters: str = ""
) -> QFileDialog:
    """Ask for a file that there is, beginning in `folder`."""
    dialog = QFileDialog(parent, title, folder, filters)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda file: then(Path(file)))
    return _opened(dialog)


def ask_for_folder(parent: QWidget, title: str, then: Callable[[Path], None], *, folder: str = "") -> QFileDialog:
    """Ask for a folder."""
    dialog = QFileDialog(parent, title, folder)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.connect(lambda file: then(Path(file)))
    return _opened(dialog)


def suffix_of(chosen: str) -> str:
    """ ".csv" of "CSV (*.csv)"; empty where a filter takes several kinds."""
    pattern = chosen[chosen.find("(") + 1 : chosen.rfind(")")]
    return pattern[1:] if pattern.startswith("*.") and " " not in pattern else ""


def _opened(dialog: QFileDialog) -> QFileDialog:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
