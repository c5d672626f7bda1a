"""Asked before code or pickles that came with a checkpoint may run on this machine."""

from __future__ import annotations

import asyncio
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.consents import Consents, KeptConsent
from app.widgets.icon import IconLabel, PlainButton
from app.widgets.labels import role_label
from engine.checkpoints.own_code import own_code

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings
    from PySide6.QtGui import QShowEvent

_FILES_SHOWN = 4
_WIDTH = 476


class ConsentDialog(QDialog):
    """Says what would run and from where. Refusing is the default; `remember` is whether to keep the answer.

    `what` is "trust_remote_code" or "allow_pickle"; `files` are those that would run.
    """

    def __init__(self, what: str, path: str, files: tuple[str, ...] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Run code from this checkpoint?"))
        texts = QVBoxLayout()
        texts.setSpacing(10)
        texts.addWidget(role_label(PurePath(path).name, "heading", wrap=True))
        for sentence in self._sentences(what, files):
            texts.addWidget(role_label(sentence, "", wrap=True))
        place = role_label(path, "mono", wrap=True)
        place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        texts.addWidget(place)
        self._remember = QCheckBox(self.tr("Do not ask again for this folder as it is now"))
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
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(allow)
        buttons.addWidget(refuse)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 20, 16)
        column.setSpacing(20)
        column.addLayout(row)
        column.addLayout(buttons)
        column.addStrut(_WIDTH)  # and wider where larger text needs it
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

    def _sentences(self, what: str, files: tuple[str, ...]) -> list[str]:
        if what == "trust_remote_code":
            first = self.tr(
                "This model comes with Python code of its own, which runs with your rights when it is loaded."
            )
        else:
            first = self.tr("Its weights are pickles, which can run any program while they are read.")
        shown = ", ".join(files[:_FILES_SHOWN]) + (", …" if len(files) > _FILES_SHOWN else "")
        return [first, *([shown] if shown else []), self.tr("Load it only if you trust whoever made it.")]


class ConsentDesk(QObject):
    """Asks, one question at a time. An answer holds for the very files that were asked about, as long as the window
    is open, or for good where the user wants that (Settings lists those)."""

    def __init__(self, window: QWidget, settings: QSettings) -> None:
        super().__init__(window)
        self._window = window
        self._kept = Consents(settings)
        self._this_session: set[KeptConsent] = set()

    async def ask(self, path: str, what: str) -> bool:
        """Whether `path` may do `what`; asks unless the user has said yes to these files already."""
        found = await asyncio.to_thread(own_code, path, what)
        wanted = KeptConsent(path, what, found.digest)
        if wanted in self._this_session or self._kept.allows(wanted):
            return True
        dialog = ConsentDialog(what, path, found.files, self._window)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def finished(code: int) -> None:
            if not answer.done():
                answer.set_result(code == QDialog.DialogCode.Accepted.value)

        dialog.finished.connect(finished)
        dialog.open()
        try:
            allows = await answer
            if allows:
                self._this_session.add(wanted)
            if allows and dialog.remember:
                self._kept.keep(wanted)
        finally:
            dialog.close()
            dialog.deleteLater()
        return allows
