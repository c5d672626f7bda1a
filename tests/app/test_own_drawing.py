"""What is drawn without an object for each piece: the axis, the rows of requests, the curves of memory; questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFileDialog, QTableView, QWidget

from app.widgets.file_question import ask_to_save, suffix_of
from app.widgets.history_curves import curves
from app.widgets.parameter_row import ParameterRow
from app.widgets.quick_axis import QuickAxis
from app.widgets.request_rows import RequestRows
from engine.metrics.memory_history import PARTS, Column
from engine.parameters.catalog import CATALOG

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from pytestqt.qtbot import QtBot

    from app.theme.themes import Themes

_SECOND = 1_000_000_000
_PLOT = QRect(10, 20, 100, 50)


# The axis


def _ticks(least: float, most: float, size: float) -> tuple[list[list[float]], list[list[float]]]:
    """The places of our ticks and of pyqtgraph's own, by level."""
    ours, theirs = QuickAxis("left"), pg.AxisItem("left")
    found = [values for _, values in ours.tickValues(least, most, size)]
    return found, [list(values) for _, values in theirs.tickValues(least, most, size)]


@pytest.mark.parametrize(("least", "most"), [(0.0, 1.0), (-3.7, 812.4), (1e6, 1.00002e6), (5.0, 4.0), (0.0, 1e-7)])
@pytest.mark.parametrize("size", [40.0, 200.0, 900.0])
def test_the_axis_has_the_ticks_of_pyqtgraph(qapp: object, least: float, most: float, size: float) -> None:
    ours, theirs = _ticks(least, most, size)
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(other, abs=abs(most - least) * 1e-9)


@pytest.mark.parametrize("side", ["left", "bottom"])
def test_the_numbers_of_the_axis_stand_apart_and_inside(qtbot: QtBot, side: str) -> None:
    view = pg.PlotWidget(axisItems={side: QuickAxis(side)})
    qtbot.addWidget(view)
    view.resize(300, 200)
    view.setRange(xRange=(0, 1000), yRange=(0, 1000), padding=0)
    view.show()
    axis = view.getAxis(side)
    assert isinstance(axis, QuickAxis)
    view.grab()
    assert axis.picture is not None
    texts = axis.picture.texts
    assert {"0", "1000"} & {text for _, text in texts} or len(texts) >= 2
    places = [place for place, _ in texts]
    assert all(axis.boundingRect().contains(place) for place in places)
    overlaps = [one for at, one in enumerate(places) if any(one.intersects(other) for other in places[at + 1 :])]
    assert overlaps == []
    before = axis.picture
    view.grab()
    assert axis.picture is before, "drawn from what was worked out before"
    axis.setTickFont(QFont("monospace", 18))
    view.grab()
    assert axis.picture is not before
    view.close()


def test_an_axis_without_room_or_range_draws_nothing_wrong(qtbot: QtBot) -> None:
    view = pg.PlotWidget(axisItems={"left": QuickAxis("left")})
    qtbot.addWidget(view)
    view.resize(60, 8)
    view.setYRange(3, 3, padding=0)
    view.show()
    view.grab()
    view.close()


# The rows of requests


class _Items(QStandardItemModel):
    def text_at(self, row: int, column: int) -> str:
        return str(self.index(row, column).data())

    def colour_at(self, row: int) -> QColor:
        colour = self.index(row, 0).data(Qt.ItemDataRole.DecorationRole)
        assert isinstance(colour, QColor)
        return colour


def _rows(view: QTableView) -> RequestRows:
    model = view.model()
    assert isinstance(model, _Items)
    return RequestRows(view, model)


