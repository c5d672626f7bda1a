"""The prefix cache of the real engine, asked through the host: tree, reason, text, events."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import pytest

from engine.domain.cache_events import Admitted
from engine.domain.prefixes import PrefixCause
from engine.page.reader import PageReader
from tests.engine.host.test_serving import chat_body, deltas

if TYPE_CHECKING:
    from engine.domain.request import RequestRow
    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]

_TEXT = "The lighthouse keeper counts the ships that pass in the night. " * 30


async def _live_row(reader: PageReader) -> RequestRow:
    for _ in range(400):
        snapshot = reader.snapshot()
        if snapshot is not None and snapshot.requests and snapshot.requests[0].num_computed_tokens:
            return snapshot.requests[0]
        await asyncio.sleep(0.01)
    raise AssertionError("the request never showed on the page")


async def test_the_prefix_cache_of_a_real_engine(engine_host: RunningHost) -> None:
    host = engine_host
    facts = host.lifecycle.facts
    assert facts is not None
    await asyncio.to_thread(host.post, "/kvdeck/reset_prefix_cache")
    reader = PageReader(facts.page_path)
    events_before = len(reader.events_since(0))
    try:
        async with aiohttp.ClientSession(headers=host.headers) as session:
            url = f"{host.url}/v1/chat/completions"
            async with session.post(url, json={**chat_body(_TEXT, max_tokens=1), "stream": False}) as response:
                assert response.status == 200
                await response.read()
            async with session.post(url, json=chat_body(_TEXT, max_tokens=400, ignore_eos=True)) as response:
                await anext(deltas(response))
                row = await _live_row(reader)
                reason = await asyncio.to_thread(host.post, "/kvdeck/prefix_reason", {"request_id": row.request_id})
                tree = await asyncio.to_thread(host.get, "/kvdeck/prefix_tree?limit=50")
                assert tree.status == 200, tree
                owned = next(node for node in tree.value["nodes"] if node["owners"])
                asked = {"key": owned["key"], "blocks": owned["blocks"]}
                text = await asyncio.to_thread(host.post, "/kvdeck/prefix_text", asked)
    finally:
        events = reader.events_since(0)[events_before:]
        reader.close()
    size = facts.block_size
    usable = (row.num_prompt_tokens - 1) // size
    assert usable >= 2
    assert row.num_cached_tokens == usable * size
    assert reason.value["cause"] == PrefixCause.ALL_FOUND
    assert owned["blocks"] >= usable
    assert owned["hits"] == 1
    assert "lighthouse keeper" in text.value["text"]
    admitted = [event.cached_tokens for event in events if isinstance(event, Admitted)]
    assert admitted[:2] == [0, usable * size]


async def test_what_nobody_holds_any_more(engine_host: RunningHost) -> None:
    """Text by token ids that are kept on request, the reason of a request that has ended, and the times of blocks."""
    host = engine_host
    facts = host.lifecycle.facts
    assert facts is not None
    reader = PageReader(facts.page_path)
    try:
        await asyncio.to_thread(host.post, "/kvdeck/reset_prefix_cache")
        kept = await asyncio.to_thread(host.post, "/kvdeck/keep_prefix_tokens", {"on": True})
        assert (kept.status, kept.value) == (200, {"on": True})
        before = (await asyncio.to_thread(host.get, "/kvdeck/block_times")).value
        last = max((event.sequence for event in reader.events_since(0)), default=0)
        async with aiohttp.ClientSession(headers=host.headers) as session:
            url = f"{host.url}/v1/chat/completions"
            for _ in range(2):
                async with session.post(url, json={**chat_body(_TEXT, max_tokens=1), "stream": False}) as response:
                    assert response.status == 200
                    await response.read()
        admitted = [event for event in reader.events_since(last) if isinstance(event, Admitted)]
        reasons = [
            (await asyncio.to_thread(host.post, "/kvdeck/prefix_reason", {"request_id": one.request_id})).value
            for one in admitted
        ]
        tree = (await asyncio.to_thread(host.get, "/kvdeck/prefix_tree?limit=50")).value
        longest = max(tree["nodes"], key=lambda node: node["blocks"])
        asked = {"key": longest["key"], "blocks": longest["blocks"]}
        text = (await asyncio.to_thread(host.post, "/kvdeck/prefix_text", asked)).value["text"]
        after = (await asyncio.to_thread(host.get, "/kvdeck/block_times")).value
    finally:
        off = await asyncio.to_thread(host.post, "/kvdeck/keep_prefix_tokens", {"on": False})
        reader.close()
    gone = (await asyncio.to_thread(host.post, "/kvdeck/prefix_text", asked)).value["text"]
    assert [reason["cause"] for reason in reasons] == [PrefixCause.NOT_COMPUTED, PrefixCause.ALL_FOUND]
    assert longest["owners"] == 0
    assert tree["keeps_tokens"]
    assert tree["token_bytes"] >= 4 * facts.block_size * longest["blocks"]
    assert text.count("lighthouse keeper") > 5
    assert off.value == {"on": False}
    assert gone is None
    found = sum(after["reuse_gap"]["counts"]) - sum(before["reuse_gap"]["counts"])
    assert found == admitted[1].cached_tokens // facts.block_size
    assert sum(after["residency"]["counts"]) > sum(before["residency"]["counts"])  # the last blocks, which are not full


def test_questions_that_cannot_be_answered(engine_host: RunningHost) -> None:
    gone = engine_host.post("/kvdeck/prefix_reason", {"request_id": "nobody"})
    assert gone.status == 422
    assert "no longer there" in gone.value["error"]["message"]
    assert engine_host.get("/kvdeck/prefix_tree?limit=many").status == 400
    assert engine_host.post("/kvdeck/prefix_text", {"key": "zz", "blocks": 1}).status == 422
    lost = engine_host.post("/kvdeck/prefix_text", {"key": "00" * 32, "blocks": 1})
    assert (lost.status, lost.value["text"]) == (200, None)
