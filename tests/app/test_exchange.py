"""Parameters elsewhere: pasted commands become edits, what runs is exported, profiles are kept as TOML."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.bridge.profile_desk import ProfileDesk
from app.dialogs.exchange import ExchangeDialog
from engine.domain.gpu import HardwareSample, HostSample
from engine.domain.lifecycle import LoadRequest
from tests.app.test_parameters_panel import ready
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.engine_commands import EngineCommands
    from app.bridge.store import Notice, Store
    from app.bridge.tasks import Tasks


@pytest.fixture
def dialog(
    store: Store, commands: EngineCommands, tasks: Tasks, tmp_path: Path, qtbot: QtBot, loop: qasync.QEventLoop
) -> ExchangeDialog:
    store.publish(HardwareSample(HostSample(0, 24 << 30, 20 << 30, None, None, (0.1,))))
    store.publish(ready(max_num_seqs=16))
    result = ExchangeDialog(ProfileDesk(store, commands, tasks, tmp_path / "profiles"), store)
    qtbot.addWidget(result)
    result.show()
    return result


def test_a_pasted_command_shows_what_it_changes_and_becomes_edits(dialog: ExchangeDialog, store: Store) -> None:
    assert not dialog.take_over.isEnabled()
    dialog.source.setPlainText("vllm serve org/m --max-num-seqs 8 --max-model-len 8192 --swap-space 4 --host 0.0.0.0")
    rows = {row.name: (row.before, row.after) for row in dialog.found.rows}
    assert rows == {"max_num_seqs": (16, 8)}, "max_model_len is 8192 already"
    assert "org/m" in dialog.verdict.text()
    assert "--host" in dialog.verdict.text()
    assert "swap_space" in dialog.verdict.text()
    dialog.take_over.click()
    assert store.edits.values == {"max_num_seqs": 8}
    assert [row.name for row in dialog.differing.rows] == ["max_num_seqs"]
    assert "changes nothing" in dialog.verdict.text(), "an empty table alone says nothing"
    assert not dialog.take_over.isEnabled()


@pytest.mark.parametrize("text", ["rm -rf /", "vllm serve x --max-num-seqs many", "docker run ubuntu", "{"])
def test_what_cannot_be_imported_says_why_and_changes_nothing(dialog: ExchangeDialog, store: Store, text: str) -> None:
    dialog.source.setPlainText(text)
    assert dialog.verdict.property("role") == "error"
    assert dialog.verdict.text()
    assert not dialog.take_over.isEnabled()
    assert store.edits.values == {}


def test_a_file_is_opened_and_one_that_is_no_text_is_said(dialog: ExchangeDialog, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("model: a/b\nmax-num-seqs: 4\n", encoding="utf-8")
    dialog.open_file(tmp_path / "a.yaml")
    assert [row.after for row in dialog.found.rows] == [4]
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    dialog.open_file(tmp_path / "b.yaml")
    assert "no text" in dialog.verdict.text()
    dialog.open_file(tmp_path / "missing")
    assert "cannot be read" in dialog.verdict.text()


def test_what_runs_is_exported_in_three_forms(dialog: ExchangeDialog, store: Store, tmp_path: Path) -> None:
    dialog.show_page("export")
    seen = {}
    for form, begins in (("command", "vllm serve"), ("yaml", "# vllm serve --config"), ("docker", "docker run")):
        dialog.form.button(form).click()
        seen[form] = dialog.exported.toPlainText()
        assert seen[form].startswith(begins)
    assert "--max-num-seqs" in shlex.split(seen["command"])
    dialog.save_file(tmp_path / "run.sh")
    assert (tmp_path / "run.sh").read_text(encoding="utf-8") == seen["docker"]
    notices: list[Notice] = []
    store.noticed.connect(notices.append)
    dialog.save_file(tmp_path / "no" / "run.sh")
    assert "cannot be written" in notices[0].message
    QGuiApplication.clipboard().clear()


def test_profiles_are_kept_taken_over_and_forgotten(
    dialog: ExchangeDialog,
    store: Store,
    commands: EngineCommands,
    loop: qasync.QEventLoop,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    async def until(holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not holds():  # noqa: ASYNC110 - Qt's signals have no awaitable
                await asyncio.sleep(0.01)

    async def scene() -> None:
        dialog.show_page("profiles")
        commands.edit("max_num_seqs", 4)
        dialog.name.setText("  few at once ")
        qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
        await until(lambda: dialog.profiles.count() == 1)
        (file,) = (tmp_path / "profiles").glob("*.toml")
        assert '"few at once"' in file.read_text(encoding="utf-8")
        commands.revert_edits()
        dialog.profiles.setCurrentRow(0)
        dialog._desk.take_over("few at once")
        await until(lambda: store.edits.values == {"max_num_seqs": 4})
        dialog._desk.forget("few at once")
        await until(lambda: dialog.profiles.count() == 0)

    loop.run_until_complete(scene())


def test_taking_over_puts_what_it_leaves_alone_back_to_the_default(dialog: ExchangeDialog, store: Store) -> None:
    lifecycle = ready(max_num_seqs=16, kv_cache_dtype="fp8")
    assert lifecycle.facts is not None
    facts = replace(lifecycle.facts, request=LoadRequest("/m/x", {"kv_cache_dtype": "fp8"}))
    store.publish(replace(lifecycle, facts=facts))
    dialog.source.setPlainText("vllm serve org/m --max-num-seqs 8")
    dialog.take_over.click()
    assert store.edits.values == {"max_num_seqs": 8, "kv_cache_dtype": "auto"}


def test_tab_goes_down_the_page_of_profiles(dialog: ExchangeDialog, loop: qasync.QEventLoop, qtbot: QtBot) -> None:
    async def scene() -> None:
        dialog.show_page("profiles")
        first = dialog.pages.button("profiles")
        first.setFocus()
        qtbot.keyClick(first, Qt.Key.Key_Tab)
        assert dialog.focusWidget() is dialog.name
        qtbot.keyClick(dialog.name, Qt.Key.Key_Tab)
        assert dialog.focusWidget() is dialog.profiles

    loop.run_until_complete(scene())
