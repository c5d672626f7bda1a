"""The whole window over the real commands, without an engine: places, keys, names, states, leaving."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAction, QFontInfo
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenuBar,
    QPlainTextEdit,
    QPushButton,
    QTabBar,
    QTextEdit,
    QWidget,
)

from app.bridge.store import Address
from app.consents import Consents, KeptConsent
from app.dialogs.consent import ConsentDesk
from app.dialogs.settings import SettingsDialog
from app.exchange_actions import ExchangeActions
from app.file_actions import FileActions
from app.hub_actions import HubActions
from app.main_window import MainWindow
from app.menus import keys_of
from app.panels.registry import PANELS
from app.preferences import TEXT_SIZE, Preferences
from app.widgets.icon import PlainButton
from app.widgets.log_book import LogBook
from app.widgets.panel_slot import CentreSlot, PanelDock
from app.widgets.status_line import StatusLine
from app.widgets.upright_scroll import UprightScroll
from app.window_actions import WindowActions
from engine.client.faults import from_body
from engine.domain.checkpoint import AttentionShape, Checkpoint, Library, Quantization
from engine.domain.lifecycle import (
    Failure,
    Lifecycle,
    LoadRequest,
    Phase,
    RemedyAction,
    ServingStats,
    Stage,
    StageTiming,
)
from tests.app.showing import shown
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.panels.panel import PanelContext
    from app.theme.themes import Themes
    from tests.app.conftest import Quiet

FAILURE = Failure(
    "context_too_long",
    "max_model_len 131,072 needs 4.50 GiB of KV cache, 1.00 GiB is there.",
    "Lower max_model_len.",
    ("longest request that fits  29,120 tokens",),
    (
        RemedyAction("max_model_len 29,120", {"max_model_len": 29120}),
        RemedyAction("Load SmolLM2 again", checkpoint="/m/SmolLM2"),
    ),
    ("(EngineCore pid=7) ValueError: to serve at least one request",),
)


@pytest.fixture
def window(
    store: Store, context: PanelContext, settings: QSettings, preferences: Preferences, qtbot: QtBot, tmp_path: Path
) -> Iterator[MainWindow]:
    """The window as the application builds it, at the smallest size that it has to be good at."""
    result = MainWindow(store, context.themes, settings, LogBook(store), PANELS)
    FileActions(result, store, context.tasks)
    actions = WindowActions(result, store, preferences, PANELS)
    result.use(context.commands)
    actions.use(context.commands)
    HubActions(result, store, context.tasks, context.commands.rescan)
    ExchangeActions(result, store, context.commands, context.tasks, tmp_path / "profiles")
    yield from shown(result, context, qtbot)


def checkpoint(path: str, label: str) -> Checkpoint:
    return Checkpoint(
        path, path.rpartition("/")[2], "SmolLM2-135M-Instruct", "folder", "LlamaForCausalLM", "llama",
        Quantization("awq", label, 4.0), 134_515_008, 100_000_000, 90_000_000, "bfloat16", 8192,
        AttentionShape("gqa", 30, 9, 3, 64), True, False, (),
    )  # fmt: skip


def test_every_panel_has_its_place(window: MainWindow) -> None:
    assert isinstance(window.slots["cache"], CentreSlot)
    for key in ("models", "parameters", "gpu", "chat"):
        dock = window.findChild(PanelDock, f"dock_{key}")
        assert dock is not None
        assert dock.panel is not None
        assert dock.isVisible()
    areas = {key: window.dockWidgetArea(window.slots[key]) for key in ("models", "chat", "gpu")}  # type: ignore[arg-type]
    assert areas == {
        "models": Qt.DockWidgetArea.LeftDockWidgetArea,
        "chat": Qt.DockWidgetArea.RightDockWidgetArea,
        "gpu": Qt.DockWidgetArea.BottomDockWidgetArea,
    }


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900), (2560, 1440)])
def test_the_centre_has_most_of_the_room(window: MainWindow, size: tuple[int, int]) -> None:
    window.resize(*size)
    window.reset_layout()
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    centre = window.slots["cache"]
    assert centre.width() >= size[0] * 0.45
    assert centre.height() >= size[1] * 0.45
    for key in ("models", "parameters"):
        assert 260 <= window.slots[key].width() <= 440


def test_the_window_fits_with_large_text(window: MainWindow, preferences: Preferences) -> None:
    preferences.set(TEXT_SIZE, 1.5)
    QApplication.processEvents()
    assert window.minimumSizeHint().width() <= 1600
    preferences.set(TEXT_SIZE, 1.0)


@pytest.mark.parametrize("text_size", [1.0, 1.3])
def test_nothing_is_cut_off_at_the_sides(window: MainWindow, preferences: Preferences, text_size: float) -> None:
    preferences.set(TEXT_SIZE, text_size)
    for key in ("cache", "lab"):  # the lab leaves the least room beside it
        window.show_panel(key)
        QApplication.processEvents()
        areas = [each for each in window.findChildren(UprightScroll) if each.isVisible()]
        assert areas
        for area in areas:
            assert area.widget().width() <= area.viewport().width(), f"{area.accessibleName()} beside {key}"
    preferences.set(TEXT_SIZE, 1.0)


def test_every_control_has_a_name_and_is_reached_by_tab(window: MainWindow) -> None:
    nameless, unreachable = set(), set()
    for key in window.slots:
        window.show_panel(key)
        QApplication.processEvents()
        for control in _controls(window):
            own_text = control.text() if isinstance(control, QAbstractButton) else ""
            where = f"{key}: {type(control).__name__} {control.objectName()} {own_text}"
            if not (control.accessibleName() or own_text):
                nameless.add(where)
            if control.isEnabled() and not control.focusPolicy() & Qt.FocusPolicy.TabFocus and not _is_grouped(control):
                unreachable.add(where)
    assert nameless == set()
    assert unreachable == set()


def _controls(window: QWidget) -> Iterator[QWidget]:
    """Everything that can be seen and used, without the inner parts of what is put together."""
    composed = (QAbstractSpinBox, QComboBox, QLineEdit, QMenuBar)  # their inner parts speak through them
    kinds = (
        QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QPlainTextEdit, QTextEdit, QAbstractItemView, QTabBar,
    )  # fmt: skip
    for control in window.findChildren(QWidget):
        is_control = isinstance(control, kinds) or control.focusPolicy() & Qt.FocusPolicy.TabFocus
        is_part = isinstance(control.parent(), composed) or control.objectName().startswith("qt_")
        if is_control and control.isVisible() and not is_part and not isinstance(control, QMenuBar | QHeaderView):
            yield control


def _is_grouped(control: QWidget) -> bool:
    """Of buttons of which one is on, Tab goes to that one, and arrows to the others."""
    group = control.group() if isinstance(control, QAbstractButton) else None
    return group is not None and any(each.focusPolicy() & Qt.FocusPolicy.TabFocus for each in group.buttons())


def test_shortcuts_are_in_the_menu_and_none_is_twice(window: MainWindow) -> None:
    keys: dict[str, list[str]] = {}
    for path, action in window.menus.all_actions():
        if keys_of(action) and path.partition(" › ")[0] != "Panel":
            keys.setdefault(keys_of(action), []).append(action.text())
    assert {key: names for key, names in keys.items() if len(names) > 1} == {}
    wanted = {"Ctrl+L", "Ctrl+K", "Ctrl+1", "Ctrl+2", "Ctrl+3", "Ctrl+4", "Ctrl+5", "Ctrl+Shift+L", "F11", "Space"}
    assert wanted <= keys.keys()
    panel_keys = {keys_of(action) for path, action in window.menus.all_actions() if path.startswith("Panel")}
    assert {"Ctrl+Enter", "Esc"} <= panel_keys


def test_no_panel_takes_a_key_of_the_window(window: MainWindow) -> None:
    of_window = {action.shortcut().toString() for action in window.findChildren(QAction) if action.parent() is window}
    of_panels = {
        action.shortcut().toString()
        for slot in window.slots.values()
        for action in (slot.panel.actions() if slot.panel else ())
    }
    assert of_window & of_panels <= {""}


@pytest.mark.parametrize("spec", PANELS, ids=lambda spec: spec.key)
def test_a_panels_key_brings_the_keyboard_into_it(window: MainWindow, spec: object) -> None:
    key = spec.key  # type: ignore[attr-defined]
    slot = window.slots[key]
    if isinstance(slot, PanelDock):
        slot.close()
    window.activateWindow()
    window.show_panel(key)
    QApplication.processEvents()
    assert slot.isVisible()
    focus = window.focusWidget()
    assert focus is slot or slot.isAncestorOf(focus)


def test_load_offers_the_first_checkpoint_that_runs(window: MainWindow, store: Store) -> None:
    header = window.header
    store.publish(Lifecycle(Phase.IDLE))
    assert not header.load_button.isEnabled()
    store.publish(Library((checkpoint("/m/SmolLM2-AWQ", "AWQ"),), ("/m",)))
    assert header.load_button.isEnabled()
    assert header.switcher.text().startswith("SmolLM2-135M-Instruct · AWQ")
    assert not header.unload_button.isEnabled()


def test_the_address_is_copied_as_programs_need_it(window: MainWindow, store: Store) -> None:
    store.publish(Address("http://127.0.0.1:8000", "secret"))
    window.header.copy_address()
    assert QApplication.clipboard().text() == "http://127.0.0.1:8000/v1"
    window.header.copy_key()
    assert QApplication.clipboard().text() == "secret"
    window.header.take_key_back()
    assert QApplication.clipboard().text() == ""
    window.header.copy_address()
    window.header.take_key_back()
    assert QApplication.clipboard().text() == "http://127.0.0.1:8000/v1", "only the key is taken back"


def test_a_failed_load_stands_in_place_of_the_map(
    window: MainWindow, store: Store, context: PanelContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(context.commands, "reload", lambda changes=None, **_: asked.append(changes))
    monkeypatch.setattr(context.commands, "load", asked.append)
    centre = window.slots["cache"]
    store.publish(Lifecycle(Phase.FAILED, "/m/SmolLM2-AWQ", 1, failure=FAILURE, previous_checkpoint="/m/SmolLM2"))
    panel = window.findChild(QWidget, "failurePanel")
    assert panel.isVisible()
    assert centre.isAncestorOf(panel)
    assert not centre.panel.isVisible()  # type: ignore[union-attr]
    buttons = [each for each in panel.findChildren(QPushButton) if each.isVisible() and each.property("kind") != "link"]
    assert [each.text() for each in buttons] == ["max_model_len 29,120", "Try again", "Back to SmolLM2"]
    for button in buttons:
        button.click()
    assert asked == [{"max_model_len": 29120}, None, "/m/SmolLM2"], "the way back loads the other one"
    log = panel.findChild(QPlainTextEdit, "failureLog")
    assert not log.isVisible()
    next(b for b in panel.findChildren(QPushButton) if b.text().startswith("▸")).click()
    assert log.isVisible()
    assert "ValueError" in log.toPlainText()
    assert QFontInfo(log.font()).fixedPitch()
    QApplication.processEvents()
    assert log.visibleRegion().boundingRect().bottom() == log.rect().bottom(), "it is scrolled to, not begun below"
    store.publish(Lifecycle(Phase.IDLE))
    assert centre.panel.isVisible()  # type: ignore[union-attr]


def test_a_crash_says_what_died_and_offers_a_new_start(window: MainWindow, store: Store) -> None:
    died = Failure("engine_crashed", "EngineCore (pid 7) was killed by SIGKILL.", "Start it again.")
    store.publish(Lifecycle(Phase.CRASHED, "/m/SmolLM2-AWQ", 1, failure=died))
    button = window.findChild(QPushButton, "startAgain")
    assert button.isVisible()
    assert window.header.light.words.text() == "engine died"
    store.publish(Lifecycle(Phase.IDLE))


def test_loading_says_the_stage_and_can_be_cancelled(window: MainWindow, store: Store) -> None:
    store.publish(Lifecycle(Phase.LOADING, "/m/SmolLM2", 1, 2.0, (StageTiming(Stage.WEIGHTS, 1.0),)))
    assert window.header.light.words.text() == "loading: weights"
    assert window.stages.cancel_button.isVisible()
    assert not window.header.load_button.isEnabled()
    store.publish(Lifecycle(Phase.IDLE))


def test_a_figure_that_is_not_told_is_a_dash(window: MainWindow, store: Store) -> None:
    line = window.findChild(StatusLine)
    told = ServingStats(0, 10.0, 0.0, 40.0, 0.1, 0.2, 0.2, 0.1, 0.1, 4.0, 0.2, 3, 2, 0.5, 1, 0)
    store.publish(told)
    line.refresh()
    assert [number.text for number in (line.rate, line.running)] == ["40.0\u202ftok/s", "3"]
    store.publish(replace(told, untold=("generation_tokens_per_s", "running")))
    line.refresh()
    assert [number.text for number in (line.rate, line.running)] == ["—", "—"]


def test_a_refused_load_offers_its_changes(
    window: MainWindow, loop: qasync.QEventLoop, context: PanelContext, monkeypatch: pytest.MonkeyPatch, quiet: Quiet
) -> None:
    """The real command over an engine whose host refuses, as its body says it; a click asks for what was offered."""
    quiet.allow("Load: AWQ weights cannot")
    body = {"kind": "parameter_invalid", "message": "AWQ weights cannot be computed in float32.", "remedy": "Choose.",
            "actions": [{"label": "Set dtype to float16", "parameters": {"dtype": "float16"}, "checkpoint": None},
                        {"label": "Load it again", "parameters": {}, "checkpoint": "/m/x"}, 7]}  # fmt: skip
    asked: list[LoadRequest] = []

    async def load(request: LoadRequest) -> None:
        asked.append(request)
        if len(asked) == 1:
            raise from_body(422, json.dumps({"error": body}), route="load")

    async def at_once() -> None:
        return

    async def until(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():  # noqa: ASYNC110 - what a test waits for has no event of its own
                await asyncio.sleep(0.01)

    monkeypatch.setattr(context.commands._engine, "load", load)
    monkeypatch.setattr(context.commands._feed, "connect_host", at_once)
    request = LoadRequest("/m/AWQ", {"dtype": "float32", "max_num_seqs": 8})
    buttons = window.notices.findChildren(PlainButton)

    async def refused_and_changed() -> None:
        context.commands.load_as(request)
        await until(window.notices.isVisible)
        assert [button.text() for button in buttons if button.isVisible()] == ["Set dtype to float16"]
        buttons[0].click()
        assert not window.notices.isVisible()
        await until(lambda: len(asked) == 2)

    loop.run_until_complete(refused_and_changed())
    assert asked == [request, replace(request, parameters={"dtype": "float16", "max_num_seqs": 8})]


def test_closing_waits_until_it_is_allowed(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.close_asked):
        window.close()
    assert window.isVisible()
    window.allow_close()
    window.close()
    assert not window.isVisible()


def test_places_are_remembered(
    window: MainWindow, store: Store, themes: Themes, settings: QSettings, qtbot: QtBot
) -> None:
    window.resize(820, 740)  # no larger than the screen: elsewhere other places are remembered
    QApplication.processEvents()
    window.slots["gpu"].close()
    window.allow_close()
    window.close()
    again = MainWindow(store, themes, settings, LogBook(store), PANELS)
    again.show()
    qtbot.waitExposed(again)
    assert not again.slots["gpu"].isVisible()
    again.reset_layout()
    assert again.slots["gpu"].isVisible()
    again.allow_close()
    again.close()
    again.deleteLater()


def test_the_lab_takes_the_room_of_other_panels_and_gives_it_back(window: MainWindow) -> None:
    window.slots["timeline"].raise_()
    QApplication.processEvents()
    narrow = window.slots["cache"].width()
    window.show_panel("lab")
    QApplication.processEvents()
    lab = window.slots["lab"]
    assert lab.isVisible()
    assert not any(window.slots[key].isVisible() for key in ("cache", "chat", "gpu", "timeline"))
    assert window.slots["parameters"].isVisible(), "live parameters are changed while a load runs"
    assert lab.width() > narrow + 250
    window.show_panel("gpu")
    QApplication.processEvents()
    assert window.slots["gpu"].isVisible(), "what is asked for meanwhile is shown"
    assert lab.isVisible()
    window.show_panel("cache")
    QApplication.processEvents()
    assert all(window.slots[key].isVisible() for key in ("cache", "chat"))
    assert not window.slots["timeline"].isHidden()
    assert not lab.isVisible()


def test_right_to_left_mirrors_the_sides(store: Store, themes: Themes, settings: QSettings, qapp: QApplication) -> None:
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        window = MainWindow(store, themes, settings, LogBook(store), PANELS)
        area = window.dockWidgetArea(window.slots["models"])  # type: ignore[arg-type]
        window.deleteLater()
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    assert area is Qt.DockWidgetArea.RightDockWidgetArea


@pytest.mark.parametrize(("press", "expected"), [("accept", True), ("reject", False)])
def test_consent_is_asked_once_for_a_folder_that_is_remembered(
    window: MainWindow, settings: QSettings, loop: qasync.QEventLoop, tmp_path: Path, press: str, expected: bool
) -> None:
    desk = ConsentDesk(window, settings)
    code = tmp_path / "modeling.py"
    code.write_text("harmless = 1\n", encoding="utf-8")
    asked: list[str] = []

    def answer() -> None:
        dialog = next((child for child in window.findChildren(QDialog) if child.isVisible()), None)
        if dialog is None:
            loop.call_later(0.05, answer)
            return
        asked.append(" ".join(label.text() for label in dialog.findChildren(QLabel)))
        dialog.findChildren(QAbstractButton)[0].setChecked(True)
        getattr(dialog, press)()

    def ask(by: ConsentDesk) -> bool:
        return loop.run_until_complete(by.ask(str(tmp_path), "trust_remote_code"))

    loop.call_later(0.05, answer)
    assert ask(desk) is expected
    assert "modeling.py" in asked[0]
    assert bool(Consents(settings).kept()) is expected
    if not expected:
        return
    assert ask(desk) is True
    assert ask(ConsentDesk(window, settings)) is True
    assert len(asked) == 1
    code.write_text("import os\n", encoding="utf-8")  # what was allowed is no longer what would run
    loop.call_later(0.05, answer)
    assert ask(ConsentDesk(window, settings)) is True
    assert len(asked) == 2
    assert len(Consents(settings).kept()) == 1


def test_a_kept_consent_is_listed_and_taken_back(preferences: Preferences, qtbot: QtBot) -> None:
    preferences.consents.keep(KeptConsent("/m/own", "trust_remote_code", "1"))
    preferences.consents.keep(KeptConsent("/m/pickled", "allow_pickle", "2"))
    dialog = SettingsDialog(preferences)
    qtbot.addWidget(dialog)
    dialog.show()
    rows, button = dialog.findChild(QListWidget), dialog.findChild(QAbstractButton, "consentRevoke")
    assert [rows.item(row).text().split(":")[0] for row in range(rows.count())] == ["own", "pickled"]
    assert not button.isEnabled()
    rows.setCurrentRow(0)
    button.click()
    assert [each.path for each in preferences.consents.kept()] == ["/m/pickled"]
    rows.setCurrentRow(0)
    button.click()
    assert preferences.consents.kept() == ()
    assert not rows.isVisible()


def test_consents_of_earlier_versions_and_damaged_ones_ask_again(settings: QSettings) -> None:
    settings.setValue("consent/trust_remote_code", ["/m/remote"])
    settings.setValue("consent/kept", '[{"path": 3}, ')
    assert Consents(settings).kept() == ()
    assert settings.value("consent/trust_remote_code") is None
