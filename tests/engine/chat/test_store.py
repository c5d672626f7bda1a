"""Chats on disk: kept, private, found, and never lost, whatever happens to the file."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from engine.chat import queries
from engine.chat.store import ChatGone, ChatStore, ChatsUnavailable
from engine.chat.transcript import (
    Figures,
    Message,
    MessageError,
    MessageState,
    SamplingOptions,
    new_conversation,
    new_id,
)
from engine.domain.errors import DiskFull
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "chats.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[ChatStore]:
    result = ChatStore(path)
    result.open()
    yield result
    result.close()


def conversation(title: str = "Title"):
    return replace(new_conversation("Be brief.", SamplingOptions(temperature=0.5, seed=7)), title=title)


def message(chat_id: str, content: str, parent: str | None = None, role: str = "user", **more: object) -> Message:
    return Message(new_id(), chat_id, parent, role, content, time.time(), **more)  # type: ignore[arg-type]


def test_everything_comes_back(store: ChatStore, path: Path):
    chat = conversation("Ünïcode 🐢")
    question = message(chat.id, "What?\n\n```py\nx\n```")
    answer = message(
        chat.id,
        "That.",
        question.id,
        "assistant",
        model="SmolLM2",
        state=MessageState.FAILED,
        finish_reason=None,
        request_id="chatcmpl-1",
        figures=Figures(0.2, 1.5, 88.0, 412, 384, 31),
        error=MessageError("engine_crashed", "It died.", "Load again."),
    )
    store.save_conversation(chat)
    store.save_messages([question, answer], frozenset({question.id, answer.id}))
    store.close()
    again = ChatStore(path)
    again.open()
    assert [item.title for item in again.conversations()] == ["Ünïcode 🐢"]
    assert again.conversations()[0].options == chat.options
    assert again.transcript(chat.id).path() == (question, answer)
    again.close()


def test_the_file_and_its_companions_are_private(store: ChatStore, path: Path):
    store.save_conversation(conversation())
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o077 == 0, file
    assert path.parent.stat().st_mode & 0o077 == 0


def test_half_an_emoji_does_not_stop_a_chat_from_being_kept(store: ChatStore):
    chat = conversation()
    store.save_conversation(chat)
    store.save_messages([message(chat.id, "cut \ud83d off")])
    assert store.transcript(chat.id).all()[0].content == "cut ? off"


def test_an_answer_whose_window_ended_is_interrupted(store: ChatStore):
    chat = conversation()
    store.save_conversation(chat)
    store.save_messages([message(chat.id, "half", role="assistant", state=MessageState.STREAMING)])
    assert store.transcript(chat.id).all()[0].state is MessageState.INTERRUPTED


def test_the_chosen_version_is_remembered(store: ChatStore):
    chat = conversation()
    first, second = message(chat.id, "first"), message(chat.id, "second")
    store.save_conversation(chat)
    store.save_messages([first, second], frozenset({second.id}))
    store.choose(first.id)
    assert store.transcript(chat.id).path() == (first,)


def test_search_reads_every_version_and_ignores_case_also_beyond_ascii(store: ChatStore):
    for title, texts in (
        ("Größen", ["nothing"]),
        ("Other", ["What about the ÜBERGRÖSSE here", "later"]),
        ("Not", ["x"]),
    ):
        chat = conversation(title)
        store.save_conversation(chat)
        store.save_messages([message(chat.id, text) for text in texts])
    hits = store.search("größe")
    assert {hit.conversation.title for hit in hits} == {"Größen", "Other"}
    found = next(hit for hit in hits if hit.conversation.title == "Other")
    assert "ÜBERGRÖSSE" in found.excerpt
    assert found.message_id is not None
    assert store.search("100%_") == (), "the wildcards of SQL are letters here"


def test_deleting_can_be_undone_until_it_is_purged(store: ChatStore):
    chat = conversation()
    store.save_conversation(chat)
    store.save_messages([message(chat.id, "kept")])
    store.delete_conversation(chat.id)
    assert store.conversations() == ()
    assert store.search("kept") == ()
    store.restore_conversation(chat.id)
    assert len(store.transcript(chat.id)) == 1
    store.purge_conversation(chat.id)
    assert store.conversations() != (), "only a deleted one is purged"
    store.delete_conversation(chat.id)
    store.purge_conversation(chat.id)
    store.restore_conversation(chat.id)
    assert store.conversations() == ()
    assert len(store.transcript(chat.id)) == 0


def test_a_message_is_removed_with_what_follows_it(store: ChatStore):
    chat = conversation()
    question = message(chat.id, "q")
    answer = message(chat.id, "a", question.id, "assistant")
    store.save_conversation(chat)
    store.save_messages([question, answer])
    store.remove_message(question.id)
    assert len(store.transcript(chat.id)) == 0


def test_writing_into_a_chat_that_another_window_deleted_is_said(store: ChatStore):
    with pytest.raises(ChatGone):
        store.save_messages([message("nowhere", "lost?")])


@pytest.mark.parametrize("damage", ["noise", "cut", "page"])
def test_a_damaged_file_is_set_aside_and_said(path: Path, damage: str):
    store = ChatStore(path)
    store.open()
    chat = conversation()
    store.save_conversation(chat)
    store.save_messages([message(chat.id, "x" * 500) for _ in range(200)])
    store.close()
    whole = path.read_bytes()
    if damage == "noise":
        path.write_bytes(os.urandom(len(whole)))
    elif damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    else:
        path.write_bytes(whole[:8192] + os.urandom(16384) + whole[24576:])
    broken = path.read_bytes()
    again = ChatStore(path)
    again.open()
    assert again.notice is not None
    kept = list(path.parent.glob("chats.damaged-*.sqlite"))
    assert len(kept) == 1
    assert kept[0].read_bytes() == broken
    assert kept[0].name in again.notice
    again.save_conversation(conversation())
    assert len(again.conversations()) == 1
    again.close()


@pytest.mark.parametrize("whole", [True, False], ids=["with its companions", "alone"])
def test_a_file_that_was_removed_or_replaced_is_opened_anew(store: ChatStore, path: Path, *, whole: bool):
    """What is written into a file that has no name any more, nobody reads again."""
    old = conversation("Old")
    store.save_conversation(old)
    store.save_messages([message(old.id, "before")])
    for file in path.parent.glob("chats.sqlite*" if whole else "chats.sqlite"):
        file.unlink()
    chat = conversation("Said afterwards")
    store.save_conversation(chat)
    store.save_messages([message(chat.id, "after")])
    with pytest.raises(ChatGone):
        store.save_messages([message(old.id, "into the chat of before")])
    store.close()
    other = ChatStore(path)
    other.open()
    assert "Said afterwards" in [each.title for each in other.conversations()]
    assert [each.content for each in other.transcript(chat.id).path()] == ["after"]
    other.close()


def test_a_file_of_a_newer_release_is_left_alone(path: Path):
    ChatStore(path).open()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(queries.MIGRATIONS) + 1}")
    connection.close()
    store = ChatStore(path)
    with pytest.raises(ChatsUnavailable, match="newer"):
        store.open()
    store.go_beside()
    store.save_conversation(conversation())
    assert len(store.conversations()) == 1
    store.close()
    assert not list(path.parent.glob("chats.damaged-*"))


def test_a_file_that_another_program_holds_is_said_as_that(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.chat.store._BUSY_MS", 10)
    path.parent.mkdir()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ChatsUnavailable, match="Another program holds the chats"):
        ChatStore(path).open()
    other.execute("ROLLBACK")
    other.close()


def test_a_full_disk_is_said_as_that(store: ChatStore):
    connection = store._connection
    assert connection is not None
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")  # SQLite's own way to fill up
    chat = conversation()
    store.save_conversation(chat)
    with pytest.raises(DiskFull):
        store.save_messages([message(chat.id, "x" * 100_000)])
    assert store.conversations()[0].id == chat.id


_WRITER = """
import sys, time
from pathlib import Path
from engine.chat.store import ChatStore
from engine.chat.transcript import Message, new_conversation, new_id
store = ChatStore(Path(sys.argv[1])); store.open()
chat = new_conversation(); store.save_conversation(chat)
for number in range(int(sys.argv[2])):
    store.save_messages([Message(new_id(), chat.id, None, "user", f"{number}", time.time())])
