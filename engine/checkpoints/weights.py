"""The weights of a checkpoint, from the safetensors headers alone: which files, whole or not, how many parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.checkpoints.config_file import read_object
from engine.checkpoints.safetensors_header import read_header
from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from engine.checkpoints.safetensors_header import TensorEntry

_INDEX = "model.safetensors.index.json"
_SHARD = re.compile(r"^(.*)-(\d{5})-of-(\d{5})\.safetensors$")

# What stands beside the weights and is none itself: scales, zero points, orders, statistics and buffers.
_NO_WEIGHT = re.compile(
    r"(^|[._])(qzeros|scales|g_idx|weight_scale(_inv|_2)?|weight_global_scale|input_scale|input_global_scale|input_zero_point"
    r"|weight_zero_point|weight_shape|weight_g_idx|k_scale|v_scale|q_scale|prob_scale|kv_scale|output_scale|scale|scales_and_zeros"
    r"|absmax|quant_map|nested_absmax|nested_quant_map|bitsandbytes__(nf4|fp4)|SCB|weight_format|inv_freq"
    r"|masked_bias|meta|perm|bitmask|compressed|row_offsets|[a-z_]*_scales|[a-z0-9_]*_proj_scale(_inv|_2)?"
    r"|[a-z_]*_bias_correction|activation_scale|w[123]_scale)$"
)
_PACKED_32 = re.compile(r"(^|[._])(qweight|weight_packed|B)$")
_DTYPE_NAMES = {
    "BF16": "bfloat16",
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
    "F8_E4M3": "fp8_e4m3",
    "F8_E5M2": "fp8_e5m2",
    "I8": "int8",
    "U8": "uint8",
    "F4": "fp4",
}


@dataclass(frozen=True, slots=True)
class Weights:
    """What the headers say. `parameters` is the logical number (a packed 4-bit weight counts as one); `num_bytes` the
    exact size of all tensors; `dtype` the one that holds most parameters, by its safetensors name; `problem` the
    sentence that says why the weights are not whole."""

    files: tuple[str, ...]
    parameters: int | None
    num_bytes: int | None
    dtype: str | None
    packed: bool = False
    problem: str | None = None

    def dtype_name(self, bits: float | None) -> str | None:
        """The dtype as torch spells it, or "int4" and the like for packed weights."""
        if self.packed and bits is not None:
            return f"int{bits:g}"
        return None if self.dtype is None else _DTYPE_NAMES.get(self.dtype, self.dtype.lower())


def read_weights(folder: Path, names: Sequence[str], pack_bits: int | None, *, tied: bool = False) -> Weights:
    """Read every safetensors header of `folder`, whose file names are `names`.

    `pack_bits` is the width of one packed weight; `tied` says that the output layer is the embedding. Never raises: a
    damaged, missing or truncated file becomes the `problem`, and what could be read is counted.
    """
    try:
        expected = _indexed(folder)
        problem = None
    except CheckpointInvalid as error:
        expected, problem = {}, error.message
    present = [name for name in names if name.endswith(".safetensors")]
    wanted = sorted(expected) if expected else _loadable(present)
    missing = [name for name in wanted if name not in present] + _missing_shards(wanted if not expected else ())
    entries: list[TensorEntry] = []
    for name in wanted:
        if name in present:
            found, fault = _one(folder / name, expected.get(name, frozenset()))
            entries += found
            problem = problem or fault
    if missing:
        total = len(set(wanted) | set(missing))
        problem = (
            f"{len(missing)} of {total} weight files are missing (first: {missing[0]}): the download is incomplete."
        )
    if not entries:
        return Weights(tuple(wanted), None, None, None, problem=problem)
    return _count(tuple(name for name in wanted if name in present), entries, pack_bits, tied, problem)


def read_entries(folder: Path, names: Sequence[str]) -> tuple[TensorEntry, ...]:
    """Every tensor of the checkpoint in `folder`, scales and zero points too. Raises CheckpointInvalid."""
    expected = _indexed(folder)
    wanted = sorted(expected) if expected else _loadable([name for name in names if name.endswith(".safetensors")])
    return tuple(entry for name in wanted for entry in read_header(folder / name).tensors)


def logical_parameters(entry: TensorEntry, pack_bits: int | None) -> tuple[int, bool]:
    """How many weights one stored tensor holds (none for scales and the like), and whether they are packed."""
    return (0, True) if _NO_WEIGHT.search(entry.name) else _logical(entry, pack_bits)


def _indexed(folder: Path) -> dict[str, frozenset[str]]:
    index = read_object(folder / _INDEX)
    weight_map = (index or {}).get("weight_map")
    if not isinstance(weight_map, dict):
        return {}
    files: dict[str, set[str]] = {}
    for tensor, file in weight_map.items():
        if isinstance(file, str) and "/" not in file and file:
            files.setdefault(file, set()).add(tensor)
    return {file: frozenset(tensors) for file, tensors in files.items()}


def _loadable(present: Iterable[str]) -> list[str]:
    names = [name for name in present if not name.startswith("adapter_")]
    shaped = [name for name in names if not name.startswith("consolidated")]
    return sorted(shaped or names)  # Mistral's own layout repeats the weights as consolidated*.safetensors


def _missing_shards(names: Sequence[str]) -> list[str]:
    present = set(names)
    series = {(match[1], match[3]) for name in names if (match := _SHARD.match(name)) and int(match[3]) <= 10_000}
    every = (
        f"{stem}-{number:05d}-of-{count}.safetensors" for stem, count in series for number in range(1, int(count) + 1)
    )
    return sorted(shard for shard in every if shard not in present)


def _one(path: Path, tensors: frozenset[str]) -> tuple[tuple[TensorEntry, ...], str | None]:
    try:
        header = read_header(path)
    except CheckpointInvalid as error:
        return (), error.message
    if header.is_cut_short:
        have, need = header.actual_bytes, header.expected_bytes
        return header.tensors, f"{path.name} is cut short: {have:,} of {need:,} bytes are there."
    absent = tensors - {entry.name for entry in header.tensors}
    if absent:
        fault = f"{path.name} lacks {len(absent)} tensors that the index promises (first: {min(absent)})."
        return header.tensors, fault
    return header.tensors, None


def _count(
    files: tuple[str, ...], entries: Sequence[TensorEntry], pack_bits: int | None, tied: bool, problem: str | None
) -> Weights:
    parameters, packed_parameters = 0, 0
    by_dtype: dict[str, int] = {}
    names = {entry.name for entry in entries}
    for entry in entries:
        if _NO_WEIGHT.search(entry.name) or (entry.name.endswith(".attn.bias") and len(entry.shape) == 4):
            continue
        if tied and entry.name == "lm_head.weight" and any(name.endswith("embed_tokens.weight") for name in names):
            continue
        count, packed = _logical(entry, pack_bits)
        parameters += count
        packed_parameters += count if packed else 0
        by_dtype[entry.dtype] = by_dtype.get(entry.dtype, 0) + count
    dtype = max(by_dtype, key=lambda name: by_dtype[name]) if by_dtype else None
    return Weights(
        files=files,
        parameters=parameters,
        num_bytes=sum(entry.num_bytes for entry in entries),
        dtype=dtype,
        packed=packed_parameters * 2 > parameters,
        problem=problem,
    )


def _logical(entry: TensorEntry, pack_bits: int | None) -> tuple[int, bool]:
    """How many weights one stored tensor holds, and whether they are packed."""
    if entry.dtype in ("I32", "U32") and _PACKED_32.search(entry.name):
        return entry.elements * 32 // (pack_bits or 8), True
    if entry.dtype in ("I64", "I16") and _PACKED_32.search(entry.name):
        return entry.elements * (64 if entry.dtype == "I64" else 16) // (pack_bits or 8), True
    fp4_blocks = entry.name.endswith(("_blocks", ".blocks"))
    if entry.dtype in ("U8", "I8") and (fp4_blocks or pack_bits == 4):
        return entry.elements * 2, True
    return entry.elements, False
