"""A memory's parts in the order and the hues in which bars and histories draw them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from app.theme.tokens import Theme
    from engine.metrics.memory_split import MemorySplit


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """One part: a key, its name and meaning for the user, its colour, its bytes (None: unknown)."""

    key: str
    name: str
    meaning: str
    colour: str
    size_bytes: int | None


def part_colour(key: str, theme: Theme) -> str:
    """The hue of a part, the same in bars and histories."""
    return {
        "weights": theme.memory_weights, "kv_cache": theme.memory_kv_cache, "rest": theme.memory_rest,
        "others": theme.memory_others, "unattributed": theme.memory_others, "free": theme.memory_free,
    }[key]


def memory_parts(split: MemorySplit, theme: Theme) -> tuple[MemoryPart, ...]:
    """All parts that a bar names, unknown ones included where the engine or the driver leaves them open."""
    tr = QCoreApplication.translate
    parts = [
        ("weights", tr("MemoryParts", "weights"), split.weights_bytes,
         tr("MemoryParts", "The model's weights, as vLLM reports them.")),
        ("kv_cache", tr("MemoryParts", "KV cache"), split.kv_cache_bytes,
         tr("MemoryParts", "The pool of KV-cache blocks, reserved when the model was loaded, whether in use or not.")),
        ("rest", tr("MemoryParts", "rest"), split.rest_bytes,
         tr("MemoryParts", "What else this engine's processes hold: activations, CUDA graphs, the runtime.")),
        ("others", tr("MemoryParts", "others"), split.others_bytes,
         tr("MemoryParts", "Memory of other processes.")),
        ("free", tr("MemoryParts", "free"), split.free_bytes, tr("MemoryParts", "Memory that nobody holds.")),
    ]
    if split.unattributed_bytes:
        parts.insert(4, _unattributed(split))
    return tuple(MemoryPart(key, name, meaning, part_colour(key, theme), size)
                 for key, name, size, meaning in parts)


def _unattributed(split: MemorySplit) -> tuple[str, str, int | None, str]:
    tr = QCoreApplication.translate
    if split.rest_bytes is not None:
        return ("unattributed", tr("MemoryParts", "driver"), split.unattributed_bytes,
                tr("MemoryParts", "Used memory that belongs to no process: the driver keeps it for itself."))
    return ("unattributed", tr("MemoryParts", "not told apart"), split.unattributed_bytes,
            tr("MemoryParts", "Used memory that the driver does not give to any process (it cannot under WSL2 and in "
               "containers): the engine's rest and other programs."))
