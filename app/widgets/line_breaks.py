"""Where a text may be broken into lines, without the window standing still."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData

# Qt looks through a whole word again for each of its lines: a megabyte without a space took a minute.
_LONGEST_WORD = 4000
_Mode = QTextOption.WrapMode


def wrap_mode(text: str) -> QTextOption.WrapMode:
    """Between words; anywhere at all where one of them is of thousands of characters (base64, JSON of one line)."""
    longest = max(map(len, text.split()), default=0) if len(text) > _LONGEST_WORD else 0
    return _Mode.WrapAnywhere if longest > _LONGEST_WORD else _Mode.WrapAtWordBoundaryOrAnywhere


class WrappedEdit(QPlainTextEdit):
    """A field for text of any kind, pasted or dropped into it: its lines break where `wrap_mode` says."""

    def setPlainText(self, text: str) -> None:
        """Show a text in place of what is there."""
        self.setWordWrapMode(wrap_mode(text))
        super().setPlainText(text)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste or drop."""
        self.setWordWrapMode(wrap_mode(f"{self.toPlainText()}{source.text()}"))
        super().insertFromMimeData(source)