@pytest.fixture
def table(qtbot: QtBot, themes: Themes) -> QTableView:
    model = _Items(3, 2)
    for row in range(3):
        first = QStandardItem(f"request-{row}-with-a-name-that-is-much-too-long")
        first.setData(QColor("#ff0000" if row else "#00ff00"), Qt.ItemDataRole.DecorationRole)
        second = QStandardItem(str(row * 1000))
        second.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        model.setItem(row, 0, first)
        model.setItem(row, 1, second)
    view = QTableView()
    model.setParent(view)
    qtbot.addWidget(view)
    view.setModel(model)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setIconSize(QSize(10, 10))
    view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.resize(260, 160)
    view.show()
    return view


def _drawn_by_rows(view: QTableView, rows: RequestRows) -> QImage:
    image = QImage(view.viewport().size(), QImage.Format.Format_RGB32)
    image.fill(view.palette().color(view.viewport().backgroundRole()))
    with QPainter(image) as painter:
        rows.paint(painter, range(view.model().rowCount()))
    return image


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_rows_look_as_qt_draws_them(table: QTableView, direction: Qt.LayoutDirection) -> None:
    table.setLayoutDirection(direction)
    theirs = table.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    ours = _drawn_by_rows(table, _rows(table))
    ground = theirs.pixel(theirs.width() - 2, theirs.height() - 2)
    differing = sum(
        (theirs.pixel(x, y) == ground) != (ours.pixel(x, y) == ours.pixel(ours.width() - 2, ours.height() - 2))
        for x in range(theirs.width())
        for y in range(theirs.height())
    )
    assert differing == 0


def test_rows_follow_values_colours_and_widths(table: QTableView) -> None:
    rows = _rows(table)
    first = _drawn_by_rows(table, rows)
    assert _drawn_by_rows(table, rows) == first
    model = table.model()
    model.setData(model.index(1, 1), "7")
    changed = _drawn_by_rows(table, rows)
    assert changed != first
    model.setData(model.index(1, 1), "1000")
    assert _drawn_by_rows(table, rows) == first
    model.setData(model.index(1, 0), QColor("#0000ff"), Qt.ItemDataRole.DecorationRole)
    assert _drawn_by_rows(table, rows) != first
    model.setData(model.index(1, 0), QColor("#ff0000"), Qt.ItemDataRole.DecorationRole)
    table.setColumnWidth(0, 60)
    assert _drawn_by_rows(table, rows) != first
    table.setColumnWidth(0, 100)
    table.setFont(QFont("monospace", 16))
    rows.forget()
    assert _drawn_by_rows(table, rows) != first


def test_hidden_columns_are_left_out(table: QTableView) -> None:
    table.setColumnHidden(0, True)
    image = _drawn_by_rows(table, _rows(table))
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert not colours & {"#ff0000", "#00ff00"}


# The curves of memory


def _table(seconds: list[float], shares: list[float], load: list[float]) -> NDArray[np.float64]:
    """Samples whose weights take `shares` of the total."""
    table = np.zeros((len(seconds), len(Column)))
    table[:, Column.NS] = np.array(seconds) * _SECOND
    table[:, Column.TOTAL] = 100.0
    table[:, Column.WEIGHTS] = np.array(shares) * 100.0
    table[:, Column.UTILIZATION] = load
    return table


def test_an_area_stands_on_the_floor_and_is_as_high_as_its_share() -> None:
    (drawn,) = curves(_table([0, 5, 10], [0.5, 0.5, 1.0], [0, 0, 0]), _PLOT, 0, 10 * _SECOND)
    ((part, outline),) = drawn.areas
    assert PARTS[part] is Column.WEIGHTS
    assert outline.containsPoint(QPointF(60, 69), Qt.FillRule.WindingFill)
    assert not outline.containsPoint(QPointF(35, 44), Qt.FillRule.WindingFill)
    box = outline.boundingRect()
    assert (box.left(), box.right(), box.top(), box.bottom()) == (10, 110, 20, 70)


