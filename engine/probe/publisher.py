"""Turns the scheduler's events into publications on the telemetry page."""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING, Any

from engine.page.layout import MAX_GROUPS, Change, Field, PageGeometry
from engine.page.writer import PageWriter
from engine.probe.cache_events import CacheEvents
from engine.probe.groups import plan_groups, watch_windows
from engine.probe.pool_watch import PoolWatch
from engine.probe.publish_rate import PublishRate
from engine.probe.request_rows import RequestRows
from engine.probe.step_log import StepLog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.probe.prefix_totals import PrefixTotals

_PICTURES_PER_S = 30.0  # as often as the window draws them
_RESERVE = 4.0
_TOKENS_INTERVAL_NS = 100_000_000
_WAITING_ROWS = 1024
_COUNTERS = struct.Struct(f"<{Field.EVENTS_WRITTEN + 1}Q")  # the fields up to that one, in their order


def geometry_of(scheduler: Any) -> PageGeometry:
    """How large a page this engine needs."""
    manager = scheduler.kv_cache_manager
    num_blocks = len(manager.block_pool.blocks)
    sizes = tuple(plan.block_size for plan in plan_groups(manager))[:MAX_GROUPS]
    entries = 1 << (8 * num_blocks * len(sizes) - 1).bit_length()
    return PageGeometry(
        num_blocks=num_blocks,
        block_size=sizes[0],
        group_block_sizes=sizes,
        max_rows=scheduler.scheduler_config.max_num_seqs + _WAITING_ROWS,
        table_entries=min(max(entries, 1 << 18), 1 << 21),
    )


