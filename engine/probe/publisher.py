"""Turns the scheduler's events into publications on the telemetry page."""

from __future__ import annotations

import struct
import time
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

from engine.page.layout import MAX_GROUPS, Change, Field
from engine.page.writer import PageWriter
from engine.probe.block_ledger import BlockLedger
from engine.probe.cache_events import CacheEvents
from engine.probe.geometry import geometry_of
from engine.probe.groups import plan_groups, watch_windows
from engine.probe.journal import Journal
from engine.probe.pool_watch import PoolWatch
from engine.probe.prefix_totals import PrefixTotals
from engine.probe.publish_rate import PublishRate
from engine.probe.request_rows import RequestRows
from engine.probe.step_log import StepLog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.probe.step_notes import Admitted

_PICTURES_PER_S = 30.0  # as often as the window draws them
_RESERVE = 4.0
_TOKENS_INTERVAL_NS = 100_000_000
_COUNTERS = struct.Struct(f"<{Field.EVENTS_WRITTEN + 1}Q")  # the fields up to that one, in their order


class Publisher:
    """Follows one scheduler and keeps one page up to date.

    Block states, block tables, rows and totals go out about 30 times a second, the token counts of running requests 10
    times; all of it at once when no work is left, because then nothing else would come to correct the page. Until then
    what happens is noted in the journal. What is due after a step is published when the model has been given the step
    to do: its wait costs no step time.
    """

    def __init__(self, scheduler: Any, path: Path, clock: Callable[[], int] = time.monotonic_ns) -> None:
        """Make the page at `path` and publish the first picture; `clock` gives nanoseconds. Raises DiskFull."""
        self._scheduler = scheduler
        self.clock = clock
        manager = scheduler.kv_cache_manager
        self.prefix_totals = PrefixTotals()
        self.plans = plan_groups(manager)[:MAX_GROUPS]
        self.writer = PageWriter(path, geometry_of(scheduler))
        self.journal = Journal()
        self.rows = RequestRows(self.writer)
        self.events = CacheEvents(manager, self.plans, self.writer.views, self.journal, clock())
        self.ledger = BlockLedger(self.writer.views, self.events)
        pool = manager.block_pool
        has_guests = any(getattr(plan.manager, "block_pool", pool) is not pool for plan in self.plans)
        self.steps = StepLog(self.writer.views.ring)
        # One table a request, which only grows, and each of whose blocks stands for one hash.
        self.is_plain = (
            scheduler.connector is None
            and len(self.plans) == 1
            and self.plans[0].is_plain
            and self.plans[0].block_size == self.events.prefixes.block_size
        )
        # There the scheduler's output names every block that was handed out: the pool need not tell of each.
        self.watch = PoolWatch(pool, self.journal, self.ledger, is_told=not self.is_plain, has_guests=has_guests)
        self._describe_groups()
        self._watch_tables(manager)
        self._reloaded = tuple(plan for plan in self.plans if plan.is_reloaded)
        self._counted = tuple((plan.index, plan.block_size) for plan in self.plans if plan.holds_tokens)
        self._counters = self.writer.views.counters.data.cast("B")
        self.rate = PublishRate(_PICTURES_PER_S, _RESERVE)
        self.limits = scheduler.kvdeck_limits.in_force()
        self._tokens_ns = 0
        self._computed = 0
        # A connector and a streaming session change computed tokens in ways of their own.
        self._recount_always = scheduler.connector is not None
        self._recount = self._recount_always
        self.unpaused = type(scheduler.pause_state).UNPAUSED
        self.publish(tokens=True)

    @property
    def step(self) -> int:
        """The newest step that is published, counted from 1 at the first one after the engine started."""
        return self.events.step

    def publish_due(self) -> None:
        """Publish: the model is at work on the step, and nobody waits for the scheduler."""
        now_ns = self.clock()
        self.publish(tokens=now_ns - self._tokens_ns >= _TOKENS_INTERVAL_NS)

    def limits_changed(self) -> None:
        """New limits hold: let them be seen at once."""
        self.limits = self._scheduler.kvdeck_limits.in_force()
        self.publish(tokens=True)

    def settle(self) -> None:
        """Something changed between two steps. If no step will follow, publish all of it now."""
        scheduler = self._scheduler
        if scheduler.running and scheduler.pause_state is self.unpaused:
            return  # the usual case, told without asking all the queues
        if not scheduler.has_unfinished_requests():
            self.journal.note((self.steps.rest, ()))
            self.publish(tokens=True)

    def publish(self, *, tokens: bool) -> None:
        """Write what changed since the last time; with `tokens`, also every running request's token counts."""
        writer, rows, ledger = self.writer, self.rows, self.ledger
        changed = [Change.COUNTERS]
        writer.begin()
        self.journal.replay(self._told)
        if ledger.changed:
            ledger.changed = False
            changed.append(Change.BLOCKS)
        if ledger.reuse_changed:
            ledger.reuse_changed = False
            changed.append(Change.REUSE)
        rows_changed, tables_changed = rows.publish(self._reloaded if tokens else ())
        if rows_changed:
            changed.append(Change.ROWS)
        if tables_changed:
            changed.append(Change.TABLES)
        if tokens:
            rows.publish_tokens()
            self._tokens_ns = self.clock()
            changed.append(Change.TOKENS)
        if self.events.publish():
            changed.append(Change.EVENTS)
        if self.steps.publish():
            changed.append(Change.RING)
        self._write_counters()
        writer.commit(*changed)

    def close(self) -> None:
        """Remove the page, and leave the engine's own objects as they were."""
        self.watch.detach()
        self.events.detach()
        self.writer.close()

    def preempting(self, request: Any) -> None:
        """A running request is about to lose its blocks."""
        computed = request.num_computed_tokens
        request_id, hashes = request.request_id, request.block_hashes
        if request.streaming_queue is not None:
            hashes = list(hashes)  # a session may say something else next time
        self.events.preempting(request)
        if self.is_plain:
            self.journal.note((self.ledger.take_missing, (self.plans[0].table(request_id),)))
        self.journal.note((self.preempted, (request_id, computed, hashes)))
        self.events.prefixes.tokens.keep(request, computed)
        if self.is_plain:
            self.watch.leave = (request_id, hashes)

    def has_preempted(self) -> None:
        """It has lost them."""
        self.watch.leave = None

    # What the journal's notes call, in its order

    def begun(self, step: int, now_ns: int) -> None:
        """schedule() was called."""
        self.events.step, self.events.step_ns = step, now_ns
        self.steps.begin()

    def scheduled(
        self, output: int, tokens: int, prefill: int, running: int, waiting: int, free: int, limits: tuple[int, int],
        new: Sequence[Admitted], others: Sequence[str], blocks: Sequence[Any], resumed: Sequence[Admitted],
        ended: Sequence[str], drafts: bool,
    ) -> None:  # fmt: skip
        """schedule() was done: the output's id, its tokens and those of prefill, how many requests run and wait, how
        many blocks are free, the limits in force, who was admitted for the first time, the others with the blocks that
        they got or None, who was admitted after a preemption, whose prefill ended, and whether there were draft tokens.
        """
        growing, growth = list(compress(others, blocks)), list(filter(None, blocks))
        step, step_ns = self.events.step, self.events.step_ns
        rows, admitted = self.rows, self.events.admitted
        if self.is_plain:
            growth = self._hand_out(growth, new, resumed)
        for request, block_ids, cached, num_tokens in new:
            # vLLM's second model runner gets preempted requests as new ones.
            again = rows.admit(request, block_ids, cached, step)
            admitted(request, cached, num_tokens, resumed=again)
            self._computed += cached
            if request.streaming_queue is not None:
                self._recount_always = True
        if growing:
            rows.append(growing, growth)
        for request, block_ids, cached, num_tokens in resumed:
            rows.admit(request, block_ids, cached, step)
            admitted(request, cached, num_tokens, resumed=True)
            self._computed += cached
        if ended:
            rows.touch(ended)
        # Rejected draft tokens are taken back without an event.
        self._recount = self._recount_always or drafts
        if tokens:
            self._computed += tokens
            self.steps.scheduled(
                output, [step, step_ns, 0, running, waiting, prefill, tokens - prefill, free, 0, 0, *limits]
            )

    def _hand_out(self, growth: list[Any], *admitted: Sequence[Admitted]) -> list[Any]:
        """The blocks that a step's requests got and found. What one of them has just got may be found by the next one,
        so all are handed out before any is found; who lost them again in the same step gave them back before. Returns
        the growth, as numbers alone where each got one block, as nearly always.
        """
        size, found = self.events.prefixes.block_size, list[int]()
        grown = [i for (ids,) in growth for i in ids]
        taken = grown.copy()
        for request, (ids,), cached, _ in chain.from_iterable(admitted):
            before = self.rows.num_held(request.request_id)
            if not before:
                before = cached // size
                found += ids[:before]
            taken += ids[before:]
        if taken:
            self.ledger.take(taken)
        for i in found:
            self.ledger.find(i, is_cached=True)
        return grown if len(grown) == len(growth) else growth

    def _told(self, blocks: Sequence[Any]) -> None:
        self.ledger.take([block.block_id for block in blocks])

    def preempted(self, request_id: str, computed: int, hashes: list[bytes]) -> None:
        """A running request lost its blocks."""
        self._computed -= computed
        self.steps.preemptions += 1
        if not self.is_plain:
            self._left(request_id, computed, hashes)
        self.rows.preempt(request_id)

    def removed(self, request_id: str, computed: int, hashes: list[bytes]) -> None:
        """A finished request's blocks are free."""
        self._computed -= computed
        if not self.is_plain:
            self._left(request_id, computed, hashes)
        self.rows.remove(request_id)

    def finished(self) -> None:
        """A request has finished; its blocks may be freed later."""
        self.steps.finished_requests += 1

    def ended(self, request_id: str, computed: int, hashes: list[bytes]) -> None:
        """A request has finished, and its blocks are free."""
        self.steps.finished_requests += 1
        self.removed(request_id, computed, hashes)

    def table_left(self, request_id: str, hashes: Sequence[bytes], cached: int) -> None:
        """A request gave up its whole table, of which so many blocks were cached."""
        self.ledger.free_table(self.rows.block_ids(request_id), (request_id, hashes), cached)

    def _left(self, request_id: str, computed: int, hashes: list[bytes]) -> None:
        prefixes = self.events.prefixes
        prefixes.left(request_id, hashes, computed // prefixes.block_size)

    def _write_counters(self) -> None:
        counts, steps, events = self.ledger.counts, self.steps, self.events
        running, waiting = self._scheduler.get_request_counts()
        max_seqs, max_tokens = self.limits
        queries, hits, again_queries, again_hits = self.prefix_totals.now()
        _COUNTERS.pack_into(
            self._counters, 0, events.step, events.step_ns, running, waiting,
            counts[0], counts[1], counts[2], counts[3], self._wasted_slots(),
            steps.preemptions, queries, hits, steps.prefill_tokens, steps.decode_tokens, steps.finished_requests,
            max_seqs, max_tokens, self.rows.high, steps.written, self.rows.num_without_row, again_queries, again_hits,
            events.written,
        )  # fmt: skip

    def _wasted_slots(self) -> int:
        """Slots in requests' blocks that hold nothing. Shared blocks are full, so each request's tail counts alone."""
        if not self._counted:
            return 0
        if self._recount:
            self._computed = self.rows.computed_tokens()
        computed = self._computed
        held = self.rows.tables.held
        return max(0, sum(size * held[group] - computed for group, size in self._counted))

    def _describe_groups(self) -> None:
        kinds = self.writer.views.group_kinds
        assert kinds is not None
        for plan in self.plans:
            kinds[plan.index] = (plan.kind, plan.window, plan.layers, 0)

    def _watch_tables(self, kv_cache_manager: Any) -> None:
        """Where tables do not only grow: windows move on, and copy-on-write changes reference counts directly."""
        note = self.journal.note

        def moved_on(request_id: str, group: int, last: int) -> None:
            note((self.rows.null_leading, (request_id, group, last)))

        watch_windows(self.plans, moved_on)
        if self.is_plain:
            return
        take = kv_cache_manager.take_kv_cache_block_copies

        def take_and_note() -> Any:
            copies, retained = take()
            self.watch.count(retained)
            return copies, retained

        kv_cache_manager.take_kv_cache_block_copies = take_and_note
