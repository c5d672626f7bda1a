"""Sets of parameter values: defaults under saved ones under edits, checked row by row and across rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.errors import ParameterInvalid
from engine.parameters.catalog import CATALOG, defaults
from engine.parameters.rules import Surroundings, find_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue
    from engine.parameters.spec import ParameterSpec


def spec_of(name: str) -> ParameterSpec:
    """The row of `name`. Raises ParameterInvalid for a name that the table does not have."""
    try:
        return CATALOG[name]
    except KeyError:
        raise ParameterInvalid(
            f"There is no parameter named {name!r}.", remedy="Choose a name from the parameters panel."
        ) from None


def check_each(values: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Each value in its row's type. Raises ParameterInvalid at the first that does not fit its row."""
    return {name: spec_of(name).check(value) for name, value in values.items()}


def merge(*layers: Mapping[str, ParameterValue], device: str = "") -> dict[str, ParameterValue]:
    """A value for every row: the defaults, then each layer over the one before (saved values, then edits).

    Rows of another device than `device` are left out, so that a profile made on a GPU also serves on the CPU.
    Raises ParameterInvalid for an unknown name or a value that does not fit its row.
    """
    merged = defaults(device)
    for layer in layers:
        merged |= {name: value for name, value in check_each(layer).items() if name in merged}
    return merged


def deviations(values: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Only what differs from the defaults, in table order: what is saved, sent and exported.

    Raises ParameterInvalid as `check_each` does.
    """
    checked = check_each(values)
    return {name: checked[name] for name, row in CATALOG.items() if name in checked and checked[name] != row.default}


def require_valid(
    values: Mapping[str, ParameterValue], surroundings: Surroundings | None = None
) -> dict[str, ParameterValue]:
    """The merged values, if they fit their rows and each other. Raises ParameterInvalid with the first fault.

    This is the check before a load; a table that shows every fault at once asks `find_problems`.
    """
    around = surroundings or Surroundings()
    merged = merge(values, device=around.device)
    for problem in find_problems(merged, around):
        if problem.blocking:
            raise ParameterInvalid(problem.message, remedy=problem.remedy, offers=problem.offers)
    return merged
