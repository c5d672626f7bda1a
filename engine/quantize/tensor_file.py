"""Safetensors files, written so that a full disk or a kill shows as an error and never as a file that looks whole."""

from __future__ import annotations

import json
import os
import struct
from typing import TYPE_CHECKING

import torch
from safetensors import safe_open

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

_DTYPES = {
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float8_e4m3fn: "F8_E4M3",
    torch.int32: "I32",
    torch.int8: "I8",
}
_ALIGNMENT = 8


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write a safetensors file, durable under its name when this returns; raises OSError (ENOSPC and others).

    Tensor by tensor through Python's own file: the library's writer would turn ENOSPC into an exception without a
    number, and hold the whole file in memory once more.
    """
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, tensor in tensors.items():
        end = offset + tensor.numel() * tensor.element_size()
        header[name] = {"dtype": _DTYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % _ALIGNMENT)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(encoded)) + encoded)
        for tensor in tensors.values():
            file.write(tensor.contiguous().flatten().view(torch.uint8).numpy().data)
        file.flush()
        os.fsync(file.fileno())


def read_tensors(path: Path, prefix: str = "") -> dict[str, Tensor]:
    """The tensors whose names begin with `prefix`, names without it, mapped and not read until used.

    Raises safetensors.SafetensorError for a damaged file, OSError for a missing one.
    """
    with safe_open(path, framework="pt") as file:
        return {name[len(prefix) :]: file.get_tensor(name) for name in file.keys() if name.startswith(prefix)}  # noqa: SIM118 - no mapping
