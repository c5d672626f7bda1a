"""The GPUs of an engine, chosen by what they are: name, free memory, who uses them, how they are connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from app.widgets.figures import gib
from app.widgets.labels import role_label
from app.widgets.leading_widget import LeadingWidget
from app.widgets.tab_order import tab_through
from engine.parameters.gpu_choice import chosen_gpus, gpu_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.gpu import GpuLink, GpuSample
    from engine.domain.lifecycle import ParameterValue

_MOST_NAMED = 2


class GpuField(LeadingWidget):
    """One tick a GPU. None ticked: vLLM takes the first ones. The order of ticking is the order of the ranks."""

    committed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen: tuple[str, ...] = ()
        self._boxes: dict[str, QCheckBox] = {}
        self._gpus: tuple[GpuSample, ...] = ()
        self._links: tuple[GpuLink, ...] = ()
        self._name = ""
        self._note = role_label("", "caption", wrap=True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(3)
        self._column.addWidget(self._note)
        self._draw()

    def show_value(self, value: ParameterValue) -> None:
        """Show `value` without telling anyone."""
        self._chosen = chosen_gpus(value)
        self._draw()

    def current(self) -> ParameterValue:
        """The UUIDs, None where none is chosen."""
        return gpu_text(self._chosen)

    def setAccessibleName(self, name: str) -> None:
        """The boxes are what a screen reader meets; each says its GPU."""
        super().setAccessibleName(name)
        self._name = name

    def show_gpus(self, gpus: Sequence[GpuSample], links: Sequence[GpuLink]) -> None:
        """The GPUs as they are now, and the ways between them."""
        if tuple(gpu.uuid for gpu in gpus) != tuple(self._boxes):
            self._make_boxes(gpus)
        self._gpus, self._links = tuple(gpus), tuple(links)
        self._draw()

    def _make_boxes(self, gpus: Sequence[GpuSample]) -> None:
        for box in self._boxes.values():
            self._column.removeWidget(box)
            box.deleteLater()
        self._boxes = {}
        for gpu in gpus:
            box = QCheckBox()
            box.setObjectName(f"gpu_{gpu.index}")
            box.toggled.connect(lambda on, uuid=gpu.uuid: self._toggled(uuid, on=on))
            self._boxes[gpu.uuid] = box
            self._column.insertWidget(len(self._boxes) - 1, box)
        tab_through(self, self._boxes.values())
        if self._boxes:
            self.lead_to(next(iter(self._boxes.values())))

    def _toggled(self, uuid: str, *, on: bool) -> None:
        rest = tuple(each for each in self._chosen if each != uuid)
        self._chosen = (*rest, uuid) if on else rest
        self._draw()
        self.committed.emit(self.current())

    def _draw(self) -> None:
        for gpu in self._gpus:
            box = self._boxes[gpu.uuid]
            box.blockSignals(True)
            box.setChecked(gpu.uuid in self._chosen)
            box.blockSignals(False)
            text = gpu_line(gpu)
            if gpu.uuid in self._chosen and len(self._chosen) > 1:
                text += " · " + self.tr("rank {}").format(self._chosen.index(gpu.uuid))
            if box.text() != text:
                box.setText(text)
                box.setAccessibleName(text)
            tip = gpu_tip(gpu)
            if box.toolTip() != tip:
                box.setToolTip(tip)
        self._note.setText(self._said())
        self._note.setVisible(bool(self._note.text()))

    def _said(self) -> str:
        missing = [uuid for uuid in self._chosen if uuid not in self._boxes]
        if missing and self._boxes:
            return self.tr("Not in this machine: {}").format(", ".join(missing))
        if not self._boxes:
            return self.tr("No GPU was found.") if not missing else ", ".join(missing)
        if not self._chosen:
            return self.tr("None ticked: the first ones are taken.")
        return link_words(self._chosen, self._links, {gpu.uuid: gpu.index for gpu in self._gpus})


def gpu_line(gpu: GpuSample) -> str:
    """Number, name and free memory."""
    free = None if gpu.total_bytes is None or gpu.used_bytes is None else gpu.total_bytes - gpu.used_bytes
    return QCoreApplication.translate("GpuField", "{index} · {name} · {free} free").format(
        index=gpu.index, name=gpu.name.removeprefix("NVIDIA "), free=gib(free)
    )


def gpu_tip(gpu: GpuSample) -> str:
    """The UUID, and who holds its memory."""
    tr = QCoreApplication.translate
    lines = [gpu.uuid]
    for process in gpu.processes:
        size = gib(process.used_bytes)
        whose = tr("GpuField", "this engine") if process.is_ours else process.name
        lines.append(tr("GpuField", "{who} ({pid}): {size}").format(who=whose, pid=process.pid, size=size))
    if len(lines) == 1:
        lines.append(tr("GpuField", "Nobody uses it."))
    return "\n".join(lines)


def link_words(chosen: Sequence[str], links: Sequence[GpuLink], numbers: dict[str, int]) -> str:
    """How the chosen GPUs are connected, in one line: the slowest way between any two decides."""
    tr = QCoreApplication.translate
    between = [link for link in links if link.first in chosen and link.second in chosen]
    if not between:
        return ""
    slow = [link for link in between if not link.nvlink]
    if not slow:
        return tr("GpuField", "All connected by NVLink.")
    names = {
        "internal": tr("GpuField", "on one board"),
        "single": tr("GpuField", "through one PCIe switch"),
        "multiple": tr("GpuField", "through several PCIe switches"),
        "host_bridge": tr("GpuField", "through the processor's PCIe bridge"),
        "node": tr("GpuField", "through one processor"),
        "system": tr("GpuField", "across two processors"),
    }
    said = []
    for link in slow[:_MOST_NAMED]:
        pair = " – ".join(str(numbers.get(uuid, "?")) for uuid in (link.first, link.second))
        way = names.get(link.path or "", tr("GpuField", "in an unknown way"))
        said.append(tr("GpuField", "{pair}: {way}").format(pair=pair, way=way))
    more = "" if len(slow) <= _MOST_NAMED else " …"
    return tr("GpuField", "No NVLink between {ways}").format(ways="; ".join(said)) + more
