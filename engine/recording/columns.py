"""A column of whole numbers as bytes: as narrow as its values allow, and laid out so that zlib finds what repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.domain.errors import RecordingInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_WIDTHS = (1, 2, 4, 8)
MAX_VALUES = 1 << 24  # more than any column of a real recording; what a damaged one claims must not fill the memory


def pack(values: Sequence[int] | NDArray[np.generic]) -> bytes:
    """One byte with the width (1, 2, 4 or 8 bytes a number), then the numbers, little-endian and signed, a byte plane
    at a time: first every number's lowest byte, then every number's next. No numbers are no bytes.
    """
    numbers = np.asarray(values, np.int64)
    if not numbers.size:
        return b""
    low, high = int(numbers.min()), int(numbers.max())
    width = next(w for w in _WIDTHS if -(1 << (8 * w - 1)) <= low and high < 1 << (8 * w - 1))
    planes = numbers.astype(f"<i{width}").view(np.uint8).reshape(-1, width)
    return bytes([width]) + planes.T.tobytes()


def unpack(data: bytes, most: int = MAX_VALUES) -> Numbers:
    """The numbers of a packed column. Raises RecordingInvalid where it is damaged or holds more than `most`."""
    if not data:
        return np.zeros(0, np.int64)
    width = data[0]
    count, rest = divmod(len(data) - 1, width) if width in _WIDTHS else (0, 1)
    if rest or count > most:
        raise RecordingInvalid.damaged("a column of numbers is not whole")
    planes = np.frombuffer(data, np.uint8, offset=1).reshape(width, count)
    return np.ascontiguousarray(planes.T).view(f"<i{width}").reshape(count).astype(np.int64)


def pack_rising(values: Sequence[int] | NDArray[np.generic]) -> bytes:
    """A column as its first number and the differences from one to the next, which are smaller."""
    return pack(np.diff(np.asarray(values, np.int64), prepend=np.int64(0)))


def unpack_rising(data: bytes, most: int = MAX_VALUES) -> Numbers:
    """The numbers of a column packed by `pack_rising`."""
    return np.cumsum(unpack(data, most), dtype=np.int64)
