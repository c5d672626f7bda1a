"""Reads the JSON files of a checkpoint folder with bounds, and finds the part that describes the language model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

JsonObject = dict[str, Any]

# config.json has a few kilobytes; tokenizer_config.json a few hundred, with every added token spelled out.
_MAX_BYTES = 64 << 20

# Where multimodal configurations keep the language model's own part, in the order in which they are tried.
_TEXT_PARTS = ("text_config", "llm_config", "language_config", "language_model_config", "thinker_config")


def read_object(path: Path) -> JsonObject | None:
    """The JSON object in `path`, None where there is no such file.

    Raises CheckpointInvalid, with the place of the fault, for a file that is truncated, no JSON, no object, over
    64 MiB, or unreadable.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise CheckpointInvalid(
                f"{path.name} has {path.stat().st_size:,} bytes, far more than such a file can need.",
                remedy="Download or copy this file again.",
            )
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CheckpointInvalid(
            f"{path.name} cannot be read: {error.strerror or error}.", remedy="Check the file's permissions and disk."
        ) from error
    return _parse(path, raw)


def _parse(path: Path, raw: bytes) -> JsonObject:
    remedy = "Download or copy this file again."
    if not raw.strip():
        raise CheckpointInvalid(f"{path.name} is empty.", remedy=remedy)
    try:
        value = json.loads(raw)
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        why = "ends too early" if at_end else "is not valid JSON"
        raise CheckpointInvalid(f"{path.name} {why} (line {error.lineno}: {error.msg}).", remedy=remedy) from None
    except (ValueError, RecursionError) as error:
        raise CheckpointInvalid(f"{path.name} is not valid JSON ({error}).", remedy=remedy) from None
    if not isinstance(value, dict):
        raise CheckpointInvalid(f"{path.name} holds no JSON object.", remedy=remedy)
    return value


def text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of a configuration that describes the language model: itself, or a nested one over it."""
    for key in _TEXT_PARTS:
        nested = config.get(key)
        if isinstance(nested, dict) and nested:
            return {**config, **text_part(nested)}
    return config


def whole(config: Mapping[str, Any], *keys: str) -> int | None:
    """The first of `keys` that holds a positive whole number (a list's first, where all layers give one)."""
    for key in keys:
        value = config.get(key)
        if isinstance(value, list) and value:
            value = max((item for item in value if isinstance(item, int)), default=None)
        if isinstance(value, float) and value == value and abs(value) < 1e15 and value == int(value):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 53:
            return value
    return None


def text_of(config: Mapping[str, Any], key: str) -> str | None:
    """The text under `key`, None where there is none."""
    value = config.get(key)
    return value if isinstance(value, str) and value else None


def object_of(config: Mapping[str, Any], key: str) -> JsonObject:
    """The object under `key`, empty where there is none."""
    value = config.get(key)
    return value if isinstance(value, dict) else {}
