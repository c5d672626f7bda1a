"""A whole window on the screen, with all its panels, for as long as a test looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from app.panels.registry import PANELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from app.panels.panel import PanelContext


def shown(window: MainWindow, context: PanelContext, qtbot: QtBot) -> Iterator[MainWindow]:
    """Fill and show `window` at the smallest size that it has to be good at, and close it in the end."""
    window.resize(1280, 800)
    for spec in PANELS:
        window.fill(spec, spec.factory(context))
    window.show()
    window.reset_layout()
    qtbot.waitExposed(window)
    QApplication.processEvents()
    yield window
    window.allow_close()
    window.close()
    window.deleteLater()
