"""The prefix cache walked on demand: every cached block once, joined to stretches. Never part of a step."""

from __future__ import annotations

import heapq
import time
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from engine.domain.prefixes import PrefixNode, PrefixTree
from engine.probe.prefix_memory import GROUP_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.page.views import PageViews
    from engine.probe.prefix_memory import PrefixMemory


@dataclass(slots=True)
class _Cached:
    """One hash that is cached, whichever blocks of whichever groups hold it."""

    parent: bytes | None = None
    depth: int | None = None
    owners: int = 0
    hits: int = 0
    last_used_step: int = 0
    in_first_group: bool = False
    children: list[bytes] = field(default_factory=list)


def live_chains(requests: Iterable[Any], block_size: int) -> dict[bytes, tuple[bytes | None, int]]:
    """Parent and depth of every hash of the live requests' computed blocks."""
    chains: dict[bytes, tuple[bytes | None, int]] = {}
    for request in requests:
        hashes = request.block_hashes[: request.num_computed_tokens // block_size]
        if hashes:
            chains[hashes[0]] = (None, 0)
            for depth, (parent, own) in enumerate(pairwise(hashes), 1):
                chains[own] = (parent, depth)
    return chains


def prefix_tree(scheduler: Any, memory: PrefixMemory, views: PageViews, step: int, limit: int) -> PrefixTree:
    """The tree now, of at most `limit` nodes; `views` is the page, just published."""
    began = time.perf_counter_ns()
    pool = scheduler.kv_cache_manager.block_pool
    cached, blocks, saved = _collect(pool, memory, views)
    chains = live_chains(scheduler.requests.values(), memory.block_size)
    for own, entry in cached.items():
        kin = chains.get(own) or memory.kin(own)
        if kin is not None:
            entry.parent, entry.depth = kin[0], kin[1]
            above = cached.get(kin[0]) if kin[0] is not None else None
            if above is not None:
                above.children.append(own)
    nodes = _stretches(cached, memory.block_size)
    chosen = _largest(nodes, limit)
    return PrefixTree(
        step, memory.block_size, chosen, blocks, saved, len(nodes) - len(chosen), time.perf_counter_ns() - began,
        memory.tokens.is_on, memory.tokens.num_bytes,
    )  # fmt: skip


def as_plain(tree: PrefixTree) -> dict[str, Any]:
    """The tree as the utility call hands it over."""
    return {**asdict(replace(tree, nodes=())), "nodes": [asdict(node) for node in tree.nodes]}


def _collect(pool: Any, memory: PrefixMemory, views: PageViews) -> tuple[dict[bytes, _Cached], int, int]:
    assert views.reuse_counts is not None
    last_used, reuses = views.last_used_step.data, views.reuse_counts.data
    cached: dict[bytes, _Cached] = {}
    blocks = saved = 0
    first = memory.key(b"")
    for block in pool.blocks:
        key = block.block_hash
        if key is None:
            continue
        blocks += 1
        own = key[:-GROUP_BYTES]
        entry = cached.get(own)
        if entry is None:
            entry = cached[own] = _Cached()
        references = block.ref_cnt
        if references > 1:
            saved += references - 1
        if key[-GROUP_BYTES:] == first:
            # Copies under one hash have their own owners; other groups' blocks have the same ones once more.
            entry.owners = entry.owners + references if entry.in_first_group else references
            entry.in_first_group = True
        elif not entry.in_first_group:
            entry.owners = max(entry.owners, references)
        entry.hits = max(entry.hits, reuses[block.block_id])
        entry.last_used_step = max(entry.last_used_step, last_used[block.block_id])
    return cached, blocks, saved


def _stretches(cached: dict[bytes, _Cached], block_size: int) -> list[PrefixNode]:
    """Nodes, parents before children."""
    nodes: list[PrefixNode] = []
    waiting: list[tuple[bytes, int | None, bool]] = [
        (own, None, entry.depth == 0) for own, entry in cached.items() if entry.parent not in cached
    ]
    while waiting:
        own, parent, reachable = waiting.pop()
        entry = cached[own]
        last_used, blocks = entry.last_used_step, 1
        while len(entry.children) == 1:
            below = cached[entry.children[0]]
            if (below.owners, below.hits) != (entry.owners, entry.hits):
                break
            own, entry, blocks = entry.children[0], below, blocks + 1
            last_used = max(last_used, entry.last_used_step)
        end = None if entry.depth is None else entry.depth + 1
        tokens = blocks * block_size
        nodes.append(
            PrefixNode(own.hex(), parent, blocks, tokens, end, entry.owners, entry.hits, last_used, reachable)
        )
        waiting += [(child, len(nodes) - 1, reachable) for child in entry.children]
    return nodes


def _largest(nodes: list[PrefixNode], limit: int) -> tuple[PrefixNode, ...]:
    """The nodes with the largest branches, each after its parent, with parents numbered anew."""
    branch = [node.blocks for node in nodes]
    children: dict[int | None, list[int]] = {}
    for i in range(len(nodes) - 1, -1, -1):
        parent = nodes[i].parent
        children.setdefault(parent, []).append(i)
        if parent is not None:
            branch[parent] += branch[i]
    heap = [(-branch[i], i) for i in children.get(None, ())]
    heapq.heapify(heap)
    numbers: dict[int, int] = {}
    chosen: list[PrefixNode] = []
    while heap and len(chosen) < limit:
        _, i = heapq.heappop(heap)
        node = nodes[i]
        numbers[i] = len(chosen)
        chosen.append(node if node.parent is None else replace(node, parent=numbers[node.parent]))
        for child in children.get(i, ()):
            heapq.heappush(heap, (-branch[child], child))
    return tuple(chosen)
