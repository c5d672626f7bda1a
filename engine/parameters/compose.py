"""vLLM's service in a docker compose file."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_IMAGE = re.compile(r"(^|/)vllm")


@dataclass(frozen=True, slots=True)
class Service:
    """A service that runs vLLM: the words of its command, its variables (NAME=VALUE), its mounts by inner folder."""

    words: tuple[str, ...]
    variables: tuple[str, ...]
    mounts: dict[str, str]


def vllm_service(content: Mapping[object, object]) -> Service | None:
    """The first service with an image of vLLM; None where this is no compose file, or it has none."""
    services = content.get("services")
    if not isinstance(services, dict):
        return None
    for service in services.values():
        if isinstance(service, dict) and _IMAGE.search(str(service.get("image", ""))):
            return Service(
                (*_words(service.get("entrypoint")), *_words(service.get("command"))),
                _variables(service.get("environment")),
                _mounts(service.get("volumes")),
            )
    return None


def _words(value: object) -> list[str]:
    """A command or entry point: a line as a shell has it, or its words. Raises ValueError for an open quotation."""
    if isinstance(value, list):
        return [str(each) for each in value]
    return shlex.split(value) if isinstance(value, str) else []


def _variables(value: object) -> tuple[str, ...]:
    if isinstance(value, dict):
        return tuple(f"{name}={text}" for name, text in value.items() if text is not None)
    return tuple(str(each) for each in value if "=" in str(each)) if isinstance(value, list) else ()


def _mounts(value: object) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in value if isinstance(value, list) else []:
        if isinstance(each, dict):
            outside, inside = each.get("source"), each.get("target")
        else:
            outside, inside = [*str(each).split(":"), None][:2]
        if outside and inside:
            found[str(inside).rstrip("/")] = str(outside)
    return found
