"""KV-cache groups in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.widgets import figures
from engine.domain.kv_groups import GroupKind

if TYPE_CHECKING:
    from engine.domain.kv_groups import KvCacheGroup


def group_kind(group: KvCacheGroup) -> str:
    """What the group's layers look back on."""
    tr = QCoreApplication.translate
    window = figures.count(group.window)
    if group.kind is GroupKind.FULL:
        return tr("GroupWords", "full attention")
    if group.kind is GroupKind.SLIDING:
        return tr("GroupWords", "sliding window of {0}").format(window)
    if group.kind is GroupKind.CHUNKED:
        return tr("GroupWords", "attention in chunks of {0}").format(window)
    if group.kind is GroupKind.STATE:
        return tr("GroupWords", "states")
    return tr("GroupWords", "of another kind")


def group_name(index: int, group: KvCacheGroup) -> str:
    """A short name: number and kind."""
    return QCoreApplication.translate("GroupWords", "group {0}: {1}").format(figures.count(index), group_kind(group))


def group_parts(index: int, group: KvCacheGroup) -> list[str]:
    """Name, block size and layers, the most important first."""
    tr = QCoreApplication.translate
    parts = [group_name(index, group)]
    if group.kind is not GroupKind.STATE:
        parts.append(tr("GroupWords", "{0} tokens a block").format(figures.count(group.block_size)))
    if group.layers is not None:
        parts.append(tr("GroupWords", "layers: {0}").format(figures.count(group.layers)))
    return parts
