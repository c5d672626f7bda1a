"""Limits of the scheduler that change while requests run, and the utility calls that the host reaches them by."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from engine.domain.errors import EngineMissing, ParameterInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.probe.versions import EngineNames

_POLICIES = ("fcfs", "priority")
_MODES = ("drain", "preempt")
_FIELDS = frozenset({"max_num_seqs", "max_num_batched_tokens", "long_prefill_token_threshold", "policy", "mode"})


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
        scheduler = self._scheduler
        return {
            "step": step,
            "max_num_seqs": self._max_seqs,
            "max_num_seqs_capacity": self.max_seqs_capacity,
            "max_num_batched_tokens": scheduler.max_num_scheduled_tokens,
            "max_num_batched_tokens_capacity": self.max_tokens_capacity,
            "long_prefill_token_threshold": scheduler.scheduler_config.long_prefill_token_threshold,
            "policy": scheduler.policy.value,
        }

    def change(self, request: Mapping[str, Any]) -> None:
        """Put a LimitsRequest's fields in force. Raises ParameterInvalid, and then nothing has changed."""
        seqs, tokens, threshold, policy, mode = self._checked(request)
        if threshold is not None:
            self._scheduler.scheduler_config.long_prefill_token_threshold = threshold
        if tokens is not None:
            self._scheduler.max_num_scheduled_tokens = tokens
        if policy is not None:
            self._set_policy(policy)
        if seqs is not None:
            self._max_seqs = seqs
            if mode == "preempt":
                self._preempt_surplus(seqs)
            if not self._names.limit_is_asserted:
                setattr(self._scheduler, self._names.admission_limit, seqs)
            self.apply()

    def _checked(self, request: Mapping[str, Any]) -> tuple[int | None, int | None, int | None, str | None, str]:
        unknown = sorted(set(request) - _FIELDS)
        if unknown:
            raise ParameterInvalid(f"There is no live limit {unknown[0]}.", remedy=f"Live are {sorted(_FIELDS)}.")
        config = self._scheduler.scheduler_config
        seqs = _whole(request, "max_num_seqs", 1, self.max_seqs_capacity)
        tokens = _whole(request, "max_num_batched_tokens", self.fewest_tokens(), self.max_tokens_capacity)
        threshold = _whole(request, "long_prefill_token_threshold", 0, self._scheduler.max_model_len)
        if threshold and self._scheduler.need_mamba_block_aligned_split:
            # Chunks end on block boundaries there; a shorter one would never be scheduled.
            _whole(request, "long_prefill_token_threshold", self._scheduler.block_size, self._scheduler.max_model_len)
        if threshold and not config.enable_chunked_prefill:
            raise ParameterInvalid(
                "long_prefill_token_threshold has no effect without chunked prefill.",
                remedy="Turn enable_chunked_prefill on and reload.",
            )
        policy = _choice(request, "policy", _POLICIES)
        return seqs, tokens, threshold, policy, _choice(request, "mode", _MODES) or "drain"

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
        from vllm.v1.core.sched.request_queue import SchedulingPolicy, create_request_queue

        scheduler = self._scheduler
        scheduler.policy = SchedulingPolicy(policy)
        scheduler.scheduler_config.policy = policy
        for name in self._names.waiting_queues:
            queue = create_request_queue(scheduler.policy)
            for request in sorted(getattr(scheduler, name), key=lambda r: r.arrival_time):
                queue.add_request(request)
            setattr(scheduler, name, queue)

    def _preempt_surplus(self, target: int) -> None:
        """Send the last of the running requests back to the queue, as vLLM does when the cache is full."""
        scheduler = self._scheduler
        now = time.monotonic()
        while len(scheduler.running) > target:
            request = self._next_victim()
            in_flight = request.num_output_placeholders
            scheduler._preempt_request(request, now)  # noqa: SLF001 - the scheduler's own way, and its only one
            if self._names.discards_stale_frames and in_flight:
                # 0.26 keeps the outputs still in flight; without this they would be sampled a second time.
                request.async_tokens_to_discard = in_flight
                request.num_output_placeholders = 0
            # It may be scheduled again in the very next step, and is then to be sent to the runner whole.
            scheduler.prev_step_scheduled_req_ids.discard(request.request_id)

    def _next_victim(self) -> Any:
        running = self._scheduler.running
        if self._scheduler.policy.value == "priority":
            victim = max(running, key=lambda r: (r.priority, r.arrival_time))
            running.remove(victim)
            return victim
        return running.pop()


def _whole(request: Mapping[str, Any], name: str, low: int, high: int) -> int | None:
    value = request.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterInvalid(f"{name} is a whole number, not {value!r}.", remedy=_range_remedy(low, high))
    if not low <= value <= high:
        over = f" The capacity fixed at load is {high}." if value > high else ""
        message = f"{name} cannot be {value} while the engine runs.{over}"
        raise ParameterInvalid(message, remedy=_range_remedy(low, high))
    return value


def _range_remedy(low: int, high: int) -> str:
    return f"Choose a value from {low} to {high}, or reload the engine with a larger one."


def _choice(request: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str | None:
    value = request.get(name)
    if value is not None and value not in choices:
        raise ParameterInvalid(f"{name} cannot be {value!r}.", remedy=f"Choose one of {', '.join(choices)}.")
    return value


def install_utilities() -> None:
    """Give vLLM's EngineCore the three methods that the host calls by name."""
    from vllm.v1.engine.core import EngineCore

    EngineCore.kvdeck_set_limits = _set_limits
    EngineCore.kvdeck_get_limits = _get_limits
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


def _scan_blocks(self: Any) -> dict[str, int]:
    found: dict[str, int] = _probed(self).kvdeck_scan_blocks()
    return found
