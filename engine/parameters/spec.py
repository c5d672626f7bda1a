"""What one tunable is: the row type of the parameter table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.domain.errors import ParameterInvalid
from engine.parameters.offer import offer

if TYPE_CHECKING:
    from engine.domain.lifecycle import ParameterValue


class Applies(StrEnum):
    """When a changed value takes effect."""

    LIVE = "live"
    RESTART = "restart"


class Kind(StrEnum):
    """The type of a value, which decides its editor. AUTO values may also be None, "let vLLM decide"."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    CHOICE = "choice"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """One tunable of the engine.

    `name` is vLLM's own argument name. `default` None means "vLLM decides". `minimum` and `maximum` are inclusive.
    `unit` is "", "tokens", "requests", "GiB", ... `help` is one sentence and what it costs. `group` orders the table.
    """

    name: str
    kind: Kind
    group: str
    applies: Applies
    default: ParameterValue
    help: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    step: float | None = None
    device: str = ""  # "" everywhere, "cuda" or "cpu" where it has meaning on one only

    def check(self, value: ParameterValue) -> ParameterValue:
        """Return the value in the spec's type, or raise ParameterInvalid with the range in the message."""
        if value is None:
            if self.optional:
                return None
            raise ParameterInvalid(f"{self.name} needs a value.", remedy=self._remedy())
        if self.kind is Kind.BOOL:
            return self._check_bool(value)
        if self.kind in (Kind.INT, Kind.FLOAT):
            return self._check_number(value)
        text = str(value)
        if self.kind is Kind.CHOICE and text not in self.choices:
            offers = (offer(self.name, self.default),)
            raise ParameterInvalid(f"{self.name} cannot be {text!r}.", remedy=self._remedy(), offers=offers)
        return text

    def _check_bool(self, value: ParameterValue) -> bool:
        if isinstance(value, bool):
            return value
        raise ParameterInvalid(f"{self.name} is on or off, not {value!r}.", remedy=self._remedy())

    def _check_number(self, value: ParameterValue) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ParameterInvalid(f"{self.name} is a number, not {value!r}.", remedy=self._remedy())
        if self.kind is Kind.INT and (not math.isfinite(value) or value != int(value)):
            raise ParameterInvalid(f"{self.name} is a whole number, not {value}.", remedy=self._remedy())
        low, high = self.minimum, self.maximum
        if value != value or (low is not None and value < low) or (high is not None and value > high):
            nearest = low if low is not None and not value >= low else high
            fitting = int(nearest or 0) if self.kind is Kind.INT else nearest
            offers = (offer(self.name, fitting),)
            raise ParameterInvalid(f"{self.name} cannot be {value}.", remedy=self._remedy(), offers=offers)
        return int(value) if self.kind is Kind.INT else float(value)

    def _remedy(self) -> str:
        if self.kind is Kind.CHOICE:
            return f"Choose one of {', '.join(self.choices)}."
        if self.kind is Kind.BOOL:
            return "Switch it on or off."
        if self.minimum is not None and self.maximum is not None:
            return f"Choose a value from {self.minimum:g} to {self.maximum:g}."
        if self.minimum is not None:
            return f"Choose a value of at least {self.minimum:g}."
        return "Enter a value."
