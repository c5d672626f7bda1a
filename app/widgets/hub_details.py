"""One model of the hub: what it is, its card, and the button that downloads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTextBrowser, QVBoxLayout, QWidget

from app.widgets.empty_state import EmptyState
from app.widgets.figures import count, significant, size
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label
from app.wording.engine import worded
from engine.hub.records import Access, DownloadState

if TYPE_CHECKING:
    from app.bridge.hub_desk import HubDesk
    from engine.hub.records import HubDetails

_BILLION = 1e9
_MOST_LETTERS = 200_000  # of a card: laying out more would hold the window up


class ModelCard(QTextBrowser):
    """A card as anybody may have written it: nothing that it names is loaded, and only links to the web are opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._follow)

    def loadResource(self, _type: int, _name: QUrl | str) -> object:
        """Nothing: a picture's address may be any file of this machine, /dev/zero among them."""
        return None

    def _follow(self, url: QUrl) -> None:
        if url.scheme() in ("http", "https", "mailto"):
            QDesktopServices.openUrl(url)
        elif url.isRelative() and not url.path():
            self.scrollToAnchor(url.fragment())


class HubDetailsView(QWidget):
    """Shows what the desk looks at; empty, loading, refused, or the model with its card."""

    delete_asked = Signal(str)

    def __init__(self, desk: HubDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._state = EmptyState("models", "", "")
        self._state.activated.connect(lambda: desk.look(desk.details_of))
        self._title = role_label("", "heading", wrap=True)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._facts = role_label("", "muted", wrap=True)
        self._warning = role_label("", "warning", wrap=True)
        self.card = ModelCard()
        self.card.setAccessibleName(self.tr("Model card"))
        self.download = PlainButton(self.tr("Download"), "primary")
        self.download.setObjectName("hubDownload")
        self.download.clicked.connect(lambda: desk.download(desk.details_of))
        self.delete = PlainButton(self.tr("Delete from the cache"), "danger")
        self.delete.clicked.connect(lambda: self.delete_asked.emit(desk.details_of))
        self._pages = QStackedWidget()
        self._arrange()
        desk.details_changed.connect(self._refresh)
        desk.downloads_changed.connect(self._buttons)
        self._refresh()

    def _arrange(self) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 12, 16, 0)
        column.setSpacing(6)
        buttons = QHBoxLayout()
        buttons.addWidget(self.download)
        buttons.addWidget(self.delete)
        buttons.addStretch(1)
        for part in (self._title, self._facts, self._warning):
            column.addWidget(part)
        column.addLayout(buttons)
        column.addSpacing(4)
        column.addWidget(self.card, 1)
        self._pages.addWidget(self._state)
        self._pages.addWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)

    def _refresh(self) -> None:
        desk = self._desk
        if desk.details is not None:
            self._show(desk.details)
            self._pages.setCurrentIndex(1)
            return
        self._pages.setCurrentIndex(0)
        if not desk.details_of:
            self._state.show_state(
                "models", self.tr("Choose a model"), self.tr("Its card, its files and its size appear here.")
            )
        elif desk.details_error is not None:
            said = " ".join(map(worded, desk.details_error))
            self._state.show_state("error", desk.details_of, said.strip(), self.tr("Try again"))
        else:
            self._state.show_state("clock", desk.details_of, self.tr("Asking the hub…"))

    def _show(self, details: HubDetails) -> None:
        model = details.model
        self._title.setText(model.repo)
        facts = [model.quantization, model.architecture]
        if model.parameters:
            parameters = significant(model.parameters / _BILLION)
            facts.append(self.tr("{number} billion parameters").format(number=parameters))
        facts.append(
            self.tr("{size}, files: {files}").format(
                size=size(details.wanted_bytes), files=count(len(details.wanted))
            )
        )
        if details.license:
            facts.append(self.tr("license {name}").format(name=details.license))
        if details.base_models:
            facts.append(self.tr("made from {name}").format(name=", ".join(details.base_models)))
        self._facts.setText("  ·  ".join(filter(None, facts)))
        warnings = list(details.warnings)
        if model.access is not Access.OPEN and not self._desk.has_token:
            warnings.insert(0, self.tr("It is gated: agree to its terms on its page, then give a token (Token…)."))
        self._warning.setText("\n".join(warnings))
        self._warning.setVisible(bool(warnings))
        self.card.setMarkdown(details.card[:_MOST_LETTERS] or self.tr("*This model has no card.*"))
        self._buttons()

    def _buttons(self) -> None:
        if not self._desk.details_of:
            return
        state = self._desk.downloads.get(self._desk.details_of)
        running = state is not None and state.state is DownloadState.RUNNING
        whole = self._desk.is_whole(self._desk.details_of)
        self.download.setEnabled(not running and not whole)
        if whole:
            text = self.tr("Downloaded")
        elif running:
            text = self.tr("Downloading…")
        else:
            text = self.tr("Go on with the download") if state is not None else self.tr("Download")
        self.download.setText(text)
        self.delete.setVisible(not running and (whole or self._desk.is_here(self._desk.details_of)))

