"""How the telemetry page is laid out: a checksummed header, then named sections of plain arrays.

The header is written once, before the page gets its name. What changes later is the seqlock, the change counters and
the sections. A section is found by its tag, so a later version may add sections without moving the others.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

MAGIC = b"KVDECKPG"
VERSION = 2  # 2: events and their names, and how many tokens a request may generate
# Sections that came later without a new version: a page of an older writer has none of them.
OPTIONAL = frozenset({"BHIT", "BGRP", "GKND"})
GROUP_FIELDS = 4
HEADER_BYTES = 4096
MAX_GROUPS = 16
MAX_SECTIONS = 32
ID_BYTES = 160
RING_FIELDS = 16
EVENT_FIELDS = 8
EVENT_SLOTS = 8192
NAME_SLOTS = 4096
COUNTER_FIELDS = 64

# magic, version, header bytes, total bytes, writer pid, writer start ticks,
# blocks, block size, groups, rows, ring steps, table entries, id bytes, sections
_FIXED = struct.Struct("<8sIIQQQIIIIIIII")
_GROUPS = struct.Struct(f"<{MAX_GROUPS}I")
_SECTION = struct.Struct("<4sIQQ")
_CHECKSUM = struct.Struct("<I")
_CHECKSUM_OFFSET = _FIXED.size + _GROUPS.size + MAX_SECTIONS * _SECTION.size

SEQ_OFFSET = 2048
PUBLISHED_OFFSET = SEQ_OFFSET + 8
CHANGES_OFFSET = SEQ_OFFSET + 64
CHANGE_FIELDS = 16


class Change(IntEnum):
    """Which part of the page a publication changed; each has a counter, so a reader copies only what is new."""

    COUNTERS = 0
    BLOCKS = 1
    ROWS = 2
    TOKENS = 3
    TABLES = 4
    RING = 5
    EVENTS = 6
    REUSE = 7


class Field(IntEnum):
    """Index of each number in the counters section."""

    STEP = 0
    MONOTONIC_NS = 1
    NUM_RUNNING = 2
    NUM_WAITING = 3
    NUM_FREE = 4
    NUM_CACHED = 5
    NUM_USED = 6
    NUM_SHARED = 7
    WASTED_SLOTS = 8
    PREEMPTIONS = 9
    PREFIX_QUERIES = 10
    PREFIX_HITS = 11
    PREFILL_TOKENS = 12
    DECODE_TOKENS = 13
    FINISHED_REQUESTS = 14
    MAX_NUM_SEQS = 15
    MAX_NUM_BATCHED_TOKENS = 16
    ROWS_HIGH = 17
    RING_WRITTEN = 18
    REQUESTS_WITHOUT_ROW = 19
    PREEMPTED_QUERIES = 20
    PREEMPTED_HITS = 21
    EVENTS_WRITTEN = 22


class EventKind(IntEnum):
    """What an entry of the event ring tells.

    Entries are step, time, kind, the number of the request's name (0: none), then up to four numbers: PREEMPTED tokens,
    blocks; EVICTED block, age in steps, position + 1 (0: unknown); ALLOCATION_FAILED tokens (0: unknown), free blocks,
    running; NEVER_FITS prompt tokens, needed blocks, pool blocks; ADMITTED cached tokens, tokens, resumed.
    """

    PREEMPTED = 1
    EVICTED = 2
    ALLOCATION_FAILED = 3
    NEVER_FITS = 4
    ADMITTED = 5


class RowStatus(IntEnum):
    """State of one request row, as one byte."""

    EMPTY = 0
    WAITING = 1
    RUNNING = 2
    PREEMPTED = 3


class RowFlag(IntEnum):
    """Bits of a row's flags: what did not fit."""

    TABLE_TRUNCATED = 1
    ID_TRUNCATED = 2


# Columns of the request rows: one array each, so that a whole column is written in one go.
ROW_COLUMNS: tuple[tuple[str, str], ...] = (
    ("serial", "<u8"),
    ("arrival_ns", "<u8"),
    ("num_prompt_tokens", "<u4"),
    ("num_tokens", "<u4"),
    ("num_computed_tokens", "<u4"),
    ("num_cached_tokens", "<u4"),
    ("num_preemptions", "<u4"),
    ("max_tokens", "<u4"),
    ("id_length", "<u2"),
    ("status", "u1"),
    ("prefill", "u1"),
    ("flags", "u1"),
)


