"""Which blocks of the map are lit for what is chosen, and how the map says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from app.widgets import figures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.bridge.store import Selection
    from engine.metrics.block_owners import BlockOwners


def chosen_blocks(selection: Selection, owners: BlockOwners) -> NDArray[np.int32] | None:
    """The blocks that the chosen request holds, or those that it held when it ended; None where nothing is chosen."""
    if selection.request_id is None:
        return None
    held = owners.blocks_of(selection.request_id)
    return held if len(held) or not selection.blocks else np.array(selection.blocks, np.int32)


def choice_text(selection: Selection, owners: BlockOwners) -> str:
    """What is chosen, in a line."""
    tr = QCoreApplication.translate
    if selection.request_id is None:
        return tr("CachePanel", "Point at a block to see whose it is; click to choose its request.")
    blocks = len(owners.blocks_of(selection.request_id))
    if selection.blocks and not blocks:
        text = tr("CachePanel", "{0} has ended; it held these blocks: {1} · Esc forgets the choice")
        return text.format(selection.request_id, figures.count(len(selection.blocks)))
    text = tr("CachePanel", "{0} · blocks: {1} · Esc forgets the choice")
    return text.format(selection.request_id, figures.count(blocks))
