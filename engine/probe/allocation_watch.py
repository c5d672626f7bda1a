"""Who found no room: allocations that failed, told without looking at those that did not."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.probe.groups import GroupPlan

    Report = Callable[[str, int, int, bool], None]


class AllocationWatch:
    """Reports (request id, tokens wanted or 0, free blocks, whether it runs) of failed allocations of one scheduler.

    vLLM allocates for every running request in every step, so its method is left alone, and a watch is set on it for
    one call at a time: after a prefix lookup, which only a waiting request has, and after a preemption, whose cause is
    the request that tries again next, or the victim itself if nobody does. Lookups are only watched while it
    `is_armed`: where most blocks are free nobody can fail to find some.
    """

    def __init__(self, kv_cache_manager: Any, report: Report) -> None:
        self._manager = kv_cache_manager
        self._allocate = kv_cache_manager.allocate_slots
        self._look_up = kv_cache_manager.get_computed_blocks
        self._report = report
        self.is_scheduling = False  # schedule() runs; whoever calls it says so here
        self.is_watching = False
        self._victim: str | None = None
        self._free_before = 0
        self._told: str | None = None
        # Both are set in the object once they are needed: a name that was ever set there is found more slowly for good.
        # Never by its `__dict__`: whoever asks for that makes every attribute of the object slower.
        self.is_armed = False

    def arm(self, armed: bool) -> None:
        """From the next lookup on, watch them or leave them alone."""
        self.is_armed = armed
        self._manager.get_computed_blocks = self._looked_up if armed else self._look_up

    def end(self) -> None:
        """schedule() has run. Needs to be called only where `is_watching`."""
        if self._victim is not None:
            self._blame_victim()
        self._unwatch()

    def preempting(self, request_id: str) -> None:
        """A running request is about to lose its blocks."""
        if not self.is_scheduling:
            return  # a limit or a reset took them, not want of room
        self._blame_victim()
        self._victim = request_id
        self._free_before = self._manager.block_pool.get_num_free_blocks()
        self._watch(self._tried_again)

    def detach(self) -> None:
        """Watch nothing from now on."""
        self._unwatch()
        self.is_armed = False
        with suppress(AttributeError):  # it was never armed
            del self._manager.get_computed_blocks

    def _blame_victim(self) -> None:
        victim, self._victim = self._victim, None
        if victim is not None:
            self._report(victim, 0, self._free_before, True)

    def _tried_again(self, request: Any, num_new_tokens: int, *args: Any, **kwargs: Any) -> Any:
        self._unwatch()
        self._victim = None
        self._report(request.request_id, num_new_tokens, self._free_before, True)
        return self._allocate(request, num_new_tokens, *args, **kwargs)

    def _looked_up(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        found = self._look_up(request, *args, **kwargs)
        if self.is_scheduling:
            self._watch(self._admitting)
        return found

    def _admitting(self, request: Any, num_new_tokens: int, *args: Any, **kwargs: Any) -> Any:
        self._unwatch()
        free = self._manager.block_pool.get_num_free_blocks()
        blocks = self._allocate(request, num_new_tokens, *args, **kwargs)
        request_id: str = request.request_id
        if blocks is not None:
            self._told = None
        elif request_id != self._told:
            self._told = request_id
            self._report(request_id, num_new_tokens, free, False)
        return blocks

    def _watch(self, allocate: Callable[..., Any]) -> None:
        self._manager.allocate_slots = allocate
        self.is_watching = True

    def _unwatch(self) -> None:
        if self.is_watching:
            del self._manager.allocate_slots
            self.is_watching = False


def blocks_needed(plans: Sequence[GroupPlan], num_tokens: int) -> int:
    """The fewest blocks that a sequence of so many tokens holds at once, whatever is shared or skipped."""
    needed = 0
    for plan in plans:
        if plan.holds_tokens:
            needed += -(-min(num_tokens, _most_held(plan.manager)) // plan.block_size)
    return needed


def _most_held(manager: Any) -> int:
    """How many tokens of a sequence surely lie in its blocks, however long it gets."""
    if hasattr(manager, "attention_chunk_size"):
        return 1  # right after a chunk's end
    return int(getattr(manager, "sliding_window", None) or 1 << 62)
