"""Events of the KV cache: preemptions, evictions, admissions, and requests for which there is no room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.page.event_writer import EventWriter
from engine.page.layout import EventKind
from engine.probe.allocation_watch import AllocationWatch, blocks_needed
from engine.probe.prefix_memory import GROUP_BYTES, PrefixMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.page.views import PageViews
    from engine.probe.groups import GroupPlan
    from engine.probe.journal import Journal

# An enum's members cost a call each where they are used.
_ADMITTED, _EVICTED = int(EventKind.ADMITTED), int(EventKind.EVICTED)


class CacheEvents:
    """Turns what happens in one scheduler into entries of the page's event ring.

    What the scheduler does is noted in the journal by `adding`, `preempting` and `allocations`; the rest is called in
    the journal's order, between the page writer's begin and commit. An event belongs to the step that was scheduled
    last when it happened, `step`, and bears its time, `step_ns`.
    """

    def __init__(
        self, kv_cache_manager: Any, plans: Sequence[GroupPlan], views: PageViews, journal: Journal, now_ns: int
    ) -> None:
        pool = kv_cache_manager.block_pool
        self._pool = pool
        self._plans = plans
        self._journal = journal
        self.surely_fits = _fewest_that_fit(plans, pool.num_gpu_blocks - 1)
        self.step, self.step_ns = 0, now_ns
        self._writer = EventWriter(views)
        block_size = getattr(pool, "hash_block_size", plans[0].block_size)
        self.prefixes = PrefixMemory(pool, block_size, len(plans), now_ns)
        self._forgotten: list[bytes] = []
        self.allocations = AllocationWatch(kv_cache_manager, self._allocation_failed)

    # Noted while the scheduler works

    def adding(self, request: Any) -> None:
        """A request waits. One that can never run is told of at once: vLLM would let it wait for good.

        Needs to be called only where a prompt has `surely_fits` tokens or more.
        """
        needed = blocks_needed(self._plans, request.num_prompt_tokens + 1)
        blocks = self._pool.num_gpu_blocks - 1  # without the null block
        if needed > blocks:
            self._later(EventKind.NEVER_FITS, request.request_id, request.num_prompt_tokens, needed, blocks)

    def preempting(self, request: Any) -> None:
        """A running request is about to lose its blocks."""
        request_id = request.request_id
        self.allocations.preempting(request_id)
        blocks = sum(sum(1 for block in plan.table(request_id) if block) for plan in self._plans)
        self._later(EventKind.PREEMPTED, request_id, request.num_computed_tokens, blocks)

    def _allocation_failed(self, request_id: str, tokens: int, free_blocks: int, running: bool) -> None:
        self._later(EventKind.ALLOCATION_FAILED, request_id, tokens, free_blocks, int(running))

    def _later(self, kind: EventKind, request_id: str, a: int, b: int, c: int = 0) -> None:
        self._journal.note((self._add, (int(kind), request_id, a, b, c)))

    def detach(self) -> None:
        """Leave the engine's own methods as they were."""
        self.allocations.detach()

    # In the journal's order

    def admitted(self, request: Any, cached_tokens: int, num_tokens: int, *, resumed: bool) -> None:
        """A request of so many tokens was scheduled."""
        if not resumed:
            self.prefixes.admitted(request, cached_tokens, self.step)
        self._add(_ADMITTED, request.request_id, cached_tokens, num_tokens, 1 if resumed else 0)

    def evicted(self, block_ids: Sequence[int]) -> None:
        """Cached blocks that nobody holds lost their prefixes."""
        prefixes, step, step_ns = self.prefixes, self.step, self.step_ns
        for release, ids, places in prefixes.clock.evict(block_ids, step_ns):
            keys, leave = release.keys, release.leave
            age = step - release.step
            if leave is not None:
                self._writer.add_evicted(step, step_ns, leave[0], age, ids, places)
            else:
                self._tell_placed(ids, age)
            prefixes.note_evicted(keys, places, step)
            if prefixes.tokens.is_on:
                self._forget(keys, places, is_whole=leave is None)

    def _tell_placed(self, block_ids: Sequence[int], age: int) -> None:
        """Evicted blocks whose places in tables do not tell their places in prefixes."""
        placed = self.prefixes.placed
        for i in block_ids:
            leave, depth = placed.pop(i, (None, -1))
            name = None if leave is None else leave[0]
            self._add(_EVICTED, name, i, age, depth + 1)

    def _forget(self, keys: Sequence[bytes | None], places: Sequence[int], *, is_whole: bool) -> None:
        for place in places:
            own = keys[place]
            assert own is not None, "it was cached"
            self._forgotten.append(own[:-GROUP_BYTES] if is_whole else own)

    def _add(self, kind: int, request_id: str | None, a: int, b: int, c: int) -> None:
        self._writer.add(self.step, self.step_ns, kind, request_id, a, b, c)

    def publish(self) -> bool:
        """Whether anything has happened since the last time. Call when all of it has been told."""
        if self._forgotten:
            self.prefixes.forget_evicted(self._forgotten)
            self._forgotten.clear()
        return self._writer.take_news()

    @property
    def written(self) -> int:
        """Events written since the engine started."""
        return self._writer.written


def _fewest_that_fit(plans: Sequence[GroupPlan], blocks: int) -> int:
    """So many tokens find room in a pool of this many blocks, however they are shared out among the groups."""
    return (blocks // len(plans) - 1) * min(plan.block_size for plan in plans)
