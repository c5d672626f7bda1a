"""Models on the hub: find one, read about it, download it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.hub_token import HubTokenDialog
from app.widgets.empty_state import EmptyState
from app.widgets.hub_details import HubDetailsView
from app.widgets.hub_downloads import HubDownloads
from app.widgets.hub_table import HubColumn, HubTable
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label
from app.widgets.named_combo import NamedCombo
from app.widgets.question import Question
from app.widgets.screen_room import within_screen
from app.wording.engine import worded
from engine.hub.records import Query

if TYPE_CHECKING:
    from app.bridge.hub_desk import HubDesk
    from app.bridge.store import Store

_SIZE = QSize(1120, 720)
_LEAST_TEXT = 150
_LEAST_CHOICE = 90  # pixels: where there is room for no more, it is cut, and its list is not
_TYPING_MS = 350
_FORMATS = ("AWQ", "GPTQ", "FP8", "INT8", "MXFP4", "NVFP4", "compressed-tensors", "bitsandbytes", "GGUF")
_ENGINE_SHARE = 0.92  # vLLM's usual gpu_memory_utilization


class HubDialog(QDialog):
    """Stays usable beside the window; closing it leaves downloads running."""

    def __init__(self, desk: HubDesk, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Models on the hub"))
        self.resize(within_screen(self, _SIZE))
        self._desk, self._store = desk, store
        self.text = QLineEdit()
        self.format = NamedCombo()
        self.sort = NamedCombo()
        self.fitting = QCheckBox(self.tr("Only what fits here"))
        self.token = PlainButton("")
        self.table = HubTable(self)
        self.view = QTableView()
        self._empty = EmptyState("search", "", "")
        self._left_out = role_label("", "caption")
        self._results = QStackedWidget()
        self.details = HubDetailsView(desk)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self.search)
        self._fill_bar()
        self._fill_table()
        self._arrange()
        self._connect()
        self.text.setFocus()
        self.search()

    def search(self) -> None:
        """Ask the hub for what the bar says."""
        self._typing.stop()
        self._desk.search(
            Query(text=self.text.text().strip(), quantization=self.format.currentData(), sort=self.sort.currentData())
        )

    def memory_bytes(self) -> int | None:
        """What an engine could have here: of the largest GPU, else of the machine's memory; None while unknown."""
        hardware = self._store.hardware
        if hardware is None:
            return None
        cards = [gpu.total_bytes for gpu in hardware.gpus if gpu.total_bytes]
        return int((max(cards) if cards else hardware.host.total_bytes) * _ENGINE_SHARE)

    def _fill_bar(self) -> None:
        for choice in (self.format, self.sort):
            choice.setMinimumWidth(_LEAST_CHOICE)
        self.text.setMinimumWidth(_LEAST_TEXT)
        self.text.setPlaceholderText(self.tr("Name, owner or words"))
        self.text.setAccessibleName(self.tr("Search the hub"))
        self.text.setClearButtonEnabled(True)
        self.format.setAccessibleName(self.tr("Format"))
        self.format.addItem(self.tr("Any format"), "")
        for name in _FORMATS:
            self.format.addItem(name, name)
        self.sort.setAccessibleName(self.tr("Order"))
        for key, text in (("downloads", self.tr("Most downloaded")), ("trending_score", self.tr("Trending")),
                          ("likes", self.tr("Most liked")), ("last_modified", self.tr("Newest"))):  # fmt: skip
            self.sort.addItem(text, key)

    def _fill_table(self) -> None:
        view = self.view
        view.setModel(self.table)
        view.setAccessibleName(self.tr("Models found"))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setShowGrid(False)
        view.setTabKeyNavigation(False)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)  # where the window is narrow
        view.verticalHeader().hide()
        view.setWordWrap(False)
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names differ in how they end
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(HubColumn.MODEL, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(8)
        bar.addWidget(self.text, 1)
        for widget in (self.format, self.sort, self.fitting, self.token):
            bar.addWidget(widget)
        listed = QWidget()
        column = QVBoxLayout(listed)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.view, 1)
        column.addWidget(self._left_out)
        self._results.addWidget(self._empty)
        self._results.addWidget(listed)
        split = QSplitter()
        split.setChildrenCollapsible(False)
        split.addWidget(self._results)
        split.addWidget(self.details)
        split.setSizes([self.width() * 56 // 100, self.width() * 44 // 100])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(16, 16, 16, 12)
        outer.setSpacing(10)
        outer.addLayout(bar)
        outer.addWidget(split, 1)
        outer.addWidget(HubDownloads(self._desk))

    def _connect(self) -> None:
        desk = self._desk
        self.text.textChanged.connect(lambda: self._typing.start())
        self.text.returnPressed.connect(self.search)
        self.format.activated.connect(self.search)
        self.sort.activated.connect(self.search)
        self.fitting.toggled.connect(self._show_models)
        self.token.clicked.connect(self._ask_token)
        self.view.selectionModel().currentRowChanged.connect(self._look)
        self._empty.activated.connect(self.search)
        desk.searching.connect(self._show_searching)
        desk.found.connect(self._show_models)
        desk.search_failed.connect(self._show_failure)
        desk.token_changed.connect(self._show_token)
        self.details.delete_asked.connect(self._ask_delete)
        self._show_token()

    def _show_searching(self) -> None:
        if not self.table.rowCount():
            self._empty.show_state("search", self.tr("Searching…"), "")
            self._results.setCurrentIndex(0)

    def _show_models(self) -> None:
        memory = self.memory_bytes()
        self.table.show_models(self._desk.models, memory, only_fitting=self.fitting.isChecked())
        hidden = self.table.left_out
        text = self.tr("Left out because they do not fit: {count}").format(count=hidden)
        self._left_out.setText(text if hidden else "")
        if self.table.rowCount():
            self._results.setCurrentIndex(1)
            return
        if hidden:
            self._empty.show_state("search", self.tr("Nothing that fits"), self._left_out.text())
        else:
            text = self.tr("Fewer words or another format find more.")
            self._empty.show_state("search", self.tr("Nothing found"), text)
        self._results.setCurrentIndex(0)

    def _show_failure(self, message: str, remedy: str) -> None:
        self.table.show_models((), None, only_fitting=False)
        title = self.tr("The hub could not be searched")
        self._empty.show_state("error", title, f"{worded(message)} {worded(remedy)}".strip(), self.tr("Try again"))
        self._results.setCurrentIndex(0)

    def _show_token(self) -> None:
        self.token.setText(self.tr("Token ✓") if self._desk.has_token else self.tr("Token…"))

    def _look(self, current: QModelIndex) -> None:
        if current.isValid():
            self._desk.look(self.table.model_at(current.row()).repo)

    def _ask_token(self) -> None:
        dialog = HubTokenDialog(self._desk.has_token, self)
        dialog.given.connect(self._desk.use_token)
        dialog.open()

    def _ask_delete(self, repo: str) -> None:
        Question(
            self,
            self.tr("Delete a model"),
            self.tr("Delete all files of {model} from this machine?").format(model=repo),
            self.tr("It can be downloaded again."),
            self.tr("Delete"),
            self.tr("Keep"),
            lambda: self._desk.delete(repo),
        ).open()
