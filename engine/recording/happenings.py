"""Cache events as columns and back: thousands of evictions a second must not fill the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.cache_events import Admitted, AllocationFailed, CacheEvent, Evicted, NeverFits, Preempted
from engine.domain.errors import RecordingInvalid
from engine.recording.columns import pack_rising, unpack_rising
from engine.recording.records import Happened

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS: dict[str, type[CacheEvent]] = {
    kind.__name__: kind for kind in (Preempted, Evicted, AllocationFailed, NeverFits, Admitted)
}
# Fields in their order, but for request_id: whole numbers, and those that may be None.
_WHOLE: dict[str, tuple[str, ...]] = {
    "Preempted": ("sequence", "step", "monotonic_ns", "tokens", "blocks"),
    "Evicted": ("sequence", "step", "monotonic_ns", "block_id", "age_steps"),
    "AllocationFailed": ("sequence", "step", "monotonic_ns", "free_blocks", "running"),
    "NeverFits": ("sequence", "step", "monotonic_ns", "prompt_tokens", "needed_blocks", "pool_blocks"),
    "Admitted": ("sequence", "step", "monotonic_ns", "cached_tokens", "tokens", "resumed"),
}
_OPTIONAL = {"Evicted": "position", "AllocationFailed": "tokens"}
_YES_NO = ("running", "resumed")


def pack_events(events: Sequence[CacheEvent], at_ns: int) -> list[Happened]:
    """A record for each kind of event that is there."""
    records = []
    for name in _KINDS:
        mine = [event for event in events if type(event).__name__ == name]
        if mine:
            records.append(_pack(name, mine, at_ns))
    return records


def _pack(name: str, events: Sequence[CacheEvent], at_ns: int) -> Happened:
    optional = _OPTIONAL.get(name)
    places: dict[str | None, int] = {None: 0}
    who = [places.setdefault(event.request_id, len(places)) for event in events]
    return Happened(
        at_ns,
        name,
        tuple(pack_rising([int(getattr(event, field)) for event in events]) for field in _WHOLE[name]),
        packed=pack_rising([_plus_one(getattr(event, optional)) for event in events]) if optional is not None else b"",
        names=tuple(one for one in places if one is not None),
        who=pack_rising(who),
    )


def _plus_one(value: int | None) -> int:
    return 0 if value is None else value + 1


def unpack_events(record: Happened) -> list[CacheEvent]:
    """The events of a record; none of a kind that this program does not know. Raises RecordingInvalid."""
    kind = _KINDS.get(record.name)
    if kind is None:
        return []
    names, optional = _WHOLE[record.name], _OPTIONAL.get(record.name)
    columns = [unpack_rising(column).tolist() for column in record.whole[: len(names)]]
    who, values = _names_of(record), _optional_of(record)
    lengths = {len(column) for column in columns} | ({len(values)} if optional is not None else set())
    if len(columns) != len(names) or lengths != {len(who)}:
        raise RecordingInvalid.damaged("the columns of its events differ in length")
    events = []
    for place, request_id in enumerate(who):
        fields: dict[str, int | bool | str | None] = {"request_id": request_id}
        for name, column in zip(names, columns, strict=True):
            fields[name] = bool(column[place]) if name in _YES_NO else column[place]
        if optional is not None:
            fields[optional] = values[place]
        events.append(kind(**fields))  # type: ignore[arg-type]  # the table above names the fields
    return events


def _names_of(record: Happened) -> Sequence[str | None]:
    if not record.who:
        return record.request_ids  # version 1
    places = unpack_rising(record.who).tolist()
    if min(places) < 0 or max(places) > len(record.names):
        raise RecordingInvalid.damaged("an event is of a request without a name")
    known = (None, *record.names)
    return [known[place] for place in places]


def _optional_of(record: Happened) -> Sequence[int | None]:
    if not record.packed:
        return record.optional  # version 1
    return [value - 1 if value else None for value in unpack_rising(record.packed).tolist()]
