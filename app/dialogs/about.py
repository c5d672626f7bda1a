"""What this program is and which versions of what it runs on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import PySide6
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.icon import IconLabel, PlainButton
from app.widgets.labels import role_label
from app.widgets.screen_room import within_screen

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.bridge.store import Store


def program_version() -> str:
    """KVDeck's version, as it was installed."""
    try:
        return version("kvdeck")
    except PackageNotFoundError:
        return "?"


class AboutDialog(QDialog):
    """Versions can be copied, for a bug report."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About KVDeck"))
        facts = store.lifecycle.facts
        engine = facts.vllm_version if facts else self.tr("no engine runs")
        self._versions = (
            f"KVDeck   {program_version()}\nvLLM     {engine}\nPySide6  {PySide6.__version__}\n"
            f"Python   {platform.python_version()}\nsystem   {platform.platform()}"
        )
        texts = QVBoxLayout()
        texts.setSpacing(8)
        texts.addWidget(role_label("KVDeck", "heading"))
        texts.addWidget(
            role_label(
                self.tr("A control panel for vLLM: its KV cache block by block, VRAM, and batching that changes live."),
                "muted",
                wrap=True,
            )
        )
        texts.addLayout(self._table())
        texts.addWidget(role_label(self.tr("Apache License 2.0"), "caption"))
        row = QHBoxLayout()
        row.setSpacing(20)
        row.addWidget(IconLabel("kvdeck", 64), alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(texts, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        copy = PlainButton(self.tr("Copy versions"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._versions))
        close = PlainButton(self.tr("Close"), "primary")
        close.clicked.connect(self.accept)
        buttons.addStretch(1)
        buttons.addWidget(copy)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 20, 16)
        column.setSpacing(20)
        column.addStrut(within_screen(self, QSize(436, 0)).width())
        column.addLayout(row)
        column.addLayout(buttons)
        close.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """As high as its words need at this width: Qt asks them for none."""
        super().showEvent(event)
        layout = self.layout()
        if layout is not None:
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))

    def _table(self) -> QGridLayout:
        """A name and a version a row; a long one wraps where it names its parts."""
        table = QGridLayout()
        table.setHorizontalSpacing(16)
        table.setVerticalSpacing(2)
        table.setColumnStretch(1, 1)
        for row, line in enumerate(self._versions.splitlines()):
            name, _, found = line.partition(" ")
            value = role_label(found.strip().replace("-", "-\u200b"), "mono", wrap=True)
            value.setAccessibleName(f"{name} {found.strip()}")
            table.addWidget(role_label(name, "muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            table.addWidget(value, row, 1)
        return table
