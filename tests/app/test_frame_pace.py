"""What is drawn now and then gets a frame of its own, and looks as Qt and pyqtgraph would have drawn it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from app.bridge.frame_pace import FramePace
from app.widgets.timeline_raster import BarRaster

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store


def test_one_job_a_frame_and_none_beside_a_picture(qtbot: QtBot, store: Store) -> None:
    done: list[str] = []
    pace = FramePace(store)
    first, second = (lambda: done.append("first")), (lambda: done.append("second"))
    for job in (first, second, first):  # asked twice, it runs once
        pace.soon(job)
    store.cache_changed.emit(None)
    pace.tick(time.monotonic_ns())
    assert not done
    pace.tick(time.monotonic_ns())
    qtbot.waitUntil(lambda: done == ["first"])
    pace.tick(time.monotonic_ns() + 1_000_000_000)
    qtbot.waitUntil(lambda: done == ["first", "second"])


def test_what_waited_long_is_done_beside_a_picture_and_without_frames(qtbot: QtBot, store: Store) -> None:
    done: list[str] = []
    pace = FramePace(store)
    pace.soon(lambda: done.append("long"))
    store.cache_changed.emit(None)
    pace.tick(time.monotonic_ns() + 1_000_000_000)
    qtbot.waitUntil(lambda: done == ["long"])
    forgotten, alone = (lambda: done.append("forgotten")), (lambda: done.append("alone"))
    pace.soon(forgotten)
    pace.soon(alone)
    pace.forget(forgotten)
    qtbot.waitUntil(lambda: done == ["long", "alone"])


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_bars_are_what_qt_would_have_filled(qapp: object, ratio: float) -> None:
    chance = np.random.default_rng(4)
    x, y = chance.uniform(-5, 40, 200), np.floor(chance.uniform(0, 30, 200)) + 0.09
    widths, heights = chance.uniform(0.01, 6, 200), np.full(200, 0.82)
    shown = QRectF(0, 0, 40, 30)

    def drawn(*, raster: bool) -> QImage:
        image = QImage(round(300 * ratio), round(130 * ratio), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        image.fill(Qt.GlobalColor.black)
        with QPainter(image) as painter:
            painter.translate(7, 3)
            painter.scale(7.1, 4.3)
            painter.setClipRect(shown)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor("#3399cc"))
            if raster:
                bars = BarRaster(painter, shown)
                bars.fill(x, y, widths, heights, QColor("#3399cc"))
                bars.paint()
            else:
                painter.drawRects([QRectF(*bar) for bar in zip(x, y, widths, heights, strict=True)])
        return image

    assert drawn(raster=True) == drawn(raster=False)
