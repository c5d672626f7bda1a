"""Requests as lanes over time, gathered from successive pictures of the scheduler, in bounded memory."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from engine.domain.request import RequestPhase
from engine.metrics.step_levels import StepLevels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot, StepSample

_BLOCK_TABLES = 512  # finished requests whose last block table is kept


class SpanKind(IntEnum):
    """What a request does for a while. Each chunk of a prefill is a span of its own."""

    QUEUED = 0
    PREFILL = 1
    DECODE = 2
    PREEMPTED = 3
    RECOMPUTE = 4


@dataclass(slots=True, eq=False)
class Lane:
    """One request from its arrival on. Times are CLOCK_MONOTONIC nanoseconds, `end_ns` is None while it lives.

    `slot` is the line it is drawn on, which another request may take afterwards. `num_tokens` are prompt and output
    as last seen; `first_token_ns` is when the first output token had been seen, None before. `blocks` is the block
    table that it had when it ended, kept for the newest only; `request` is its newest row while it lives.
    """

    serial: int
    slot: int
    row: int
    request_id: str
    arrival_ns: int
    num_prompt_tokens: int
    num_cached_tokens: int = 0
    num_tokens: int = 0
    num_preemptions: int = 0
    recomputed_tokens: int = 0
    first_token_ns: int | None = None
    end_ns: int | None = None
    kind: SpanKind = SpanKind.QUEUED
    since_ns: int = 0
    computed: int = 0
    entry_tokens: int = 0
    chunk_tokens: int = 0
    blocks: NDArray[np.int32] | None = None
    request: RequestRow | None = None

    @property
    def output_tokens(self) -> int:
        """Tokens generated so far."""
        return max(0, self.num_tokens - self.num_prompt_tokens)


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans as parallel arrays: nanoseconds, SpanKind, slot, the lane's serial, tokens (prefill chunks only)."""

    begin_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    kind: NDArray[np.int64]
    slot: NDArray[np.int64]
    lane: NDArray[np.int64]
    tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.begin_ns)


@dataclass(slots=True)
class _SpanStore:
    """Closed spans, oldest first by their ends."""

    capacity: int
    table: NDArray[np.int64] = field(default_factory=lambda: np.zeros((1024, 6), np.int64))
    count: int = 0

    def append(self, row: tuple[int, int, int, int, int, int]) -> None:
        if self.count == len(self.table):
            if self.count < self.capacity:
                self.table = np.vstack((self.table, np.zeros_like(self.table)))
            else:
                kept = self.count * 7 // 8
                self.table[:kept] = self.table[self.count - kept : self.count].copy()
                self.count = kept
        self.table[self.count] = row
        self.count += 1


