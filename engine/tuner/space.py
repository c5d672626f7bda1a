"""The grid that axes span: its points, which of them can be, and where they lie for the optimizer."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.domain.lifecycle import ParameterValue
from engine.parameters.rules import Surroundings, find_problems
from engine.parameters.spec import Kind
from engine.parameters.values import merge, spec_of
from engine.tuner.apply import in_force, needs_reload
from engine.tuner.spec import SpecInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from engine.domain.lifecycle import HostStatus
    from engine.tuner.spec import Axis, Setting

_NO_LIMIT: Mapping[str, ParameterValue] = {"long_prefill_token_threshold": 0}  # a number that means "as many as fit"
# Live under their capacity: past it they need one larger load, and make no group of points of their own.
_SIZES = ("max_num_seqs", "max_num_batched_tokens")
_WIDE = 4.0  # an axis whose largest value is this many times its smallest is laid out by its logarithm

ReloadPart = tuple[tuple[str, ParameterValue], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a grid. `reload` holds the values that only a load brings into force, as a key to group by.

    `needs_room`: a live limit of it is above the capacity that the engine was loaded with.
    """

    index: int
    setting: Setting
    reload: ReloadPart
    needs_room: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """All points that can be, the axes' coordinates of each (0 to 1), and what live limits must be loaded with.

    `left_out` counts points that contradict themselves. `present` is the index of the setting in force, None where the
    grid does not have it; `loaded` is the reload part of what is loaded.
    """

    points: tuple[Point, ...]
    coordinates: NDArray[np.float64]
    capacity: Setting
    left_out: int
    present: int | None
    loaded: ReloadPart


def span(axes: tuple[Axis, ...], status: HostStatus) -> Grid:
    """The grid over this engine. Raises SpecInvalid where no point can be, EngineBusy where none is ready."""
    facts = status.lifecycle.facts
    before = in_force(status)
    around = Surroundings(device="" if facts is None else facts.device)
    places = [_places(axis) for axis in axes]
    points, coordinates, left_out = [], [], 0
    problem = ""
    for chosen in itertools.product(*(range(len(axis.values)) for axis in axes)):
        checked = {
            axis.name: spec_of(axis.name).check(axis.values[at]) for axis, at in zip(axes, chosen, strict=True)
        }
        found = [one for one in find_problems(merge(checked), around) if one.blocking]
        if found:
            left_out, problem = left_out + 1, found[0].message
            continue
        points.append(checked)
        coordinates.append([place[at] for place, at in zip(places, chosen, strict=True)])
    if not points:
        raise SpecInvalid(f"No point of the grid can be: {problem}", remedy="Change the values.")
    names = [needs_reload(setting, status) for setting in points]
    restart = sorted({name for each in names for name in each if name not in _SIZES})
    made = tuple(
        Point(i, setting, _part(restart, {**before, **setting}), needs_room=any(name in _SIZES for name in names[i]))
        for i, setting in enumerate(points)
    )
    present = next((p.index for p in made if all(before.get(n) == v for n, v in p.setting.items())), None)
    return Grid(made, np.array(coordinates, dtype=float), _capacity(axes), left_out, present, _part(restart, before))


def _part(restart: list[str], values: Setting) -> ReloadPart:
    return tuple((name, values.get(name)) for name in restart)


def _capacity(axes: tuple[Axis, ...]) -> Setting:
    """The largest value of each live limit: what an engine that is loaded anew has to have room for."""
    room: Setting = {}
    for axis in axes:
        numbers = [value for value in axis.values if isinstance(value, int) and not isinstance(value, bool)]
        if axis.name in _SIZES and numbers:
            room[axis.name] = max(numbers)
    return room


def _places(axis: Axis) -> list[float]:
    """Where each value of an axis lies between 0 and 1."""
    if len(axis.values) == 1:
        return [0.0]
    numbers = _numbers(axis)
    if numbers is None:
        return [at / (len(axis.values) - 1) for at in range(len(axis.values))]
    low, high = min(numbers), max(numbers)
    if low > 0 and high / low >= _WIDE:
        numbers = [math.log(number) for number in numbers]
        low, high = min(numbers), max(numbers)
    return [(number - low) / (high - low) for number in numbers]


def _numbers(axis: Axis) -> list[float] | None:
    """The values as numbers on one scale, "no limit" at twice the largest; None where they are no numbers."""
    if spec_of(axis.name).kind not in (Kind.INT, Kind.FLOAT):
        return None
    unlimited = _NO_LIMIT.get(axis.name)
    found = [v for v in axis.values if isinstance(v, int | float) and (unlimited is None or v != unlimited)]
    if not found:
        return None
    top = 2.0 * max(found)
    return [
        top if value is None or (unlimited is not None and value == unlimited) else float(value)
        for value in axis.values
    ]
