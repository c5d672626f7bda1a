"""Whether a wish for live limits can be met: each value against its range, before anything changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.errors import ParameterInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def whole(request: Mapping[str, Any], name: str, low: int, high: int) -> int | None:
    """A whole number from `low` to `high`, None where none is wished. Raises ParameterInvalid."""
    value = request.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterInvalid(f"{name} is a whole number, not {value!r}.", remedy=_range_remedy(low, high))
    if not low <= value <= high:
        over = f" The capacity fixed at load is {high}." if value > high else ""
        message = f"{name} cannot be {value} while the engine runs.{over}"
        raise ParameterInvalid(message, remedy=_range_remedy(low, high))
    return value


def share(request: Mapping[str, Any], name: str) -> float | None:
    """A share from 0 to less than 1, None where none is wished. Raises ParameterInvalid."""
    value = request.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise ParameterInvalid(f"{name} cannot be {value!r}.", remedy="Choose a share from 0 to less than 1.")
    return float(value)


def flag(request: Mapping[str, Any], name: str) -> bool | None:
    """On or off, None where neither is wished. Raises ParameterInvalid."""
    value = request.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise ParameterInvalid(f"{name} is on or off, not {value!r}.", remedy="Switch it on or off.")


def choice(request: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str | None:
    """One of `choices`, None where none is wished. Raises ParameterInvalid."""
    value = request.get(name)
    if value is not None and value not in choices:
        raise ParameterInvalid(f"{name} cannot be {value!r}.", remedy=f"Choose one of {', '.join(choices)}.")
    return value


def _range_remedy(low: int, high: int) -> str:
    return f"Choose a value from {low} to {high}, or reload the engine with a larger one."
