"""The scheduler that vLLM runs with: its own, followed by the probe.

`make_scheduler` is what `scheduler_cls` names. It is a factory because the right base class depends on the engine's
configuration: a subclass of the plain Scheduler would turn async scheduling off, and AsyncScheduler where vLLM turned
it off would overwrite draft tokens.
"""

from __future__ import annotations

import logging
import os
from functools import cache
from pathlib import Path
from typing import Any

from vllm import __version__ as vllm_version

from engine.domain.errors import KVDeckError
from engine.page.ranks import page_of_rank
from engine.probe.live_parameters import LiveLimits, install_utilities
from engine.probe.prefix_questions import install_prefix_utilities
from engine.probe.publisher import Publisher
from engine.probe.scan import scan
from engine.probe.step_notes import StepNotes
from engine.probe.versions import names_of

_log = logging.getLogger(__name__)


class ProbedScheduler:
    """What is added to vLLM's scheduler. Mixed in before it, so that every call passes here first.

    The probe only looks on: if it fails, it ends itself and says so in the log, and the engine serves on.
    """

    kvdeck_limits: LiveLimits

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kvdeck_names = names_of(self, vllm_version)
        self.kvdeck_limits = LiveLimits(self, self.kvdeck_names)
        self.kvdeck_step = 0  # the newest step, counted from 1
        self.kvdeck_failure: BaseException | None = None
        self._kvdeck: Publisher | None = None
        page = os.environ.get("KVDECK_PAGE")
        if page:
            rank = int(self.vllm_config.parallel_config.data_parallel_index)  # type: ignore[attr-defined]
            self._kvdeck_start(page_of_rank(Path(page), rank))

    def schedule(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the live limits, and schedule. Where there is a page, StepNotes do this and more in its place."""
        self.kvdeck_step += 1
        if self.kvdeck_names.limit_is_asserted:
            self.kvdeck_limits.apply()
        return super().schedule(*args, **kwargs)  # type: ignore[misc]

    def finish_requests(self, *args: Any, **kwargs: Any) -> Any:
        """Requests are aborted from outside."""
        finished = super().finish_requests(*args, **kwargs)  # type: ignore[misc]
        self._kvdeck_tell(Publisher.settle)
        return finished

    def reset_prefix_cache(self, *args: Any, **kwargs: Any) -> bool:
        """Every prefix is dropped, if no request holds blocks."""
        done: bool = super().reset_prefix_cache(*args, **kwargs)  # type: ignore[misc]
        self._kvdeck_tell(Publisher.settle)
        return done

    def _preempt_request(self, request: Any, *args: Any, **kwargs: Any) -> None:
        self._kvdeck_tell(Publisher.preempting, request)
        super()._preempt_request(request, *args, **kwargs)  # type: ignore[misc]
        self._kvdeck_tell(Publisher.has_preempted)

    def shutdown(self) -> None:
        """The engine ends in an orderly way: remove the page."""
        self._kvdeck_end()
        super().shutdown()  # type: ignore[misc]

    @property
    def kvdeck_publisher(self) -> Publisher | None:
        """What follows this scheduler; None without a page."""
        return self._kvdeck

    def kvdeck_waiting_queues(self) -> list[Any]:
        """Every queue of requests that do not run."""
        return [getattr(self, name) for name in self.kvdeck_names.waiting_queues]

    def kvdeck_change_limits(self, request: dict[str, Any]) -> dict[str, Any]:
        """Put new limits in force; they hold from the next step on. Raises ParameterInvalid."""
        self.kvdeck_limits.change(request, self.kvdeck_step + 1)
        self._kvdeck_tell(Publisher.limits_changed)
        return self.kvdeck_describe_limits()

    def kvdeck_change_priority(self, request_ids: list[str], priority: int, by: str) -> dict[str, Any]:
        """Give requests (internal ids) another priority. Raises ParameterInvalid; none may be left by now."""
        self.kvdeck_limits.set_priority(request_ids, priority, by, self.kvdeck_step + 1)
        return self.kvdeck_describe_limits()

    def kvdeck_describe_limits(self) -> dict[str, Any]:
        """The limits in force; their `step` is the next one to be scheduled."""
        return self.kvdeck_limits.describe(self.kvdeck_step + 1)

    def kvdeck_scan_blocks(self) -> dict[str, int]:
        """Publish everything, then compare the page with a full scan of vLLM's own state.

        Slow (it looks at every block): for tests and the tour. Raises KVDeckError where there is no page.
        """
        if self._kvdeck is None:
            cause = f": {self.kvdeck_failure!r}" if self.kvdeck_failure else "."
            raise KVDeckError(
                f"This engine publishes no telemetry page{cause}", remedy="Start it through the engine host."
            )
        self._kvdeck.publish(tokens=True)
        found = scan(self, self._kvdeck)
        for difference in found.differences[:20]:
            _log.error("The telemetry page differs from the block pool: %s", difference)
        return {"mismatches": len(found.differences), "step": found.step}

    def kvdeck_settle(self) -> None:
        """Something changed between two steps; show it at once if no step will follow."""
        self._kvdeck_tell(Publisher.settle)

    def _kvdeck_start(self, page: Path) -> None:
        try:
            self._kvdeck = Publisher(self, page)
        except (KVDeckError, OSError) as error:
            self.kvdeck_failure = error
            _log.error("There will be no block map: %s", error)
        else:
            self._kvdeck_notes = StepNotes(self, self._kvdeck, super(), self._kvdeck_fail)

    def _kvdeck_tell(self, event: Any, *args: Any) -> None:
        if self._kvdeck is None:
            return
        try:
            event(self._kvdeck, *args)
        except Exception as error:  # noqa: BLE001 - whoever looks on must never stop the engine
            self._kvdeck_fail(error)

    def _kvdeck_fail(self, error: BaseException) -> None:
        """The probe has a fault: it ends itself, and vLLM's scheduler is left as it was."""
        self.kvdeck_failure = error
        self._kvdeck_end()
        _log.error(
            "The probe has failed and has ended itself; the engine serves on without a block map", exc_info=error
        )

    def _kvdeck_end(self) -> None:
        publisher, self._kvdeck = self._kvdeck, None
        if publisher is not None:
            self._kvdeck_notes.detach()
            publisher.close()


@cache
def probed(base: type) -> type:
    """The probed subclass of one of vLLM's schedulers."""
    return type(f"Probed{base.__name__}", (ProbedScheduler, base), {})


def make_scheduler(*args: Any, **kwargs: Any) -> Any:
    """Build the scheduler that vLLM's configuration asks for, with the probe in it."""
    install_utilities()
    install_prefix_utilities()
    config = kwargs.get("vllm_config", args[0] if args else None)
    if config is not None and config.scheduler_config.async_scheduling:
        from vllm.v1.core.sched.async_scheduler import AsyncScheduler

        return probed(AsyncScheduler)(*args, **kwargs)
    from vllm.v1.core.sched.scheduler import Scheduler

    return probed(Scheduler)(*args, **kwargs)