def test_parts_are_stacked_and_empty_ones_left_out() -> None:
    table = _table([0, 10], [0.25, 0.25], [np.nan, np.nan])
    table[:, Column.OTHERS] = 50.0
    (drawn,) = curves(table, _PLOT, 0, 10 * _SECOND)
    (first, lower), (second, upper) = drawn.areas
    assert (PARTS[first], PARTS[second]) == (Column.WEIGHTS, Column.OTHERS)
    assert lower.boundingRect().top() == upper.boundingRect().bottom() == 57.5
    assert upper.boundingRect().top() == 32.5
    assert drawn.lines == ()


def test_no_line_over_what_was_not_sampled() -> None:
    found = list(curves(_table([0, 1, 30, 31], [0.5] * 4, [0.1, 0.2, 0.3, np.nan]), _PLOT, 0, 40 * _SECOND))
    assert [len(line) for drawn in found for line in drawn.lines] == [2, 1]
    lines = curves(_table([0, 1, 2, 3, 4], [0.5] * 5, [0.1, np.nan, 0.3, 0.4, np.nan]), _PLOT, 0, 40 * _SECOND)
    assert [len(line) for drawn in lines for line in drawn.lines] == [1, 2]


def test_samples_from_before_the_span_and_more_than_all_stay_in_the_plot() -> None:
    (drawn,) = curves(_table([0, 5], [1.4, 1.4], [1.7, 0.0]), _PLOT, 4 * _SECOND, 2 * _SECOND)
    for outline in (*(outline for _, outline in drawn.areas), *drawn.lines):
        assert outline.boundingRect().left() >= _PLOT.left()
        assert outline.boundingRect().top() >= _PLOT.top()


def test_a_total_that_is_not_known_draws_no_area_and_no_samples_nothing() -> None:
    table = _table([0, 1], [0.5, 0.5], [0.5, 0.5])
    table[:, Column.TOTAL] = 0.0
    (drawn,) = curves(table, _PLOT, 0, 10 * _SECOND)
    assert drawn.areas == ()
    assert list(curves(table[:0], _PLOT, 0, 10 * _SECOND)) == []


# Questions for files


def test_a_name_without_a_suffix_gets_the_one_chosen_and_nobody_waits(qtbot: QtBot, tmp_path: Path) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    owner.show()
    given: list[tuple[Path, str]] = []
    kinds = "CSV (*.csv);;Parquet (*.parquet)"
    dialog = ask_to_save(
        owner, "Export", str(tmp_path / "steps.csv"), kinds, lambda path, kind: given.append((path, kind))
    )
    assert dialog.isVisible()
    assert not given
    dialog.selectNameFilter("Parquet (*.parquet)")
    dialog.filterSelected.emit("Parquet (*.parquet)")
    assert dialog.defaultSuffix() == "parquet"
    dialog.selectFile(str(tmp_path / "steps"))
    dialog.accept()
    assert given == [(tmp_path / "steps.parquet", "Parquet (*.parquet)")]
    dialog = ask_to_save(owner, "Export", "a.csv", kinds, lambda path, kind: given.append((path, kind)))
    dialog.reject()
    assert len(given) == 1
    assert isinstance(dialog, QFileDialog)


def test_suffixes_of_filters() -> None:
    assert suffix_of("CSV (*.csv)") == ".csv"
    assert suffix_of("Recordings (*.kvdeck *.kvdeck.part)") == ""
    assert suffix_of("") == suffix_of("All files (*)") == ""


def test_a_note_that_says_nothing_is_not_restyled(qtbot: QtBot) -> None:
    row = ParameterRow(CATALOG["seed"])
    qtbot.addWidget(row)
    row.show_problem("", blocking=True)
    assert row._note.property("role") == "caption", "as it was built"
    assert row._note.isHidden(), "an empty line would stand between the rows"
    row.show_problem("Too much.", blocking=True)
    assert (row._note.text(), row._note.property("role"), row._note.isHidden()) == ("Too much.", "error", False)
    row.show_problem("", blocking=False)
    assert row._note.isHidden()