class Timeline:
    """Lanes and steps. `take` every picture in order; what is asked for later is computed from what is kept.

    A change is dated to the beginning of the scheduler step that made it. Pictures come 10 to 60 times a second; where
    several steps lie between two of them, the last of them gets the change, so a date is at most one picture late.
    At most `lanes` finished requests and four times as many spans are kept, and steps as StepLevels does.
    """

    def __init__(self, lanes: int = 16_384) -> None:
        self._keep = lanes
        self._live: dict[int, Lane] = {}  # by the request's row
        self._done: dict[int, Lane] = {}
        self._spans = _SpanStore(max(4 * lanes, 1024))
        self._free_slots: list[int] = []
        self._serial = 0
        self._newest_ns = 0
        self._requests: tuple[RequestRow, ...] | None = None
        self._with_blocks: deque[Lane] = deque()
        self.num_slots = 0
        self.num_finished = 0
        self.steps = StepLevels()

    def take(self, snapshot: CacheSnapshot) -> None:
        """A picture of the running engine."""
        self.take_rows(snapshot.published_ns, snapshot.counters.monotonic_ns, snapshot.requests, snapshot.steps)

    def take_rows(
        self, published_ns: int, step_ns: int, requests: tuple[RequestRow, ...], steps: Sequence[StepSample] = ()
    ) -> None:
        """The same from its parts; `step_ns` is when the present step began."""
        self.steps.add(steps)
        at_ns = step_ns if self._newest_ns < step_ns <= published_ns else published_ns
        self._newest_ns = max(self._newest_ns, published_ns)
        if requests is self._requests:
            return
        self._requests = requests
        live, gone = self._live, []
        decode, decoding = SpanKind.DECODE, RequestPhase.DECODE
        for request in requests:
            lane = live.get(request.row)
            if lane is not None and lane.request is request:
                continue  # the reader hands out the same object where nothing about it changed
            if lane is None or lane.request_id != request.request_id:
                if lane is not None:
                    gone.append(live.pop(request.row))
                lane = live[request.row] = self._new_lane(request, published_ns)
            if (
                lane.kind is decode and request.phase is decoding
                and request.num_tokens > lane.entry_tokens and request.num_preemptions == lane.num_preemptions
            ):  # fmt: skip - it goes on as nearly all do nearly always: nothing begins or ends
                lane.computed, lane.num_tokens = request.num_computed_tokens, request.num_tokens
                lane.num_cached_tokens = request.num_cached_tokens
            else:
                self._move(lane, request, at_ns)
            lane.request = request
        if len(live) > len(requests):
            rows = {request.row for request in requests}
            gone += [live.pop(row) for row in [row for row in live if row not in rows]]
        for lane in gone:
            if lane.request is not None and lane.request.block_tables:
                lane.blocks = lane.request.block_table
            self._end(lane, at_ns)

    def end_engine(self) -> None:
        """No engine runs any more: what still lived ended with it."""
        for lane in self._live.values():
            self._end(lane, self._newest_ns)
        self._live.clear()
        self._requests = None

    # What is kept

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """The time that lanes and steps cover; None before the first picture."""
        steps = self.steps.span_ns
        begins = [lane.arrival_ns for lane in self._live.values()]
        if self._spans.count:
            begins.append(int(self._spans.table[: self._spans.count, 0].min()))
        if steps is not None:
            begins.append(steps[0])
        if not begins:
            return None
        return min(begins), max(self._newest_ns, steps[1] if steps is not None else 0)

    @property
    def newest_ns(self) -> int:
        """When the newest picture was published."""
        return self._newest_ns

    def spans(self, begin_ns: int, end_ns: int) -> Spans:
        """Every span that touches this time; the ones that go on end now."""
        table = self._spans.table[: self._spans.count]
        closed = table[(table[:, 1] >= begin_ns) & (table[:, 0] <= end_ns)]
        now = self._newest_ns
        live = [
            (lane.since_ns, max(now, lane.since_ns), int(lane.kind), lane.slot, lane.serial, lane.chunk_tokens)
            for lane in self._live.values() if lane.since_ns <= end_ns
        ]  # fmt: skip
        found = np.vstack((closed, np.array(live, np.int64))) if live and now >= begin_ns else closed
        return Spans(*(found[:, column] for column in range(6)))

    def lane(self, serial: int) -> Lane | None:
        """A lane by its serial number; None for one that is kept no longer."""
        known = self._done.get(serial)
        return known or next((lane for lane in self._live.values() if lane.serial == serial), None)

    def lane_of(self, request_id: str) -> Lane | None:
        """The newest lane of a request, by the engine's id or the one that its client sent."""
        names = tuple(f"{prefix}{request_id}-" for prefix in ("", "chatcmpl-", "cmpl-"))
        for lane in (*self._live.values(), *reversed(self._done.values())):
            if lane.request_id == request_id or lane.request_id.startswith(names):
                return lane
        return None

    @property
    def live(self) -> tuple[Lane, ...]:
        """Requests that wait or run."""
        return tuple(self._live.values())

    @property
    def finished(self) -> tuple[Lane, ...]:
        """Requests that ended, oldest first, as many as are kept."""
        return tuple(self._done.values())

    # Lanes

    def _new_lane(self, request: RequestRow, now_ns: int) -> Lane:
        slot = heapq.heappop(self._free_slots) if self._free_slots else self.num_slots
        self.num_slots = max(self.num_slots, slot + 1)
        self._serial += 1
        arrival = min(request.arrival_ns, now_ns) if request.arrival_ns else now_ns
        return Lane(
            self._serial, slot, request.row, request.request_id, arrival, request.num_prompt_tokens,
            num_tokens=request.num_tokens, since_ns=arrival,
            entry_tokens=request.num_tokens if request.num_preemptions else request.num_prompt_tokens,
        )  # fmt: skip

    def _move(self, lane: Lane, request: RequestRow, at_ns: int) -> None:
        kind = _kind(lane, request)
        grown = request.num_computed_tokens - max(lane.computed, request.num_cached_tokens if not lane.computed else 0)
        is_chunk = kind in (SpanKind.PREFILL, SpanKind.RECOMPUTE) and grown > 0
        if kind is not lane.kind or (is_chunk and lane.chunk_tokens):
            self._close_span(lane, at_ns)
            lane.kind, lane.chunk_tokens = kind, 0
        if is_chunk:
            lane.chunk_tokens += grown
        if kind is SpanKind.RECOMPUTE and grown > 0:
            lane.recomputed_tokens += grown
        if kind is SpanKind.PREEMPTED:
            lane.entry_tokens = request.num_tokens
        if lane.first_token_ns is None and request.num_tokens > request.num_prompt_tokens:
            lane.first_token_ns = at_ns
        lane.computed = request.num_computed_tokens
        lane.num_tokens, lane.num_cached_tokens = request.num_tokens, request.num_cached_tokens
        lane.num_preemptions = request.num_preemptions

    def _close_span(self, lane: Lane, at_ns: int) -> None:
        end_ns = max(at_ns, lane.since_ns)
        if end_ns > lane.since_ns:
            self._spans.append((lane.since_ns, end_ns, int(lane.kind), lane.slot, lane.serial, lane.chunk_tokens))
        lane.since_ns = end_ns

    def _end(self, lane: Lane, at_ns: int) -> None:
        self._close_span(lane, at_ns)
        lane.end_ns, lane.request = lane.since_ns, None
        heapq.heappush(self._free_slots, lane.slot)
        self._done[lane.serial] = lane
        self._keep_blocks(lane)
        self.num_finished += 1
        if len(self._done) > self._keep:
            del self._done[next(iter(self._done))]

    def _keep_blocks(self, lane: Lane) -> None:
        """Its last block table in memory of its own: what a picture hands out is a view of the whole of it."""
        if lane.blocks is None:
            return
        lane.blocks = lane.blocks.copy()
        self._with_blocks.append(lane)
        if len(self._with_blocks) > _BLOCK_TABLES:
            self._with_blocks.popleft().blocks = None


def _kind(lane: Lane, request: RequestRow) -> SpanKind:
    """What the request does now. The scheduler calls a prefill's last chunk decode already; until it has brought a
    token it is a prefill here.
    """
    match request.phase:
        case RequestPhase.WAITING:
            return SpanKind.PREEMPTED if request.num_preemptions else SpanKind.QUEUED
        case RequestPhase.PREEMPTED:
            return SpanKind.PREEMPTED
        case _:
            is_decoding = request.phase is RequestPhase.DECODE and request.num_tokens > lane.entry_tokens
            if is_decoding:
                return SpanKind.DECODE
            return SpanKind.RECOMPUTE if request.num_preemptions else SpanKind.PREFILL
