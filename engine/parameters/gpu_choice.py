"""Which GPUs an engine may use: the parameter's text, and the environment that tells CUDA so."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.domain.lifecycle import ParameterValue

PARALLEL = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")
VISIBLE, ORDER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
# CUDA's own order is by speed: without this, its GPU 0 may be another one than NVML's, and than what a user counts.
ORDER_BY_BUS = "PCI_BUS_ID"


def chosen_gpus(value: ParameterValue) -> tuple[str, ...]:
    """UUIDs in the order of the engine's ranks; empty where nothing is chosen."""
    if not isinstance(value, str):
        return ()
    return tuple(part for part in (piece.strip() for piece in value.split(",")) if part)


def visible_gpus(shown: str | None, uuids: Sequence[str]) -> tuple[str, ...]:
    """Those of a machine's GPUs, given in the bus's order, that CUDA shows where CUDA_VISIBLE_DEVICES is `shown` (None:
    not set). Numbers and beginnings of UUIDs, as CUDA takes them: nothing after the first that names no single GPU, and
    nothing at all where one is named twice."""
    if shown is None:
        return tuple(uuids)
    found: list[str] = []
    for part in (piece.strip() for piece in shown.split(",")):
        if part.isdecimal():
            named = [uuid for number, uuid in enumerate(uuids) if part.lstrip("0") == (str(number) if number else "")]
        else:
            named = [uuid for uuid in uuids if part and uuid.startswith(part)]
        if len(named) != 1:
            break
        found += named
    return tuple(found) if len(set(found)) == len(found) else ()


def used_gpus(values: Mapping[str, ParameterValue], visible: Sequence[str]) -> tuple[str, ...]:
    """The GPUs that an engine with these values uses: those that are chosen, else the first that CUDA shows."""
    return chosen_gpus(values.get("gpu_uuids")) or tuple(visible[: worker_count(values)])


def worker_count(values: Mapping[str, ParameterValue]) -> int:
    """How many workers these sizes make: tensor × pipeline × data parallel."""
    sizes = map(values.get, PARALLEL)
    return prod(size if isinstance(size, int) else 1 for size in sizes)


def gpu_text(uuids: Iterable[str]) -> str | None:
    """The parameter's value for these GPUs; None for no choice."""
    return ",".join(uuids) or None


def gpu_environment(value: ParameterValue) -> dict[str, str]:
    """What CUDA is told for this choice; empty where there is none."""
    chosen = chosen_gpus(value)
    return {ORDER: ORDER_BY_BUS, VISIBLE: ",".join(chosen)} if chosen else {}
