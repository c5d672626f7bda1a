"""The list of conversations, with a search through all that was ever said in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.widgets.chat_undo import UndoBar
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QKeyEvent, QPainter

    from app.theme.themes import Themes
    from engine.chat.store import SearchHit
    from engine.chat.transcript import Conversation

_ID = Qt.ItemDataRole.UserRole
_SECOND = Qt.ItemDataRole.UserRole + 1
_MESSAGE = Qt.ItemDataRole.UserRole + 2
_Index = QModelIndex | QPersistentModelIndex
_SEARCH_DELAY_MS = 150


class ConversationList(QWidget):
    """Newest first. Signals carry a conversation's id."""

    chosen = Signal(str, str)  # conversation, and the message that a search found ("" for none)
    new_asked = Signal()
    renamed = Signal(str, str)
    delete_asked = Signal(str)
    undo_asked = Signal(str)
    forgotten = Signal(str)
    search_asked = Signal(str)

    def __init__(self, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._deleted = ""
        self._field = QLineEdit(placeholderText=self.tr("Search all chats"))
        self._field.setAccessibleName(self.tr("Search all chats"))
        self._field.setClearButtonEnabled(True)
        self._delay = QTimer(self, singleShot=True, interval=_SEARCH_DELAY_MS)
        self._delay.timeout.connect(lambda: self.search_asked.emit(self._field.text().strip()))
        self._field.textChanged.connect(lambda: self._delay.start())
        self._new = PlainButton(self.tr("New chat"))
        self._new.clicked.connect(self.new_asked)
        self.list = _Rows(themes)
        self.list.setObjectName("chatList")
        self.list.setAccessibleName(self.tr("Chats"))
        self._none = role_label("", "muted", wrap=True)
        self.undo = UndoBar()
        self.undo.undone.connect(lambda: self.undo_asked.emit(self._deleted))
        self.undo.expired.connect(lambda: self.forgotten.emit(self._deleted))
        self._arrange()
        self._connect()

    @property
    def search_text(self) -> str:
        """What is searched for, "" when all are listed."""
        return self._field.text().strip()

    def search(self) -> None:
        """Put the cursor into the search field."""
        self._field.setFocus()
        self._field.selectAll()

    def show_conversations(self, conversations: Sequence[Conversation], current: str) -> None:
        """List all."""
        rows = [(item, _when(item.updated_unix_s), "") for item in conversations]
        self._show(rows, current, self.tr("No chats yet. What you write is kept here."))

    def show_hits(self, hits: Sequence[SearchHit], current: str) -> None:
        """List what a search found, with the words around it."""
        rows = [(hit.conversation, hit.excerpt, hit.message_id or "") for hit in hits]
        self._show(rows, current, self.tr("Nothing found in any chat."))

    def show_deleted(self, chat_id: str, title: str = "") -> None:
        """Offer the way back for some seconds."""
        items = (self.list.item(row) for row in range(self.list.count()))
        title = title or next((item.text() for item in items if item.data(_ID) == chat_id), "")
        self.undo.expire()
        self._deleted = chat_id
        self.undo.offer(self.tr("Deleted “{}”").format(title or self.tr("New chat")))

    def _show(self, rows: Sequence[tuple[Conversation, str, str]], current: str, none: str) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        for conversation, second, message_id in rows:
            item = QListWidgetItem(conversation.title or self.tr("New chat"))
            item.setData(_ID, conversation.id)
            item.setData(_SECOND, second)
            item.setData(_MESSAGE, message_id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            item.setToolTip(item.text())
            self.list.addItem(item)
            if conversation.id == current:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)
        self._none.setText(none)
        self._none.setVisible(not rows)
        self.list.setVisible(bool(rows))

    def _connect(self) -> None:
        self.list.itemClicked.connect(self._choose)
        self.list.itemActivated.connect(self._choose)
        self.list.itemChanged.connect(lambda item: self.renamed.emit(item.data(_ID), item.text().strip()))
        self.list.delete_pressed.connect(self._delete_current)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(_ID), item.data(_MESSAGE))

    def _delete_current(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.delete_asked.emit(item.data(_ID))

    def _menu(self, place: QPoint) -> None:
        item = self.list.itemAt(place)
        if item is None:
            return
        menu = QMenu(self)
        menu.addAction(self.tr("Open"), lambda: self._choose(item))
        menu.addAction(self.tr("Rename"), lambda: self.list.editItem(item))
        menu.addAction(self.tr("Delete"), lambda: self.delete_asked.emit(item.data(_ID)))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _arrange(self) -> None:
        self._none.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self._field, 1)
        top.addWidget(self._new)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.list, 1)
        column.addWidget(self._none, 1)
        column.addWidget(self.undo)


class _Rows(QListWidget):
    """Rows of two lines; Delete deletes, F2 renames."""

    delete_pressed = Signal()

    def __init__(self, themes: Themes) -> None:
        super().__init__()
        self.setItemDelegate(_TwoLines(themes, self))
        self.setEditTriggers(QListWidget.EditTrigger.EditKeyPressed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete asks to delete."""
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
            return
        super().keyPressEvent(event)


class _TwoLines(QStyledItemDelegate):
    """A title and, smaller, when it was or what was found in it."""

    def __init__(self, themes: Themes, parent: QWidget) -> None:
        super().__init__(parent)
        self._themes = themes

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        """Two lines and some air."""
        return QSize(80, 2 * option.fontMetrics.height() + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """The row's background by the style, the two lines by hand."""
        self.initStyleOption(option, index)
        option.text = ""
        widget = option.widget
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        area = option.rect.adjusted(8, 5, -8, -5)
        theme, metrics = self._themes.current, option.fontMetrics
        lines = ((str(index.data()), theme.text), (str(index.data(_SECOND) or ""), theme.text_muted))
        begin, end = "\u2068", "\u2069"  # a title keeps its own direction inside the list's
        painter.save()
        flags = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
        for number, (text, colour) in enumerate(lines):
            line = area.adjusted(0, number * (metrics.height() + 2), 0, 0)
            line.setHeight(metrics.height())
            painter.setPen(colour)
            cut = metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, flags, f"{begin}{cut}{end}")
        painter.restore()


def _when(unix_s: float) -> str:
    """The time of day for today, else the date, by locale."""
    moment, locale = QDateTime.fromSecsSinceEpoch(int(unix_s)), QLocale()
    if moment.date() == QDateTime.currentDateTime().date():
        return locale.toString(moment.time(), QLocale.FormatType.ShortFormat)
    return locale.toString(moment.date(), QLocale.FormatType.ShortFormat)
