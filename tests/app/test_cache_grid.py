"""Geometry of the block map: every block is somewhere, and zooming keeps what is under the pointer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.block_map_grid import BlockGrid

_views = st.tuples(
    st.integers(1, 250_000), st.integers(60, 2600), st.integers(60, 1500), st.sampled_from((1.0, 1.5, 2.0))
)


def _grid(view: tuple[int, int, int, float]) -> BlockGrid:
    grid = BlockGrid()
    grid.resize(*view)
    return grid


@given(_views)
def test_fitted_every_block_is_seen_or_a_pixel_wide(view: tuple[int, int, int, float]) -> None:
    grid = _grid(view)
    blocks, width, height, _ = view
    assert grid.is_fitted
    assert grid.columns * grid.cell_width <= width
    if width * height >= blocks and grid.cell > 1:
        assert grid.rows * grid.cell <= height
    for block in (0, blocks // 2, blocks - 1):
        x, y = grid.corner(block)
        if y < height:
            assert grid.block_at(x, y) == block
            assert grid.block_at(x + grid.cell_width - 1, y + grid.cell - 1) == block


@given(_views, st.integers(1, 12), st.floats(0, 1), st.floats(0, 1))
def test_zoom_keeps_the_block_under_the_pointer(
    view: tuple[int, int, int, float], steps: int, across: float, down: float
) -> None:
    grid = _grid(view)
    x, y = int(across * (view[1] - 1)), int(down * (view[2] - 1))
    block = grid.block_at(x, y)
    covers = grid.columns * grid.cell_width == view[1] and grid.rows * grid.cell == view[2]
    grid.zoom(steps, x, y)
    if block is not None and covers:
        assert grid.block_at(x, y) == block
    grid.zoom(-50, x, y)
    assert grid.is_fitted


@given(_views, st.integers(1, 20), st.integers(-5000, 5000), st.integers(-5000, 5000))
def test_panning_never_loses_the_map(view: tuple[int, int, int, float], steps: int, dx: int, dy: int) -> None:
    grid = _grid(view)
    grid.zoom(steps, view[1] // 2, view[2] // 2)
    grid.pan(dx, dy)
    assert not grid.window().is_empty
    last = view[0] - 1
    grid.reveal(last)
    x, y = grid.corner(last)
    assert 0 <= x <= view[1] - grid.cell_width
    assert 0 <= y <= view[2] - grid.cell


def test_a_resized_view_keeps_its_zoom_and_its_middle() -> None:
    grid = _grid((4000, 600, 400, 1.0))
    grid.zoom(8, 300, 200)
    cell, middle = grid.cell, grid.block_at(300, 200)
    grid.resize(4000, 700, 500, 1.0)
    assert grid.cell == cell
    assert middle is not None
    x, y = grid.corner(middle)
    assert abs(x + cell // 2 - 350) <= cell
    assert abs(y + cell // 2 - 250) <= cell


@pytest.mark.parametrize(
    ("blocks", "width", "height", "share"),
    [(728, 703, 210, 0.95), (728, 1420, 420, 0.95), (728, 600, 150, 0.95), (5_700, 703, 210, 0.95),
     (38_000, 703, 210, 0.75), (250_000, 1465, 480, 0.7)],
)  # fmt: skip
def test_a_fitted_map_fills_its_view(blocks: int, width: int, height: int, share: float) -> None:
    grid = _grid((blocks, width, height, 1.0))
    assert grid.rows * grid.cell <= height
    assert grid.columns * grid.cell_width * grid.rows * grid.cell >= share * width * height
    assert grid.left == grid.top == 0  # in line with the figures above it
    long, short = max(grid.cell, grid.cell_width), min(grid.cell, grid.cell_width)
    assert long <= 3 * short if short < 4 else long <= 1.5 * short
