"""Reads the header of a safetensors file, and nothing else of it: names, dtypes, shapes and the size that must be."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, TypeGuard

from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# The format's own limit; it also keeps a crafted length from allocating memory without bound.
_MAX_HEADER_BYTES = 100_000_000
_MAX_DIMENSIONS = 32

# Bits of one element, for every dtype that the format names.
DTYPE_BITS: Mapping[str, int] = {
    "BOOL": 8,
    "U8": 8,
    "I8": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
    "F32": 32,
    "C64": 64,
    "F64": 64,
    "I64": 64,
    "U64": 64,
    "F8_E4M3": 8,
    "F8_E5M2": 8,
    "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8,
    "F8_E5M2FNUZ": 8,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "F4": 4,
}


@dataclass(frozen=True, slots=True)
class TensorEntry:
    """One tensor of a header: the format's dtype name, its shape, and its bytes in the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    num_bytes: int

    @property
    def elements(self) -> int:
        """How many elements the stored tensor has (a packed one holds several weights in each)."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class SafetensorsHeader:
    """What a file's header says. `expected_bytes` is the size of the whole file, `actual_bytes` what is on disk."""

    tensors: tuple[TensorEntry, ...]
    metadata: Mapping[str, str]
    expected_bytes: int
    actual_bytes: int

    @property
    def is_cut_short(self) -> bool:
        """Whether the file ends before its last tensor does."""
        return self.actual_bytes < self.expected_bytes


def read_header(path: Path) -> SafetensorsHeader:
    """Read the header of `path`.

    Raises CheckpointInvalid for anything that is no such header (empty, not JSON, overlapping or absurd offsets), and
    for a file that cannot be read. A file that ends before its data does is no error here: see `is_cut_short`.
    """
    try:
        with path.open("rb") as file:
            actual = file.seek(0, 2)
            file.seek(0)
            prefix = file.read(8)
            if len(prefix) < 8:
                raise _damaged(path, f"it has {actual} bytes, less than the 8 that say how long its header is")
            length = int.from_bytes(prefix, "little")
            if length > _MAX_HEADER_BYTES:
                raise _damaged(path, f"its header claims {length:,} bytes; the format allows {_MAX_HEADER_BYTES:,}")
            raw = file.read(length)
    except OSError as error:
        raise CheckpointInvalid(
            f"{path.name} cannot be read: {error.strerror or error}.", remedy="Check the file's permissions and disk."
        ) from error
    if len(raw) < length:
        raise _damaged(path, f"it ends inside its header ({actual:,} of at least {length + 8:,} bytes)")
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError):
        raise _damaged(path, "its header is not JSON") from None
    if not isinstance(parsed, dict):
        raise _damaged(path, "its header is not a JSON object")
    metadata = parsed.pop("__metadata__", {})
    tensors, data_bytes = _entries(path, parsed)
    texts = {str(k): str(v) for k, v in metadata.items()} if isinstance(metadata, dict) else {}
    return SafetensorsHeader(tensors, texts, 8 + length + data_bytes, actual)


def _entries(path: Path, parsed: Mapping[str, object]) -> tuple[tuple[TensorEntry, ...], int]:
    entries = []
    data_bytes = 0
    for name, raw in parsed.items():
        entry, end = _entry(path, name, raw)
        entries.append(entry)
        data_bytes = max(data_bytes, end)
    if sum(entry.num_bytes for entry in entries) > data_bytes:
        raise _damaged(path, "its tensors overlap")
    return tuple(entries), data_bytes


def _entry(path: Path, name: str, raw: object) -> tuple[TensorEntry, int]:
    if not isinstance(raw, dict):
        raise _damaged(path, f"the entry of {name!r} is no object")
    dtype, shape, offsets = raw.get("dtype"), raw.get("shape"), raw.get("data_offsets")
    if not isinstance(dtype, str) or not _whole_numbers(shape) or not _whole_numbers(offsets) or len(offsets) != 2:
        raise _damaged(path, f"the entry of {name!r} is incomplete")
    begin, end = offsets
    if end < begin or len(shape) > _MAX_DIMENSIONS:
        raise _damaged(path, f"the entry of {name!r} is out of bounds")
    bits = DTYPE_BITS.get(dtype)
    if bits is not None and prod(shape) * bits != (end - begin) * 8:
        raise _damaged(path, f"{name!r} has {end - begin:,} bytes, which its shape and dtype do not give")
    return TensorEntry(name, dtype, tuple(shape), end - begin), end


def _whole_numbers(value: object) -> TypeGuard[list[int]]:
    if not isinstance(value, list):
        return False
    return all(isinstance(item, int) and not isinstance(item, bool) and 0 <= item < 1 << 63 for item in value)


def _damaged(path: Path, why: str) -> CheckpointInvalid:
    return CheckpointInvalid(f"{path.name} is damaged: {why}.", remedy="Download or copy this file again.")
