"""The log as text: filtered by level and words, following its end, copied and saved as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from app.theme.fonts import mono
from app.widgets.file_question import ask_to_save
from app.widgets.icon import IconButton
from app.widgets.log_book import KEPT, LEVELS, LogBook, line, matches
from app.widgets.segmented import Segmented

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QHideEvent, QShowEvent

    from app.theme.themes import Themes
    from engine.domain.lifecycle import LogRecord

_FLUSH_MS = 100


class _LevelColours(QSyntaxHighlighter):
    """Colours a line by its level, which stands in columns 13 to 20."""

    def __init__(self, view: QPlainTextEdit, themes: Themes) -> None:
        super().__init__(view.document())
        self._themes = themes

    def highlightBlock(self, text: str) -> None:
        theme = self._themes.current
        level = text[13:20].strip()
        self._paint(0, 12, theme.text_faint)
        if level in ("ERROR", "CRITICAL"):
            self._paint(13, len(text), theme.error)
        elif level == "WARNING":
            self._paint(13, len(text), theme.warning)
        else:
            self._paint(13, 16, theme.text_muted)

    def _paint(self, start: int, length: int, colour: str) -> None:
        style = QTextCharFormat()
        style.setForeground(QColor(colour))
        self.setFormat(start, length, style)


class LogView(QWidget):
    """Reads a LogBook. While hidden it does nothing; when shown it catches up."""

    def __init__(self, book: LogBook, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("logView")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._book = book
        self._pending: list[str] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_FLUSH_MS)
        self._timer.timeout.connect(self._flush)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setMaximumBlockCount(KEPT)
        self.text.setFont(mono(self.font()))
        self.text.setAccessibleName(self.tr("Log"))
        self._colours = _LevelColours(self.text, themes)
        themes.changed.connect(self._colours.rehighlight)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Filter by words"))
        self.search.setAccessibleName(self.search.placeholderText())
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self.refill)
        self.levels = Segmented(
            self.tr("Least level"),
            (
                ("DEBUG", self.tr("all")),
                ("INFO", self.tr("info")),
                ("WARNING", self.tr("warnings")),
                ("ERROR", self.tr("errors")),
            ),
        )
        self.levels.show_key("INFO")
        self.levels.chosen.connect(self.refill)
        self._arrange()
        book.added.connect(self._added)

    def refill(self) -> None:
        """Show all matching records anew."""
        self._pending.clear()
        records = self._book.matching(self._level, self.search.text())
        self.text.setPlainText("\n".join(line(record) for record in records))
        self._to_end()

    def save(self) -> None:
        """Ask for a file and write what is shown into it."""
        text = self.text.toPlainText() + "\n"

        def write(path: Path, _filter: str) -> None:
            path.write_text(text, encoding="utf-8")

        ask_to_save(self, self.tr("Save the log"), "kvdeck.log", "", write)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up."""
        super().showEvent(event)
        self.refill()

    def hideEvent(self, event: QHideEvent) -> None:
        """Do nothing until shown again."""
        super().hideEvent(event)
        self._timer.stop()
        self._pending.clear()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the monospace font at the text size in force."""
        super().changeEvent(event)
        if event.type() is event.Type.FontChange and hasattr(self, "text"):
            self.text.setFont(mono(self.font()))

    @property
    def _level(self) -> str:
        return self.levels.key or LEVELS[0]

    def _added(self, record: LogRecord) -> None:
        if self.isVisible() and matches(record, self._level, self.search.text()):
            self._pending.append(line(record))
            if not self._timer.isActive():
                self._timer.start()

    def _flush(self) -> None:
        if not self._pending:
            return
        bar = self.text.verticalScrollBar()
        follows = bar.value() >= bar.maximum() - 2
        self.text.appendPlainText("\n".join(self._pending))
        self._pending.clear()
        if follows:
            self._to_end()

    def _to_end(self) -> None:
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _clear(self) -> None:
        self._book.clear()
        self.refill()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(8)
        bar.addWidget(self.levels)
        bar.addWidget(self.search, 1)
        for name, label, act in (
            ("copy", self.tr("Copy all that is shown"), self._copy),
            ("download", self.tr("Save to a file"), self.save),
            ("clear", self.tr("Empty the log"), self._clear),
        ):
            button = IconButton(name, label)
            button.clicked.connect(act)
            bar.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        column.addLayout(bar)
        column.addWidget(self.text, 1)