@dataclass(frozen=True, slots=True)
class Section:
    """One array of the page: where it begins and how many bytes it takes."""

    tag: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """The sizes that fix a page. `group_block_sizes` is the block size in tokens of each KV-cache group.

    `table_entries` bounds the block ids of all block tables together; `ring_steps` how many steps are kept.
    """

    num_blocks: int
    block_size: int
    group_block_sizes: tuple[int, ...]
    max_rows: int
    ring_steps: int = 4096
    table_entries: int = 1 << 18

    def __post_init__(self) -> None:
        if not 1 <= len(self.group_block_sizes) <= MAX_GROUPS:
            raise ValueError(f"A page holds 1 to {MAX_GROUPS} KV-cache groups, not {len(self.group_block_sizes)}.")
        if min(self.num_blocks, self.block_size, self.max_rows, self.ring_steps, self.table_entries) < 1:
            raise ValueError(f"A page needs room for at least one of each: {self}.")

    @property
    def num_groups(self) -> int:
        """KV-cache groups: more than one in hybrid models."""
        return len(self.group_block_sizes)

    def section_sizes(self) -> list[tuple[str, int]]:
        """Every section's tag and size in bytes, in the order in which they lie."""
        index = self.max_rows * self.num_groups
        return [
            ("CNTR", COUNTER_FIELDS * 8),
            ("BSTA", self.num_blocks),
            ("BREF", self.num_blocks * 2),
            ("BUSE", self.num_blocks * 4),
            *((_row_tag(i), self.max_rows * np.dtype(kind).itemsize) for i, (_, kind) in enumerate(ROW_COLUMNS)),
            ("RIDS", self.max_rows * ID_BYTES),
            ("TOFF", index * 4),
            ("TLEN", index * 4),
            ("TREV", index * 4),
            ("TENT", self.table_entries * 4),
            ("RING", self.ring_steps * RING_FIELDS * 8),
            ("EVNT", EVENT_SLOTS * EVENT_FIELDS * 8),
            ("ENUM", NAME_SLOTS * 8),
            ("ELEN", NAME_SLOTS * 2),
            ("ENAM", NAME_SLOTS * ID_BYTES),
            ("BHIT", self.num_blocks * 2),
            ("GKND", self.num_groups * GROUP_FIELDS * 4),
            *([("BGRP", self.num_blocks)] if self.num_groups > 1 else []),
        ]

    def sections(self) -> tuple[tuple[Section, ...], int]:
        """The sections, each on a cache line of its own, and the size of the whole page in bytes."""
        placed = []
        end = HEADER_BYTES
        for tag, size in self.section_sizes():
            placed.append(Section(tag, end, size))
            end += -(-size // 64) * 64
        return tuple(placed), end


@dataclass(frozen=True, slots=True)
class PageHeader:
    """A page's header as read: its geometry, where its sections are, and who writes it."""

    geometry: PageGeometry
    sections: dict[str, Section]
    total_bytes: int
    writer_pid: int
    writer_ticks: int


class HeaderInvalid(ValueError):
    """The bytes are no header of this version; the text says which part of it is wrong."""


class VersionUnknown(HeaderInvalid):
    """The page was written in a format that this program does not read."""


def _row_tag(column: int) -> str:
    return f"R{column:03d}"


def pack_header(geometry: PageGeometry, pid: int, ticks: int) -> bytes:
    """The header of a new page, checksum included."""
    sections, total = geometry.sections()
    fixed = _FIXED.pack(
        MAGIC, VERSION, HEADER_BYTES, total, pid, ticks, geometry.num_blocks, geometry.block_size,
        geometry.num_groups, geometry.max_rows, geometry.ring_steps, geometry.table_entries, ID_BYTES, len(sections),
    )  # fmt: skip
    groups = _GROUPS.pack(*geometry.group_block_sizes, *[0] * (MAX_GROUPS - geometry.num_groups))
    table = b"".join(_SECTION.pack(s.tag.encode(), 0, s.offset, s.size) for s in sections)
    body = (fixed + groups + table).ljust(_CHECKSUM_OFFSET, b"\0")
    return body + _CHECKSUM.pack(zlib.crc32(body))


def unpack_header(data: bytes, file_bytes: int) -> PageHeader:
    """Read and check a header. Raises HeaderInvalid; the message is a clause that begins with a verb."""
    if len(data) < HEADER_BYTES:
        raise HeaderInvalid(f"is cut short: {len(data)} bytes are less than a header")
    if data[:8] != MAGIC:
        raise HeaderInvalid("is not a telemetry page")
    fields = _FIXED.unpack_from(data)
    if fields[1] != VERSION:
        raise VersionUnknown(f"is of format version {fields[1]}, and this program reads version {VERSION}")
    (checksum,) = _CHECKSUM.unpack_from(data, _CHECKSUM_OFFSET)
    if checksum != zlib.crc32(data[:_CHECKSUM_OFFSET]):
        raise HeaderInvalid("has a damaged header: its checksum does not match")
    total, pid, ticks, blocks, block_size, groups, rows, ring, entries, _, count = fields[3:]
    if file_bytes < total:
        raise HeaderInvalid(f"is cut short: {file_bytes} of {total} bytes are there")
    geometry = PageGeometry(blocks, block_size, _GROUPS.unpack_from(data, _FIXED.size)[:groups], rows, ring, entries)
    sections = {}
    for i in range(count):
        tag, _, offset, size = _SECTION.unpack_from(data, _FIXED.size + _GROUPS.size + i * _SECTION.size)
        sections[tag.decode("ascii", "replace")] = Section(tag.decode("ascii", "replace"), offset, size)
    _check_sections(geometry, sections, total)
    return PageHeader(geometry, sections, total, pid, ticks)


def _check_sections(geometry: PageGeometry, sections: dict[str, Section], total: int) -> None:
    for tag, size in geometry.section_sizes():
        section = sections.get(tag)
        if section is None and tag in OPTIONAL:
            continue
        if section is None or section.size < size or section.offset + section.size > total:
            raise HeaderInvalid(f"lacks its section {tag}")


def row_section(name: str) -> tuple[str, str]:
    """Tag and numpy type of one column of the request rows."""
    for i, (column, kind) in enumerate(ROW_COLUMNS):
        if column == name:
            return _row_tag(i), kind
    raise KeyError(name)
