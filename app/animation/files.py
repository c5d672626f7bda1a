"""Animated pictures, written frame by frame: GIF and APNG as the frames come, WebP at the end.

Only what changed since the frame before is stored. A file appears whole or not at all.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol

from PIL import GifImagePlugin, Image, ImageChops

if TYPE_CHECKING:
    from pathlib import Path

_PNG = b"\x89PNG\r\n\x1a\n"
_LEVEL = 6
_COLOURS = 256


class AnimationFile(Protocol):
    """Takes frames of one size, mode RGB, in their order."""

    def add(self, frame: Image.Image) -> None:
        """One more frame. Raises OSError."""

    def finish(self) -> None:
        """Write the end and give the file its name. Raises OSError."""

    def discard(self) -> None:
        """Leave nothing behind."""


def animation_file(path: Path, num_frames: int, frame_ms: int) -> AnimationFile:
    """A writer by the path's suffix. Raises OSError."""
    match path.suffix.lower():
        case ".gif":
            return GifFile(path, num_frames, frame_ms)
        case ".webp":
            return WebpFile(path, num_frames, frame_ms)
    return ApngFile(path, num_frames, frame_ms)


class _Streamed:
    """Writes beside the final name, which the file gets when it is finished."""

    def __init__(self, path: Path, num_frames: int, frame_ms: int) -> None:
        self._path = path
        self._num_frames = num_frames
        self._frame_ms = frame_ms
        self._partial = path.with_name(f".{path.name}.{os.getpid()}.new")
        self._file: BinaryIO = self._partial.open("wb")
        self._before: Image.Image | None = None
        self._written = 0

    def add(self, frame: Image.Image) -> None:
        """Write the part of the frame that differs from the one before."""
        box = (0, 0, *frame.size)
        if self._before is None:
            self._begin(frame)
        else:
            # A frame that changes nothing is one pixel: it has to be shown for its time all the same.
            box = ImageChops.difference(frame, self._before).getbbox() or (0, 0, 1, 1)
        self._write(frame.crop(box), box[0], box[1])
        self._before = frame
        self._written += 1

    def finish(self) -> None:
        """Write the end, and give the file its name."""
        self._end()
        self._file.close()
        self._partial.replace(self._path)

    def discard(self) -> None:
        """Leave nothing behind."""
        self._file.close()
        self._partial.unlink(missing_ok=True)

    def _begin(self, frame: Image.Image) -> None:
        raise NotImplementedError

    def _write(self, part: Image.Image, left: int, top: int) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError


class ApngFile(_Streamed):
    """PNG with an animation in it (APNG): lossless. Viewers that do not know animations show the first frame."""

    _sequence = 0

    def _begin(self, frame: Image.Image) -> None:
        self._file.write(_PNG)
        self._chunk(b"IHDR", struct.pack(">IIBBBBB", *frame.size, 8, 2, 0, 0, 0))
        self._chunk(b"acTL", struct.pack(">II", self._num_frames, 0))

    def _write(self, part: Image.Image, left: int, top: int) -> None:
        control = (self._next(), *part.size, left, top, self._frame_ms, 1000, 0, 0)
        self._chunk(b"fcTL", struct.pack(">IIIIIHHBB", *control))
        data = zlib.compress(_filtered(part), _LEVEL)
        if self._written:
            self._chunk(b"fdAT", struct.pack(">I", self._next()) + data)
        else:
            self._chunk(b"IDAT", data)

    def _end(self) -> None:
        self._chunk(b"IEND", b"")

    def _next(self) -> int:
        number = self._sequence
        self._sequence += 1
        return number

    def _chunk(self, kind: bytes, data: bytes) -> None:
        self._file.write(struct.pack(">I", len(data)) + kind + data)
        self._file.write(struct.pack(">I", zlib.crc32(data, zlib.crc32(kind))))


def _filtered(part: Image.Image) -> bytes:
    """Every line with PNG's filter 2 (up): a window's lines are mostly as the one above them."""
    import numpy as np

    lines = np.asarray(part, np.uint8).reshape(part.height, -1)
    found = np.empty((part.height, lines.shape[1] + 1), np.uint8)
    found[:, 0] = 2
    found[0, 1:] = lines[0]
    np.subtract(lines[1:], lines[:-1], out=found[1:, 1:])
    return found.tobytes()


class GifFile(_Streamed):
    """GIF: 256 colours a frame, shown everywhere. Times are whole hundredths of a second."""

    def _begin(self, frame: Image.Image) -> None:
        self._file.write(b"GIF89a" + struct.pack("<HHBBB", *frame.size, 0, 0, 0))
        self._file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")  # for ever

    def _write(self, part: Image.Image, left: int, top: int) -> None:
        # Fast octree, no dithering: flat colours stay flat, and a frame takes milliseconds.
        few = part.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        self._file.write(b"\x21\xf9\x04" + struct.pack("<BHB", 4, round(self._frame_ms / 10), 0) + b"\x00")
        for piece in GifImagePlugin.getdata(few, (left, top), include_color_table=True):
            self._file.write(piece)

    def _end(self) -> None:
        self._file.write(b";")


class WebpFile:
    """Animated WebP, lossless. The library takes all frames at once, so they are kept until the end."""

    def __init__(self, path: Path, num_frames: int, frame_ms: int) -> None:  # noqa: ARG002 - as the other writers
        self._path = path
        self._frame_ms = frame_ms
        self._frames: list[Image.Image] = []

    def add(self, frame: Image.Image) -> None:
        """Keep one more frame."""
        self._frames.append(frame)

    def finish(self) -> None:
        """Write all of them."""
        first, *others = self._frames
        data = io.BytesIO()
        first.save(
            data, "WEBP", save_all=True, append_images=others, duration=self._frame_ms, loop=0, lossless=True, method=2
        )
        partial = self._path.with_name(f".{self._path.name}.{os.getpid()}.new")
        try:
            partial.write_bytes(data.getbuffer())
            partial.replace(self._path)
        finally:
            partial.unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget the frames."""
        self._frames.clear()
