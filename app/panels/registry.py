"""The list of panels. A new panel is one module and one line here.

The modules are imported when a panel is first built, after the window is on screen: pyqtgraph and numpy take longer
to import than the window may take to open.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP

from app.panels.panel import Panel, PanelSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.panels.panel import PanelContext


def _from(module: str, name: str) -> Callable[[PanelContext], Panel]:
    def build(context: PanelContext) -> Panel:
        panel = getattr(import_module(f"app.panels.{module}"), name)(context)
        assert isinstance(panel, Panel)
        return panel

    return build


_title = str  # PySide declares what QT_TRANSLATE_NOOP returns as an object


PANELS: tuple[PanelSpec, ...] = (
    PanelSpec(
        "models", _title(QT_TRANSLATE_NOOP("Panels", "Models")), "left", 0, "Ctrl+1", _from("models", "ModelsPanel")
    ),
    PanelSpec(
        "parameters",
        _title(QT_TRANSLATE_NOOP("Panels", "Parameters")),
        "left",
        1,
        "Ctrl+2",
        _from("parameters", "ParametersPanel"),
    ),
    PanelSpec(
        "cache", _title(QT_TRANSLATE_NOOP("Panels", "KV cache")), "centre", 0, "Ctrl+3", _from("cache", "CachePanel")
    ),
    PanelSpec("gpu", _title(QT_TRANSLATE_NOOP("Panels", "GPU")), "centre", 1, "Ctrl+4", _from("gpu", "GpuPanel")),
    PanelSpec(
        "timeline",
        _title(QT_TRANSLATE_NOOP("Panels", "Timeline")),
        "centre",
        2,
        "Ctrl+6",
        _from("timeline", "TimelinePanel"),
    ),
    PanelSpec("lab", _title(QT_TRANSLATE_NOOP("Panels", "Lab")), "page", 0, "Ctrl+7", _from("lab", "LabPanel")),
    PanelSpec("chat", _title(QT_TRANSLATE_NOOP("Panels", "Chat")), "right", 0, "Ctrl+5", _from("chat", "ChatPanel")),
    PanelSpec(
        "explain",
        _title(QT_TRANSLATE_NOOP("Panels", "Explain")),
        "right",
        1,
        "Ctrl+8",
        _from("explain", "ExplainPanel"),
    ),
)
