"""A layout that puts its widgets beside each other and begins a new line when one is full."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget


class FlowLayout(QLayout):
    """Lines of widgets at their size hints, from the leading edge on."""

    def __init__(self, parent: QWidget | None = None, *, spacing: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def clear(self) -> None:
        """Take all widgets out and delete them."""
        while (item := self.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()

    def addItem(self, item: QLayoutItem) -> None:
        """Take an item as the last one."""
        self._items.append(item)

    def count(self) -> int:
        """How many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """One item, None past the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take one item out, None past the end."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Wants no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines at this width."""
        return self._lay_out(QRect(0, 0, width, 0), apply=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._lay_out(rect, apply=True)

    def sizeHint(self) -> QSize:
        """The smallest size: lines are made as they are needed."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Room for the widest item."""
        size = QSize()
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        return size

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]  # a hidden widget takes no room

    def _lay_out(self, rect: QRect, *, apply: bool) -> int:
        x, y, line_height = 0, 0, 0
        parent = self.parentWidget()
        direction = parent.layoutDirection() if parent else Qt.LayoutDirection.LeftToRight
        for item in self._shown():
            hint = item.sizeHint()
            if x > 0 and x + hint.width() > rect.width():
                x, y, line_height = 0, y + line_height + self.spacing(), 0
            if apply:
                box = QRect(QPoint(rect.x() + x, rect.y() + y), hint)
                item.setGeometry(QStyle.visualRect(direction, rect, box))
            x += hint.width() + self.spacing()
            line_height = max(line_height, hint.height())
        return y + line_height
