"""The words of the parameter table in the user's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.domain.errors import ParameterInvalid
from engine.parameters.gpu_choice import chosen_gpus
from engine.parameters.speculation import read_speculation

if TYPE_CHECKING:
    from engine.domain.lifecycle import ParameterValue


def group_name(group: str) -> str:
    """A group of the catalog."""
    return {
        "Batching": _tr("Batching"),
        "Memory": _tr("Memory"),
        "Cache": _tr("Cache"),
        "Execution": _tr("Execution"),
        "Adapters": _tr("Adapters"),
        "Parallel": _tr("Parallel"),
    }.get(group, group)


def unit_name(unit: str) -> str:
    """A unit of the catalog."""
    return {
        "tokens": _tr("tokens"),
        "requests": _tr("requests"),
        "blocks": _tr("blocks"),
        "devices": _tr("devices"),
        "engines": _tr("engines"),
        "adapters": _tr("adapters"),
        "bytes": _tr("bytes"),
    }.get(unit, unit)


def short_value(name: str, value: ParameterValue) -> str:
    """A long value in a few words; empty where it is short as it is."""
    if name == "gpu_uuids" and (chosen := chosen_gpus(value)):
        return _tr("GPUs: {}").format(len(chosen))
    if name != "speculative_config":
        return ""
    try:
        found = read_speculation(value)
    except ParameterInvalid:
        return _tr("as JSON")
    if found is None:
        return ""
    return found.method if found.tokens is None else f"{found.method} × {found.tokens}"


def change_source(by: str) -> str:
    """Who asked for a live change, as the engine noted it."""
    return {
        "window": _tr("from the window"),
        "tuner": _tr("by the tuner"),
        "sweep": _tr("by a sweep"),
        "ab": _tr("by an A/B comparison"),
        "experiment": _tr("by an experiment"),
    }.get(by, by)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ParameterWords", text)
