"""The list of panels. A new panel is one module and one line here."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

from app.panels.cache import CachePanel
from app.panels.chat import ChatPanel
from app.panels.gpu import GpuPanel
from app.panels.models import ModelsPanel
from app.panels.panel import PanelSpec
from app.panels.parameters import ParametersPanel

PANELS: tuple[PanelSpec, ...] = (
    PanelSpec("models", QT_TRANSLATE_NOOP("Panels", "Models"), "left", 0, "Ctrl+1", ModelsPanel),
    PanelSpec("parameters", QT_TRANSLATE_NOOP("Panels", "Parameters"), "left", 1, "Ctrl+2", ParametersPanel),
    PanelSpec("cache", QT_TRANSLATE_NOOP("Panels", "KV cache"), "centre", 0, "Ctrl+3", CachePanel),
    PanelSpec("gpu", QT_TRANSLATE_NOOP("Panels", "GPU"), "centre", 1, "Ctrl+4", GpuPanel),
    PanelSpec("chat", QT_TRANSLATE_NOOP("Panels", "Chat"), "right", 0, "Ctrl+5", ChatPanel),
)
