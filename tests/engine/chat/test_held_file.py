"""Nothing that is said is lost while another program holds the chat file, however the window ends meanwhile."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from engine.chat.beside import WholeChat
from engine.chat.book import OpenChat
from engine.chat.store import ChatStore, ChatsUnavailable
from engine.chat.transcript import Message, Transcript, new_conversation, new_id
from tests.engine.chat.locking import held_by_another_process
from tests.engine.chat.scripted import ScriptedAsk
from tests.engine.chat.test_book import Listener

if TYPE_CHECKING:
    from pathlib import Path

    from engine.chat.transcript import Conversation


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("engine.chat.store._BUSY_MS", 50)
    return tmp_path / "chats.sqlite"


def opened(path: Path) -> ChatStore:
    store = ChatStore(path)
    store.open()
    return store


def chat_of(store: ChatStore, listener: Listener | None = None) -> OpenChat:
    return OpenChat(new_conversation(), Transcript(), store, ScriptedAsk(), listener or Listener())


def said(store: ChatStore, conversation: Conversation) -> list[str]:
    return [item.content for item in store.transcript(conversation.id).path()]


def beside(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.glob("chats.unsaved-*"))


async def test_what_is_said_while_it_is_held_is_written_before_anything_newer(path: Path):
    store, listener = opened(path), Listener()
    chat = chat_of(store, listener)
    await chat.send("one", None)
    with held_by_another_process(path):
        await chat.send("two", None)
        assert [error.kind for error in listener.failed] == ["chats_unavailable"] * len(listener.failed) != []
        assert not chat.unsaved
        assert store.waits
        assert said(store, chat.conversation) == ["one", "Hello there."]
        with pytest.raises(ChatsUnavailable, match="Another program holds"):
            store.take_in()
        assert beside(path) == [f"chats.unsaved-{os.getpid()}.sqlite"]
        assert (path.parent / beside(path)[0]).stat().st_mode & 0o777 == 0o600
    await chat.rename("A name")  # newer, and the first that can be written
    assert said(store, chat.conversation) == ["one", "Hello there.", "two", "Hello there."]
    assert store.conversations()[0].title == "A name"
    assert not store.waits
    assert beside(path) == []
    store.close()


async def test_versions_and_deletions_made_while_it_is_held_are_made_later(path: Path):
    store = opened(path)
    chat = chat_of(store)
    first = await chat.send("one", None)
    last = (await chat.send("two", None)).id
    with held_by_another_process(path):
        again = await chat.regenerate(first.id, None)
        await chat.choose(first.id)
        question = chat.transcript.path_to(last)[-2].id
        removed = await chat.remove(question)
        assert {item.id for item in removed} == {question, last}
        other = chat_of(store)
        await other.send("another chat", None)
        put_back = await other.remove(other.transcript.path()[1].id)
        await other.put_back(put_back)
    store.take_in()
    kept = store.transcript(chat.conversation.id)
    assert [item.id for item in kept.all()] == [item.id for item in chat.transcript.all()]
    assert kept.chosen() == chat.transcript.chosen()
    assert again.id in kept
    assert said(store, other.conversation) == ["another chat", "Hello there."]
    store.close()


@pytest.mark.parametrize("whole", [False, True])
def test_a_file_that_cannot_be_opened_takes_in_later_what_was_said(path: Path, *, whole: bool):
    before = new_conversation()
    store = opened(path)
    store.save_conversation(replace(before, title="before"))
    store.close()
    with held_by_another_process(path, whole=whole):
        store = ChatStore(path)
        with pytest.raises(ChatsUnavailable):
            store.open()
        store.go_beside()
        chat = replace(new_conversation(), title="meanwhile")
        store.save_conversation(chat)
        store.save_messages([Message(new_id(), chat.id, None, "user", "said", time.time())])
        assert [item.title for item in store.conversations()] == ["meanwhile"]
        with pytest.raises(ChatsUnavailable):
            store.take_in()
    store.take_in()
    assert {item.title for item in store.conversations()} == {"before", "meanwhile"}
    assert said(store, chat) == ["said"]
    assert store.path == path
    store.close()
    assert beside(path) == []


_KILLED = """
import asyncio, os, sys
from pathlib import Path
from engine.chat import store as stores
from engine.chat.beside import WholeChat
from engine.chat.book import OpenChat
from engine.chat.transcript import Transcript, new_conversation
from tests.engine.chat.scripted import ScriptedAsk
from tests.engine.chat.test_book import Listener
stores._BUSY_MS = 50
store = stores.ChatStore(Path(sys.argv[1]))
try:
    store.open()
