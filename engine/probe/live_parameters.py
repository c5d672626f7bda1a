"""Limits of the scheduler that change while requests run, and the utility calls that the host reaches them by.

Live is what vLLM's scheduler reads again in every step: the two limits, the long-prefill threshold and its floor, the
policy, the watermark, whether a whole prompt must fit, and each request's priority.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

from engine.domain.errors import EngineMissing, ParameterInvalid
from engine.probe.live_checks import choice, flag, share, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.probe.versions import EngineNames

_POLICIES = ("fcfs", "priority")
_MODES = ("drain", "preempt")
_FLAGS = {
    # what the request calls it: where this release's scheduler reads it
    "long_prefill_token_threshold_adaptive": "adaptive_long_prefill_threshold",
    "scheduler_reserve_full_isl": "scheduler_reserve_full_isl",
}
_FIELDS = frozenset(
    {"max_num_seqs", "max_num_batched_tokens", "long_prefill_token_threshold", "policy", "watermark", "mode", "by"}
    | set(_FLAGS)
)
_CATALOG_NAME = {"policy": "scheduling_policy"}
_NOTES = 64
_LARGEST_PRIORITY = 1 << 31


class LiveLimits:
    """The limits of one scheduler. What they were at start is their capacity: buffers and graphs are built for it.

    Lowering one frees no memory. All methods are called between two steps, in the engine's own thread.
    """

    def __init__(self, scheduler: Any, names: EngineNames) -> None:
        self._scheduler = scheduler
        self._names = names
        self._max_seqs: int = getattr(scheduler, names.admission_limit)
        self.max_seqs_capacity = self._max_seqs
        self.max_tokens_capacity: int = scheduler.max_num_scheduled_tokens
        self._watermark: float | None = _watermark_at_load(scheduler)
        self._notes: deque[dict[str, Any]] = deque(maxlen=_NOTES)
        self._noted = 0

    def in_force(self) -> tuple[int, int]:
        """The present max_num_seqs and max_num_batched_tokens."""
        return self._max_seqs, self._scheduler.max_num_scheduled_tokens

    def apply(self) -> None:
        """Before every step: hold new requests back where more run than the limit allows."""
        if self._names.limit_is_asserted:
            # vLLM asserts that no more run than this, so the limit follows the running requests down.
            scheduler = self._scheduler
            scheduler.max_num_running_reqs = max(self._max_seqs, len(scheduler.running))

    def describe(self, step: int) -> dict[str, Any]:
        """The limits as engine.domain.lifecycle.LiveLimits has them; `step` is the first step under them."""
        return {
            "step": step,
            "max_num_seqs_capacity": self.max_seqs_capacity,
            "max_num_batched_tokens_capacity": self.max_tokens_capacity,
            **self._values(),
            "changes": list(self._notes),
        }

    def _values(self) -> dict[str, Any]:
        scheduler = self._scheduler
        return {
            "max_num_seqs": self._max_seqs,
            "max_num_batched_tokens": scheduler.max_num_scheduled_tokens,
            "long_prefill_token_threshold": scheduler.scheduler_config.long_prefill_token_threshold,
            "policy": scheduler.policy.value,
            "watermark": self._watermark,
            **{name: getattr(scheduler, field, None) for name, field in _FLAGS.items()},
        }

    def change(self, request: Mapping[str, Any], step: int) -> None:
        """Put a LimitsRequest's fields in force from `step` on. Raises ParameterInvalid, then nothing has changed."""
        wanted, mode = self._checked(request)
        before = self._values()
        self._put(wanted)
        preempted = 0
        seqs = wanted.get("max_num_seqs")
        if seqs is not None:
            self._max_seqs = seqs
            if mode == "preempt":
                preempted = self._preempt_surplus(seqs)
            if not self._names.limit_is_asserted:
                setattr(self._scheduler, self._names.admission_limit, seqs)
            self.apply()
        by = str(request.get("by") or "")
        for name, after in self._values().items():
            if after != before[name]:
                known = _CATALOG_NAME.get(name, name)
                self._note(step, known, before[name], after, by, preempted if name == "max_num_seqs" else 0)

    def set_priority(self, request_ids: list[str], priority: int, by: str, step: int) -> int:
        """Give these requests (internal ids) another priority; returns how many there were. Raises ParameterInvalid.

        It orders the queue, and who is preempted, from the next step on; under fcfs only once the policy changes.
        """
        whole({"priority": priority}, "priority", -_LARGEST_PRIORITY, _LARGEST_PRIORITY)
        found = [one for name in request_ids if (one := self._scheduler.requests.get(name)) is not None]
        for request in found:
            before, request.priority = request.priority, priority
            if before != priority:
                self._note(step, "priority", before, priority, by, request_id=request.request_id)
        if found and self._scheduler.policy.value == "priority":
            self._rebuild_queues()
        return len(found)

    def _note(
        self, step: int, name: str, before: Any, after: Any, by: str, preempted: int = 0, request_id: str = ""
    ) -> None:
        self._noted += 1
        self._notes.append(
            {
                "sequence": self._noted,
                "step": step,
                "monotonic_ns": time.monotonic_ns(),
                "unix_s": time.time(),
                "name": name,
                "before": before,
                "after": after,
                "by": by[:64],
                "preempted": preempted,
                "request_id": request_id,
            }
        )

    def _put(self, wanted: Mapping[str, Any]) -> None:
        """Everything but max_num_seqs."""
        scheduler = self._scheduler
        if "long_prefill_token_threshold" in wanted:
            scheduler.scheduler_config.long_prefill_token_threshold = wanted["long_prefill_token_threshold"]
        if "max_num_batched_tokens" in wanted:
            scheduler.max_num_scheduled_tokens = wanted["max_num_batched_tokens"]
        if "watermark" in wanted:
            self._watermark = wanted["watermark"]
            manager = scheduler.kv_cache_manager
            manager.watermark_blocks = int(self._watermark * scheduler.kv_cache_config.num_blocks)
        for name, field in _FLAGS.items():
            if name in wanted:
                setattr(scheduler, field, wanted[name])
        if "policy" in wanted:
            self._set_policy(wanted["policy"])

    def _checked(self, request: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """What is wished for, without the fields that are left alone, and the mode."""
        unknown = sorted(set(request) - _FIELDS)
        if unknown:
            raise ParameterInvalid(f"There is no live limit {unknown[0]}.", remedy=f"Live are {sorted(_FIELDS)}.")
        config = self._scheduler.scheduler_config
        threshold = whole(request, "long_prefill_token_threshold", 0, self._scheduler.max_model_len)
        if threshold and self._scheduler.need_mamba_block_aligned_split:
            # Chunks end on block boundaries there; a shorter one would never be scheduled.
            whole(request, "long_prefill_token_threshold", self._scheduler.block_size, self._scheduler.max_model_len)
        if threshold and not config.enable_chunked_prefill:
            raise ParameterInvalid(
                "long_prefill_token_threshold has no effect without chunked prefill.",
                remedy="Turn enable_chunked_prefill on and reload.",
            )
        tokens = whole(request, "max_num_batched_tokens", self.fewest_tokens(), self.max_tokens_capacity)
        wanted: dict[str, Any] = {
            "max_num_seqs": whole(request, "max_num_seqs", 1, self.max_seqs_capacity),
            "max_num_batched_tokens": tokens,
            "long_prefill_token_threshold": threshold,
            "policy": choice(request, "policy", _POLICIES),
            "watermark": share(request, "watermark"),
            **{name: flag(request, name) for name in _FLAGS},
        }
        self._require_known(wanted)
        chosen = {name: value for name, value in wanted.items() if value is not None}
        return chosen, choice(request, "mode", _MODES) or "drain"

    def _require_known(self, wanted: Mapping[str, Any]) -> None:
        present = self._values()
        for name in ("watermark", *_FLAGS):
            if wanted[name] is not None and present[name] is None:
                raise ParameterInvalid(
                    f"vLLM {self._names.version} has no {name}.", remedy="Leave it out, or install a newer vLLM."
                )

    def fewest_tokens(self) -> int:
        """The smallest token budget under which every request still gets on."""
        scheduler = self._scheduler
        if not scheduler.scheduler_config.enable_chunked_prefill:
            return min(int(scheduler.max_model_len), self.max_tokens_capacity)
        fewest = 1 + int(scheduler.num_spec_tokens)
        if scheduler.need_mamba_block_aligned_split:
            fewest = max(fewest, int(scheduler.block_size))
        return min(fewest, self.max_tokens_capacity)

    def _set_policy(self, policy: str) -> None:
        from vllm.v1.core.sched.request_queue import SchedulingPolicy

        self._scheduler.policy = SchedulingPolicy(policy)
        self._scheduler.scheduler_config.policy = policy
        self._rebuild_queues()

    def _rebuild_queues(self) -> None:
        """Every queue anew under the present policy: in order of arrival, or as a heap by priority."""
        from vllm.v1.core.sched.request_queue import create_request_queue

        scheduler = self._scheduler
        for name in self._names.waiting_queues:
            queue = create_request_queue(scheduler.policy)
            for request in sorted(getattr(scheduler, name), key=lambda r: r.arrival_time):
                queue.add_request(request)
            setattr(scheduler, name, queue)

    def _preempt_surplus(self, target: int) -> int:
        """Send the last of the running requests back to the queue, as vLLM does when the cache is full."""
        scheduler = self._scheduler
        now = time.monotonic()
        preempted = 0
        while len(scheduler.running) > target:
            request = self._next_victim()
            preempted += 1
            in_flight = request.num_output_placeholders
            scheduler._preempt_request(request, now)  # noqa: SLF001 - the scheduler's own way, and its only one
            if self._names.discards_stale_frames and in_flight:
                # 0.26 keeps the outputs still in flight; without this they would be sampled a second time.
                request.async_tokens_to_discard = in_flight
                request.num_output_placeholders = 0
            # It may be scheduled again in the very next step, and is then to be sent to the runner whole.
            scheduler.prev_step_scheduled_req_ids.discard(request.request_id)
        return preempted

    def _next_victim(self) -> Any:
        running = self._scheduler.running
        if self._scheduler.policy.value == "priority":
            victim = max(running, key=lambda r: (r.priority, r.arrival_time))
            running.remove(victim)
            return victim
        return running.pop()


def _watermark_at_load(scheduler: Any) -> float | None:
    """The share kept free for running requests, None where this release's cache manager has no such thing."""
    if not hasattr(scheduler.kv_cache_manager, "watermark_blocks"):
        return None
    return float(getattr(scheduler.scheduler_config, "watermark", 0.0))


def install_utilities() -> None:
    """Give vLLM's EngineCore the methods that the host calls by name."""
    from vllm.v1.engine.core import EngineCore

    EngineCore.kvdeck_set_limits = _set_limits
    EngineCore.kvdeck_get_limits = _get_limits
    EngineCore.kvdeck_set_priority = _set_priority
    EngineCore.kvdeck_scan_blocks = _scan_blocks


def _probed(core: Any) -> Any:
    if not hasattr(core.scheduler, "kvdeck_limits"):
        raise EngineMissing(
            "This engine runs without KVDeck's scheduler.", remedy="Load the model through KVDeck's engine host."
        )
    return core.scheduler


def _set_limits(self: Any, request: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = _probed(self).kvdeck_change_limits(request)
    return described


def _get_limits(self: Any) -> dict[str, Any]:
    described: dict[str, Any] = _probed(self).kvdeck_describe_limits()
    return described


def _set_priority(self: Any, request_ids: list[str], priority: int, by: str) -> dict[str, Any]:
    described: dict[str, Any] = _probed(self).kvdeck_change_priority(request_ids, priority, by)
    return described


def _scan_blocks(self: Any) -> dict[str, int]:
    found: dict[str, int] = _probed(self).kvdeck_scan_blocks()
    return found
