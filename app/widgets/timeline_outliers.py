"""The slowest requests as a menu: by their wait for the first token, their longest pause, and in all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QMenu

from app.widgets import figures
from app.widgets.menu_heading import add_heading
from app.widgets.timeline_words import lot_text
from engine.metrics.outliers import Delay, Outlier, outliers
from engine.metrics.step_levels import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from engine.metrics.timeline import Timeline

_EACH = 5
_ID_LENGTH = 28


class OutlierMenu(QMenu):
    """Reads the timeline each time it opens. `chosen` carries an Outlier."""

    chosen = Signal(object)

    def __init__(self, timeline: Callable[[], Timeline], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timeline = timeline
        self.setAccessibleName(self.tr("Slowest requests"))
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        timeline = self._timeline()
        for delay, heading in (
            (Delay.FIRST_TOKEN, self.tr("Longest wait for the first token")),
            (Delay.PAUSE, self.tr("Longest pause between two tokens")),
            (Delay.WHOLE, self.tr("Longest in all")),
        ):
            found = outliers(timeline, delay, _EACH)
            if not found:
                continue
            add_heading(self, heading)
            for one in found:
                action = self.addAction(_entry(one))
                action.triggered.connect(lambda _checked=False, one=one: self.chosen.emit(one))
        if self.isEmpty():
            self.addAction(self.tr("No request has been seen yet")).setEnabled(False)


def _entry(found: Outlier) -> str:
    request = found.lane.request_id
    short = request if len(request) <= _ID_LENGTH else f"{request[:12]}…{request[-12:]}"
    text = f"{figures.duration(found.seconds)}  {short}"
    return _tr("{0}, preempted").format(text) if found.preempted else text


def outlier_text(found: Outlier, timeline: Timeline) -> str:
    """What the chosen outlier is, with the step that took longest meanwhile."""
    what = {
        Delay.FIRST_TOKEN: _tr("{0} waited {1} for its first token"),
        Delay.PAUSE: _tr("{0} paused for {1} between two tokens"),
        Delay.WHOLE: _tr("{0} took {1} in all"),
    }[found.delay].format(found.lane.request_id, figures.duration(found.seconds))
    if found.preempted:
        what = _tr("{0}, preemptions: {1}").format(what, figures.count(found.lane.num_preemptions))
    if found.step is None:
        return what
    lots = timeline.steps.view(found.begin_ns, found.end_ns, 1 << 30)
    longest = next((lot for lot in lots.table if lots.exact and int(lot[Column.FIRST_STEP]) == found.step), None)
    return what if longest is None else _tr("{0}. Longest step meanwhile: {1}").format(what, lot_text(longest))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Outliers", text)
