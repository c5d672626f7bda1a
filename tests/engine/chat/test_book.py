"""A conversation in use: branches, what is asked, and that all of it is on the disk when it ends."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from engine.chat.book import OpenChat
from engine.chat.export import to_json, to_markdown
from engine.chat.store import ChatStore
from engine.chat.transcript import MessageState, SamplingOptions, Transcript, new_conversation
from engine.domain.errors import EngineBusy, EngineCrashed
from tests.engine.chat.scripted import ScriptedAsk, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.domain.errors import KVDeckError


class Listener:
    """Counts what it is told."""

    def __init__(self) -> None:
        self.grown = 0
        self.failed: list[KVDeckError] = []

    def path_changed(self, chat: OpenChat) -> None:
        pass

    def answer_changed(self, _chat: OpenChat) -> None:
        self.grown += 1

    def conversation_changed(self, chat: OpenChat) -> None:
        pass

    def write_failed(self, _chat: OpenChat, error: KVDeckError) -> None:
        self.failed.append(error)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChatStore]:
    result = ChatStore(tmp_path / "chats.sqlite")
    result.open()
    yield result
    result.close()


def open_chat(store: ChatStore, ask: ScriptedAsk, listener: Listener | None = None) -> OpenChat:
    return OpenChat(new_conversation("Be brief."), Transcript(), store, ask, listener or Listener())


def on_disk(store: ChatStore, chat: OpenChat) -> list[tuple[str, str]]:
    return [(item.role, item.content) for item in store.transcript(chat.conversation.id).path()]


async def test_a_conversation_is_asked_with_its_history_and_kept(store: ChatStore):
    ask = ScriptedAsk()
    chat = open_chat(store, ask)
    await chat.send("What is a KV cache?", "model-a")
    await chat.set_options(SamplingOptions(temperature=0.0, max_tokens=5))
    await chat.send("And why?", "model-b")
    messages, options = ask.asked[-1]
    assert [item.role for item in messages] == ["system", "user", "assistant", "user"]
    assert (options.temperature, options.max_tokens, options.top_p) == (0.0, 5, None)
    assert on_disk(store, chat) == [
        ("user", "What is a KV cache?"),
        ("assistant", "Hello there."),
        ("user", "And why?"),
        ("assistant", "Hello there."),
    ]
    assert [item.model for item in store.transcript(chat.conversation.id).path()][1::2] == ["model-a", "model-b"]
    assert store.conversations()[0].title == "What is a KV cache?"


async def test_editing_and_regenerating_keep_the_old_versions(store: ChatStore):
    ask = ScriptedAsk()
    chat = open_chat(store, ask)
    answer = await chat.send("one", None)
    question = chat.transcript.path()[0]
    again = await chat.regenerate(answer.id, None)
    await chat.edit(question.id, "two", None)
    assert [item.content for item in ask.asked[-1][0]] == ["Be brief.", "two"]
    assert len(chat.transcript.versions(again.id)) == 2
    assert [item.content for item in chat.transcript.path()] == ["two", "Hello there."]
    await chat.choose(question.id)
    kept = store.transcript(chat.conversation.id)
    assert len(kept) == 5
    assert [item.id for item in kept.path()] == [question.id, again.id]


async def test_a_crash_mid_answer_is_kept_with_the_partial_text(store: ChatStore):
    chat = open_chat(store, ScriptedAsk(failure=EngineCrashed("It died.", remedy="Load again."), fail_at=1))
    await chat.send("one", None)
    kept = store.transcript(chat.conversation.id).path()[-1]
    assert (kept.content, kept.state) == ("Hello", MessageState.FAILED)
    assert kept.error is not None
    assert kept.error.kind == "engine_crashed"


async def test_closing_the_window_keeps_the_partial_answer(store: ChatStore):
    ask = ScriptedAsk(gate=asyncio.Semaphore(2))
    chat = open_chat(store, ask)
    sending = asyncio.ensure_future(chat.send("one", None))
    await until(lambda: chat.answer is not None and chat.answer.message.content == "Hello there")
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    assert ask.closed == 1
    assert on_disk(store, chat)[-1] == ("assistant", "Hello there")


async def test_one_answer_at_a_time(store: ChatStore):
    chat = open_chat(store, ScriptedAsk(gate=asyncio.Semaphore(0)))
    sending = asyncio.ensure_future(chat.send("one", None))
    await until(lambda: chat.answering)
    with pytest.raises(EngineBusy):
        await chat.send("two", None)
    assert [item.content for item in chat.transcript.path()] == ["one", ""]
    chat.stop()
    await sending
    assert not chat.answering


async def test_removing_a_message_and_taking_it_back(store: ChatStore):
    chat = open_chat(store, ScriptedAsk())
    await chat.send("one", None)
    await chat.send("two", None)
    removed = await chat.remove(chat.transcript.path()[2].id)
    assert [content for _, content in on_disk(store, chat)] == ["one", "Hello there."]
    await chat.put_back(removed)
    assert [content for _, content in on_disk(store, chat)] == ["one", "Hello there.", "two", "Hello there."]


async def test_a_chat_deleted_in_another_window_goes_on_whole(store: ChatStore):
    listener = Listener()
    chat = open_chat(store, ScriptedAsk(), listener)
    await chat.send("one", None)
    other = ChatStore(store.path)
    other.open()
    other.delete_conversation(chat.conversation.id)
    other.purge_conversation(chat.conversation.id)
    other.close()
    await chat.send("two", None)
    assert len(on_disk(store, chat)) == 4
    assert listener.failed == []


async def test_a_file_that_cannot_be_written_loses_nothing_in_the_window(store: ChatStore, caplog):
    listener = Listener()
    chat = open_chat(store, ScriptedAsk(), listener)
    store.close()
    await chat.send("one", None)
    assert [item.content for item in chat.transcript.path()] == ["one", "Hello there."]
    assert listener.failed
    assert "not saved" in caplog.text


async def test_exports_hold_the_chat(store: ChatStore):
    chat = open_chat(store, ScriptedAsk())
    answer = await chat.send("one", "model-a")
    await chat.regenerate(answer.id, "model-b")
    text = to_markdown(chat.conversation, chat.transcript)
    assert "## User\n\none" in text
    assert "## model-b\n\nHello there." in text
    assert "40 prompt tokens · 32 of them cached" in text
    value = json.loads(to_json(chat.conversation, chat.transcript))
    assert len(value["messages"]) == 3
    assert value["conversation"]["system_prompt"] == "Be brief."
    assert value["messages"][1]["figures"]["completion_tokens"] == 3


async def test_what_still_streams_does_not_write_a_chat_anew_that_was_deleted_for_good(store: ChatStore):
    chat = open_chat(store, ScriptedAsk(("word ",) * 50, gate=asyncio.Semaphore(1)))
    answering = asyncio.ensure_future(chat.send("A long story", None))
    await until(lambda: bool(store.conversations()) and chat.answer is not None and bool(chat.answer.message.content))
    store.delete_conversation(chat.conversation.id)
    store.purge_conversation(chat.conversation.id)
    chat.forget()
    assert (await answering).state is MessageState.STOPPED
    assert store.conversations() == ()
