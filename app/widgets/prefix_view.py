"""The prefix cache as a tree, a stretch's text on demand, and why the chosen request found what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.elided_label import ElidedLabel
from app.widgets.icon import IconButton
from app.widgets.prefix_words import reason_text, saved_text

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from app.bridge.commands import Commands
    from app.bridge.store import Selection, Store
    from engine.domain.prefixes import PrefixNode, PrefixReason, PrefixText, PrefixTree

_KEY = int(Qt.ItemDataRole.UserRole)
_LEAST_INTERVAL_MS = 2000
_REST = 100  # the engine stands still while it reads the tree: for at most a hundredth of the time
_COLUMNS = 5
_DIGITS = (0, 8, 8, 8, 10)
_OPEN_NODES = 200


class PrefixView(QWidget):
    """Reads the tree anew while it is visible, as often as costs the engine no more than a hundredth of its time."""

    def __init__(self, store: Store, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._commands = store, commands
        self._step: int | None = None
        self.summary = ElidedLabel("muted")
        self.refresh = IconButton("reload", self.tr("Read the tree now"))
        self.refresh.clicked.connect(commands.read_prefix_tree)
        self.keep = IconButton("log", self.tr("Keep token ids of cached prefixes"))
        self.keep.setCheckable(True)
        self.keep.setEnabled(False)
        self.keep.setToolTip(
            self.tr("Keep the token ids of cached prefixes in the engine, so that their text can be read when no "
                    "request holds them any more: at most 64 MiB, until this is off again or the engine ends. "
                    "They are not written to recordings.")
        )  # fmt: skip
        self.keep.clicked.connect(lambda on: commands.keep_prefix_tokens(on=on))
        self.reason = ElidedLabel("muted")
        self.text = ElidedLabel("mono")
        self.tree = QTreeWidget()
        self._set_up_tree()
        self._timer = QTimer(self)
        self._timer.setInterval(_LEAST_INTERVAL_MS)
        self._timer.timeout.connect(self._read)
        self._arrange()
        store.prefix_tree_changed.connect(self._show_tree)
        store.prefix_text_changed.connect(self._show_text)
        store.prefix_reason_changed.connect(self._show_reason)
        store.selection_changed.connect(self._explain)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self.summary, 1)
        head.addWidget(self.keep)
        head.addWidget(self.refresh)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self.tree, 1)
        column.addWidget(self.text)
        column.addWidget(self.reason)
        self.text.hide()
        self.reason.hide()

    def _set_up_tree(self) -> None:
        tree = self.tree
        tree.setColumnCount(_COLUMNS)
        names = (self.tr("Tokens"), self.tr("Blocks"), self.tr("Owners"), self.tr("Reused"), self.tr("Last use"))
        tree.setHeaderLabels(list(names))
        tree.setFrameShape(QFrame.Shape.NoFrame)
        tree.setUniformRowHeights(True)
        tree.setIndentation(14)
        tree.setMinimumHeight(48)
        tree.setAccessibleName(self.tr("Cached prefixes"))
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        digit = tree.fontMetrics().horizontalAdvance("0")
        for column in range(1, _COLUMNS):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, _DIGITS[column] * digit)
            tree.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        tree.currentItemChanged.connect(self._choose)

    # Reading

    def showEvent(self, event: QShowEvent) -> None:
        """Read the tree, and go on reading while it is seen."""
        super().showEvent(event)
        for button in (self.keep, self.refresh):
            button.setVisible(self._store.replay is None)
        self._show_tree(self._store.prefix_tree)
        self._explain(self._store.selection)
        self._read()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Read no more."""
        self._timer.stop()
        super().hideEvent(event)

    def _read(self) -> None:
        snapshot = self._store.cache
        # An engine at rest has the same tree as before; a recording brings those that were read.
        if snapshot is None or self._store.replay is not None or snapshot.counters.step == self._step:
            return
        self._step = snapshot.counters.step
        self._commands.read_prefix_tree()
        if self._store.selection.request_id is not None:
            self._commands.explain_prefix(self._store.selection.request_id)

    def _explain(self, selection: Selection) -> None:
        self.reason.hide()
        if self.isVisible() and selection.request_id is not None and self._store.replay is None:
            self._commands.explain_prefix(selection.request_id)

    # Showing

    def _show_tree(self, tree: PrefixTree | None) -> None:
        if tree is None:
            self._step = None
            self.tree.clear()
            replayed = self._store.replay is not None
            self.summary.show_text(self.tr("This recording holds no prefix tree up to here.") if replayed else "")
            self.keep.setEnabled(False)
            return
        self._timer.setInterval(max(_LEAST_INTERVAL_MS, tree.walk_ns * _REST // 1_000_000))
        self.keep.setEnabled(True)
        self.keep.setChecked(tree.keeps_tokens)
        if not self.isVisible():
            return
        nothing = self.tr("No prefix is kept yet: full blocks of a prompt are, once they are computed.")
        self.summary.show_text(saved_text(tree, self._bytes_per_block()) if tree.nodes else nothing)
        chosen = self._chosen()
        closed = {str(item.data(0, _KEY)[0]) for item in self._items() if item.childCount() and not item.isExpanded()}
        self.tree.blockSignals(True)
        self._fill(tree, closed, chosen[0] if chosen is not None else None)
        self.tree.blockSignals(False)

    def _fill(self, tree: PrefixTree, closed: set[str], chosen: str | None) -> None:
        place = self.tree.verticalScrollBar().value()
        self.tree.clear()
        items: list[QTreeWidgetItem] = []
        for node in tree.nodes:
            above = self.tree.invisibleRootItem() if node.parent is None else items[node.parent]
            item = self._item(node, tree)
            above.addChild(item)
            items.append(item)
        for item in items:
            if item.data(0, _KEY)[0] == chosen:
                self.tree.setCurrentItem(item)  # which opens all above it
        for item in items[:_OPEN_NODES]:
            item.setExpanded(item.data(0, _KEY)[0] not in closed)
        self.tree.verticalScrollBar().setValue(place)

    def _item(self, node: PrefixNode, tree: PrefixTree) -> QTreeWidgetItem:
        if node.end_block is None:
            name = self.tr("{0} tokens").format(figures.count(node.tokens))
        else:
            last = node.end_block * tree.block_size
            name = self.tr("{0} to {1}").format(figures.count(last - node.tokens + 1), figures.count(last))
        if not node.reachable:
            name = self.tr("{0}, beginning evicted").format(name)
        ago = self.tr("{0} ago").format(figures.count(max(0, tree.step - node.last_used_step)))
        numbers = (figures.count(node.blocks), figures.count(node.owners), figures.count(node.hits), ago)
        item = QTreeWidgetItem([name, *numbers])
        item.setData(0, _KEY, (node.key, node.blocks))
        for column in range(1, _COLUMNS):
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(_COLUMNS - 1, self.tr("in steps"))
        return item

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        self.text.hide()
        chosen = self._chosen()
        if item is not None and chosen is not None and self._store.replay is None:
            self._commands.read_prefix_text(*chosen)

    def _show_text(self, text: PrefixText | None) -> None:
        chosen = self._chosen()
        if text is None or chosen is None or text.key != chosen[0]:
            self.text.hide()
            return
        self.text.show_text(self._no_text() if text.text is None else _shortened(text.text))
        self.text.show()

    def _no_text(self) -> str:
        if self.keep.isChecked():
            return self.tr("This prefix was cached before its token ids were kept, and no live request holds it.")
        return self.tr("No live request holds this prefix, and no token ids of it are kept: only its hash is left.")

    def _show_reason(self, reason: PrefixReason | None) -> None:
        wanted = self._store.selection.request_id
        shown = reason is not None and reason.request_id == wanted
        if shown and reason is not None:
            self.reason.show_text(reason_text(reason))
        self.reason.setVisible(shown)

    def _chosen(self) -> tuple[str, int] | None:
        item = self.tree.currentItem()
        if item is None:
            return None
        key, blocks = item.data(0, _KEY)
        return str(key), int(blocks)

    def _items(self) -> list[QTreeWidgetItem]:
        waiting = [self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount())]
        items: list[QTreeWidgetItem] = []
        while waiting:
            item = waiting.pop()
            if item is not None:
                items.append(item)
                waiting += [item.child(i) for i in range(item.childCount())]
        return items

    def _bytes_per_block(self) -> float | None:
        facts = self._store.lifecycle.facts
        if facts is None or facts.kv_cache_bytes is None or not facts.num_blocks:
            return None
        return facts.kv_cache_bytes / facts.num_blocks


def _shortened(text: str, most: int = 2000) -> str:
    """Both ends of a long text: the tooltip shows all of this, the line what fits."""
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"
