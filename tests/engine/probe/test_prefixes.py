"""The prefix tree against a second look at the pool, and the reasons against what was done."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import ParameterInvalid
from engine.domain.prefixes import PrefixCause
from engine.probe.prefix_memory import PrefixMemory
from engine.probe.prefix_questions import reason_of, tree_of
from engine.probe.prefix_reasons import tokens_of
from engine.probe.token_memory import TokenMemory
from tests.engine.probe.driving import BLOCK, Runner, Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

_EVERYTHING = 1 << 30


def _paths(tree: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Every node by key, with the indexes that lead to it."""
    paths: list[tuple[int, ...]] = []
    for i, node in enumerate(tree["nodes"]):
        assert node["parent"] is None or node["parent"] < i
        paths.append((*(paths[node["parent"]] if node["parent"] is not None else ()), i))
    return {node["key"]: path for node, path in zip(tree["nodes"], paths, strict=True)}


@pytest.mark.parametrize(("kind", "blocks"), [("full", 60), ("full", 400), ("sliding", 200)])
def test_the_tree_holds_every_cached_block(
    probed_scheduler: Callable[..., Any], vllm_config: Any, kind: str, blocks: int
) -> None:
    scheduler = probed_scheduler(blocks, kind=kind)
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=blocks)
    chains: dict[str, list[bytes]] = {}
    for step in range(600):
        if traffic.random.random() < 0.15 and len(scheduler.requests) < 40:
            traffic.add(traffic.random.randrange(1, 6))
        if traffic.random.random() < 0.02:
            traffic.abort(1)
        for request in scheduler.requests.values():
            chains[request.request_id] = request.block_hashes
        runner.step()
        if step % 40 == 39:
            _compare(scheduler, tree_of(scheduler, _EVERYTHING), chains)
    runner.drain()
    _compare(scheduler, tree_of(scheduler, _EVERYTHING), chains)
    assert scheduler.kvdeck_failure is None


def _compare(scheduler: Any, tree: dict[str, Any], chains: dict[str, list[bytes]]) -> None:
    pool = scheduler.kv_cache_manager.block_pool
    held = [block for block in pool.blocks if block.block_hash is not None]
    hashes = {block.block_hash[:-4] for block in held}
    owners: dict[bytes, int] = {}
    for block in held:
        if block.block_hash[-4:] == bytes(4):
            owners[block.block_hash[:-4]] = owners.get(block.block_hash[:-4], 0) + block.ref_cnt
    assert tree["cached_blocks"] == len(held)
    assert tree["saved_blocks"] == sum(max(0, block.ref_cnt - 1) for block in held)
    assert tree["nodes_left_out"] == 0
    assert sum(node["blocks"] for node in tree["nodes"]) == len(hashes)
    ancestors = {own: chain[:i] for chain in chains.values() for i, own in enumerate(chain)}
    paths = _paths(tree)
    for node in tree["nodes"]:
        end = bytes.fromhex(node["key"])
        assert end in hashes
        if end in owners:
            assert node["owners"] == owners[end]
        assert node["end_block"] == len(ancestors[end]) + 1
        above = [bytes.fromhex(tree["nodes"][i]["key"]) for i in paths[node["key"]][:-1]]
        assert [own for own in ancestors[end] if own in above] == above
        assert node["reachable"] == all(own in hashes for own in ancestors[end])


def test_hits_owners_and_the_limit(probed_scheduler: Callable[..., Any], vllm_config: Any) -> None:
    scheduler = probed_scheduler(200)
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=1)
    prefix = list(range(4 * BLOCK))
    traffic.add(prompt=[*prefix, 900], max_tokens=1)
    runner.drain()
    for tail in (901, 902):
        traffic.add(prompt=[*prefix, *([tail] * 2 * BLOCK)], max_tokens=20)
    runner.step()
    tree = tree_of(scheduler, _EVERYTHING)
    root, *branches = tree["nodes"]
    assert (root["blocks"], root["owners"], root["hits"], root["reachable"]) == (4, 2, 2, True)
    assert [(node["parent"], node["blocks"], node["owners"], node["hits"]) for node in branches] == [(0, 2, 1, 0)] * 2
    assert tree["saved_blocks"] == 4
    cut = tree_of(scheduler, 1)
    assert [node["key"] for node in cut["nodes"]] == [root["key"]]
    assert cut["nodes_left_out"] == 2
    memory = scheduler.kvdeck_publisher.events.prefixes
    assert tokens_of(root["key"], 4, scheduler.requests, memory) == prefix
    assert tokens_of(root["key"], 1, scheduler.requests, memory) == prefix[-BLOCK:]
    runner.drain()
    assert tokens_of(root["key"], 4, scheduler.requests, memory) is None
    with pytest.raises(ParameterInvalid, match="no block hash"):
        tokens_of("not hexadecimal", 4, scheduler.requests, memory)


