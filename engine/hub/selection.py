"""Which files of a repository a download takes: what vLLM reads, and nothing twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SMALL = (".json", ".txt", ".model", ".jinja", ".tiktoken", ".md", ".py", ".yaml")
_NAMED = ("LICENSE", "LICENSE.txt", "NOTICE", "USE_POLICY.md")
_PICKLED = (".bin", ".pt", ".pth", ".pkl", ".ckpt")
_OTHER_PROGRAMS = ("onnx/", "openvino/", "coreml/", "original/", "tflite/", "runs/", ".git")


def wanted_files(names: Iterable[str]) -> tuple[str, ...]:
    """The files to fetch, in the repository's order.

    Safetensors where there are any, else GGUF, else pickled weights (which the library marks as such, and which
    are loaded only after an explicit yes). Consolidated copies of sharded weights are left out.
    """
    candidates = [name for name in names if not name.startswith(_OTHER_PROGRAMS)]
    weights = _weights(candidates)
    return tuple(name for name in candidates if name in weights or _is_small(name))


def pickled_files(names: Iterable[str]) -> tuple[str, ...]:
    """Files that run code when they are read."""
    return tuple(name for name in names if name.endswith(_PICKLED))


def code_files(names: Iterable[str]) -> tuple[str, ...]:
    """Python files that come with the model."""
    return tuple(name for name in names if name.endswith(".py"))


def _weights(names: list[str]) -> set[str]:
    safetensors = {name for name in names if name.endswith(".safetensors")}
    if safetensors:
        sharded = any("-of-" in name for name in safetensors)
        return {name for name in safetensors if not (sharded and name.startswith("consolidated"))} or safetensors
    gguf = {name for name in names if name.endswith(".gguf")}
    return gguf or {name for name in names if name.endswith(_PICKLED) and "training_args" not in name}


def _is_small(name: str) -> bool:
    return name.endswith(_SMALL) or name.rpartition("/")[2] in _NAMED