class Publisher:
    """Follows one scheduler and keeps one page up to date.

    Block states, block tables, rows and totals go out about 30 times a second, the token counts of running requests 10
    times; all of it at once when no work is left, because then nothing else would come to correct the page. What is due
    after a step is published when the model has been given the step to do: its wait costs no step time.
    """

    def __init__(
        self,
        scheduler: Any,
        path: Path,
        prefix_totals: PrefixTotals,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Make the page at `path` and publish the first picture; `clock` gives nanoseconds. Raises DiskFull."""
        self._scheduler = scheduler
        self.clock = clock
        self._prefix_totals = prefix_totals
        self._pool = scheduler.kv_cache_manager.block_pool
        self._plans = plan_groups(scheduler.kv_cache_manager)[:MAX_GROUPS]
        self.writer = PageWriter(path, geometry_of(scheduler))
        self.rows = RequestRows(self.writer)
        self.events = CacheEvents(scheduler.kv_cache_manager, self._plans, self.writer.views, clock())
        has_guests = any(getattr(plan.manager, "block_pool", self._pool) is not self._pool for plan in self._plans)
        self.watch = PoolWatch(self._pool, self.writer.views, self.events.prefixes, has_guests=has_guests)
        self.steps = StepLog(self.writer.views.ring)
        self._describe_groups()
        watch_windows(self._plans, self.rows.null_leading)
        self._watch_copies(scheduler.kv_cache_manager)
        self._reloaded = tuple(plan for plan in self._plans if plan.is_reloaded)
        self._counted = tuple((plan.index, plan.block_size) for plan in self._plans if plan.holds_tokens)
        self._counters = self.writer.views.counters.data.cast("B")
        self._rate = PublishRate(_PICTURES_PER_S, _RESERVE)
        self.is_due = False  # a picture is due: `publish_due` makes it, as soon as the model is at work
        self._limits = scheduler.kvdeck_limits.in_force()
        self._tokens_ns = 0
        self._step = 0
        self._step_ns = clock()
        self._began = (0, 0)
        self._computed = 0
        self._last_tokens = 0
        # A connector and a streaming session change computed tokens in ways of their own.
        self._recount_always = scheduler.connector is not None
        self._recount = self._recount_always
        self._unpaused = type(scheduler.pause_state).UNPAUSED
        self.publish(tokens=True)

    @property
    def step(self) -> int:
        """The newest step, counted from 1 at the first one after the engine started."""
        return self._step

    def begin_step(self) -> None:
        """schedule() is about to run."""
        # This and end_step are the probe's cost of a step that is not published. They run once in many milliseconds,
        # when the scheduler has driven them out of the processor's caches, so each call that they save counts.
        self._step = step = self._step + 1
        self._step_ns = now_ns = self.clock()
        steps, watch, events = self.steps, self.watch, self.events
        self._began = (steps.preemptions, steps.finished_requests)
        watch.marks += (len(watch.moves), step, now_ns)
        events.step, events.step_ns = step, now_ns
        events.allocations.is_scheduling = True

    def end_step(self, output: Any) -> None:
        """schedule() has run; the model runs next, perhaps for long."""
        allocations = self.events.allocations
        allocations.is_scheduling = False
        if allocations.is_watching:
            allocations.end()
        entered = self._take_output(output)
        tokens = output.total_num_scheduled_tokens
        if tokens:
            self._computed += tokens
            self._open_sample(output, entered, tokens)
        self.is_due |= self._rate.is_due(self._step_ns)
        # A step with far more tokens than the last one takes far longer: show what it works on while it does.
        if tokens > 2 * self._last_tokens:
            self.publish_due()
        self._last_tokens = tokens
        # Rejected draft tokens are taken back without an event.
        self._recount = self._recount_always or bool(output.scheduled_spec_decode_tokens)

    def answered(self, output: Any) -> None:
        """The model's answer to the step with this output has come."""
        self.steps.answered(output, self.clock())

    def publish_due(self) -> None:
        """Publish: the model is at work on the step, and nobody waits for the scheduler."""
        self.publish(tokens=self._step_ns - self._tokens_ns >= _TOKENS_INTERVAL_NS)

    def request_added(self, request: Any) -> None:
        """A request waits."""
        self.rows.add(request)
        events = self.events
        if request.num_prompt_tokens >= events.surely_fits:
            events.added(request)
        self.settle()

    def request_preempted(self, request: Any) -> None:
        """A running request is about to lose its blocks."""
        self._computed -= request.num_computed_tokens
        self.steps.preempted()
        self.events.preempting(request)
        self.rows.preempt(request)

    def request_freed(self, request: Any) -> None:
        """A finished request's blocks are free."""
        self._computed -= request.num_computed_tokens
        self.rows.remove(request.request_id)
        self.events.prefixes.left(request)

    def limits_changed(self) -> None:
        """New limits hold: let them be seen at once."""
        self._limits = self._scheduler.kvdeck_limits.in_force()
        self.publish(tokens=True)

    def settle(self) -> None:
        """Something changed between two steps. If no step will follow, publish all of it now."""
        scheduler = self._scheduler
        if scheduler.running and scheduler.pause_state is self._unpaused:
            return  # the usual case, told without asking all the queues
        if not scheduler.has_unfinished_requests():
            self.steps.close(self.steps.totals, idle=True)
            self.publish(tokens=True)

    def publish(self, *, tokens: bool) -> None:
        """Write what changed since the last time; with `tokens`, also every running request's token counts."""
        self.is_due = False
        writer, rows = self.writer, self.rows
        changed = [Change.COUNTERS]
        writer.begin()
        if self.watch.publish():
            changed.append(Change.BLOCKS)
        if self.watch.take_reuse_changed():
            changed.append(Change.REUSE)
        rows_changed, tables_changed = rows.publish(self._reloaded if tokens else ())
        if rows_changed:
            changed.append(Change.ROWS)
        if tables_changed:
            changed.append(Change.TABLES)
        if tokens:
            rows.publish_tokens()
            self._tokens_ns = self._step_ns
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

    def _take_output(self, output: Any) -> list[str]:
        """Take admissions and new blocks from a step's output; returns the ids of the admitted requests."""
        rows, requests = self.rows, self._scheduler.requests
        entered = []
        for new in output.scheduled_new_reqs:
            request = requests[new.req_id]
            rows.admit(request, new.block_ids, new.num_computed_tokens, self._step)
            self.events.admitted(request, new.num_computed_tokens, resumed=False)
            self._computed += new.num_computed_tokens
            entered.append(new.req_id)
        cached = output.scheduled_cached_reqs
        resumed = cached.resumed_req_ids
        rows.append(cached.req_ids, cached.new_block_ids, resumed)
        if resumed:
            for i, request_id in enumerate(cached.req_ids):
                if request_id in resumed:
                    request, found = requests[request_id], cached.num_computed_tokens[i]
                    rows.admit(request, cached.new_block_ids[i], found, self._step)
                    self.events.admitted(request, found, resumed=True)
                    self._computed += cached.num_computed_tokens[i]
                    entered.append(request_id)
        if self._scheduler.connector is not None:
            self._take_remote_loads()
        return entered

    def _take_remote_loads(self) -> None:
        """Requests that wait for KV from elsewhere hold blocks before they are scheduled."""
        for request_id, request in self._scheduler.requests.items():
            if request.status.name == "WAITING_FOR_REMOTE_KVS":
                self.rows.load(request_id, [plan.table(request_id) for plan in self._plans])

    def _open_sample(self, output: Any, entered: list[str], tokens: int) -> None:
        scheduler, steps = self._scheduler, self.steps
        prefill = 0
        if entered or steps.has_prefill:
            prefill, ended = steps.split_tokens(output, entered, scheduler.requests)
            if ended:
                self.rows.prefill_ended(ended)
        running, waiting = scheduler.get_request_counts()
        max_seqs, max_tokens = self._limits
        steps.begin(output, [self._step, self._step_ns, 0, running, waiting, prefill, tokens - prefill,
            self._pool.free_block_queue.num_free_blocks, 0, 0, max_seqs, max_tokens], self._began)  # fmt: skip

    def _write_counters(self) -> None:
        counts, steps = self.watch.counts, self.steps
        running, waiting = self._scheduler.get_request_counts()
        max_seqs, max_tokens = self._limits
        queries, hits, again_queries, again_hits = self._prefix_totals.now()
        _COUNTERS.pack_into(
            self._counters, 0, self._step, self._step_ns, running, waiting,
            counts[0], counts[1], counts[2], counts[3], self._wasted_slots(),
            steps.preemptions, queries, hits, steps.prefill_tokens, steps.decode_tokens, steps.finished_requests,
            max_seqs, max_tokens, self.rows.high, steps.written, self.rows.num_without_row, again_queries, again_hits,
            self.events.written,
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
        for plan in self._plans:
            kinds[plan.index] = (plan.kind, plan.window, plan.layers, 0)

    def _watch_copies(self, kv_cache_manager: Any) -> None:
        """Copy-on-write changes the reference counts of both ends directly, outside the pool."""
        take = kv_cache_manager.take_kv_cache_block_copies

        def take_and_note() -> Any:
            copies, retained = take()
            self.watch.note(retained)
            return copies, retained

        kv_cache_manager.take_kv_cache_block_copies = take_and_note
