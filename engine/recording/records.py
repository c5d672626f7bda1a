"""What a part of a recording is made of: msgpack arrays that begin with the record's kind."""

from __future__ import annotations

import msgspec

from engine.domain.adapter import EngineAdapters
from engine.domain.block_times import BlockTimes
from engine.domain.errors import RecordingInvalid
from engine.domain.gpu import HardwareSample
from engine.domain.lifecycle import Lifecycle, LiveLimits, ServingStats
from engine.domain.prefixes import PrefixTree

Value = Lifecycle | LiveLimits | ServingStats | HardwareSample | PrefixTree | BlockTimes | EngineAdapters

TOPICS: dict[str, type[Value]] = {
    "lifecycle": Lifecycle,
    "limits": LiveLimits,
    "serving": ServingStats,
    "hardware": HardwareSample,
    "prefixes": PrefixTree,
    "block_times": BlockTimes,
    "adapters": EngineAdapters,
}

# Only a running engine can say these: `gone` takes them away.
ENGINE_TOPICS = ("limits", "serving", "prefixes", "block_times", "adapters")


class BlockChanges(msgspec.Struct, array_like=True, frozen=True):
    """Blocks that changed: ids (rising), their states, reference counts, and steps since they last changed hands.

    A block in use by one request has one reference and a free one none, so `ref_counts` has only those of SHARED and
    NULL blocks (in version 1 of all). `reuses` and `cached_groups` are empty where the picture's key says that it has
    none.
    """

    ids: bytes = b""
    states: bytes = b""
    ref_counts: bytes = b""
    ages: bytes = b""
    reuses: bytes = b""
    cached_groups: bytes = b""


class NewRow(msgspec.Struct, array_like=True, frozen=True):
    """A request that appeared on the page, or changed in more than its tokens, its phase and its block tables."""

    row: int
    request_id: str
    phase: int
    num_prompt_tokens: int
    num_tokens: int
    num_computed_tokens: int
    num_cached_tokens: int
    num_preemptions: int
    arrival_ns: int
    groups: int
    tables_truncated: bool = False
    max_tokens: int | None = None


class RowChanges(msgspec.Struct, array_like=True, frozen=True):
    """Rows that are `gone`, `fresh` ones, and those whose phase or token counts changed: their row numbers (rising),
    phases, and by how much num_tokens and num_computed_tokens differ.
    """

    gone: bytes = b""
    fresh: tuple[NewRow, ...] = ()
    rows: bytes = b""
    phases: bytes = b""
    tokens: bytes = b""
    computed: bytes = b""


class TableChanges(msgspec.Struct, array_like=True, frozen=True):
    """Block tables that changed, one entry each: row (rising) and KV-cache group, how many entries from before are
    `dropped` at the end, how many leading ones point at the null block, and how many new ones follow; `ids` holds the
    new ones of all, rising. Version 1 has how many are `kept` instead, and rows that do not rise.
    """

    rows: bytes = b""
    groups: bytes = b""
    kept: bytes = b""
    nulled: bytes = b""
    counts: bytes = b""
    ids: bytes = b""
    dropped: bytes = b""


class Key(msgspec.Struct, array_like=True, frozen=True, tag="key"):
    """A new picture begins: everything before it is forgotten, and the next frame describes it from nothing.

    `groups` has block size, GroupKind, window and layers (0: none) of each KV-cache group; empty where not known.
    `has_reuses` and `has_cached_groups` say whether its frames tell of them.
    """

    at_ns: int
    num_blocks: int
    block_size: int
    num_groups: int
    groups: tuple[tuple[int, int, int, int], ...] = ()
    has_reuses: bool = False
    has_cached_groups: bool = False


class Frame(msgspec.Struct, array_like=True, frozen=True, tag="frame"):
    """The picture at one moment, as changes against the frame before. `counters` are those of `Counters`, in order."""

    at_ns: int
    published_ns: int
    counters: bytes
    blocks: BlockChanges
    rows: RowChanges
    tables: TableChanges
    requests_not_shown: int = 0


class Steps(msgspec.Struct, array_like=True, frozen=True, tag="steps"):
    """Finished steps, oldest first: a column for each field of StepSample, each rising."""

    at_ns: int
    columns: tuple[bytes, ...]


class Happened(msgspec.Struct, array_like=True, frozen=True, tag="happened"):
    """Events of the KV cache of one kind (a class of engine.domain.cache_events), oldest first.

    `whole` has a rising column for each field that is a number or yes and no; `packed` is one of the field that may be
    None, as 0 for None and one more than its value; `who` points into `names` in the same way. Version 1 has
    `optional` and `request_ids` in their places, item by item.
    """

    at_ns: int
    name: str
    whole: tuple[bytes, ...]
    optional: tuple[int | None, ...] = ()
    request_ids: tuple[str | None, ...] = ()
    packed: bytes = b""
    names: tuple[str, ...] = ()
    who: bytes = b""


class Event(msgspec.Struct, array_like=True, frozen=True, tag="event"):
    """One of the TOPICS changed to this value: a map with the fields of its dataclass."""

    at_ns: int
    topic: str
    value: msgspec.Raw


class Gone(msgspec.Struct, array_like=True, frozen=True, tag="gone"):
    """There is no picture any more: no engine runs."""

    at_ns: int


class Mark(msgspec.Struct, array_like=True, frozen=True, tag="mark"):
    """Something that a reader should know of the recording itself: frames that were left out ("skipped")."""

    at_ns: int
    text: str


Record = Key | Frame | Steps | Happened | Event | Gone | Mark

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Record, ...])


def encode(records: list[Record]) -> bytes:
    """The records of one part."""
    return _encoder.encode(records)


def decode(data: bytes) -> tuple[Record, ...]:
    """The records of one part. Raises RecordingInvalid where they are damaged."""
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RecordingInvalid.damaged(f"a part cannot be decoded ({error})") from error


def event(at_ns: int, topic: str, value: Value) -> Event:
    """An event that holds `value`."""
    return Event(at_ns, topic, msgspec.Raw(_encoder.encode(value)))


def value_of(record: Event) -> Value | None:
    """The value of an event; None for a topic that this program does not know. Raises RecordingInvalid."""
    kind = TOPICS.get(record.topic)
    if kind is None:
        return None
    try:
        return msgspec.msgpack.decode(record.value, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RecordingInvalid.damaged(f"an event of {record.topic} cannot be decoded ({error})") from error


def topic_of(value: Value) -> str:
    """The topic that a value belongs to."""
    return next(name for name, kind in TOPICS.items() if isinstance(value, kind))
