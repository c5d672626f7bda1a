"""From a block in the map to its owner and its row of the block table, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.bridge.store import Selection

if TYPE_CHECKING:
    from app.bridge.store import Store
    from app.widgets.block_map_stage import BlockMapStage
    from app.widgets.cache_details import CacheDetails


class CacheJumps:
    """Moves the choice and the keyboard between the map and the block table."""

    def __init__(self, stage: BlockMapStage, details: CacheDetails, store: Store) -> None:
        self._stage = stage
        self._details = details
        self._store = store
        stage.chosen.connect(self.choose)
        stage.cleared.connect(lambda: store.publish(Selection()))
        details.table.located.connect(self.show_in_map)
        store.selection_changed.connect(self._follow)

    def choose(self, block: int) -> None:
        """Choose the block's owner; a shared block chosen again goes through its owners."""
        ids = [hold.request.request_id for hold in self._stage.owners.of(block)]
        if not ids:
            self._store.publish(Selection(None, block))
            return
        present = self._store.selection
        following = ids.index(present.request_id) + 1 if present.request_id in ids else 0
        same = present.block_id == block
        self._store.publish(Selection(ids[following % len(ids)] if same else ids[0], block))

    def show_in_map(self, block: int) -> None:
        """Put the map's cursor on this block, and the keyboard on the map."""
        self._stage.reveal(block)
        self._stage.setFocus()

    def show_in_table(self) -> None:
        """Go to the block table, to the row of the block under the cursor or the pointer."""
        block, table = self._stage.pointed_block, self._details.table
        self._details.tabs.setCurrentIndex(self._details.pages.indexOf(table))
        if block is not None:
            holders = {hold.request.request_id for hold in self._stage.owners.of(block)}
            if self._store.selection.request_id not in holders:
                self.choose(block)
            table.reveal(block)
        table.table.setFocus()

    def _follow(self, selection: Selection) -> None:
        if selection.block_id is not None:
            self._details.table.reveal(selection.block_id)
