"""The block map by itself: what it redraws, and what glows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from app.theme.tokens import DARK
from app.widgets.block_map import BlockMap
from app.widgets.block_map_palette import ColourMode
from benchmarks.page_traffic import PageTraffic
from engine.metrics.block_owners import BlockOwners

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from engine.domain.telemetry import CacheSnapshot


def _picture(view: BlockMap) -> QImage:
    return view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


@pytest.mark.parametrize("mode", list(ColourMode))
def test_small_cells_redrawn_alone_equal_all_redrawn(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, mode: ColourMode
) -> None:
    """Cells of a few pixels, with glows that fade: changed cells are written one by one, their rows painted alone."""
    page = PageTraffic(tmp_path / "frames", 9000)
    rng = np.random.default_rng(5)
    view = BlockMap(DARK)
    view.use_mode(mode)
    view.resize(500, 300)
    qtbot.addWidget(view)
    view.show()
    for number in range(40):
        _random_traffic(page, rng, number)
        snapshot = page.publish()
        view.show_snapshot(snapshot, BlockOwners(snapshot.requests, snapshot.block_size))
        view.fading.fade()
        view.fading.stop()  # it would fade once more behind the back of the comparison
        qapp.processEvents()
        on_screen = view.screen().grabWindow(view.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)
        assert on_screen == _picture(view), f"frame {number}"
        if number == 25:
            view.zoom(2, QPointF(200, 100))
        if number == 30:
            view.light(snapshot.requests[0].block_table)
    fresh = _fresh(qtbot, view, snapshot, mode)
    view.clearFocus()  # the ring is around one of them only
    view.light(None)
    view.image.stop_glow()
    assert _picture(view) == _picture(fresh)
    assert 1 < view.grid.cell < 8
    page.close()


@pytest.mark.parametrize("mode", list(ColourMode))
def test_redrawing_what_changed_equals_drawing_all(qtbot: QtBot, tmp_path: Path, mode: ColourMode) -> None:
    """Frame after frame, at a fitted and at a large size, against a map that has just been made."""
    page = PageTraffic(tmp_path / "frames", 400)
    rng = np.random.default_rng(5)
    view = BlockMap(DARK)
    view.set_reduced_motion(reduced=True)
    view.use_mode(mode)
    view.resize(500, 300)
    qtbot.addWidget(view)
    for number in range(60):
        _random_traffic(page, rng, number)
        snapshot = page.publish()
        view.show_snapshot(snapshot, BlockOwners(snapshot.requests, snapshot.block_size))
        if number == 20:
            view.zoom(6, QPointF(200, 100))
        if number % 4 == 0:
            assert _picture(view) == _picture(_fresh(qtbot, view, snapshot, mode)), f"frame {number}"
    page.close()


def _random_traffic(page: PageTraffic, rng: np.random.Generator, number: int) -> None:
    names = list(page.live)
    for name in names:
        if rng.random() < 0.6:
            page.grow(name, int(rng.integers(1, 9)))
    if len(names) > 6 or (names and rng.random() < 0.3):
        page.finish(str(rng.choice(names)))
    names = list(page.live)
    share = str(rng.choice(names)) if names and rng.random() < 0.5 else None
    page.add(f"r{number}", int(rng.integers(1, 200)), share=share)


def _fresh(qtbot: QtBot, like: BlockMap, snapshot: CacheSnapshot, mode: ColourMode) -> BlockMap:
    view = BlockMap(DARK)
    qtbot.addWidget(view)
    view.set_reduced_motion(reduced=True)
    view.use_mode(mode)
    view.resize(like.size())
    view.show_snapshot(snapshot, BlockOwners(snapshot.requests, snapshot.block_size))
    for name in ("cell", "cell_width", "left", "top"):
        setattr(view.grid, name, getattr(like.grid, name))
    return view


def test_new_blocks_glow_unless_motion_is_reduced(qtbot: QtBot, tmp_path: Path) -> None:
    traffic = PageTraffic(tmp_path / "glow", 300)
    view = BlockMap(DARK)
    qtbot.addWidget(view)
    view.resize(600, 400)
    for reduced in (False, True):
        view.set_reduced_motion(reduced=reduced)
        snapshot = traffic.publish()
        view.show_snapshot(snapshot, BlockOwners(snapshot.requests, 16))
        traffic.add(f"fresh-{reduced}", 40)
        snapshot = traffic.publish()
        view.show_snapshot(snapshot, BlockOwners(snapshot.requests, 16))
        assert view.image.is_glowing is not reduced
    view.hide()
    traffic.close()
