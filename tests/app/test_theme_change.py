"""Another theme: each widget is looked at once, what is seen first, and nothing keeps the colours of the old one."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMenu, QToolTip, QWidget

from app.main_window import MainWindow
from app.panels.registry import PANELS
from app.preferences import TEXT_SIZE, THEME
from app.theme.appearance import Appearance
from app.theme.themes import Themes
from app.theme.tokens import DARK, LIGHT
from app.widgets.log_book import LogBook
from tests.app.showing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import qasync
    from PySide6.QtCore import QSettings
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.panels.panel import PanelContext
    from app.preferences import Preferences

_ONLY_DARK = {c for c in asdict(DARK).values() if isinstance(c, str)} - {
    c for c in asdict(LIGHT).values() if isinstance(c, str)
}
_DARK_GROUNDS, _LIGHT_GROUNDS = (
    {QColor(colour).rgb() for colour in (theme.window, theme.surface, theme.raised, theme.line)}
    for theme in (DARK, LIGHT)
)
_AREA = 1000  # pixels: more than the brand, which is dark in both themes
_ROLES = (QPalette.ColorRole.Window, QPalette.ColorRole.WindowText, QPalette.ColorRole.Base, QPalette.ColorRole.Text)


class Restyled(QObject):
    """Counts how often each widget is told that its style is another one."""

    def __init__(self, application: QApplication) -> None:
        super().__init__()
        self.times: Counter[int] = Counter()
        self._application = application
        application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - as Qt calls it
        if event.type() is QEvent.Type.StyleChange and isinstance(watched, QWidget):
            self.times[id(watched)] += 1
        return False

    def stop(self) -> None:
        self._application.removeEventFilter(self)


@pytest.fixture
def appearance(qapp: QApplication, context: PanelContext, preferences: Preferences) -> Iterator[Appearance]:
    """What puts the theme of `context` on; it begins dark."""
    preferences.set(THEME, "dark")
    result = Appearance(qapp, Themes(), preferences)
    yield result
    result.deleteLater()


@pytest.fixture
def window(
    store: Store, context: PanelContext, settings: QSettings, appearance: Appearance, qtbot: QtBot
) -> Iterator[MainWindow]:
    """The whole window, dark."""
    context = replace(context, themes=appearance.themes)
    result = MainWindow(store, context.themes, settings, LogBook(store), PANELS)
    yield from shown(result, context, qtbot)


def pictures(window: MainWindow) -> dict[str, QImage]:
    """Each panel, as the window shows it."""
    found = {}
    for key in window.slots:
        window.show_panel(key)
        window.setFocus()
        QApplication.processEvents()
        found[key] = window.grab().toImage()
    return found


def test_each_widget_is_restyled_once_and_what_is_seen_at_once(
    qapp: QApplication, window: MainWindow, appearance: Appearance
) -> None:
    sheet = qapp.styleSheet()
    gone = QLabel("Closed before its turn", window)
    parts = window.findChildren(QWidget)
    counted = Restyled(qapp)
    try:
        appearance.themes.use("light")
        at_once = set(counted.times)
        seen = window.grab().toImage()
        assert not appearance.restyling.is_done
        gone.deleteLater()
        QCoreApplication.sendPostedEvents(gone, QEvent.Type.DeferredDelete)
        parts.remove(gone)
        appearance.restyling.finish()
    finally:
        counted.stop()
    twice = [part for part in parts if counted.times[id(part)] != 1 and not _has_own_sheet(part)]
    assert twice == []
    assert len(at_once) < len(parts) / 3, "what nobody sees waits"
    assert qapp.styleSheet() == sheet
    assert window.grab().toImage() == seen, "it was right before the rest followed"


def test_no_panel_keeps_the_old_colours(window: MainWindow, appearance: Appearance, qtbot: QtBot) -> None:
    label = QLabel("Alone as yet")
    appearance.themes.use("light")
    qtbot.waitUntil(lambda: appearance.restyling.is_done)
    light = pictures(window)
    assert [part for part in window.findChildren(QWidget) if _colours(part) & _ONLY_DARK] == []
    assert [key for key, picture in light.items() if _grounds(picture) & _DARK_GROUNDS] == []
    label.setParent(window)
    appearance.themes.use("dark")
    qtbot.waitUntil(lambda: appearance.restyling.is_done)
    assert label.palette().windowText().color() == QColor(DARK.text), "of its window's theme, not the one of before"
    label.setParent(None)
    assert [key for key, picture in pictures(window).items() if _grounds(picture) & _LIGHT_GROUNDS] == []


def test_what_opens_later_has_the_theme_in_force(
    qapp: QApplication,
    window: MainWindow,
    appearance: Appearance,
    preferences: Preferences,
    loop: qasync.QEventLoop,
) -> None:
    appearance.themes.use("light")
    dialog, menu = QDialog(window), QMenu(window)
    menu.addAction("One")
    dialog.open()
    menu.popup(QPoint(0, 0))
    QToolTip.showText(QPoint(5, 5), "Words", window.header)
    qapp.processEvents()
    tip = next(part for part in qapp.topLevelWidgets() if part.metaObject().className() == "QTipLabel")
    assert _ground(dialog) == QColor(LIGHT.window)
    assert _ground(menu) == _ground(tip) == QColor(LIGHT.raised)
    menu.close()
    QToolTip.hideText()
    tip.hide()
    dialog.close()
    loop.run_until_complete(_now(lambda: preferences.set(TEXT_SIZE, 1.5)))
    assert appearance.restyling.is_done
    assert _ground(window.status) == QColor(LIGHT.surface)
    assert window.status.font().pointSizeF() == pytest.approx(qapp.font().pointSizeF())


def test_a_second_window_has_the_theme_in_force(
    store: Store, settings: QSettings, window: MainWindow, appearance: Appearance
) -> None:
    appearance.themes.use("light")
    second = MainWindow(store, appearance.themes, settings, LogBook(store), PANELS, layout_name="second_replay")
    second.show()
    QApplication.processEvents()
    assert _ground(second.status) == QColor(LIGHT.surface)
    second.allow_close()
    second.close()
    second.deleteLater()


def test_a_theme_chosen_before_anything_is_shown_is_the_first_one(
    qapp: QApplication, appearance: Appearance, qtbot: QtBot
) -> None:
    appearance.themes.use("light")
    later = QDialog()
    qtbot.addWidget(later)
    later.show()
    assert _ground(later) == QColor(LIGHT.window)


async def _now(act: Callable[[], object]) -> None:
    """Within Qt's own loop, where it restyles what there is; without one it leaves widgets as they are."""
    act()


def _has_own_sheet(part: QWidget) -> bool:
    return any(owner.styleSheet() for owner in [part, *_parents(part)])


def _parents(part: QWidget) -> Iterator[QWidget]:
    parent = part.parentWidget()
    while parent is not None:
        yield parent
        parent = parent.parentWidget()


def _grounds(picture: QImage) -> set[int]:
    """The colours that fill more than a trifle of it."""
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    colours, counts = np.unique(np.frombuffer(image.constBits(), np.uint32), return_counts=True)
    return set(colours[counts > _AREA].tolist())


def _colours(part: QWidget) -> set[str]:
    roles = _ROLES[:1] if part.isWindow() else _ROLES  # the frames of combo boxes' lists show no text
    return {part.palette().color(role).name() for role in roles}


def _ground(widget: QWidget) -> QColor:
    return widget.grab().toImage().pixelColor(4, 3)
