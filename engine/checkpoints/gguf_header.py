"""Reads the header of a GGUF file: its metadata and tensor list, never its weights."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, BinaryIO

from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MAX_ITEMS = 4_000_000  # vocabularies have a few hundred thousand entries
_MAX_TEXT_BYTES = 16 << 20
_MAX_TENSORS = 200_000
_MAX_METADATA = 100_000

# llama.cpp's general.file_type numbers that a user would meet, by the name on the file.
_FILE_TYPES = {
    0: ("F32", 32.0),
    1: ("F16", 16.0),
    2: ("Q4_0", 4.5),
    3: ("Q4_1", 5.0),
    7: ("Q8_0", 8.5),
    8: ("Q5_0", 5.5),
    9: ("Q5_1", 6.0),
    10: ("Q2_K", 2.6),
    11: ("Q3_K_S", 3.4),
    12: ("Q3_K_M", 3.9),
    13: ("Q3_K_L", 4.3),
    14: ("Q4_K_S", 4.6),
    15: ("Q4_K_M", 4.8),
    16: ("Q5_K_S", 5.5),
    17: ("Q5_K_M", 5.7),
    18: ("Q6_K", 6.6),
    19: ("IQ2_XXS", 2.1),
    20: ("IQ2_XS", 2.3),
    23: ("IQ3_XXS", 3.1),
    24: ("IQ1_S", 1.6),
    25: ("IQ4_NL", 4.5),
    26: ("IQ3_S", 3.4),
    30: ("IQ4_XS", 4.3),
    32: ("BF16", 16.0),
    38: ("MXFP4", 4.3),
}


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """`metadata` holds scalars and texts (lists only by their length); `parameters` counts every tensor's elements."""

    metadata: Mapping[str, object]
    parameters: int
    file_bytes: int

    def number(self, suffix: str) -> int | None:
        """The whole number under `<architecture>.<suffix>`, None where there is none."""
        value = self.metadata.get(f"{self.metadata.get('general.architecture')}.{suffix}")
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None

    @property
    def file_type(self) -> tuple[str, float | None]:
        """The name and the mean bits a weight of the file's quantization."""
        value = self.metadata.get("general.file_type")
        return _FILE_TYPES.get(value, ("mixed", None)) if isinstance(value, int) else ("unknown", None)


def read_gguf(path: Path) -> GgufHeader:
    """Read the header of `path`. Raises CheckpointInvalid for a file that is none, is damaged or cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            return _Reader(file, size).read()
    except OSError as error:
        raise CheckpointInvalid(
            f"{path.name} cannot be read: {error.strerror or error}.", remedy="Check the file's permissions and disk."
        ) from error
    except (struct.error, ValueError, EOFError) as error:
        raise CheckpointInvalid(
            f"{path.name} is no whole GGUF file ({error}).", remedy="Download or copy this file again."
        ) from None


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size

    def read(self) -> GgufHeader:
        if self._take(4) != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        (version,) = self._unpack("I")
        if version not in (2, 3):
            raise ValueError(f"version {version}")
        tensors, pairs = self._unpack("QQ")
        if tensors > _MAX_TENSORS or pairs > _MAX_METADATA:
            raise ValueError("its counts are out of bounds")
        metadata: dict[str, object] = {}
        for _ in range(pairs):
            key = self._text()
            metadata[key] = self._value(self._unpack("I")[0], 0)
        parameters = sum(self._tensor() for _ in range(tensors))
        return GgufHeader(metadata, parameters, self._size)

    def _tensor(self) -> int:
        self._text()
        (dimensions,) = self._unpack("I")
        if dimensions > 8:
            raise ValueError("a tensor has more than 8 dimensions")
        shape = self._unpack("Q" * dimensions)
        self._unpack("IQ")
        return min(prod(shape), 1 << 53)

    def _value(self, kind: int, depth: int) -> object:
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            if kind not in _SCALARS:
                raise ValueError(f"metadata of unknown type {kind}")
            return self._unpack(_SCALARS[kind])[0]
        inner, count = self._unpack("IQ")
        if count > _MAX_ITEMS or depth > 3:
            raise ValueError("a list in its metadata is out of bounds")
        if inner in _SCALARS:
            self._skip(struct.calcsize("<" + _SCALARS[inner]) * count)
            return count
        for _ in range(count):
            self._value(inner, depth + 1)
        return count

    def _text(self) -> str:
        (length,) = self._unpack("Q")
        if length > _MAX_TEXT_BYTES:
            raise ValueError("a text in its metadata is out of bounds")
        return self._take(length).decode("utf-8", "replace")

    def _unpack(self, form: str) -> tuple[int, ...]:
        return struct.unpack("<" + form, self._take(struct.calcsize("<" + form)))

    def _skip(self, count: int) -> None:
        if self._file.tell() + count > self._size:
            raise EOFError("it ends inside its header")
        self._file.seek(count, 1)

    def _take(self, count: int) -> bytes:
        raw = self._file.read(count)
        if len(raw) < count:
            raise EOFError("it ends inside its header")
        return raw
