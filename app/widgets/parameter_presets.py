"""Buttons for the presets; hovering one says what it is for and what it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.widgets.flow_layout import FlowLayout
from app.widgets.icon import PlainButton

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.parameters.preset import Preset

_NAMES = {"throughput": "presetThroughput", "latency": "presetLatency", "defaults": "presetDefaults"}


class PresetButtons(QWidget):
    """`chosen` carries a preset's key."""

    chosen = Signal(str)

    def __init__(self, presets: Mapping[str, Preset], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("presetButtons")  # narrow ones: three of them stand in one line of the smallest window
        self._presets = presets
        self._device: str | None = None
        self._buttons: dict[str, PlainButton] = {}
        titles = {
            "throughput": self.tr("Throughput"),
            "latency": self.tr("Latency"),
            "defaults": self.tr("Defaults"),
        }
        flow = FlowLayout(self, spacing=4)
        for key in ("throughput", "latency", "defaults"):
            button = PlainButton(titles[key], "quiet" if key == "defaults" else "")
            button.setObjectName(_NAMES[key])
            button.clicked.connect(lambda _checked=False, key=key: self.chosen.emit(key))
            flow.addWidget(button)
            self._buttons[key] = button
        self.show_device("")

    def show_device(self, device: str) -> None:
        """Say what the presets set on this device."""
        if device == self._device:
            return
        self._device = device
        for key, button in self._buttons.items():
            preset = self._presets[key]
            values = "\n".join(f"{name} = {_text(value)}" for name, value in preset.values(device).items())
            tip = "\n\n".join(part for part in (preset.sentence, values) if part)
            button.setToolTip(tip)
            button.setAccessibleDescription(tip)


def _text(value: object) -> str:
    return {"True": "on", "False": "off", "None": "auto"}.get(str(value), str(value))