except stores.ChatsUnavailable:
    store.go_beside()
chat = OpenChat(new_conversation(), Transcript(), store, ScriptedAsk(), Listener())
asyncio.run(chat.send(sys.argv[2], None))
os.kill(os.getpid(), 9)
"""


def test_a_window_that_is_killed_while_it_is_held_loses_nothing(path: Path):
    opened(path).close()
    with held_by_another_process(path):
        for number in range(2):
            ended = subprocess.run([sys.executable, "-c", _KILLED, str(path), f"{number}"], check=False)
            assert ended.returncode == -9
    store = opened(path)
    assert sorted(said(store, item)[0] for item in store.conversations()) == ["0", "1"]
    assert {tuple(said(store, item)[1:]) for item in store.conversations()} == {("Hello there.",)}
    store.close()
    assert beside(path) == []


def test_a_window_without_chats_leaves_no_file_beside(path: Path):
    opened(path).close()
    store = ChatStore(path)
    store.go_beside()
    store.close()
    assert beside(path) == []


def test_what_lies_beside_damaged_is_set_aside_and_the_rest_is_taken_in(path: Path):
    broken = path.with_name("chats.unsaved-4194305.sqlite")  # above the highest pid of Linux
    broken.write_bytes(os.urandom(9000))
    store = opened(path)
    assert not store.waits
    kept = list(path.parent.glob("chats.unsaved-4194305.damaged-*"))
    assert [each.stat().st_size for each in kept] == [9000]
    store.close()


async def test_where_nothing_can_be_written_at_all_the_next_save_writes_all(path: Path):
    store, listener = opened(path), Listener()
    chat = chat_of(store, listener)
    connection = store._connection
    assert connection is not None
    connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")  # it is full
    (path.parent / f"chats.unsaved-{os.getpid()}.sqlite").mkdir()  # and no file can be made there
    await chat.send("word " * 5000, None)
    assert chat.unsaved
    assert listener.failed
    (path.parent / f"chats.unsaved-{os.getpid()}.sqlite").rmdir()
    connection.execute("PRAGMA max_page_count = 1000000")
    await chat.save()
    assert not chat.unsaved
    assert len(said(store, chat.conversation)) == 2
    store.close()
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


_ENDS = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM messages').fetchone()"


def test_a_second_opening_in_one_process_does_not_let_another_program_throw_away_what_was_written(path: Path):
    first, second = opened(path), opened(path)
    subprocess.run([sys.executable, "-c", _ENDS, str(path)], check=True)
    conversation = new_conversation()
    first.save_conversation(conversation)
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("SELECT id FROM conversations").fetchall() == [(conversation.id,)]
    second.close()
    first.close()
    again = opened(path)
    assert again.notice is None
    assert again.conversations() == (conversation,)
    again.close()


async def test_what_was_kept_beside_is_written_into_the_file_that_lies_there(path: Path):
    """The file may be removed or replaced after that: what lies beside must not go into the one without a name."""
    store = opened(path)
    chat = chat_of(store)
    with held_by_another_process(path):
        await chat.send("kept beside", None)
    await asyncio.to_thread(path.unlink)
    await chat.rename("Afterwards")
    store.close()
    again = opened(path)
    assert "kept beside" in said(again, chat.conversation)
    assert beside(path) == []
    again.close()


def test_what_was_kept_beside_is_taken_into_the_file_that_lies_there(path: Path):
    store, chat = opened(path), new_conversation()
    store.keep_beside(WholeChat(chat, (Message(new_id(), chat.id, None, "user", "one", time.time()),), frozenset()))
    path.unlink()
    store.take_in()
    store.close()
    again = opened(path)
    assert said(again, chat) == ["one"]
    again.close()
