"""LoRA adapters: on disk, and loaded into the running engine."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Adapter:
    """A folder with adapter_config.json and adapter_model.safetensors. Sizes in bytes.

    `base` is the model that its configuration names ("" where it names none), `rank` the highest of its layers,
    `targets` the modules that it changes. `problem` is None for a whole one that vLLM can read, else a sentence.
    """

    path: str
    name: str
    base: str
    rank: int | None
    targets: tuple[str, ...]
    size_bytes: int | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class LoadedAdapter:
    """An adapter that the running engine answers with when a request names it as its model. `number` is vLLM's id."""

    name: str
    path: str
    number: int
    rank: int | None = None
    targets: tuple[str, ...] = ()
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class EngineAdapters:
    """The adapters of the running engine. `enabled` is whether it was loaded with enable_lora; `max_rank` is the
    highest rank that it has room for, `max_loras` how many may be used in one step. None where no engine runs.
    `requests` has the live requests that use one: internal id and adapter's name. `left_out` says of each adapter that
    the engine before this one had, and this one could not be given, why."""

    enabled: bool
    loaded: tuple[LoadedAdapter, ...] = ()
    max_rank: int | None = None
    max_loras: int | None = None
    requests: dict[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadAdapterRequest:
    """Load the adapter in the folder `path` under a name; empty: the folder's own."""

    path: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class UnloadAdapterRequest:
    """Unload the adapter of this name."""

    name: str
