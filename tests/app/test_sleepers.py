"""Models that wait, in the window: rings on chips, the tray, the switcher, the settings, words on lost ones."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDoubleSpinBox, QPushButton, QSpinBox

from app.bridge.keep_desk import KeepDesk
from app.bridge.store import Address, Notice
from app.panels.models import ModelsPanel
from app.widgets.keep_fields import KeepFields
from app.widgets.model_chip import ChipState
from app.widgets.model_switcher import ModelSwitcher
from app.widgets.model_words import stage_text
from app.widgets.preflight_list import PreflightList
from app.widgets.stage_line import StageLine
from app.widgets.state_light import StateLight
from engine.checkpoints.advice import Advice, Level
from engine.domain.lifecycle import Failure, Lifecycle, LoadRequest, Phase, Stage, StageTiming
from engine.domain.sleepers import EndedSleeper, Gone, Keep, KeepPolicy, Rest, Sleeper, Sleepers, WarmSwitch
from tests.app.test_models_panel import FAMILY, LIBRARY
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.panels.panel import PanelContext
    from app.preferences import Preferences
    from app.theme.themes import Themes

_GIB = 1 << 30
BF16, AWQ = f"/models/{FAMILY}", f"/models/{FAMILY}-AWQ"


def sleeper(path: str, rest: Rest = Rest.ASLEEP, **more: Any) -> Sleeper:
    values: dict[str, Any] = {"ram_bytes": 9 * _GIB, "vram_bytes": 2 * _GIB, "freed_bytes": 70 * _GIB, **more}
    return Sleeper(path, path.rpartition("/")[2], rest, 1.8e9, 1.8e9, LoadRequest(path), (), 0.4, **values)


TRAY = Sleepers((sleeper(AWQ), sleeper(BF16, Rest.KEPT, vram_bytes=None)), KeepPolicy(Keep.ON), 4, 32 * _GIB)


class Asked:
    """Stands before the commands and notes what would reach the engine."""

    def __init__(self, commands: Any) -> None:
        self._commands = commands
        self.calls: list[tuple[str, tuple[object, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        if name in ("load", "wake", "end_sleeper", "put_to_sleep"):
            return lambda *arguments: self.calls.append((name, arguments))
        return getattr(self._commands, name)


@pytest.fixture
def commands(commands: Any) -> Asked:
    return Asked(commands)


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext, store: Store, commands: Asked) -> ModelsPanel:
    result = ModelsPanel(context)
    qtbot.addWidget(result)
    result.resize(340, 700)
    result.show()
    store.publish(LIBRARY)
    return result


def click(widget: Any) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_what_waits_has_a_ring_and_a_line_in_the_tray(panel: ModelsPanel, store: Store, commands: Asked) -> None:
    assert not panel.tray.isVisible()
    store.publish(TRAY)
    awq = panel.variant(AWQ)
    assert awq is not None
    assert awq.is_warm
    assert awq.state is ChipState.IDLE
    assert awq.accessibleName().endswith("warm")
    assert "9.00" in awq.toolTip()
    assert "2.00" in awq.toolTip()
    assert [row.checkpoint for row in panel.tray.rows] == [AWQ, BF16]
    assert "kept in RAM" in panel.tray.rows[1].accessibleName()
    assert "VRAM" not in panel.tray.rows[1].accessibleName()
    store.publish(replace(TRAY, waiting=(sleeper(AWQ, vram_bytes=None, ram_bytes=None),)))
    assert panel.tray.rows[0].accessibleName().count("—") == 2
    click(awq)
    click(panel.tray.rows[0].wake)
    click(panel.tray.rows[0].end)
    assert commands.calls == [("load", (AWQ,)), ("wake", (AWQ,)), ("end_sleeper", (AWQ,))]


def test_the_tray_is_empty_busy_or_not_there(panel: ModelsPanel, store: Store, commands: Asked) -> None:
    store.publish(TRAY)
    end_all = panel.tray.findChild(QPushButton, "endSleepers")
    assert end_all.isVisible()
    click(end_all)
    assert commands.calls == [("end_sleeper", ("",))]
    store.publish(Lifecycle(Phase.LOADING, BF16))
    assert not any(row.wake.isEnabled() for row in panel.tray.rows)
    store.publish(replace(TRAY, waiting=()))
    assert panel.tray.rows == ()
    assert panel.tray.isVisible()  # the next one is kept, and this says so
    awq = panel.variant(AWQ)
    assert awq is not None
    assert not awq.is_warm
    store.publish(Sleepers())
    assert not panel.tray.isVisible()


def test_the_switcher_marks_what_waits_and_the_header_tells_the_time(
    qtbot: QtBot, store: Store, themes: Themes
) -> None:
    store.publish(LIBRARY)
    switcher, light = ModelSwitcher(store), StateLight(store, themes)
    qtbot.addWidget(switcher)
    qtbot.addWidget(light)
    switch = WarmSwitch(AWQ, "AWQ", 0.23, 0.1, 0.05, 0.08, False, 1.8e9)
    store.publish(replace(TRAY, last_switch=switch))
    switcher.menu().aboutToShow.emit()
    warm = [action.text() for action in switcher.menu().actions() if "warm" in action.text()]
    assert len(warm) == 2
    store.publish(Lifecycle(Phase.READY, AWQ, warm=True))
    assert "ready in 230" in light.words.text()
    assert "another one" in light.toolTip()
    store.publish(Lifecycle(Phase.READY, AWQ))  # loaded cold since
    assert light.words.text() == "ready"


def test_settings_say_what_is_kept_and_the_host_hears_it(
    qtbot: QtBot, store: Store, preferences: Preferences, tasks: Tasks, loop: qasync.QEventLoop
) -> None:
    heard: list[KeepPolicy] = []

    class Host:
        async def keep(self, policy: KeepPolicy) -> Sleepers:
            heard.append(policy)
            return Sleepers(policy=policy)

    desk = KeepDesk(store, Host(), tasks, lambda: preferences.keep)
    preferences.changed.connect(lambda _key: desk.tell_host())
    store.publish(Address("http://127.0.0.1:1", ""))
    assert preferences.keep == KeepPolicy()
    fields = KeepFields(preferences)
    for widget in (fields, fields.choice, fields.limits):
        qtbot.addWidget(widget)
    assert not fields.limits.isEnabled()

    async def choose() -> None:
        click(fields.choice.button(Keep.ON.value))
        fields.limits.findChild(QSpinBox).setValue(3)
        fields.limits.findChild(QDoubleSpinBox).setValue(12.5)
        async with asyncio.timeout(PATIENCE_S):
            while not heard or heard[-1] != preferences.keep:  # noqa: ASYNC110 - the host has no event for a test
                await asyncio.sleep(0.01)

    loop.run_until_complete(choose())
    assert fields.limits.isEnabled()
    assert preferences.keep == KeepPolicy(Keep.ON, 3, int(12.5 * _GIB))
    assert store.sleepers.policy == preferences.keep
    preferences.changed.disconnect()
    preferences.set("engine/keep", "sometimes")
    assert preferences.keep.keep is Keep.OFF


def test_lost_models_and_switches_that_did_not_arrive_are_said_once(
    store: Store, preferences: Preferences, tasks: Tasks
) -> None:
    desk = KeepDesk(store, None, tasks, lambda: preferences.keep)
    said: list[Notice] = []
    store.noticed.connect(said.append)
    old = EndedSleeper(BF16, "BF16", Gone.DIED, "BF16 died while it waited: it has ended.", 1.0)
    store.publish(Address("http://127.0.0.1:1", ""))
    store.publish(replace(TRAY, ended=(old,)))
    assert said == []  # before this window was there
    lost = EndedSleeper(AWQ, "AWQ", Gone.NO_WAKE, "AWQ did not wake: It did not wake within 30 s.", 2.0)
    asked = EndedSleeper(AWQ, "AWQ", Gone.ASKED, "AWQ was ended as asked.", 3.0)
    for _ in range(2):
        store.publish(replace(TRAY, ended=(old, lost, asked)))
    assert [(notice.level, notice.message) for notice in said] == [("warning", lost.message)]
    failure = Failure("out_of_memory", "There is no room.", "End the models that wait.")
    for _ in range(2):
        store.publish(Lifecycle(Phase.READY, BF16, load_id=7, failure=failure))
    assert [notice.level for notice in said] == ["warning", "error"]
    assert "There is no room." in said[-1].message
    del desk


def test_the_preflight_offers_to_end_them(qtbot: QtBot) -> None:
    lines = PreflightList()
    qtbot.addWidget(lines)
    asked: list[Advice] = []
    lines.mend_asked.connect(asked.append)
    advice = Advice(Level.WARNS, "sleepers", "Models that wait hold 9.00 GiB.", "End them.", ends_sleepers=True)
    lines.show_advice((advice,))
    button = lines.findChild(QPushButton)
    assert button.text() == "End"
    click(button)
    assert asked == [advice]


def test_a_switch_of_a_moment_moves_nothing_and_a_longer_one_shows_its_stages(
    qtbot: QtBot, store: Store, themes: Themes
) -> None:
    line = StageLine(store)
    qtbot.addWidget(line)
    stages = (StageTiming(Stage.TO_SLEEP, 0.0, 0.1), StageTiming(Stage.WAKING, 0.1))
    store.publish(Lifecycle(Phase.LOADING, AWQ, 1, 0.1, stages, warm=True))
    assert line.isHidden()
    store.publish(Lifecycle(Phase.LOADING, AWQ, 1, 2.0, stages, warm=True))
    assert not line.isHidden()
    assert line.track.describe().startswith("waking")
    line.grab()
    store.publish(Lifecycle(Phase.READY, AWQ, 1, warm=True))
    assert line.isHidden()
    assert stage_text(Lifecycle(Phase.LOADING, AWQ, 1, 2.0, stages[:1], warm=True)) == "starting"
    assert "waking" in stage_text(Lifecycle(Phase.LOADING, AWQ, 1, 2.0, stages, warm=True))
