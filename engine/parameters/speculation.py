"""Speculative decoding as values that can be edited and checked, from and to vLLM's JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from engine.domain.errors import ParameterInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue

NGRAM, DRAFT, EAGLE, EAGLE3, MTP = "ngram", "draft_model", "eagle", "eagle3", "mtp"
METHODS = (NGRAM, DRAFT, EAGLE, EAGLE3, MTP)
"""The methods that the editor knows, as vLLM names them; any other stays as it was written."""

NEED_DRAFT = frozenset({DRAFT, EAGLE, EAGLE3})
MOST_TOKENS, MOST_LOOKUP = 32, 64
DEFAULT_TOKENS = 4
# vLLM's own when neither is given (0.26 to 0.33).
LOOKUP_DEFAULT = 5
_EXAMPLE = 'Write for example {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4}.'


@dataclass(frozen=True, slots=True)
class Speculation:
    """How tokens are guessed ahead. `tokens` is how many a step (None: as the draft model says), `model` the draft
    checkpoint's folder. An n-gram of `lookup_min` to `lookup_max` tokens is looked up in the request itself.
    `others` are options that the editor does not know; they are kept."""

    method: str
    tokens: int | None = DEFAULT_TOKENS
    model: str | None = None
    lookup_min: int | None = None
    lookup_max: int | None = None
    others: Mapping[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """The JSON that vLLM takes."""
        known = {
            "method": self.method,
            "model": self.model if self.method not in (NGRAM, MTP) else None,
            "num_speculative_tokens": self.tokens,
            "prompt_lookup_min": self.lookup_min if self.method == NGRAM else None,
            "prompt_lookup_max": self.lookup_max if self.method == NGRAM else None,
        }
        return json.dumps({name: value for name, value in known.items() if value is not None} | dict(self.others))


def read_speculation(value: ParameterValue) -> Speculation | None:
    """What the parameter says; None where it is empty. Raises ParameterInvalid with what is wrong with it."""
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        config = json.loads(value)
    except (ValueError, RecursionError):
        raise ParameterInvalid("speculative_config is not valid JSON.", remedy=_EXAMPLE) from None
    if not isinstance(config, dict):
        raise ParameterInvalid("speculative_config must be a JSON object.", remedy=_EXAMPLE)
    if "method" not in config and "model" not in config:
        raise ParameterInvalid("speculative_config names neither a method nor a draft model.", remedy=_EXAMPLE)
    return _typed(config)


def _typed(config: dict[str, Any]) -> Speculation:
    method, model = config.pop("method", None), config.pop("model", None)
    if model in (NGRAM, f"[{NGRAM}]") and method is None:
        method, model = NGRAM, None
    if not isinstance(method, str | None) or not isinstance(model, str | None):
        raise ParameterInvalid("speculative_config's method and model are names.", remedy=_EXAMPLE)
    tokens = _whole(config, "num_speculative_tokens", MOST_TOKENS)
    low, high = (_whole(config, f"prompt_lookup_{end}", MOST_LOOKUP) for end in ("min", "max"))
    if low is not None and high is not None and low > high:
        raise ParameterInvalid(
            f"prompt_lookup_min ({low}) is over prompt_lookup_max ({high}).", remedy=f"Lower it to {high} or less."
        )
    found = Speculation(method or DRAFT, tokens, model, low, high, config)
    _require_parts(found)
    return found


def _require_parts(found: Speculation) -> None:
    if found.method in NEED_DRAFT and not found.model:
        raise ParameterInvalid(f"The method {found.method} needs a draft checkpoint.", remedy="Choose one.")
    if found.tokens is None and found.method in (NGRAM, DRAFT):
        raise ParameterInvalid(
            "speculative_config does not say how many tokens to guess.", remedy="Set num_speculative_tokens to 4."
        )


def _whole(config: dict[str, Any], name: str, most: int) -> int | None:
    value = config.pop(name, None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ParameterInvalid(f"{name} cannot be {value!r}.", remedy=f"Choose a whole number from 1 to {most}.")
    return value


def with_method(present: Speculation | None, method: str, draft: str | None) -> Speculation:
    """The same speculation by another method; `draft` is the checkpoint that suits it, None where it needs none."""
    base = present or Speculation(method)
    low, high = (base.lookup_min, base.lookup_max) if method == NGRAM else (None, None)
    if method == NGRAM and low is None and high is None:
        low, high = 2, 4
    return replace(base, method=method, model=draft, lookup_min=low, lookup_max=high)
