"""What is known of LoRA adapters, as the Store holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.adapter import EngineAdapters

if TYPE_CHECKING:
    from engine.domain.adapter import Adapter


@dataclass(frozen=True, slots=True)
class FoundAdapter:
    """An adapter on disk, and why it cannot be loaded into the engine that runs (None: it can)."""

    adapter: Adapter
    problem: str | None


@dataclass(frozen=True, slots=True)
class AdaptersState:
    """What is known of adapters. `found` is None before the folders were looked at; `busy` names what is being loaded
    or unloaded."""

    engine: EngineAdapters = field(default_factory=lambda: EngineAdapters(False))
    found: tuple[FoundAdapter, ...] | None = None
    busy: str | None = None
