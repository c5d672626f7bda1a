"""A checkpoint: files on disk that a model can be loaded from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class VerdictKind(StrEnum):
    """Whether a checkpoint can run here."""

    RUNS = "runs"
    RUNS_UNPACKED = "runs_unpacked"  # no kernel for the method: weights are unpacked at load
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Will it run here, and why (one sentence; empty where there is nothing to say)."""

    kind: VerdictKind
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Quantization:
    """How the weights are stored. `method` is vLLM's name ("awq", "gptq", "fp8", "compressed-tensors", ...).

    `label` is what a user reads: "AWQ", "GPTQ", "FP8", "INT8", "BF16", "FP16", "FP32". `details` says the scheme
    ("4 bit, group 32, zero point").
    """

    method: str | None
    label: str
    bits: float | None
    details: str = ""


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """What the KV cache of one token costs: heads and head sizes. None where the architecture does not say.

    `kind` is "MHA", "GQA", "MQA", "MLA", "hybrid" (attention and Mamba or linear-attention layers), "Mamba" (no
    KV cache that grows) or "unknown". `kv_layers` counts the layers that keep keys and values (default: all), of
    which `sliding_layers` keep only the last `sliding_window` tokens. `kv_elements_per_layer` is what one of them
    stores for a token where that is not 2 · kv_heads · head_dim (MLA). `state_bytes` is what one request
    holds in all recurrent layers, whatever its length; None where it is not known.
    """

    kind: str
    num_layers: int | None
    num_heads: int | None
    num_kv_heads: int | None
    head_dim: int | None
    sliding_window: int | None = None
    kv_layers: int | None = None
    sliding_layers: int = 0
    kv_elements_per_layer: int | None = None
    state_bytes: int | None = None

    @property
    def elements_per_layer(self) -> int | None:
        """Elements that one layer stores for one token."""
        if self.kv_elements_per_layer is not None:
            return self.kv_elements_per_layer
        if self.num_kv_heads is None or self.head_dim is None:
            return None
        return 2 * self.num_kv_heads * self.head_dim

    @property
    def layers_with_cache(self) -> int | None:
        """Layers that keep keys and values."""
        return self.num_layers if self.kv_layers is None else self.kv_layers


@dataclass(frozen=True, slots=True)
class StepWidths:
    """Elements of one token in the widest tensors of a step: the hidden state, the feed-forward layer (of all experts
    that one token visits), the logits."""

    hidden: int
    inner: int
    vocabulary: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One loadable folder. Sizes in bytes, lengths in tokens; `parameters` counted from the safetensors headers.

    `family` groups variants of one base ("SmolLM2-135M-Instruct"); `source` is "starter", "hub" or "folder".
    `problem` is None for a whole checkpoint, else the sentence that says what is wrong with it.
    """

    path: str
    name: str
    family: str
    source: str
    architecture: str | None
    model_type: str | None
    quantization: Quantization
    parameters: int | None
    size_bytes: int
    weights_bytes: int | None
    weight_dtype: str | None
    max_context: int | None
    attention: AttentionShape
    has_chat_template: bool
    needs_remote_code: bool
    pickled_files: tuple[str, ...]
    problem: str | None = None
    verdict: Verdict = Verdict(VerdictKind.RUNS)
    widths: StepWidths | None = None

    @property
    def kv_bytes_per_token(self) -> int | None:
        """KV-cache bytes of one token at two bytes an element, or None where the shape is unknown."""
        layers, elements = self.attention.layers_with_cache, self.attention.elements_per_layer
        return None if layers is None or elements is None else layers * elements * 2


@dataclass(frozen=True, slots=True)
class Library:
    """All checkpoints known, as of one scan. `searched` are the folders that were looked at."""

    checkpoints: tuple[Checkpoint, ...]
    searched: tuple[str, ...]
    scanning: bool = False


@dataclass(frozen=True, slots=True)
class StarterVariant:
    """One variant of the starter model: `state` is "absent", "building", "partial", "ready" or "failed"."""

    key: str
    label: str
    state: str
    path: str
    size_bytes: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StarterProgress:
    """The starter model's build. `progress` 0 to 1 over the whole build; `elapsed_s` since it began."""

    variants: tuple[StarterVariant, ...]
    running: bool
    progress: float | None = None
    step: str = ""
    elapsed_s: float | None = None
    remaining_s: float | None = None
    error: str | None = None
    remedy: str | None = None
