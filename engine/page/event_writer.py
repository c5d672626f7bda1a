"""Writes the event ring: entries of fixed size, and the names of the requests that they tell of."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from engine.page.layout import EVENT_FIELDS, EVENT_SLOTS, ID_BYTES, NAME_SLOTS

if TYPE_CHECKING:
    from engine.page.views import PageViews

_ENTRY = struct.Struct(f"<{EVENT_FIELDS}Q")


class EventWriter:
    """Collects events until they are published. Bounded: the ring forgets the oldest, and so does what waits."""

    def __init__(self, views: PageViews) -> None:
        self._names = views.names.reshape(-1).data
        self._name_lengths, self._name_numbers = views.name_lengths.data, views.name_numbers.data
        self._ring = views.events.data.cast("B")
        self._waiting: list[tuple[int, int, int, str | None, int, int, int]] = []
        self.note = self._waiting.append  # what `add` does, of a tuple of its arguments
        self._numbers: dict[str, int] = {}
        self._new_names: list[tuple[int, str]] = []
        self._names_given = 0
        self.written = 0

    def add(
        self, step: int, now_ns: int, kind: int, request_id: str | None, a: int, b: int = 0, c: int = 0
    ) -> None:
        """Note one event; what `a`, `b` and `c` mean depends on its kind (an EventKind)."""
        self._waiting.append((step, now_ns, kind, request_id, a, b, c))

    @property
    def has_news(self) -> bool:
        """Whether anything waits to be written."""
        return bool(self._waiting)

    def publish(self) -> None:
        """Write what waits. Call between the writer's begin and commit."""
        skipped = max(0, len(self._waiting) - EVENT_SLOTS)
        written = self.written + skipped
        pack, ring, numbers = _ENTRY.pack_into, self._ring, self._numbers
        for step, now_ns, kind, request_id, a, b, c in self._waiting[skipped:]:
            number = 0 if request_id is None else numbers.get(request_id) or self._number(request_id)
            pack(ring, written % EVENT_SLOTS * _ENTRY.size, step, now_ns, kind, number, a, b, c, 0)
            written += 1
        self.written = written
        self._waiting.clear()
        for number, request_id in self._new_names[-NAME_SLOTS:]:
            self._write_name(number, request_id)
        self._new_names.clear()

    def _number(self, request_id: str) -> int:
        if len(self._numbers) >= NAME_SLOTS:
            del self._numbers[next(iter(self._numbers))]
        self._names_given += 1
        self._numbers[request_id] = self._names_given
        self._new_names.append((self._names_given, request_id))
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
