"""A load that the host refuses before it begins: what it offers stands in the notice bar as buttons."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from app.widgets.icon import PlainButton
from app.widgets.notice_bar import NoticeBar
from engine.client.faults import from_body
from engine.domain.lifecycle import LoadRequest

if TYPE_CHECKING:
    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.engine_commands import EngineCommands
    from app.bridge.store import Store
    from tests.app.conftest import Quiet

_REFUSAL = {
    "kind": "parameter_invalid",
    "message": "AWQ weights cannot be computed in float32.",
    "remedy": "Choose dtype float16.",
    "actions": [
        {"label": "Set dtype to float16", "parameters": {"dtype": "float16"}, "checkpoint": None},
        {"label": "Load another one", "parameters": {}, "checkpoint": "/m/x"},
        7,
    ],
}


@pytest.fixture
def bar(store: Store, commands: EngineCommands, qtbot: QtBot) -> NoticeBar:
    """The bar as the window wires it."""
    result = NoticeBar(store)
    result.offer_taken.connect(commands.load_as)
    qtbot.addWidget(result)
    return result


def test_a_click_loads_what_was_offered(
    bar: NoticeBar, commands: EngineCommands, loop: qasync.QEventLoop, monkeypatch: pytest.MonkeyPatch, quiet: Quiet
) -> None:
    quiet.allow("Load: AWQ weights cannot")  # the log has it, too
    asked: list[LoadRequest] = []
    came = asyncio.Queue[None]()

    async def load(request: LoadRequest) -> None:
        asked.append(request)
        came.put_nowait(None)
        if len(asked) == 1:
            raise from_body(422, json.dumps({"error": _REFUSAL}), route="load")

    async def at_once() -> None:
        return

    async def one_more() -> None:
        await asyncio.wait_for(came.get(), 10)
        await asyncio.sleep(0)

    monkeypatch.setattr(commands._engine, "load", load)
    monkeypatch.setattr(commands._feed, "connect_host", at_once)
    request = LoadRequest("/m/AWQ", {"dtype": "float32", "max_num_seqs": 8})

    async def drive() -> list[str]:
        commands.load_as(request)
        await one_more()
        buttons = [each for each in bar.findChildren(PlainButton) if each.isVisible() and each.text()]
        labels = [each.text() for each in buttons]
        buttons[0].click()
        assert bar.notice is None
        await one_more()
        return labels

    assert loop.run_until_complete(drive()) == ["Set dtype to float16"]
    assert asked == [request, LoadRequest("/m/AWQ", {"dtype": "float16", "max_num_seqs": 8})]


def test_a_refusal_without_changes_is_a_plain_error() -> None:
    for actions in (None, 3, [], [{"label": "x"}], [{"label": "", "parameters": {"a": 1}}]):
        error = from_body(422, json.dumps({"error": {**_REFUSAL, "actions": actions}}), route="load")
        assert error.offers == ()
        assert error.kind == "parameter_invalid"
