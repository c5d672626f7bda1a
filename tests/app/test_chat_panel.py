"""The chat pane as a user works it: by keys and clicks, through every way in which an answer can end."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.panels.chat import ChatPanel
from engine.chat.store import ChatStore
from engine.chat.transcript import MessageState, SamplingOptions
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain import paths
from engine.domain.errors import ContextTooLong, EngineCrashed
from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase
from tests.engine.chat.locking import held_by_another_process
from tests.engine.chat.scripted import ScriptedAsk, until

if TYPE_CHECKING:
    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.panels.panel import PanelContext
    from tests.app.conftest import Quiet
    from tests.engine.host.hosting import RunningHost


class ChattingCommands:
    """The real commands, but for who answers."""

    def __init__(self, commands: Any, ask: Any) -> None:
        self._commands = commands
        self.chat = ask
        self.loaded: list[str] = []

    def load(self, checkpoint: str) -> None:
        self.loaded.append(checkpoint)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._commands, name)


def ready(name: str = "SmolLM2") -> Lifecycle:
    facts = EngineFacts(
        "0.32.0", f"/models/{name}", name, "cpu", "bfloat16", None, 8192, 128, 360, 16, 2048, False, "", (), {}
    )
    return Lifecycle(Phase.READY, f"/models/{name}", 1, 1.0, facts=facts)


@pytest.fixture
def ask() -> ScriptedAsk:
    return ScriptedAsk()


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext, ask: ScriptedAsk, loop: qasync.QEventLoop) -> ChatPanel:
    commands = ChattingCommands(context.commands, ask)
    result = ChatPanel(replace(context, commands=commands))  # type: ignore[arg-type]
    qtbot.addWidget(result)
    result.resize(380, 700)
    return result


def write(panel: ChatPanel, text: str, key: Qt.Key = Qt.Key.Key_Return, modifier: Any = None) -> None:
    field = panel.findChild(type(panel._input.field), "chatInput")
    assert field is not None
    QTest.keyClicks(field, text)
    QTest.keyClick(field, key, modifier or Qt.KeyboardModifier.NoModifier)


async def shown(panel: ChatPanel) -> None:
    panel.show()
    await until(lambda: panel._desk._ready.is_set())


async def answered(panel: ChatPanel, count: int = 1) -> None:
    def done() -> bool:
        answers = [item for item in panel._desk.chat.transcript.path() if item.role == "assistant"]
        return (
            len(answers) >= count and not panel._desk.chat.answering and answers[-1].state is not MessageState.STREAMING
        )

    await until(done)
    await asyncio.sleep(0.05)  # the next frame draws it


async def over(panel: ChatPanel) -> None:
    await panel.context.tasks.stop()
    panel._desk.close()
    panel.hide()


def test_a_question_is_answered_with_its_figures(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        write(panel, "What is a KV cache?")
        await answered(panel)
        last = panel.last_answer()
        assert last is not None
        assert (last.text, last.state, last.model) == ("Hello there.", MessageState.COMPLETE, "SmolLM2")
        assert last.figures.completion_tokens == 3
        labels = {label.property("figure"): label for label in panel.findChildren(object) if label.property("figure")}
        assert labels["generated"].text() == "3 tok"
        assert labels["prompt"].text() == "prompt 40"
        assert labels["cached"].text() == "cached 32"
        assert all(label.toolTip() for label in labels.values()), "each figure says what it is"
        assert not panel._input.field.toPlainText()
        await over(panel)

    loop.run_until_complete(steps())


def test_shift_enter_writes_on_and_ctrl_enter_sends(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        one_line = panel._input.field.height()
        write(panel, "first", Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        QApplication.processEvents()
        assert panel._input.field.height() > one_line
        write(panel, "second", Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await answered(panel)
        assert ask.asked[0][0][-1].content == "first\nsecond"
        await over(panel)

    loop.run_until_complete(steps())


@pytest.mark.parametrize("how", ["escape", "button"])
def test_stop_keeps_the_partial_answer(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop, how: str
):
    ask.gate = asyncio.Semaphore(2)

    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        write(panel, "go")
        await until(
            lambda: (panel.last_answer() or object) and getattr(panel.last_answer(), "text", "") == "Hello there"
        )
        assert panel._input.stop.isVisible()
        assert not panel._input.send.isVisible()
        if how == "escape":
            QTest.keyClick(panel._input.field, Qt.Key.Key_Escape)
        else:
            QTest.mouseClick(panel._input.stop, Qt.MouseButton.LeftButton)
        await answered(panel)
        last = panel.last_answer()
        assert last is not None
        assert (last.text, last.state) == ("Hello there", MessageState.STOPPED)
        assert ask.closed == 1
        card = panel._view.card(panel._desk.chat.transcript.path()[-1].id)
        assert card is not None
        assert card._ending is not None
        assert card._ending._cause.text() == "Stopped."
        assert panel._input.send.isVisible()
        await over(panel)

    loop.run_until_complete(steps())


@pytest.mark.parametrize(
    ("failure", "offer"),
    [
        (EngineCrashed("The engine ended while it was answering.", remedy="Load the model again."), "_again"),
        (
            ContextTooLong("9001 tokens do not fit into 8192.", remedy="Start a new chat or raise max_model_len."),
            "_new",
        ),
    ],
)
def test_a_failure_stands_in_the_conversation_as_what_it_is(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop, failure: Any, offer: str
):
    ask.failure, ask.fail_at = failure, 1

    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        write(panel, "go")
        await answered(panel)
        card = panel._view.card(panel._desk.chat.transcript.path()[-1].id)
        assert card is not None
        assert card._ending is not None
        assert card._ending._cause.text() == failure.message
        assert failure.remedy in card._ending._remedy.text()
        assert "is kept" in card._ending._remedy.text()
        button = getattr(card._ending, offer)
        assert button.isVisible()
        ask.failure = None
        button.click()
        if offer == "_again":
            await answered(panel)
            assert panel.last_answer().text == "Hello there."  # type: ignore[union-attr]
            assert len(panel._desk.chat.transcript.versions(panel._desk.chat.transcript.path()[-1].id)) == 2
        else:
            await until(lambda: len(panel._desk.chat.transcript) == 0)
        await over(panel)

    loop.run_until_complete(steps())


def test_editing_makes_a_version_that_can_be_left_again(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        write(panel, "one")
        await answered(panel)
        QTest.keyClick(panel._input.field, Qt.Key.Key_Up)  # brings the last question back
        first = panel._desk.chat.transcript.path()[0]
        card = panel._view.card(first.id)
        assert card is not None
        assert card._editor is not None
        card._editor._field.setPlainText("two")
        QTest.keyClick(card._editor._field, Qt.Key.Key_Return)
        await until(lambda: len(panel._desk.chat.transcript) == 4 and not panel._desk.chat.answering)
        await answered(panel)
        second = panel._view.card(panel._desk.chat.transcript.path()[0].id)
        assert second is not None
        assert second.versions is not None
        assert second.versions.place.text() == "2/2"
        second.versions.previous.click()
        await until(lambda: panel._desk.chat.transcript.path()[0].id == first.id)
        assert panel._view.card(first.id) is not None
        await over(panel)

    loop.run_until_complete(steps())


def test_with_no_model_the_draft_stays_and_the_load_is_offered(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(Lifecycle(Phase.CRASHED, checkpoint="/models/SmolLM2"))
        write(panel, "a draft")
        assert panel._input.field.toPlainText() == "a draft"
        assert not panel._input.send.isEnabled()
        assert "died" in panel._input._missing.text()
        panel._input._remedy.click()
        assert panel.context.commands.loaded == ["/models/SmolLM2"]  # type: ignore[attr-defined]
        store.publish(ready())
        assert panel._input.send.isEnabled()
        assert not panel._input._banner.isVisible()
        await over(panel)

    loop.run_until_complete(steps())


def test_the_chat_goes_on_after_a_switch_with_a_quiet_divider(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready("SmolLM2"))
        write(panel, "one")
        await answered(panel)
        assert panel._view._dividers == []
        store.publish(Lifecycle(Phase.LOADING, "/models/SmolLM2-AWQ"))
        store.publish(ready("SmolLM2-AWQ"))
        assert [item.label.text() for item in panel._view._dividers] == ["from here on SmolLM2-AWQ"]
        write(panel, "two")
        await answered(panel, 2)
        assert [item.content for item in ask.asked[-1][0]] == ["one", "Hello there.", "two"]
        assert [item.label.text() for item in panel._view._dividers] == ["from here on SmolLM2-AWQ"]
        await over(panel)

    loop.run_until_complete(steps())


def test_chats_are_listed_found_renamed_deleted_and_brought_back(
    panel: ChatPanel, store: Store, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        write(panel, "About turtles")
        await answered(panel)
        first = panel._desk.chat.conversation.id
        panel.new_chat()
        write(panel, "About storks")
        await answered(panel)
        panel._head.list_button.setChecked(True)
        rows = panel._list.list
        await until(lambda: rows.count() == 2)
        panel._list._field.setText("TURTLE")
        await until(lambda: rows.count() == 1)
        rows.itemClicked.emit(rows.item(0))
        await until(lambda: panel._desk.chat.conversation.id == first)
        panel._desk.rename(first, "Reptiles")
        await until(lambda: panel._desk.chat.conversation.title == "Reptiles")
        panel._delete(first)
        await until(lambda: panel._desk.chat.conversation.id != first)
        panel._list._field.setText("")
        await until(lambda: rows.count() == 1)
        panel._list.undo.button.click()
        await until(lambda: panel._desk.chat.conversation.id == first)
        assert [item.content for item in panel._desk.chat.transcript.path()] == ["About turtles", "Hello there."]
        await over(panel)

    loop.run_until_complete(steps())


def test_a_chat_that_is_deleted_while_it_answers_is_not_answered_on_and_does_not_come_back(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        ask.gate, ask.pieces = asyncio.Semaphore(1), ("word ",) * 50
        write(panel, "A long story")
        streaming = panel._desk.chat
        await until(lambda: streaming.answer is not None and bool(streaming.answer.message.content))
        panel.new_chat()
        panel._list.delete_asked.emit(streaming.conversation.id)
        await until(lambda: ask.closed == 1)
        assert not streaming.answering, "nobody can stop it any more"
        panel._list.undo.expire()
        await until(lambda: not len(panel._desk._disk.transcript(streaming.conversation.id)))
        await over(panel)

    loop.run_until_complete(steps())


def test_a_system_prompt_stays_with_the_chat_it_was_written_in(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        write(panel, "one")
        await answered(panel)
        first = panel._desk.chat.conversation.id
        panel._head.toggle_prompt()
        QTest.keyClicks(panel._head.prompt, "Answer in French.")
        panel.new_chat()  # before the pause after which it would have been taken over
        panel._desk.set_prompt("")
        write(panel, "two")
        await answered(panel)
        assert [item.role for item in ask.asked[-1][0]] == ["user"]
        panel._desk.open_chat(first)
        await until(lambda: panel._desk.chat.conversation.id == first)
        assert panel._head.prompt.toPlainText() == "Answer in French."
        write(panel, "three")
        await answered(panel, 2)
        assert ask.asked[-1][0][0].content == "Answer in French."
        await over(panel)

    loop.run_until_complete(steps())


def test_the_next_window_opens_the_chat_where_it_was_left(
    panel: ChatPanel, store: Store, qtbot: QtBot, loop: qasync.QEventLoop
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        panel._desk.set_options(SamplingOptions(temperature=0.25))
        write(panel, "one")
        await answered(panel)
        other = ChatPanel(panel.context)
        qtbot.addWidget(other)
        other.show()
        await until(lambda: len(other._desk.chat.transcript) == 2)
        assert other._desk.chat.conversation.options == SamplingOptions(temperature=0.25)
        assert other._input._summary.text() == "temp 0.25"
        other._desk.close()
        other.hide()
        await over(panel)

    loop.run_until_complete(steps())


def test_a_damaged_file_of_chats_is_said_and_set_aside(
    panel: ChatPanel, store: Store, loop: qasync.QEventLoop, quiet: Quiet
):
    path = paths.data_dir() / "chats.sqlite"
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 50)
    notices: list[Any] = []
    store.noticed.connect(notices.append)

    async def steps() -> None:
        await shown(panel)
        assert len(notices) == 1
        assert "damaged" in notices[0].message
        store.publish(ready())
        write(panel, "one")
        await answered(panel)
        await over(panel)

    loop.run_until_complete(steps())
    assert len(list(path.parent.glob("chats.damaged-*"))) == 1


@pytest.mark.parametrize("at_the_start", [True, False])
def test_chats_that_another_program_holds_are_saved_when_it_lets_go(
    panel: ChatPanel, store: Store, loop: qasync.QEventLoop, quiet: Quiet, monkeypatch: pytest.MonkeyPatch,
    *, at_the_start: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr("engine.chat.store._BUSY_MS", 50)
    monkeypatch.setattr("app.widgets.chat_saving._AGAIN_S", 0.05)
    for allowed in ("was not saved", "kept beside"):
        quiet.allow(allowed)
    path = paths.data_dir() / "chats.sqlite"
    notices: list[str] = []
    store.noticed.connect(lambda notice: notices.append(f"{notice.level}: {notice.message}"))

    async def steps() -> None:
        ChatStore(path).open()
        if not at_the_start:
            await shown(panel)
        with held_by_another_process(path):
            if at_the_start:
                await shown(panel)
            store.publish(ready())
            write(panel, "Are you there?")
            await answered(panel)
            await until(lambda: bool(notices))
            assert [said.partition(" in ")[0] for said in notices] == ["error: Another program holds the chats"]
        await until(lambda: len(notices) == 2)
        assert notices[1] == "info: The chats are saved again."
        await over(panel)

    loop.run_until_complete(steps())
    kept = ChatStore(path)
    kept.open()
    assert kept.notice is None
    (chat,) = kept.conversations()
    assert [item.content for item in kept.transcript(chat.id).path()] == ["Are you there?", "Hello there."]
    kept.close()
    assert not list(path.parent.glob("chats.unsaved-*"))


def test_a_chat_exports_as_markdown_and_json(panel: ChatPanel, store: Store, loop: qasync.QEventLoop, tmp_path: Any):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        write(panel, "one")
        await answered(panel)
        for name in ("chat.md", "chat.json"):
            panel._desk.export(tmp_path / name)
            await until(lambda name=name: (tmp_path / name).exists() and (tmp_path / name).stat().st_size > 0)
        notices: list[Any] = []
        store.noticed.connect(notices.append)
        panel._desk.export(tmp_path / "no" / "such" / "folder.md")
        await until(lambda: any(notice.level == "error" for notice in notices))
        assert "could not be written" in notices[-1].message
        await over(panel)

    loop.run_until_complete(steps())
    assert "Hello there." in (tmp_path / "chat.md").read_text()


def test_an_answer_that_still_streams_is_exported_as_far_as_it_has_come(
    panel: ChatPanel, store: Store, ask: ScriptedAsk, loop: qasync.QEventLoop, tmp_path: Any
):
    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        ask.gate = asyncio.Semaphore(2)
        write(panel, "one")
        await until(lambda: (last := panel.last_answer()) is not None and last.text == "Hello there")
        assert panel._desk.chat.answering
        for name in ("chat.md", "chat.json"):
            (tmp_path / name).write_text("of last week")
            panel._desk.export(tmp_path / name)
            await until(lambda name=name: "Hello there" in (tmp_path / name).read_text())
        assert sorted(each.name for each in tmp_path.glob("chat*")) == ["chat.json", "chat.md"]
        panel.stop_answer()
        await answered(panel)
        await over(panel)

    loop.run_until_complete(steps())


def test_every_control_has_a_name_for_screen_readers(panel: ChatPanel, store: Store, loop: qasync.QEventLoop):
    from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPlainTextEdit

    async def steps() -> None:
        await shown(panel)
        store.publish(ready())
        write(panel, "one")
        await answered(panel)
        for kind in (QAbstractButton, QLineEdit, QPlainTextEdit):
            for widget in panel.findChildren(kind):
                if widget.isVisible():
                    text = widget.text() if isinstance(widget, QAbstractButton) else ""
                    assert widget.accessibleName() or text, widget.objectName()
        await over(panel)

    loop.run_until_complete(steps())


@pytest.mark.engine
def test_the_real_engine_answers_and_stop_aborts_the_request(
    panel: ChatPanel, store: Store, loop: qasync.QEventLoop, engine_host: RunningHost
):
    async def steps() -> None:
        engine = RemoteEngine(HostAddress(engine_host.pid, engine_host.url, engine_host.token))
        status = await engine.start()
        panel._desk._ask = engine.chat
        panel._desk.chat._ask = engine.chat
        await shown(panel)
        store.publish(status.lifecycle)
        panel._desk.set_options(SamplingOptions(max_tokens=24, temperature=0.0))
        write(panel, "What is the capital of France?")
        await until(lambda: panel._desk.chat.answering, 20)
        await until(lambda: not panel._desk.chat.answering and panel._input.send.isVisible(), 60)
        last = panel.last_answer()
        assert last is not None
        assert last.state is MessageState.COMPLETE, last.error
        assert last.text.strip()
        assert last.figures.completion_tokens
        assert last.figures.prompt_tokens
        assert last.figures.ttft_s is not None
        assert not last.figures.approximate
        panel._desk.set_options(SamplingOptions(max_tokens=4000, temperature=0.0, seed=1))
        write(panel, "Tell me a very long story.")
        await until(lambda: panel._desk.chat.answering and len(getattr(panel.last_answer(), "text", "")) > 20, 60)
        QTest.keyClick(panel._input.field, Qt.Key.Key_Escape)
        await until(lambda: not panel._desk.chat.answering, 10)
        stopped = panel.last_answer()
        assert stopped is not None
        assert (stopped.state, bool(stopped.text)) == (MessageState.STOPPED, True)
        assert stopped.figures.completion_tokens
        assert not stopped.figures.approximate, "a stopped answer is counted exactly, too"
        metrics = [1]

        async def no_request_runs() -> bool:
            text = await asyncio.to_thread(lambda: engine_host.get("/metrics").value.decode())
            line = next(line for line in text.splitlines() if line.startswith("vllm:num_requests_running"))
            metrics[0] = int(float(line.rsplit(" ", 1)[1]))
            return metrics[0] == 0

        for _ in range(100):
            if await no_request_runs():
                break
            await asyncio.sleep(0.05)
        assert metrics[0] == 0, "the engine's own count"
        await engine.close()
        await over(panel)

    loop.run_until_complete(steps())
