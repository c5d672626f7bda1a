"""What a rule between parameters is given, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue
    from engine.parameters.offer import Offer


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of the machine and the model. Lengths in tokens, memory in bytes; None is unknown: no rule fires.

    `device` is "cuda", "cpu" or "" for unknown; `memory_bytes` is the machine's main memory. `gpu_uuids` are the GPUs
    that there are, empty where that is unknown; `fp8_cache` is False where this CPU's kernels cannot read an FP8 cache,
    `head_dim` the size of an attention head that is kept whole (None also for latent attention).
    """

    device: str = ""
    gpu_count: int | None = None
    max_context: int | None = None
    num_heads: int | None = None
    memory_bytes: int | None = None
    quantization: str | None = None
    gpu_uuids: tuple[str, ...] = ()
    fp8_cache: bool | None = None
    head_dim: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault between values. `names` are the rows to mark, the one to change first. A fault that is not
    `blocking` is advice: the engine would load all the same. Each of `offers` mends it by itself, the likeliest first.
    """

    names: tuple[str, ...]
    message: str
    remedy: str
    blocking: bool = True
    offers: tuple[Offer, ...] = ()


class View:
    """Typed reading of a merged set of values: absent, None and wrongly typed values read as None."""

    def __init__(self, values: Mapping[str, ParameterValue]) -> None:
        self._values = values

    def whole(self, name: str) -> int | None:
        value = self._values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, name: str) -> float | None:
        value = self._values.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def flag(self, name: str) -> bool | None:
        value = self._values.get(name)
        return value if isinstance(value, bool) else None
