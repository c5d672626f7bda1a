"""Writes the event ring: entries of fixed size, and the names of the requests that they tell of."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from engine.page.layout import EVENT_FIELDS, EVENT_SLOTS, ID_BYTES, NAME_SLOTS, EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.page.views import PageViews

_ENTRY = struct.Struct(f"<{EVENT_FIELDS}Q")
_EVICTED = int(EventKind.EVICTED)  # an enum's members cost a call each where they are used


class EventWriter:
    """Writes events one by one. Call between the page writer's begin and commit. The ring forgets the oldest.

    `written` is how many there were since the engine started.
    """

    def __init__(self, views: PageViews) -> None:
        self._names = views.names.reshape(-1).data
        self._name_lengths, self._name_numbers = views.name_lengths.data, views.name_numbers.data
        self._ring = views.events.data.cast("B")
        self._numbers: dict[str, int] = {}
        self._names_given = 0
        self._told = 0
        self.written = 0

    def add(
        self, step: int, now_ns: int, kind: int, request_id: str | None, a: int, b: int = 0, c: int = 0
    ) -> None:
        """One event; what `a`, `b` and `c` mean depends on its kind (an EventKind)."""
        number = 0 if request_id is None else self._numbers.get(request_id) or self._number(request_id)
        place = self.written % EVENT_SLOTS * _ENTRY.size
        _ENTRY.pack_into(self._ring, place, step, now_ns, kind, number, a, b, c, 0)
        self.written += 1

    def add_evicted(
        self, step: int, now_ns: int, request_id: str, age: int, block_ids: Sequence[int], places: Sequence[int]
    ) -> None:
        """Blocks of one request were evicted, so many steps after it had given them back; `places` are theirs in its
        table.
        """
        number = self._numbers.get(request_id) or self._number(request_id)
        pack, ring, size, written = _ENTRY.pack_into, self._ring, _ENTRY.size, self.written
        for i, place in zip(block_ids, places, strict=True):
            pack(ring, written % EVENT_SLOTS * size, step, now_ns, _EVICTED, number, i, age, place + 1, 0)
            written += 1
        self.written = written

    def take_news(self) -> bool:
        """Whether there were any since the last call."""
        told, self._told = self._told, self.written
        return told != self.written

    def _number(self, request_id: str) -> int:
        if len(self._numbers) >= NAME_SLOTS:
            del self._numbers[next(iter(self._numbers))]
        self._names_given += 1
        self._numbers[request_id] = self._names_given
        self._write_name(self._names_given, request_id)
        return self._names_given

    def _write_name(self, number: int, request_id: str) -> None:
        slot = number % NAME_SLOTS
        encoded = request_id.encode()
        if len(encoded) > ID_BYTES:
            encoded = encoded[:ID_BYTES].decode("utf-8", "ignore").encode()
        first = slot * ID_BYTES
        self._names[first : first + len(encoded)] = encoded
        self._name_lengths[slot] = len(encoded)
        self._name_numbers[slot] = number
