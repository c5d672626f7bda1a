"""Reads the event ring: raw copies under the seqlock, values afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.domain.cache_events import Admitted, AllocationFailed, CacheEvent, Evicted, NeverFits, Preempted
from engine.page.layout import EVENT_SLOTS, ID_BYTES, NAME_SLOTS, EventKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.page.views import PageViews

_NAME = 3  # column of the request's name number
_MOST_NAMES = 4 * NAME_SLOTS


@dataclass(frozen=True, slots=True)
class EventDraft:
    """Copies of one moment, not yet known to be consistent. `first` is the sequence number of the first entry."""

    first: int
    entries: NDArray[np.uint64]
    names: dict[int, str]


class EventReader:
    """Copies events from the ring, and knows the requests' names that it has met."""

    def __init__(self, views: PageViews) -> None:
        self._views = views
        self._names: dict[int, str] = {}

    def copy(self, after: int, written: int, most: int) -> EventDraft:
        """Entries of the first `written` ever whose sequence number is over `after`, the newest `most` of them."""
        first = max(after, written - min(most, EVENT_SLOTS), 0)
        ring = self._views.events
        if first >= written:
            return EventDraft(first + 1, ring[:0].copy(), {})
        begin, end = first % EVENT_SLOTS, written % EVENT_SLOTS
        entries = ring[begin:end].copy() if begin < end else np.concatenate((ring[begin:], ring[:end]))
        wanted = set(entries[:, _NAME].tolist())
        names = {number: self._read_name(number) for number in wanted if number and number not in self._names}
        return EventDraft(first + 1, entries, {number: name for number, name in names.items() if name is not None})

    def assemble(self, draft: EventDraft) -> tuple[CacheEvent, ...]:
        """The values of a draft that has proved consistent, oldest first. Kinds that are not known are left out."""
        self._names.update(draft.names)
        while len(self._names) > _MOST_NAMES:
            del self._names[next(iter(self._names))]
        events = (self._event(draft.first + i, entry) for i, entry in enumerate(draft.entries.tolist()))
        return tuple(event for event in events if event is not None)

    def _read_name(self, number: int) -> str | None:
        views, slot = self._views, number % NAME_SLOTS
        if int(views.name_numbers[slot]) != number:
            return None  # overwritten by a later request's
        length = min(int(views.name_lengths[slot]), ID_BYTES)
        return views.names[slot, :length].tobytes().decode("utf-8", "replace")

    def _event(self, sequence: int, entry: list[int]) -> CacheEvent | None:
        step, ns, kind, number, a, b, c, _ = entry
        name = self._names.get(number)
        match kind:
            case EventKind.PREEMPTED:
                return Preempted(sequence, step, ns, name, a, b)
            case EventKind.EVICTED:
                return Evicted(sequence, step, ns, name, a, b, c - 1 if c else None)
            case EventKind.ALLOCATION_FAILED:
                return AllocationFailed(sequence, step, ns, name, a or None, b, bool(c))
            case EventKind.NEVER_FITS:
                return NeverFits(sequence, step, ns, name, a, b, c)
            case EventKind.ADMITTED:
                return Admitted(sequence, step, ns, name, a, b, bool(c))
        return None
