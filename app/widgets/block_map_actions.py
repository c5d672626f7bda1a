"""What the KV cache panel's context menu, the window's menu and the palette offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QGuiApplication

from app.widgets.block_map_csv import blocks_as_csv, steps_as_csv

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from app.widgets.block_map_stage import BlockMapStage
    from engine.metrics.step_history import StepHistory


def block_map_actions(
    stage: BlockMapStage, history: StepHistory, show_in_table: Callable[[], None], owner: QWidget
) -> list[QAction]:
    """Actions on the map and the steps, owned by `owner`."""

    def copy_blocks() -> None:
        if stage.front.snapshot is not None:
            QGuiApplication.clipboard().setText(blocks_as_csv(stage.front.snapshot, stage.front.owners))

    tr = QCoreApplication.translate
    actions = []
    for text, act in (
        (tr("BlockMapActions", "Show all blocks"), stage.fit),
        (tr("BlockMapActions", "Show the block in the block table"), show_in_table),
        (tr("BlockMapActions", "Copy the block map as a picture"),
         lambda: QGuiApplication.clipboard().setPixmap(stage.grab())),
        (tr("BlockMapActions", "Copy all blocks as CSV"), copy_blocks),
        (tr("BlockMapActions", "Copy the steps as CSV"),
         lambda: QGuiApplication.clipboard().setText(steps_as_csv(history.view(len(history))))),
    ):
        action = QAction(text, owner)
        action.triggered.connect(act)
        actions.append(action)
    return actions