store.close()
"""


def test_two_windows_write_at_once_and_lose_nothing(path: Path):
    count = 150
    command = [sys.executable, "-c", _WRITER, str(path), str(count)]
    writers = [subprocess.Popen(command) for _ in range(2)]
    store = ChatStore(path)
    store.open()
    mine = conversation("mine")
    store.save_conversation(mine)
    threads = [
        threading.Thread(target=lambda: [store.save_messages([message(mine.id, "t")]) for _ in range(50)])
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [writer.wait(PATIENCE_S) for writer in writers] == [0, 0]
    lengths = sorted(len(store.transcript(item.id)) for item in store.conversations())
    assert lengths == [100, count, count]
    assert store._connection is not None
    assert store._connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    store.close()


def test_a_killed_writer_leaves_a_whole_file(path: Path):
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(path), "1000000"])
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and not (path.exists() and path.stat().st_size > 0):
        time.sleep(0.02)
    time.sleep(0.3)
    writer.kill()
    writer.wait()
    store = ChatStore(path)
    store.open()
    assert store.notice is None
    chats = store.conversations()
    assert len(chats) == 1
    assert [item.content for item in store.transcript(chats[0].id).all()] == [
        str(number) for number in range(len(store.transcript(chats[0].id)))
    ]
    store.close()
