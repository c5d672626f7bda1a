"""The wall clock is set by a day while the window runs: chats stay in the order in which things happened."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from engine.chat.book import OpenChat
from engine.chat.store import ChatStore
from engine.chat.transcript import Transcript, new_conversation
from tests.engine.chat.scripted import ScriptedAsk
from tests.engine.chat.test_book import Listener

if TYPE_CHECKING:
    from pathlib import Path

_DAY_S = 86_400.0


@pytest.mark.parametrize("days", [-1, 1])
async def test_chats_keep_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int):
    store = ChatStore(tmp_path / "chats.sqlite")
    store.open()
    chats = [OpenChat(new_conversation(), Transcript(), store, ScriptedAsk(), Listener()) for _ in range(2)]
    first = await chats[0].send("before", None)
    await chats[1].send("other", None)
    true_time = time.time
    monkeypatch.setattr(time, "time", lambda: true_time() + days * _DAY_S)
    await chats[0].send("after", None)
    again = await chats[0].regenerate(first.id, None)
    monkeypatch.setattr(time, "time", true_time)
    kept = store.transcript(chats[0].conversation.id)
    assert [item.id for item in kept.all()] == [item.id for item in chats[0].transcript.all()]
    assert kept.versions(again.id) == (first.id, again.id)
    assert store.conversations()[0].id == chats[0].conversation.id, "the one used last stands first"
    await chats[1].send("right again", None)
    assert store.conversations()[0].id == chats[1].conversation.id
    store.close()
