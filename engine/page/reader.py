"""The reading side of the telemetry page: takes consistent pictures without ever holding the writer up."""

from __future__ import annotations

import contextlib
import mmap
import os
import time
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from engine.domain.errors import PageInvalid
from engine.domain.telemetry import CacheSnapshot, StepSample
from engine.page.events import EventReader
from engine.page.layout import EVENT_SLOTS, HEADER_BYTES, Change, Field, HeaderInvalid, VersionUnknown, unpack_header
from engine.page.liveness import is_alive
from engine.page.picture import counters_from, groups_from, read_only
from engine.page.rows import RowReader, TornPage
from engine.page.views import map_views

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from engine.domain.cache_events import CacheEvent
    from engine.domain.request import RequestRow
    from engine.page.layout import PageHeader

    _Blocks = tuple[NDArray[np.uint8], NDArray[np.uint16], NDArray[np.uint32], NDArray[np.uint8] | None]

_Array = TypeVar("_Array", bound="NDArray[Any]")
_SPIN_NS = 300_000
_ATTEMPTS = 4
_RELOAD = "Restart the engine; the next load makes a new page."
_UPDATE = "Use the same version of KVDeck for the window and for the engine host."
_STEPS_PER_SNAPSHOT = 256
_EVENTS_PER_SNAPSHOT = 1024


