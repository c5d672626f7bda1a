"""The frame around a panel: its title and the place that the panel fills once it is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.widgets.icon import IconButton
from app.widgets.labels import role_label
from app.widgets.last_resort_scroll import LastResortScroll
from app.widgets.leading_widget import LeadingWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QResizeEvent

_TITLE_ROOM = 20  # above and below the title's text, together


class PanelTitle(QWidget):
    """A panel's name and, at the trailing edge, what can be done with the panel as a whole."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panelTitle")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 2, 8, 0)
        self._row.setSpacing(2)
        self._buttons: list[IconButton] = []
        self._row.addWidget(role_label(title, "panelTitle"))
        self._row.addStretch(1)
        self.setFixedHeight(self.fontMetrics().height() + _TITLE_ROOM)

    def add_button(self, icon: str, label: str) -> IconButton:
        """A button at the trailing edge."""
        button = IconButton(icon, label, size=14)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the View menu does the same by keyboard
        policy = button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        button.setSizePolicy(policy)
        button.hide()
        self._buttons.append(button)
        self._row.addWidget(button)
        return button

    def sizeHint(self) -> QSize:
        """The height counts: a dock lays its title out by its hint alone."""
        return QSize(super().sizeHint().width(), self.fontMetrics().height() + _TITLE_ROOM)

    def minimumSizeHint(self) -> QSize:
        """As high as the hint."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the buttons only where the pointer is: six rows of them all day long are noise."""
        super().enterEvent(event)
        for button in self._buttons:
            button.show()

    def leaveEvent(self, event: QEvent) -> None:
        """Hide them again."""
        super().leaveEvent(event)
        for button in self._buttons:
            button.hide()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the height right when the text size changes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.setFixedHeight(self.fontMetrics().height() + _TITLE_ROOM)


class PanelDock(QDockWidget):
    """A panel that can be moved, floated and closed."""

    resized = Signal()

    def __init__(self, key: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setObjectName(f"dock_{key}")
        self.setAccessibleName(title)
        self._place = _Place()
        self.setWidget(self._place)
        bar = PanelTitle(title)
        self._float = bar.add_button("float", self.tr("Show this panel in a window of its own"))
        self._float.clicked.connect(lambda: self.setFloating(not self.isFloating()))
        bar.add_button("close", self.tr("Hide this panel")).clicked.connect(self.close)
        self.setTitleBarWidget(bar)
        self.topLevelChanged.connect(self._floated)
        # Qt moves the docks behind a tab out of the window and lets them think that they are seen.
        self.visibilityChanged.connect(self._place.show_content)

    @property
    def panel(self) -> QWidget | None:
        """What fills this place, None before it is built."""
        return self._place.content

    def fill(self, panel: QWidget) -> None:
        """Put the panel into its place."""
        self._place.fill(panel)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say so."""
        super().resizeEvent(event)
        self.resized.emit()

    def _floated(self, is_floating: bool) -> None:
        self._float.show_icon("dock" if is_floating else "float")
        label = self.tr("Put this panel back") if is_floating else self.tr("Show this panel in a window of its own")
        self._float.setToolTip(label)
        self._float.setAccessibleName(label)


class CentreSlot(QWidget):
    """A page of the window's middle: the panel, or in its place what matters more at present (`show_instead`)."""

    def __init__(self, key: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"dock_{key}")
        self.setAccessibleName(title)
        self._place = _Place()
        self._stack = QStackedWidget()
        self._stack.addWidget(self._place)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)

    @property
    def panel(self) -> QWidget | None:
        """What fills this place, None before it is built."""
        return self._place.content

    def fill(self, panel: QWidget) -> None:
        """Put the panel into its place."""
        self._place.fill(panel)

    def show_instead(self, widget: QWidget | None) -> None:
        """Show `widget` in place of the panel; None shows the panel again."""
        if widget is not None and self._stack.indexOf(widget) < 0:
            self._stack.addWidget(widget)
        self._stack.setCurrentWidget(self._place if widget is None else widget)


class _Place(LeadingWidget):
    """A surface that holds one widget."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panelSlot")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.content: QWidget | None = None
        self._shows = True
        self._area = LastResortScroll()
        self._area.needs_changed.connect(lambda: self.updateGeometry())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._area)

    def fill(self, widget: QWidget) -> None:
        self.content = widget
        policy = widget.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        widget.setSizePolicy(policy)
        self._area.hold(widget)
        widget.setVisible(self._shows)
        self.lead_to(widget)

    def show_content(self, shown: bool) -> None:  # a slot: Qt hands the state over by position
        self._shows = shown
        if self.content is not None:
            self.content.setVisible(shown)
