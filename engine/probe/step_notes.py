"""What is noted of a scheduler's calls while it works: as little code as there can be, for it is in the path of a step.

Everything here runs once or a few times in a step of many milliseconds, when the scheduler has driven it out of the
processor's caches: each call and each name that is looked up costs a hundred nanoseconds or two. Hence the closures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.probe.publisher import Publisher

_NONE: Sequence[Any] = ()
# A request as it was admitted: itself, its block tables by group, its tokens found in the cache, and all its tokens.
Admitted = tuple[Any, Sequence[Sequence[int]], int, int]


class StepNotes:
    """Takes the place of some methods of one scheduler, in the object itself: that costs less than to override them.

    Whatever fails in here is told to `fail`, which ends the probe and never the engine.
    """

    def __init__(
        self, scheduler: Any, publisher: Publisher, vllms_own: Any, fail: Callable[[BaseException], None]
    ) -> None:
        """`vllms_own` has the scheduler's methods as vLLM made them."""
        self._scheduler, self._publisher, self._fail = scheduler, publisher, fail
        self._prefilling: set[str] = set()  # requests whose prompts were not whole after the last step
        self._is_due = False
        methods: dict[str, Callable[[Any], Callable[..., Any]]] = {
            "schedule": self._schedule, "update_from_output": self._update, "add_request": self._add,
            "_free_blocks": self._free,
        }  # fmt: skip
        if scheduler.connector is not None:  # it may put the end of a request's blocks off
            methods["_free_request"] = self._finish
        for name, make in methods.items():
            setattr(scheduler, name, make(getattr(vllms_own, name)))
        # Always there, so that publishing changes a value of the object's and not its shape, which would slow vLLM's
        # own code.
        scheduler.get_grammar_bitmask = self._mask = vllms_own.get_grammar_bitmask
        self._names = (*methods, "get_grammar_bitmask")

    def detach(self) -> None:
        """Give the scheduler its own methods back."""
        for name in self._names:
            self._scheduler.__dict__.pop(name, None)

    def _publish_due(self) -> None:
        self._is_due = False
        self._scheduler.get_grammar_bitmask = self._mask
        try:
            self._publisher.publish_due()
        except Exception as error:  # noqa: BLE001 - whoever looks on must never stop the engine
            self._fail(error)

    def _masked(self, *args: Any, **kwargs: Any) -> Any:
        """vLLM asks for a mask when it has given a step to the model: now there is time to publish."""
        mask = self._mask(*args, **kwargs)
        if self._is_due:
            self._publish_due()
        return mask

    def _schedule(self, schedule: Callable[..., Any]) -> Callable[..., Any]:
        scheduler, publisher, fail = self._scheduler, self._publisher, self._fail
        note, begun, scheduled = publisher.journal.note, publisher.begun, publisher.scheduled
        allocations, manager = publisher.events.allocations, scheduler.kv_cache_manager
        queue, seen, rate = manager.block_pool.free_block_queue, publisher.prefix_totals.seen, publisher.rate
        apply_limits = scheduler.kvdeck_limits.apply if scheduler.kvdeck_names.limit_is_asserted else None
        has_connector = scheduler.connector is not None
        prefilling, admissions, counts = self._prefilling, self._admissions, scheduler.get_request_counts
        plenty = manager.block_pool.num_gpu_blocks // 2
        last_tokens = 0

        def schedule_and_note(*args: Any, **kwargs: Any) -> Any:
            nonlocal last_tokens
            step = scheduler.kvdeck_step = scheduler.kvdeck_step + 1
            if apply_limits is not None:
                apply_limits()
            now_ns = publisher.clock()
            note((begun, (step, now_ns)))
            allocations.is_scheduling = True
            output = schedule(*args, **kwargs)
            allocations.is_scheduling = False
            try:
                if allocations.is_watching:
                    allocations.end()
                cached, tokens = output.scheduled_cached_reqs, output.total_num_scheduled_tokens
                block_ids, (running, waiting) = cached.new_block_ids, counts()
                free, prefill, ended, admitted, resumed = queue.num_free_blocks, 0, _NONE, _NONE, _NONE
                if output.scheduled_new_reqs or prefilling or cached.resumed_req_ids:
                    admitted, resumed, block_ids, prefill, ended = admissions(output)
                if admitted or resumed or waiting:  # who is not admitted may have been looked up and counted, too
                    stats = manager.prefix_cache_stats
                    if stats is not seen[-1]:
                        seen.append(stats)
                note((scheduled, (
                    id(output), tokens, prefill, running, waiting, free, publisher.limits, admitted, cached.req_ids,
                    block_ids, resumed, ended, bool(output.scheduled_spec_decode_tokens),
                )))  # fmt: skip
                is_scarce = free < plenty or waiting > 0
                if is_scarce is not allocations.is_armed:
                    allocations.arm(is_scarce)
                if has_connector:
                    self._note_remote_loads()
                if now_ns >= rate.next_ns:
                    rate.take(now_ns)
                    self._make_due()
                elif tokens > 2 * last_tokens:
                    self._make_due()  # it takes far longer than the last one: show what it works on while it does
                last_tokens = tokens
            except Exception as error:  # noqa: BLE001 - whoever looks on must never stop the engine
                fail(error)
            return output

        return schedule_and_note

    def _make_due(self) -> None:
        self._is_due = True
        self._scheduler.get_grammar_bitmask = self._masked

    def _admissions(
        self, output: Any
    ) -> tuple[Sequence[Admitted], Sequence[Admitted], Sequence[Any], int, Sequence[str]]:
        """The new requests, those that were preempted before, the other running ones' new blocks, the tokens of
        prefill, and the requests whose prefill ended.
        """
        requests, prefilling, tokens = self._scheduler.requests, self._prefilling, output.num_scheduled_tokens
        prefill, new = 0, []
        for each in output.scheduled_new_reqs:
            request_id = each.req_id
            request = requests[request_id]
            # A worker in this process takes vLLM's lists and goes on to fill them: hence the copies.
            new.append((request, list(map(list, each.block_ids)), each.num_computed_tokens, request.num_tokens))
            if request.is_prefill_chunk:
                prefilling.add(request_id)
            else:  # all of it in one step, as most are
                prefill += tokens[request_id]
        cached = output.scheduled_cached_reqs
        resumed, blocks = self._resumed(cached) if cached.resumed_req_ids else (_NONE, cached.new_block_ids)
        ended: list[str] = []
        for request_id in prefilling:
            prefill += tokens.get(request_id, 0)
            known = requests.get(request_id)
            if known is None or not known.is_prefill_chunk:
                ended.append(request_id)
        prefilling.difference_update(ended)
        return new, resumed, blocks, prefill, ended

    def _resumed(self, cached: Any) -> tuple[Sequence[Admitted], Sequence[Any]]:
        requests, again = self._scheduler.requests, cached.resumed_req_ids
        resumed: list[Admitted] = []
        blocks = list(cached.new_block_ids)
        for i, request_id in enumerate(cached.req_ids):
            if request_id in again:
                request = requests[request_id]
                resumed.append((request, list(map(list, blocks[i])), cached.num_computed_tokens[i], request.num_tokens))
                blocks[i] = None
        self._prefilling.update(again)
        return resumed, blocks

    def _note_remote_loads(self) -> None:
        """Requests that wait for KV from elsewhere hold blocks before they are scheduled."""
        note, load, plans = self._publisher.journal.note, self._publisher.rows.load, self._publisher.plans
        for request_id, request in self._scheduler.requests.items():
            if request.status.name == "WAITING_FOR_REMOTE_KVS":
                note((load, (request_id, [plan.table(request_id) for plan in plans])))

    def _update(self, update: Callable[..., Any]) -> Callable[..., Any]:
        scheduler, publisher = self._scheduler, self._publisher
        note, answered, unpaused = publisher.journal.note, publisher.steps.answered, publisher.unpaused

        def update_and_note(scheduler_output: Any, *args: Any, **kwargs: Any) -> Any:
            note((answered, (id(scheduler_output), publisher.clock())))
            if self._is_due:  # nobody asked for a mask
                self._publish_due()
            outputs = update(scheduler_output, *args, **kwargs)
            if not scheduler.running or scheduler.pause_state is not unpaused:
                scheduler.kvdeck_settle()  # requests finish here; when none is left, no further step tells of it
            return outputs

        return update_and_note

    def _add(self, add: Callable[[Any], None]) -> Callable[[Any], None]:
        scheduler, publisher = self._scheduler, self._publisher
        note, row, events = publisher.journal.note, publisher.rows.add, publisher.events
        allocations, large, requests = events.allocations, events.surely_fits // 8, scheduler.requests

        def add_and_note(request: Any) -> None:
            """A request arrives (or a streaming session's next part, or its end)."""
            add(request)
            known = requests.get(request.request_id)
            if known is not None:
                note((row, (known,)))
            if request.num_prompt_tokens >= large:
                allocations.arm(True)
                if request.num_prompt_tokens >= events.surely_fits:
                    events.adding(request)
            if not scheduler.running:
                scheduler.kvdeck_settle()

        return add_and_note

    def _free(self, free: Callable[[Any], None]) -> Callable[[Any], None]:
        publisher = self._publisher
        has_connector = self._scheduler.connector is not None
        note, let_go, tokens = publisher.journal.note, publisher.rows.let_go, publisher.events.prefixes.tokens
        removed = publisher.removed if has_connector else publisher.ended

        def free_and_note(request: Any) -> None:
            request_id, computed, hashes = request.request_id, request.num_computed_tokens, request.block_hashes
            free(request)
            note((removed, (request_id, computed, hashes)))
            let_go(request_id)
            if tokens.is_on:
                tokens.keep(request, computed)

        return self._free_table(free) if publisher.is_plain else free_and_note

    def _free_table(self, free: Callable[[Any], None]) -> Callable[[Any], None]:
        """The same where the page's own table tells all of a request's blocks, and its hashes what they are cached as:
        not one of the blocks has to be looked at.
        """
        publisher = self._publisher
        note, let_go, tokens = publisher.journal.note, publisher.rows.let_go, publisher.events.prefixes.tokens
        left, ended, watch = publisher.table_left, publisher.ended, publisher.watch
        num_cached = publisher.plans[0].manager.num_cached_block

        def free_and_note(request: Any) -> None:
            request_id, computed, hashes = request.request_id, request.num_computed_tokens, request.block_hashes
            cached = num_cached.get(request_id, 0)
            if let_go(request_id):
                watch.is_leaving = True
                free(request)
                if watch.is_leaving:  # it was put off
                    watch.is_leaving = False
                else:
                    note((left, (request_id, hashes, cached)))
            else:  # it came and went without being published
                watch.leave = (request_id, hashes)
                free(request)
                watch.leave = None
            note((ended, (request_id, computed, hashes)))
            if tokens.is_on:
                tokens.keep(request, computed)

        return free_and_note

    def _finish(self, finish: Callable[..., Any]) -> Callable[..., Any]:
        note, finished = self._publisher.journal.note, self._publisher.finished

        def finish_and_note(request: Any, *args: Any, **kwargs: Any) -> Any:
            note((finished, ()))
            return finish(request, *args, **kwargs)

        return finish_and_note
