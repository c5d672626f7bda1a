"""Presets: named sets of values from vLLM practice, kept as data in resources/presets/*.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.parameters.values import check_each, deviations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue

_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "presets"
_ORDER = ("defaults", "throughput", "latency")


@dataclass(frozen=True, slots=True)
class Preset:
    """One preset. `sentence` says what it is for and what it costs; `notes` name arguments of older guides that such
    presets used to set, and what became of them. Values of a device go over the common ones."""

    name: str
    title: str
    sentence: str
    notes: tuple[str, ...]
    common: Mapping[str, ParameterValue]
    by_device: Mapping[str, Mapping[str, ParameterValue]]

    def values(self, device: str = "") -> dict[str, ParameterValue]:
        """The deviations that this preset sets on `device` ("cuda", "cpu", "" where unknown)."""
        return deviations({**self.common, **self.by_device.get(device, {})})


def _read(path: Path, replaced: Mapping[str, str]) -> Preset:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return Preset(
        name=path.stem,
        title=data["title"],
        sentence=data["sentence"],
        notes=tuple(replaced[name] for name in data.get("replaced", [])),
        common=check_each(data.get("values", {})),
        by_device={device: check_each(values) for device, values in data.get("device", {}).items()},
    )


@cache
def replaced_arguments() -> Mapping[str, str]:
    """Arguments of older vLLM releases that are gone, each with a sentence on what took its place."""
    data = tomllib.loads((_FOLDER / "replaced.toml").read_text(encoding="utf-8"))
    return MappingProxyType(dict(data["arguments"]))


@cache
def presets() -> Mapping[str, Preset]:
    """All presets by name, in the order in which they are offered."""
    replaced = replaced_arguments()
    return MappingProxyType({name: _read(_FOLDER / f"{name}.toml", replaced) for name in _ORDER})
