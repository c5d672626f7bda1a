"""The editor of each row: of most by its kind, of some a special one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.widgets.gpu_field import GpuField
from app.widgets.parameter_fields import ParameterField, field_for
from app.widgets.speculation_field import SpeculationField

if TYPE_CHECKING:
    from engine.parameters.spec import ParameterSpec

Editor = ParameterField | SpeculationField | GpuField


def editor_for(spec: ParameterSpec) -> Editor:
    """The editor that suits the row."""
    if spec.name == "speculative_config":
        return SpeculationField()
    if spec.name == "gpu_uuids":
        return GpuField()
    return field_for(spec)
