"""The window: header, docks, the centre, the status line. It draws; what is asked of it, it passes on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QMainWindow, QMenuBar, QTabBar, QToolBar, QVBoxLayout, QWidget

from app.dialogs.log_window import LogWindow
from app.menus import Menus
from app.theme.icons import icon
from app.theme.stylesheet import SCOPE
from app.widgets.centre_pages import CentrePages
from app.widgets.failure_panel import FailurePanel
from app.widgets.header_bar import HeaderBar
from app.widgets.notice_bar import NoticeBar
from app.widgets.panel_slot import CentreSlot, PanelDock
from app.widgets.stage_line import StageLine
from app.widgets.status_line import StatusLine
from app.window_layout import DockLayout
from app.window_places import WindowPlaces
from app.window_room import WindowRoom
from engine.domain.lifecycle import Lifecycle, Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QSettings
    from PySide6.QtGui import QCloseEvent, QPaintEvent, QResizeEvent, QScreen, QShowEvent

    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from app.panels.panel import Panel, PanelSpec
    from app.theme.themes import Themes
    from app.widgets.log_book import LogBook


class MainWindow(QMainWindow):
    """Built before the panels and the commands are there; both come after the first paint (`fill`, `use`).

    `painted` carries the monotonic time in seconds of the first paint. `close_asked` says that the user wants to
    leave: the window closes only once `allow_close` has been called.
    """

    painted = Signal(float)
    close_asked = Signal()

    def __init__(
        self,
        store: Store,
        themes: Themes,
        settings: QSettings,
        book: LogBook,
        panels: Sequence[PanelSpec],
        *,
        layout_name: str = "",
        hidden: Sequence[str] = (),
    ) -> None:
        """`hidden` panels are not shown at first; `layout_name` keeps a layout of its own in the settings."""
        super().__init__()
        self.setProperty(SCOPE, themes.current.name)  # a second window comes after the theme was put on the first
        self._store = store
        self._specs = sorted(panels, key=lambda spec: (spec.area, spec.order))
        self._may_close = False
        self._was_painted = False
        self._follows = False
        self._shown: Callable[[], None] = _nothing
        self._hidden: Callable[[], None] = _nothing
        self._failure: FailurePanel | None = None
        self.setWindowTitle("KVDeck")
        self.setWindowIcon(icon("kvdeck", "#000000"))
        self.header = HeaderBar(store, themes)
        self.stages = StageLine(store)
        self.notices = NoticeBar(store)
        self.status = StatusLine(store)
        self.menus = Menus(self, QMenuBar())
        self.slots: dict[str, PanelDock | CentreSlot] = {}
        self.pages = CentrePages()
        self.log = LogWindow(book, themes, self)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._build_frame()
        self._build_slots()
        docks = [(slot, spec.area) for slot, spec in self._docks_with_specs()]
        self._layout = DockLayout(self, docks, [slot for slot, spec in self._docks_with_specs() if spec.key in hidden])
        self._layout.arrange()
        self._room = WindowRoom(self, self._layout.in_the_way)
        self.pages.page_changed.connect(self._room.page_changed)
        self.places = WindowPlaces(self, self._layout, settings, layout_name, lambda: self.pages.is_first)
        if not self.places.restore():
            self.reset_layout()
        self._name_tabs()
        self._follows = True
        store.lifecycle_changed.connect(self._lifecycle_changed)
        store.look_asked.connect(lambda look: self.show_panel(look.panel))
        self._lifecycle_changed(store.lifecycle)
        self.setFocus()

    def use(self, commands: Commands) -> None:
        """From now on the window's own controls act."""
        self.header.use(commands)
        self.notices.offer_taken.connect(commands.load_as)
        self.stages.cancel_button.clicked.connect(lambda: commands.cancel_load())
        self._failure = FailurePanel(self._store, commands)
        self._failure.log_asked.connect(self.show_log)
        self._lifecycle_changed(self._store.lifecycle)

    def fill(self, spec: PanelSpec, panel: Panel) -> None:
        """Put a built panel into its place."""
        self.slots[spec.key].fill(panel)
        self.menus.add_panel(self._title(spec), panel)
        self.status.come_last()

    def show_panel(self, key: str) -> None:
        """Show a panel and put the keyboard into it."""
        slot = self.slots[key]
        if isinstance(slot, CentreSlot):
            self.pages.show_page(slot)
        else:
            slot.show()
            slot.raise_()
        target = slot.panel or slot
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not target.hasFocus():
            within = target.focusWidget() or target.nextInFocusChain()
            if within is not None:
                within.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_log(self) -> None:
        """Show the log, or hide it when it is shown."""
        if self.log.isVisible():
            self.log.close()
            return
        if not self.log.isFloating() and self.dockWidgetArea(self.log) is Qt.DockWidgetArea.NoDockWidgetArea:
            self.log.place(self)
        self.log.show()
        self.log.raise_()
        self.log.view.search.setFocus()

    def add_bottom_bar(self, widget: QWidget) -> None:
        """A bar over the whole width, between the panels and the status line."""
        bar = QToolBar()
        bar.setObjectName("bottomBar")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.addWidget(widget)
        self.addToolBar(Qt.ToolBarArea.BottomToolBarArea, bar)

    def watch_visibility(self, shown: Callable[[], None], hidden: Callable[[], None]) -> None:
        """Call `shown` now and whenever the window comes back, `hidden` when it is minimized or covered for good."""
        self._shown, self._hidden = shown, hidden
        (shown if self.isVisible() and not self.isMinimized() else hidden)()

    def show_leaving(self) -> None:
        """Say that the engine is being ended, and take no more orders."""
        self.header.light.words.setText(self.tr("ending the engine…"))
        for part in (self.menus.bar, self.header, self.stages):
            part.setEnabled(False)
        for slot in self.slots.values():
            slot.setEnabled(False)

    def allow_close(self) -> None:
        """The next close event closes."""
        self._may_close = True

    def toggle_sides(self) -> None:
        """Only the centre and what belongs to it, or everything again."""
        sides = [dock for dock, spec in self._docks_with_specs() if spec.area != "centre"]
        shows = not any(dock.isVisible() for dock in sides)
        for dock in sides:
            dock.setVisible(shows)

    def reset_layout(self) -> None:
        """Every dock back to where it belongs, with sizes that suit the window's."""
        self.pages.show_first()
        self._layout.reset()
        self._name_tabs()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ignored until the engine has been ended in good order."""
        if self._may_close:
            self.pages.show_first()  # the places to be remembered are those of the usual docks
            self.places.save()
            event.accept()
        else:
            event.ignore()
            self.close_asked.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Follow the screen that the window is on."""
        super().showEvent(event)
        handle = self.windowHandle()
        if handle is not None:
            handle.screenChanged.connect(self._screen_changed, Qt.ConnectionType.UniqueConnection)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size may have another layout."""
        super().resizeEvent(event)
        self._follow_size()

    def changeEvent(self, event: QEvent) -> None:
        """Draw nothing while minimized; larger text leaves less room."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            QTimer.singleShot(0, self, self._follow_size)  # not while Qt restyles one widget after the other
        if event.type() is QEvent.Type.WindowStateChange:
            (self._hidden if self.isMinimized() else self._shown)()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say once when the window has been painted: after this frame has gone to the screen."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self, lambda: self.painted.emit(time.monotonic()))

    def _lifecycle_changed(self, lifecycle: Lifecycle) -> None:
        centre = next((slot for slot in self.slots.values() if isinstance(slot, CentreSlot)), None)
        if centre is None:
            return
        failed = lifecycle.failure is not None and lifecycle.phase in (Phase.FAILED, Phase.CRASHED, Phase.OFFLINE)
        if failed and self._failure is not None:
            self._failure.show_lifecycle(lifecycle)
            centre.show_instead(self._failure)
        else:
            centre.show_instead(None)

    def _build_frame(self) -> None:
        top = QWidget()
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.menus.bar, self.header, self.stages, self.notices):
            column.addWidget(widget)
        self.setMenuWidget(top)
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        bar.setContentsMargins(0, 0, 0, 0)
        bar.addWidget(self.status, 1)
        self.status.log_button.clicked.connect(self.show_log)
        self.setDockNestingEnabled(True)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)

    def _build_slots(self) -> None:
        for spec in self._specs:
            title = self._title(spec)
            if spec.area == "page" or (spec.area == "centre" and not self.pages.count):
                page = self.slots[spec.key] = CentreSlot(spec.key, title)
                self.pages.add_page(page, title)
            else:
                self.slots[spec.key] = PanelDock(spec.key, title, self)
        self.setCentralWidget(self.pages)
        self.log.hide()

    def _follow_size(self) -> None:
        if not self._follows or self.isMinimized() or self._layout.fitting == self._layout.shape:
            return
        self._rearrange(self.places.follow)

    def _screen_changed(self, screen: QScreen) -> None:
        self._rearrange(lambda: self.places.screen_changed(screen))

    def _rearrange(self, bring: Callable[[], None]) -> None:
        """Have the docks brought where they belong now; those that a page has put away are among them."""
        writing = self.focusWidget()
        self._room.bring_back()
        bring()
        self._name_tabs()
        self._bring_forward(writing)
        QTimer.singleShot(0, self, lambda: self._leave_room(writing))  # when it is known who is seen

    def _leave_room(self, writing: QWidget | None) -> None:
        self._room.page_changed(self.pages.is_first)
        self._bring_forward(writing)

    def _bring_forward(self, writing: QWidget | None) -> None:
        """The keyboard stays in the panel that it was in, and that in sight: else Space would press what Qt finds."""
        if writing is None or not shiboken6.isValid(writing):
            return
        dock = next((dock for dock in self._layout.docks if dock.isAncestorOf(writing)), None)
        if dock is None:
            return
        if dock.isHidden() and self.pages.is_first:  # at this size the user has it so
            self.setFocus()
            return
        dock.show()
        dock.raise_()
        writing.setFocus(Qt.FocusReason.OtherFocusReason)

    def _name_tabs(self) -> None:
        for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):  # Qt's own
            bar.setAccessibleName(self.tr("Panels"))
            bar.setElideMode(Qt.TextElideMode.ElideNone)  # "M…" is no name; arrows go on to what has no room

    def _docks_with_specs(self) -> list[tuple[PanelDock, PanelSpec]]:
        found = ((self.slots[spec.key], spec) for spec in self._specs)
        return [(slot, spec) for slot, spec in found if isinstance(slot, PanelDock)]

    def _title(self, spec: PanelSpec) -> str:
        return QCoreApplication.translate("Panels", spec.title)


def _nothing() -> None:
    """There is nobody to tell yet."""
