"""The parts of the shell, each with the values that the store really carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.bridge.store import Notice, Store
from app.dialogs.about import AboutDialog
from app.dialogs.command_palette import CommandPalette, PaletteEntry, score
from app.widgets import figures
from app.widgets.empty_state import EmptyState
from app.widgets.flow_layout import FlowLayout
from app.widgets.leading_widget import LeadingWidget
from app.widgets.log_book import LogBook, line
from app.widgets.log_view import LogView
from app.widgets.notice_bar import NoticeBar
from app.widgets.segmented import Segmented
from app.widgets.stage_line import StageLine
from app.widgets.status_line import StatusLine
from engine.domain.gpu import GpuSample, HardwareSample, HostSample
from engine.domain.lifecycle import Lifecycle, LogRecord, Phase, ServingStats, Stage, StageTiming

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from app.theme.themes import Themes

GIB = 1024**3


@pytest.fixture(autouse=True)
def english() -> None:
    QLocale.setDefault(QLocale("en_US"))


@pytest.mark.parametrize(
    ("write", "value", "expected"),
    [
        (figures.count, 3204, "3,204"),
        (figures.count, None, "—"),
        (figures.significant, 71.2345, "71.2"),
        (figures.significant, 0.98765, "0.988"),
        (figures.significant, 0, "0"),
        (figures.significant, 99.98, "100"),
        (figures.significant, 0.9998, "1.00"),
        (figures.significant, -9.996, "-10.0"),
        (figures.significant, 34958.4, "34,958"),
        (figures.percent, 0.914, "91\u202f%"),
        (figures.gib, 139.8 * GIB, "140\u202fGiB"),
        (figures.gib, 1.5 * GIB, "1.50\u202fGiB"),
        (figures.duration, 0.138, "138\u202fms"),
        (figures.duration, 14.23, "14.2\u202fs"),
        (figures.duration, 0.9999, "1.0\u202fs"),
        (figures.duration, 125, "2 min 5 s"),
        (lambda rate: figures.per_second(rate, "tok"), 34958.4, "34,958\u202ftok/s"),
    ],
)
def test_numbers_have_units_and_three_digits(write: Callable[[Any], str], value: float, expected: str) -> None:
    assert write(value) == expected


def gpu(uuid: str, used: int | None) -> GpuSample:
    nothing = dict.fromkeys(
        (
            "ours_bytes",
            "others_bytes",
            "utilization",
            "memory_utilization",
            "power_w",
            "power_limit_w",
            "temperature_c",
            "sm_clock_mhz",
            "memory_clock_mhz",
        )
    )
    return GpuSample(monotonic_ns=1, index=0, uuid=uuid, name="H200", total_bytes=140 * GIB, used_bytes=used,
                     processes=(), **nothing)  # fmt: skip


def host() -> HostSample:
    return HostSample(1, 24 * GIB, 20 * GIB, None, None, (0.5,))


def serving(**changes: object) -> ServingStats:
    values = {
        "monotonic_ns": 1, "window_s": 10.0, "prompt_tokens_per_s": 1.0, "generation_tokens_per_s": 34958.0,
        "requests_per_s": 1.0, "ttft_p50_s": 0.138, "ttft_p95_s": None, "itl_p50_s": None, "itl_p95_s": None,
        "e2e_p50_s": None, "queue_p50_s": None, "running": 16, "waiting": 3, "kv_cache_usage": 0.91,
        "finished_total": 1, "preempted_total": 0,
    }  # fmt: skip
    return ServingStats(**{**values, **changes})  # type: ignore[arg-type]


def test_the_status_line_draws_the_five_numbers(store: Store, themes: Themes, qtbot: QtBot) -> None:
    status = StatusLine(store)
    qtbot.addWidget(status)
    assert [n.text for n in (status.running, status.usage, status.memory, status.rate, status.ttft)] == ["—"] * 5
    widths = [number.sizeHint().width() for number in (status.running, status.usage, status.rate, status.ttft)]
    store.publish(serving())
    store.publish(HardwareSample(host(), (gpu("a", 70 * GIB),)))
    status.refresh()
    assert status.running.text == "16"
    assert status.waiting.text == "3"
    assert status.usage.text == "91\u202f%"
    assert status.memory.text == "70.0 / 140\u202fGiB"
    assert status.rate.text == "34,958\u202ftok/s"
    assert status.ttft.accessibleName() == "TTFT p50 138\u202fms"
    assert widths == [number.sizeHint().width() for number in (status.running, status.usage, status.rate, status.ttft)]


def test_memory_that_the_driver_does_not_tell_is_a_dash(store: Store, themes: Themes, qtbot: QtBot) -> None:
    status = StatusLine(store)
    qtbot.addWidget(status)
    store.publish(HardwareSample(host(), (gpu("a", None),)))
    status.refresh()
    assert status.memory.text == "— / 140\u202fGiB"
    store.publish(HardwareSample(host()))
    status.refresh()
    assert status.memory.accessibleName() == "RAM 4.00 / 24.0\u202fGiB"


def test_the_stage_line_is_there_while_loading_only(store: Store, themes: Themes, qtbot: QtBot) -> None:
    stages = StageLine(store)
    qtbot.addWidget(stages)
    assert stages.isHidden()
    timings = (StageTiming(Stage.STARTING, 0.0, 5.0), StageTiming(Stage.WEIGHTS, 5.0, None, 0.4, 3.0))
    store.publish(Lifecycle(Phase.LOADING, "/m", 1, 6.0, timings))
    assert not stages.isHidden()
    assert "weights: 1.0\u202fs of 3.0\u202fs" in stages.track.describe()
    store.publish(Lifecycle(Phase.READY, "/m", 1))
    assert stages.isHidden()


def test_an_unload_shows_no_stages_and_no_cancel(store: Store, themes: Themes, qtbot: QtBot) -> None:
    stages = StageLine(store)
    qtbot.addWidget(stages)
    store.publish(Lifecycle(Phase.UNLOADING, "/m", 1))
    assert not stages.isHidden()
    assert stages.cancel_button.isHidden()
    store.publish(Lifecycle(Phase.IDLE))


def test_notices_come_one_at_a_time_and_the_same_one_once(store: Store, themes: Themes, qtbot: QtBot) -> None:
    bar = NoticeBar(store)
    qtbot.addWidget(bar)
    store.publish(Notice("error", "The port 8000 is in use.", "Choose another."))
    store.publish(Notice("warning", "One file was left out."))
    store.publish(Notice("error", "The port 8000 is in use.", "Choose another."))
    assert bar.accessibleName() == "The port 8000 is in use. Choose another."
    bar.dismiss()
    assert bar.accessibleName() == "One file was left out."
    bar.dismiss()
    assert bar.isHidden()


def test_what_was_said_of_a_load_is_past_when_another_begins(store: Store, themes: Themes, qtbot: QtBot) -> None:
    bar = NoticeBar(store)
    qtbot.addWidget(bar)
    store.publish(Notice("warning", "One file was left out."))
    store.publish(Lifecycle(Phase.LOADING, "/m", 1))
    store.publish(Notice("error", "A model is being loaded.", until_load=True))  # refused while that one loads
    store.publish(Lifecycle(Phase.LOADING, "/m", 1, elapsed_s=2.0))
    store.publish(Lifecycle(Phase.READY, "/m", 1))
    assert bar.accessibleName() == "A model is being loaded."
    store.publish(Lifecycle(Phase.LOADING, "/m", 2))
    assert bar.accessibleName() == "One file was left out."
    assert not bar.isHidden()


def test_information_goes_by_itself(
    store: Store, themes: Themes, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.widgets.notice_bar._INFO_MS", 10)
    bar = NoticeBar(store)
    qtbot.addWidget(bar)
    store.publish(Notice("info", "Saved."))
    assert not bar.isHidden()
    qtbot.waitUntil(bar.isHidden)


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("lg", "Load GPTQ", "Dialog"),
        ("full", "Full screen", "Useful little lamp"),
        ("res", "Reset the layout", "Larger text"),
        ("lo", "Load or reload", "Pause the live view, or go on"),
    ],
)
def test_the_palette_ranks_beginnings_of_words_first(query: str, better: str, worse: str) -> None:
    first, second = score(query, better), score(query, worse)
    assert first is not None
    assert second is None or first > second
    assert score("zzz", better) is None


def test_the_palette_runs_what_is_chosen_by_keyboard(themes: Themes, qtbot: QtBot) -> None:
    done: list[str] = []
    entries = [
        PaletteEntry(name, "View", "", lambda name=name: done.append(name)) for name in ("Log", "Full screen", "Chat")
    ]
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    palette = CommandPalette(entries, window)
    palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(palette)
    palette.open_over(window)
    qtbot.keyClicks(palette.field, "scr")
    assert palette.list.count() == 1
    assert not palette.none.isVisible()
    qtbot.keyClicks(palette.field, "zz")
    assert palette.none.isVisible(), "an empty list alone says nothing"
    palette.field.setText("scr")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert done == ["Full screen"]
    assert not palette.isVisible()
    window.close()


def record(sequence: int, level: str, text: str) -> LogRecord:
    return LogRecord(sequence, 1_700_000_000.25, level, "engine", text)


def test_the_log_is_filtered_and_follows_its_end(store: Store, themes: Themes, qtbot: QtBot) -> None:
    book = LogBook(store)
    view = LogView(book, themes)
    qtbot.addWidget(view)
    for number in range(50):
        store.publish(record(number, "INFO", f"step {number}"))
    store.publish(record(50, "ERROR", "CUDA out of memory"))
    view.show()
    assert view.text.toPlainText().count("\n") == 50
    view.levels.button("ERROR").click()
    assert view.text.toPlainText() == line(record(50, "ERROR", "CUDA out of memory"))
    view.levels.button("INFO").click()
    view.search.setText("STEP 4")
    assert view.text.toPlainText().count("\n") == 10
    store.publish(record(51, "INFO", "step 4 again"))
    qtbot.waitUntil(lambda: "again" in view.text.toPlainText())
    view.close()
    store.publish(record(52, "INFO", "step 4 while hidden"))
    assert "hidden" not in view.text.toPlainText()


def test_segments_speak_and_move_by_keyboard(themes: Themes, qtbot: QtBot) -> None:
    chosen: list[str] = []
    field = Segmented("Theme", (("dark", "dark"), ("light", "light")))
    field.chosen.connect(chosen.append)
    field.show_key("dark")
    assert (field.key, chosen) == ("dark", [])
    qtbot.mouseClick(field.button("light"), Qt.MouseButton.LeftButton)
    assert (field.key, chosen) == ("light", ["light"])
    assert field.button("light").accessibleName() == "Theme: light"
    window, before, after = QWidget(), QLineEdit(), QLineEdit()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    for widget in (before, field, after):
        column.addWidget(widget)
    window.show()
    before.setFocus()
    qtbot.keyClick(before, Qt.Key.Key_Tab)
    assert window.focusWidget() is field.button("light"), "Tab leads to the one that is on"
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Left)
    assert (window.focusWidget(), field.key, chosen[-1]) == (field.button("dark"), "dark", "dark")
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Left)
    assert field.key == "dark", "it does not go round"
    field.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Left)
    assert field.key == "light"
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert window.focusWidget() is after, "and on to what follows"


def test_an_empty_state_offers_one_act(themes: Themes, qtbot: QtBot) -> None:
    empty = EmptyState("models", "No models yet", "They will be listed here.", "Get the starter model")
    qtbot.addWidget(empty)
    acts: list[bool] = []
    empty.activated.connect(lambda: acts.append(True))
    empty.button.click()
    assert acts == [True]
    empty.show_state("chat", "Nothing to do", "Wait.")
    assert empty.button.isHidden()


def test_a_flow_breaks_its_lines_and_mirrors(themes: Themes) -> None:
    widget = QWidget()
    flow = FlowLayout(widget, spacing=8)
    buttons = [QPushButton(f"button {number}") for number in range(4)]
    for button in buttons:
        flow.addWidget(button)
    width = buttons[0].sizeHint().width()
    assert flow.heightForWidth(width * 5) < flow.heightForWidth(width * 2 + 20)
    widget.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    widget.resize(width * 6, 100)
    flow.setGeometry(widget.rect())
    first = flow.itemAt(0).widget()  # type: ignore[union-attr]
    place = first.geometry()
    first.hide()
    flow.setGeometry(widget.rect())
    assert flow.itemAt(1).geometry() == place, "what is hidden takes no room"  # type: ignore[union-attr]
    first.show()
    flow.setGeometry(widget.rect())
    assert buttons[0].x() > buttons[1].x()
    flow.clear()
    assert flow.count() == 0


def test_where_there_is_little_room_the_words_come_before_the_icon(qtbot: QtBot) -> None:
    empty = EmptyState("search", "Memory and load", "Who holds the GPU's memory, and how busy it is. " * 2)
    parent = QWidget()
    qtbot.addWidget(parent)
    empty.setParent(parent)
    parent.show()
    empty.setGeometry(0, 0, 400, 120)
    empty.show()
    QApplication.processEvents()
    assert not empty._icon.isVisible()
    assert empty._text.height() >= empty._text.heightForWidth(empty._text.width())
    empty.setGeometry(0, 0, 400, 400)
    assert empty._icon.isVisible()


def test_the_whole_name_of_the_system_can_be_read(store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.platform", lambda: "Linux-6.18.44-of-somebody-x86_64-with-glibc2.36")
    dialog = AboutDialog(store)
    qtbot.addWidget(dialog)
    dialog.show()
    QApplication.processEvents()
    label = next(each for each in dialog.findChildren(QLabel) if "glibc2.36" in each.text())
    assert label.width() >= label.sizeHint().width()


def test_tab_reaches_everything_where_a_panel_hands_the_keyboard_on(qtbot: QtBot) -> None:
    """A focus proxy that is not the panel's first part was come back to from behind it, for ever."""
    window, panel = QWidget(), LeadingWidget()
    fields = [QLineEdit(objectName=name) for name in ("before", "first", "lead", "last", "after")]
    for layout, parts in ((QVBoxLayout(panel), fields[1:4]), (QVBoxLayout(window), (fields[0], panel, fields[4]))):
        for part in parts:
            layout.addWidget(part)
    panel.lead_to(fields[2])
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    panel.setFocus()
    walked = []
    for _ in range(6):
        focused = QApplication.focusWidget()
        assert focused is not None
        walked.append(focused.objectName())
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert walked == ["lead", "last", "after", "before", "first", "lead"]
