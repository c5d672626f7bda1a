"""Asks for the hub's token, or forgets it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.widgets.icon import PlainButton
from app.widgets.labels import role_label


class HubTokenDialog(QDialog):
    """Emits `given` with a token, or with "" to forget the one that is kept."""

    given = Signal(str)

    def __init__(self, has_token: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Token of the hub"))
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText("hf_…")
        self.field.setAccessibleName(self.tr("Token"))
        self.keep = PlainButton(self.tr("Keep"), "primary")
        self.keep.setDefault(True)
        self.keep.setEnabled(False)
        self.forget = PlainButton(self.tr("Forget the token"), "danger")
        self.forget.setVisible(has_token)
        cancel = PlainButton(self.tr("Cancel"))
        self.field.textChanged.connect(lambda text: self.keep.setEnabled(bool(text.strip())))
        self.keep.clicked.connect(self._give)
        self.forget.clicked.connect(self._forget)
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.forget)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 20, 16)
        column.setSpacing(12)
        text = self.tr(
            "Gated and private models need a token that may read them. It is kept in this system's keyring, and goes "
            "only to the hub."
        )
        column.addWidget(role_label(text, "", wrap=True))
        column.addWidget(self.field)
        column.addSpacing(4)
        column.addLayout(buttons)
        self.setMinimumWidth(460)

    def _give(self) -> None:
        self.given.emit(self.field.text().strip())
        self.field.clear()
        self.accept()

    def _forget(self) -> None:
        self.given.emit("")
        self.accept()
