"""How the tests run the build program, and a recipe cut down to a few layers of the real model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from engine.checkpoints.starter_recipe import RECIPE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PATIENCE_S = 240


def write_recipe(path: Path, *, layers: int, change: Callable[[dict[str, Any]], None] | None = None) -> Path:
    """The real recipe with `layers` decoder layers, few tokens and no quality bound: a cut model is no good model."""
    recipe = json.loads(RECIPE_FILE.read_text(encoding="utf-8"))
    recipe["layers"] = layers
    recipe["calibration"] = {"tokens": 512, "sequence": 128}
    recipe["held_out"] = {"tokens": 200, "sequence": 100}
    for variant in recipe["variants"]:
        variant["max_kl"] = None
    if change is not None:
        change(recipe)
    path.write_text(json.dumps(recipe), encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True)
class Built:
    """What a finished build program said."""

    code: int
    lines: tuple[dict[str, Any], ...]
    stderr: str

    def of(self, event: str) -> list[dict[str, Any]]:
        """Its lines of this kind."""
        return [line for line in self.lines if line["event"] == event]


def command(destination: Path, recipe: Path, variants: Sequence[str]) -> list[str]:
    """The build program's command line."""
    program = [sys.executable, "-m", "engine.quantize", "build", "--json"]
    return [*program, "--dest", str(destination), "--recipe", str(recipe), "--variants", ",".join(variants)]


def build(
    destination: Path, recipe: Path, *variants: str, prefix: Sequence[str] = (), timeout_s: float = PATIENCE_S
) -> Built:
    """Run a whole build; `prefix` goes before the command."""
    done = subprocess.run(
        [*prefix, *command(destination, recipe, variants)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    )
    return Built(done.returncode, tuple(json.loads(line) for line in done.stdout.splitlines()), done.stderr)


class Running:
    """A build program that runs, its lines as they come. Use as a context: nothing is left running."""

    def __init__(self, destination: Path, recipe: Path, *variants: str) -> None:
        self.process = subprocess.Popen(
            command(destination, recipe, variants), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def lines(self) -> Iterator[dict[str, Any]]:
        """Its lines until it ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield json.loads(line)

    def wait_for(self, step: str, variant: str) -> None:
        """Read until the program is at this step of this variant."""
        for line in self.lines():
            if line.get("step") == step and line["variant"] == variant:
                return
        raise AssertionError(f"the build ended before {step!r}: {self.process.communicate()}")
