"""What a forward pass reads and computes, and what a device was measured to read and compute at most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.domain.checkpoint import AttentionShape


@dataclass(frozen=True, slots=True)
class WeightPart:
    """Some of a checkpoint's weights. `plain` parameters are stored as 16, 32 or 64-bit floats, which the engine turns
    into its own dtype; `packed` ones as something smaller, in `packed_bytes` together with their scales.
    """

    plain: int = 0
    packed: int = 0
    packed_bytes: int = 0

    @property
    def parameters(self) -> int:
        """All of them."""
        return self.plain + self.packed

    def bytes_in_memory(self, dtype_bytes: float, *, unpacked: bool = False) -> float:
        """What the engine holds of it, and reads when it uses it. `unpacked`: all turned into its dtype at load."""
        packed = self.packed * dtype_bytes if unpacked else self.packed_bytes
        return self.plain * dtype_bytes + packed


@dataclass(frozen=True, slots=True)
class ComputeShape:
    """The weights by how a step uses them, from the safetensors headers, and the attention's shape.

    `embedding` is looked up, a row a token; `output` turns a hidden state into scores over the vocabulary, once for
    each request of a step (the embedding itself where they are tied); of `experts` each token uses `experts_per_token`
    of `num_experts`; `rest` is used for every token. Encoders of pictures and sound are left out.
    """

    embedding: WeightPart
    output: WeightPart
    experts: WeightPart
    rest: WeightPart
    attention: AttentionShape
    num_experts: int | None = None
    experts_per_token: int | None = None


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What one device was measured to do at most, by `python -m engine.ceilings`.

    `key` is the GPU's UUID, or the CPU's name and the number of threads. Rates are bytes and floating-point operations
    (two for each multiplication with addition) per second; `flops_per_s` by torch's dtype name. `copy_bytes_per_s`
    counts what is read and what is written. `disturbed` says that an engine was loaded meanwhile.
    """

    key: str
    device: str
    name: str
    measured_unix_s: float
    read_bytes_per_s: float
    copy_bytes_per_s: float
    flops_per_s: dict[str, float] = field(default_factory=dict)
    threads: int | None = None
    torch_version: str = ""
    disturbed: bool = False

    @property
    def bytes_per_s(self) -> float:
        """The bandwidth to hold a step against: reading, or copying where that moved more."""
        return max(self.read_bytes_per_s, self.copy_bytes_per_s)


@dataclass(frozen=True, slots=True)
class CeilingsState:
    """The ceilings of the device that the engine uses (None: not measured), and a measurement as it goes.

    `progress` 0 to 1; `step` names what is being measured. `error` and `remedy` say why the last one came to nothing.
    """

    ceilings: Ceilings | None = None
    running: bool = False
    progress: float = 0.0
    step: str = ""
    error: str | None = None
    remedy: str = ""
