"""The GPU panel: memory, load, power and temperature of each GPU, and what of it is this engine's."""

from __future__ import annotations

from app.panels.panel import Panel


class GpuPanel(Panel):
    """Draws the newest HardwareSample."""
