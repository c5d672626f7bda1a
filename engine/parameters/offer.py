"""One change that would mend a fault, with the words of its button."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.parameters.speculation import NGRAM, with_method

if TYPE_CHECKING:
    from engine.domain.lifecycle import ParameterValue

Offer = tuple[str, "dict[str, ParameterValue]"]


def offer(name: str, value: ParameterValue) -> Offer:
    """The button that sets one parameter; None leaves it to vLLM."""
    if value is None:
        return f"Leave {name} to vLLM", {name: None}
    if isinstance(value, bool):
        return f"Switch {name} {'on' if value else 'off'}", {name: value}
    return f"Set {name} to {value:g}" if isinstance(value, float) else f"Set {name} to {value}", {name: value}


def without_speculation() -> Offer:
    """The button that guesses nothing ahead."""
    return "Load without speculation", {"speculative_config": None}


def ngram_speculation() -> Offer:
    """The button that needs no draft: it looks in the request itself."""
    return "Guess by n-grams of the request", {"speculative_config": with_method(None, NGRAM, None).text()}