def test_why_little_was_found(probed_scheduler: Callable[..., Any], vllm_config: Any) -> None:
    scheduler = probed_scheduler(40)
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=2)

    def ask(prompt: list[int], *, steps: int = 1) -> dict[str, Any]:
        traffic.add(prompt=prompt, max_tokens=30)
        name = f"request-{traffic.sent}"
        for _ in range(steps):
            runner.step()
        return reason_of(scheduler, name)

    first = list(range(10 * BLOCK))
    assert ask(first, steps=0)["cause"] == PrefixCause.NOT_ADMITTED
    runner.step()
    assert ask(first[:BLOCK])["cause"] == PrefixCause.TOO_SHORT
    found = ask(first)
    assert (found["cause"], found["cached_tokens"]) == (PrefixCause.ALL_FOUND, 9 * BLOCK)
    other = ask([*first[:7], *range(500, 500 + 3 * BLOCK)])
    assert (other["cause"], other["common_tokens"], other["cached_tokens"]) == (PrefixCause.DIFFERENT, 7, 0)
    runner.drain()
    traffic.add(prompt=list(range(100, 100 + 38 * BLOCK)), max_tokens=1)  # pushes everything out
    runner.drain()
    gone = ask(first)
    assert gone["cause"] == PrefixCause.EVICTED
    assert gone["steps_before"] > 0
    runner.drain()
    scheduler.kvdeck_change_limits({"long_prefill_token_threshold": 33})
    twin = list(range(700, 700 + 6 * BLOCK))
    traffic.add(prompt=twin, max_tokens=3)
    first_twin = f"request-{traffic.sent}"
    assert ask([*twin, 1])["cause"] == PrefixCause.AT_THE_SAME_TIME
    assert reason_of(scheduler, first_twin)["cause"] == PrefixCause.DIFFERENT, "nobody was before it"
    runner.drain()
    # A request that has ended: what its admission told is remembered, its tokens are not.
    ended = reason_of(scheduler, "request-4")
    assert (ended["cause"], ended["cached_tokens"], ended["common_tokens"]) == (PrefixCause.NOT_COMPUTED, 0, None)
    assert reason_of(scheduler, "request-2")["cause"] == PrefixCause.TOO_SHORT
    assert reason_of(scheduler, "request-3")["cause"] == PrefixCause.ALL_FOUND
    assert reason_of(scheduler, "request-6")["cause"] == PrefixCause.EVICTED
    with pytest.raises(ParameterInvalid, match="no longer there"):
        reason_of(scheduler, "nobody")


def test_tokens_of_cached_prefixes_are_kept_while_asked(
    probed_scheduler: Callable[..., Any], vllm_config: Any
) -> None:
    scheduler = probed_scheduler(40)
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=5)
    memory = scheduler.kvdeck_publisher.events.prefixes
    prefix = list(range(6 * BLOCK))

    def ask(prompt: list[int]) -> None:
        traffic.add(prompt=prompt, max_tokens=1)
        runner.drain()

    ask(prefix)
    tree = tree_of(scheduler, _EVERYTHING)
    assert (tree["keeps_tokens"], tree["token_bytes"]) == (False, 0)
    (root,) = tree["nodes"]
    assert tokens_of(root["key"], 6, scheduler.requests, memory) is None
    memory.tokens.switch(on=True)
    ask([*prefix, 1])  # whoever holds it next tells its tokens
    tree = tree_of(scheduler, _EVERYTHING)
    assert (tree["keeps_tokens"], tree["token_bytes"]) == (True, 6 * BLOCK * 4)
    assert tokens_of(tree["nodes"][0]["key"], 6, scheduler.requests, memory) == prefix
    assert tokens_of(tree["nodes"][0]["key"], 2, scheduler.requests, memory) == prefix[-2 * BLOCK :]
    # A difference is found against the cached prefix, too, which nobody holds.
    traffic.add(prompt=[*prefix[: 2 * BLOCK + 5], *range(800, 900)], max_tokens=4)
    runner.step()
    reason = reason_of(scheduler, f"request-{traffic.sent}")
    assert (reason["cause"], reason["cached_tokens"]) == (PrefixCause.DIFFERENT, 2 * BLOCK)
    assert (reason["common_tokens"], reason["other_is_cached"]) == (2 * BLOCK + 5, True)
    assert reason["other_request_id"] == "request-2"
    runner.drain()
    ask(list(range(500, 500 + 38 * BLOCK)))  # pushes the prefix out
    assert memory.tokens.num_bytes == 4 * BLOCK * sum(node["blocks"] for node in tree_of(scheduler, 99)["nodes"])
    assert tokens_of(tree["nodes"][0]["key"], 6, scheduler.requests, memory) is None
    memory.tokens.switch(on=False)
    assert (memory.tokens.is_on, memory.tokens.num_bytes) == (False, 0)


def test_kept_tokens_are_bounded() -> None:
    tokens = TokenMemory(4, most_bytes=64)
    tokens.switch(on=True)
    hashes = [bytes([number]) for number in range(10)]
    tokens.keep(SimpleNamespace(all_token_ids=list(range(40)), block_hashes=hashes), 40)
    assert tokens.num_bytes == 64
    assert tokens.of(hashes[5]) is None
    newest = tokens.of(hashes[9])
    assert newest is not None
    assert newest.tolist() == [36, 37, 38, 39]
    tokens.forget(hashes[9])
    assert tokens.num_bytes == 48


class _Hashes(list[bytes]):
    """A list of which one can tell whether somebody has it."""


def test_what_is_held_of_evicted_prefixes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many requests with one long prompt in common, each has hashes of its own, and few blocks to be evicted."""
    monkeypatch.setattr("engine.probe.prefix_memory._MOST_HELD", 1000)
    pool: Any = SimpleNamespace(blocks=[None] * 4)
    memory = PrefixMemory(pool, 16, 1, 0)
    prompts = [[f"{number} {depth}".encode() for depth in range(100)] for number in range(30)]
    alive: list[weakref.ref[_Hashes]] = []
    for step, prompt in enumerate(prompts):
        hashes = _Hashes(prompt)
        alive.append(weakref.ref(hashes))
        for place in (99, 98):
            memory.note_evicted(hashes, [place], step)
        del hashes
    assert sum(ref() is not None for ref in alive) == 11, "one of them half forgotten"
    assert [memory.evicted_at(prompts[number][98]) for number in (0, 25, 29)] == [None, 25, 29]
    longest = _Hashes(prompts[0] * 20)
    memory.note_evicted(longest, [0], 40)
    assert memory.evicted_at(longest[0]) == 40, "the newest one always"
