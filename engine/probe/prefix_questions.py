"""The utility calls by which the host asks about the prefix cache. Answered between two steps, on demand only."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from engine.domain.errors import EngineMissing
from engine.probe.prefix_reasons import explain, tokens_of
from engine.probe.prefix_tree import as_plain, prefix_tree


def install_prefix_utilities() -> None:
    """Give vLLM's EngineCore the methods that the host calls by name."""
    from vllm.v1.engine.core import EngineCore

    EngineCore.kvdeck_prefix_tree = _prefix_tree
    EngineCore.kvdeck_prefix_reason = _prefix_reason
    EngineCore.kvdeck_prefix_tokens = _prefix_tokens
    EngineCore.kvdeck_keep_prefix_tokens = _keep_prefix_tokens
    EngineCore.kvdeck_block_times = _block_times


def tree_of(scheduler: Any, limit: int) -> dict[str, Any]:
    """The prefix tree of a probed scheduler, as plain values. Raises EngineMissing where nothing follows it."""
    publisher = _publisher(scheduler)
    publisher.publish(tokens=False)  # so that the steps of last use and the reuses are up to date
    return as_plain(prefix_tree(scheduler, publisher.events.prefixes, publisher.writer.views, publisher.step, limit))


def reason_of(scheduler: Any, request_id: str) -> dict[str, Any]:
    """Why this request found what it found. Raises ParameterInvalid, EngineMissing."""
    publisher = _publisher(scheduler)
    publisher.publish(tokens=False)  # so that its row is known
    row = publisher.rows.get(request_id)
    return asdict(explain(request_id, scheduler.requests, row, publisher.events.prefixes))


def _publisher(scheduler: Any) -> Any:
    publisher = getattr(scheduler, "kvdeck_publisher", None)
    if publisher is None:
        raise EngineMissing("This engine runs without KVDeck's probe.", remedy="Load the model through KVDeck.")
    return publisher


def _prefix_tree(self: Any, limit: int) -> dict[str, Any]:
    return tree_of(self.scheduler, limit)


def _prefix_reason(self: Any, request_id: str) -> dict[str, Any]:
    return reason_of(self.scheduler, request_id)


def _prefix_tokens(self: Any, key: str, blocks: int) -> list[int] | None:
    memory = _publisher(self.scheduler).events.prefixes
    return tokens_of(key, blocks, self.scheduler.requests, memory)


def _keep_prefix_tokens(self: Any, on: bool) -> bool:
    tokens = _publisher(self.scheduler).events.prefixes.tokens
    tokens.switch(on=on)
    return bool(tokens.is_on)


def _block_times(self: Any) -> dict[str, Any]:
    publisher = _publisher(self.scheduler)
    publisher.publish(tokens=False)  # so that what was noted is counted
    return asdict(publisher.events.prefixes.clock.summary(publisher.step))