class PageReader:
    """Reads one telemetry page. Cheap where nothing changed; never waits for more than a fraction of a millisecond.

    Raises PageInvalid where there is no page, or one of another version, cut short, or damaged. The file may be
    removed while it is open: what was published last stays readable, and `removed` says so.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd, header = _open(path)
        try:
            self._map = mmap.mmap(self._fd, header.total_bytes, prot=mmap.PROT_READ)
        except BaseException:
            os.close(self._fd)
            raise
        self._header = header
        self._views = map_views(self._map, header.geometry, header.sections)
        self._seq = self._views.seq.data
        self._rows = RowReader(self._views, header.geometry.num_groups)
        self._events = EventReader(self._views)
        self._changes: list[int] = []
        self._groups = groups_from(header.geometry, self._views)
        self._blocks: _Blocks | None = None
        self._reuse: NDArray[np.uint16] | None = None
        self._seen = 0
        self._steps_seen = 0
        self._events_seen = 0
        self._last: CacheSnapshot | None = None
        self._closed = False

    @property
    def writer_pid(self) -> int:
        """The EngineCore process that writes this page."""
        return self._header.writer_pid

    @property
    def writer_alive(self) -> bool:
        """Whether that very process (not one that got its pid later) still runs. Costs about 20 microseconds."""
        return is_alive(self._header.writer_pid, self._header.writer_ticks)

    @property
    def removed(self) -> bool:
        """Whether the file has been unlinked, as it is when its engine ends."""
        return os.fstat(self._fd).st_nlink == 0

    def snapshot(self) -> CacheSnapshot | None:
        """The newest consistent picture; the same object as before where nothing was published since.

        None where there is none at this moment: the writer is in the middle of a publication, or died in one.
        `steps` of a snapshot holds the steps that are new since this reader's previous snapshot, at most 256, and
        `events` the events, at most 1,024.
        Raises PageInvalid where the file was cut short after it had been opened.
        """
        self._check_file()
        deadline = time.monotonic_ns() + _SPIN_NS
        for _ in range(_ATTEMPTS):
            seq = self._quiet_sequence(deadline)
            if seq is None:
                return None
            if seq == self._seen and self._last is not None:
                return self._last
            with contextlib.suppress(TornPage):
                snapshot = self._take(seq)
                if snapshot is not None:
                    return snapshot
        return None

    def steps_since(self, step: int) -> tuple[StepSample, ...]:
        """Finished steps after `step`, oldest first, as far back as the page keeps them. Empty while it is written."""
        self._check_file()
        deadline = time.monotonic_ns() + _SPIN_NS
        for _ in range(_ATTEMPTS):
            seq = self._quiet_sequence(deadline)
            if seq is None:
                break
            samples = self._copy_ring(0)
            if self._seq[0] == seq:
                return _steps_from(samples[np.searchsorted(samples[:, 0], max(step, 0), side="right") :])
        return ()

    def events_since(self, sequence: int) -> tuple[CacheEvent, ...]:
        """Events after `sequence`, oldest first, as far back as the page keeps them. Empty while it is written."""
        self._check_file()
        deadline = time.monotonic_ns() + _SPIN_NS
        for _ in range(_ATTEMPTS):
            seq = self._quiet_sequence(deadline)
            if seq is None:
                break
            written = int(self._views.counters[Field.EVENTS_WRITTEN])
            draft = self._events.copy(sequence, written, EVENT_SLOTS)
            if self._seq[0] == seq:
                return self._events.assemble(draft)
        return ()

    def close(self) -> None:
        """Unmap the page. Snapshots that were handed out stay valid. Harmless when it is called twice."""
        if self._closed:
            return
        self._closed = True
        del self._views, self._seq, self._rows, self._events
        with contextlib.suppress(BufferError):
            self._map.close()
        os.close(self._fd)

    def _check_file(self) -> None:
        # Touching a mapping beyond the end of its file would end the process, so look at the size first.
        size = os.fstat(self._fd).st_size
        if size < self._header.total_bytes:
            raise PageInvalid(
                f"The telemetry page {self.path.name} is cut short: {size} of {self._header.total_bytes} bytes remain.",
                remedy=_RELOAD,
            )

    def _quiet_sequence(self, deadline: int) -> int | None:
        while True:
            seq = self._seq[0]
            if not seq & 1:
                return seq or None
            if time.monotonic_ns() > deadline:
                return None

    def _take(self, seq: int) -> CacheSnapshot | None:
        """One attempt. Nothing of the reader changes unless the sequence number stayed the same all through."""
        views = self._views
        changes = views.changes.tolist()
        old = self._changes or [-1] * len(changes)
        counters = views.counters.tolist()
        blocks = self._blocks
        if blocks is None or changes[Change.BLOCKS] != old[Change.BLOCKS]:
            blocks = (views.states.copy(), views.ref_counts.copy(), views.last_used_step.copy(),
                      _copy(views.cached_groups))  # fmt: skip
        reuse = self._reuse
        if reuse is None or changes[Change.REUSE] != old[Change.REUSE]:
            reuse = _copy(views.reuse_counts)
        high = min(counters[Field.ROWS_HIGH], len(views.row_ids))
        parts = (Change.ROWS, Change.TOKENS, Change.TABLES)
        draft = self._rows.copy(high) if any(changes[part] != old[part] for part in parts) else None
        written = counters[Field.RING_WRITTEN]
        samples = self._copy_ring(max(self._steps_seen, written - _STEPS_PER_SNAPSHOT))
        happened = counters[Field.EVENTS_WRITTEN]
        events = self._events.copy(self._events_seen, happened, _EVENTS_PER_SNAPSHOT)
        published = int(views.published_ns[0])
        if self._seq[0] != seq:
            return None
        requests = self._rows.assemble(draft) if draft is not None else self._last_rows()
        if blocks is not self._blocks:
            read_only(*blocks)
        if reuse is not self._reuse:
            read_only(reuse)
        self._changes, self._blocks, self._reuse, self._seen = changes, blocks, reuse, seq
        self._steps_seen, self._events_seen = written, happened
        self._last = self._snapshot(
            published, counters, requests, _steps_from(samples), self._events.assemble(events)
        )
        return self._last

    def _last_rows(self) -> tuple[RequestRow, ...]:
        return self._last.requests if self._last is not None else ()

    def _snapshot(
        self,
        published_ns: int,
        numbers: list[int],
        requests: tuple[RequestRow, ...],
        steps: tuple[StepSample, ...],
        events: tuple[CacheEvent, ...],
    ) -> CacheSnapshot:
        geometry = self._header.geometry
        assert self._blocks is not None
        states, ref_counts, last_used, cached_groups = self._blocks
        return CacheSnapshot(
            published_ns=published_ns,
            num_blocks=geometry.num_blocks,
            block_size=geometry.block_size,
            num_groups=geometry.num_groups,
            counters=counters_from(numbers),
            states=states,
            ref_counts=ref_counts,
            last_used_step=last_used,
            requests=requests,
            steps=steps,
            requests_not_shown=numbers[Field.REQUESTS_WITHOUT_ROW],
            events=events,
            reuse_counts=self._reuse,
            groups=self._groups,
            cached_groups=cached_groups,
        )

    def _copy_ring(self, first: int) -> NDArray[np.uint64]:
        """Copies of the steps from the `first`-th ever written, oldest first, as far as the ring still holds them."""
        ring = self._views.ring
        size = len(ring)
        written = int(self._views.counters[Field.RING_WRITTEN])
        start = max(first, written - size)
        if start >= written:
            return ring[:0].copy()
        begin, end = start % size, written % size
        return ring[begin:end].copy() if begin < end else np.concatenate((ring[begin:], ring[:end]))


def _copy(array: _Array | None) -> _Array | None:
    return None if array is None else array.copy()


def _steps_from(samples: NDArray[np.uint64]) -> tuple[StepSample, ...]:
    return tuple(StepSample(*row[:12]) for row in samples.tolist())


def _open(path: Path) -> tuple[int, PageHeader]:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise PageInvalid(
            f"There is no telemetry page at {path}.", remedy="Load a model; its engine makes the page when it starts."
        ) from None
    except OSError as error:
        raise PageInvalid(f"The telemetry page {path} cannot be opened: {error.strerror}.", remedy=_RELOAD) from error
    try:
        return fd, unpack_header(os.pread(fd, HEADER_BYTES, 0), os.fstat(fd).st_size)
    except (HeaderInvalid, OSError) as error:
        os.close(fd)
        remedy = _UPDATE if isinstance(error, VersionUnknown) else _RELOAD
        raise PageInvalid(f"The telemetry page {path.name} {error}.", remedy=remedy) from error
