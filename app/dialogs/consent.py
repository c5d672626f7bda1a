"""Asked before code or pickles that came with a checkpoint may run on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.icon import IconLabel, PlainButton
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from engine.domain.checkpoint import Checkpoint

_FILES_SHOWN = 4


class ConsentDialog(QDialog):
    """Says what would run and from where. Refusing is the default; `remember` is whether to keep the answer."""

    def __init__(self, checkpoint: Checkpoint, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Run code from this checkpoint?"))
        texts = QVBoxLayout()
        texts.setSpacing(10)
        texts.addWidget(role_label(checkpoint.name, "heading", wrap=True))
        for sentence in self._sentences(checkpoint):
            texts.addWidget(role_label(sentence, "", wrap=True))
        path = role_label(checkpoint.path, "mono", wrap=True)
        path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        texts.addWidget(path)
        self._remember = QCheckBox(self.tr("Do not ask again for this folder"))
        texts.addWidget(self._remember)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(IconLabel("shield", 40), alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(texts, 1)
        refuse = PlainButton(self.tr("Do not load"), "primary")
        refuse.setDefault(True)
        refuse.clicked.connect(self.reject)
        allow = PlainButton(self.tr("Load and run it"), "danger")
        allow.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(allow)
        buttons.addWidget(refuse)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 20, 16)
        column.setSpacing(20)
        column.addLayout(row)
        column.addLayout(buttons)
        self.setMinimumWidth(520)
        refuse.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Take the height that the wrapped text needs."""
        super().showEvent(event)
        layout = self.layout()
        if layout is not None:
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))

    @property
    def remember(self) -> bool:
        """Whether the user wants the answer kept."""
        return self._remember.isChecked()

    def _sentences(self, checkpoint: Checkpoint) -> list[str]:
        sentences = []
        if checkpoint.needs_remote_code:
            sentences.append(
                self.tr("This model comes with Python code of its own, which runs with your rights when it is loaded.")
            )
        if checkpoint.pickled_files:
            files = ", ".join(checkpoint.pickled_files[:_FILES_SHOWN])
            more = "" if len(checkpoint.pickled_files) <= _FILES_SHOWN else ", …"
            sentences.append(
                self.tr("Its weights are pickles, which can run any program while they are read: {files}").format(
                    files=files + more
                )
            )
        sentences.append(self.tr("Load it only if you trust whoever made it."))
        return sentences
