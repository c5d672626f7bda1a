"""The middle of the window as pages of which one is in front; a tab for each stands where the title would be."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedWidget, QTabBar, QVBoxLayout, QWidget

_TITLE_ROOM = 20  # above and below the title's text, together; as in a dock's title


class CentrePages(QWidget):
    """Holds pages; `page_changed` carries whether the first one, which the window's docks belong to, is in front."""

    page_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stack = QStackedWidget()
        self.tabs = QTabBar()
        self.tabs.setObjectName("centreTabs")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tabs.setAccessibleName(self.tr("Pages of the middle"))
        self.tabs.currentChanged.connect(self._show)
        self._title = QWidget()
        self._title.setObjectName("panelTitle")
        self._title.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self._title)
        row.setContentsMargins(7, 2, 8, 0)  # a tab has room of its own beside its text
        row.addWidget(self.tabs)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._title)
        column.addWidget(self._stack, 1)
        self._fit()

    @property
    def count(self) -> int:
        """How many pages there are."""
        return self._stack.count()

    @property
    def is_first(self) -> bool:
        """Whether the first page is in front."""
        return self._stack.currentIndex() <= 0

    def add_page(self, page: QWidget, title: str) -> None:
        """A page behind those that are there."""
        self._stack.addWidget(page)
        self.tabs.addTab(title.replace("&", "&&"))

    def show_page(self, page: QWidget) -> None:
        """Bring one to the front."""
        self.tabs.setCurrentIndex(self._stack.indexOf(page))

    def show_first(self) -> None:
        """Bring the first one to the front."""
        self.tabs.setCurrentIndex(0)

    def changeEvent(self, event: QEvent) -> None:
        """Keep the title's height right when the text size changes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        self._title.setFixedHeight(self.fontMetrics().height() + _TITLE_ROOM)

    def _show(self, index: int) -> None:
        self._stack.setCurrentIndex(index)
        self.page_changed.emit(self.is_first)
