"""Fan-out of what the host reports: the newest state always arrives, a slow reader misses log lines."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from engine.domain.lifecycle import HostStatus

_LOG_BACKLOG = 1000
_encoder = msgspec.json.Encoder()


def frame(topic: str, value: Any) -> bytes:
    """One text frame of the event stream."""
    return _encoder.encode({"topic": topic, "value": value})


class Subscriber:
    """One reader. States are kept as the newest per topic, log lines in a ring: memory is bounded, nothing waits."""

    def __init__(self, first: Mapping[str, bytes]) -> None:
        self._states = dict(first)
        self._log: deque[bytes] = deque(maxlen=_LOG_BACKLOG)
        self._wake = asyncio.Event()
        self._wake.set()
        self._closed = False

    def put(self, topic: str, data: bytes) -> None:
        """Take in one frame without waiting."""
        if topic == "log":
            self._log.append(data)
        else:
            self._states[topic] = data
        self._wake.set()

    def close(self) -> None:
        """End the reader's iteration."""
        self._closed = True
        self._wake.set()

    async def frames(self) -> AsyncIterator[bytes]:
        """Frames as they come, states before log lines; ends when the hub closes."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._states or self._log:
                # Insertion order: the oldest waiting topic first, "status" before all in the beginning.
                if self._states:
                    yield self._states.pop(next(iter(self._states)))
                else:
                    yield self._log.popleft()
            if self._closed:
                return


class EventHub:
    """Every subscriber, and what a new one is told first. Use it on the host's loop only."""

    def __init__(
        self, status: Callable[[], HostStatus], more: Callable[[], Mapping[str, Any]] = dict[str, Any]
    ) -> None:
        self._status = status
        self._more = more
        self._subscribers: set[Subscriber] = set()
        self._closed = False

    def subscribe(self) -> Subscriber:
        """A new reader, whose first frame is the status as of now; then `more`, by topic."""
        first = {"status": self._status(), **self._more()}
        subscriber = Subscriber({topic: frame(topic, value) for topic, value in first.items()})
        self._subscribers.add(subscriber)
        if self._closed:
            subscriber.close()
        return subscriber

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Forget a reader."""
        self._subscribers.discard(subscriber)

    @property
    def is_heard(self) -> bool:
        """Whether anybody reads."""
        return bool(self._subscribers)

    def publish(self, topic: str, value: Any) -> None:
        """Tell every reader; encodes once, waits for none."""
        if not self._subscribers:
            return
        data = frame(topic, value)
        for subscriber in self._subscribers:
            subscriber.put(topic, data)

    def close(self) -> None:
        """End every reader's stream after what it still has to be told."""
        self._closed = True
        for subscriber in self._subscribers:
            subscriber.close()
