"""The starter model for a window: what is there of it, and a build of it that can be followed and cancelled.

The build itself is a program of its own (`python -m engine.quantize build`): it needs torch, takes both cores, and may
be killed at any time. Nothing here imports torch.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.checkpoints.starter_folders import status, variant_on_disk
from engine.checkpoints.starter_recipe import load_recipe
from engine.domain.child_program import ChildProgram, Ending, hand_over
from engine.domain.errors import EngineBusy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from engine.checkpoints.starter_recipe import Recipe
    from engine.domain.checkpoint import StarterProgress, StarterVariant

_KILL_AFTER_S = 5.0


class StarterBuild:
    """The starter model in `destination`; `python` is the interpreter of the environment that has torch."""

    def __init__(self, destination: Path, python: str = sys.executable, recipe: Path | None = None) -> None:
        self._destination = destination
        self._python = python
        self._recipe_file = recipe
        self._recipe: Recipe = load_recipe() if recipe is None else load_recipe(recipe)
        self._program: ChildProgram | None = None
        self._cancelled = threading.Event()

    @property
    def running(self) -> bool:
        """Whether a build that this object started is running."""
        return self._program is not None

    def status(self) -> StarterProgress:
        """The starter model as it is on disk, whoever builds it. Takes about a millisecond."""
        return status(self._recipe, self._destination)

    async def run(self, variants: Sequence[str] = ()) -> AsyncIterator[StarterProgress]:
        """Build these variants (all when empty) and yield the state after each step; unfinished ones are taken up.

        The last state has `running` false, and `error` and `remedy` where something went wrong; a cancelled build ends
        without an error. Closing the iterator cancels the build. Raises EngineBusy when this object builds already.
        """
        if self._program is not None:
            raise EngineBusy("The starter model is being built already.", remedy="Wait for it, or cancel it.")
        states: asyncio.Queue[StarterProgress | None] = asyncio.Queue()
        self._cancelled.clear()
        self._start(variants, partial(hand_over, asyncio.get_running_loop(), states.put_nowait))
        ended = False
        try:
            yield replace(self.status(), running=True, step="Starting", progress=0.0, error=None)
            while (state := await states.get()) is not None:
                yield state
            ended = True
        finally:
            self.cancel()
            while not ended:  # as long as the program needs to tidy up, at most until it is killed
                ended = await states.get() is None
            self._program = None

    def _start(self, variants: Sequence[str], tell: Callable[[StarterProgress | None], None]) -> None:
        arguments = ["engine.quantize", "build", "--json", "--parent-pid", str(os.getpid())]
        arguments += ["--dest", str(self._destination), "--variants", ",".join(variants)]
        if self._recipe_file is not None:
            arguments += ["--recipe", str(self._recipe_file)]
        states = _States(self._recipe, self._destination, self._cancelled, tell)
        self._program = ChildProgram("starter-build", arguments, states.take, states.end, python=self._python)
        self._program.follow()

    def cancel(self) -> None:
        """Stop a running build and return at once; what is finished stays, and the next build goes on from there.

        A build may be killed at any point: what looks ready is ready.
        """
        if self._program is not None and self._program.running:
            self._cancelled.set()
            self._program.terminate(_KILL_AFTER_S)


class _States:
    """Turns the program's lines into states and tells each; None after the last."""

    def __init__(
        self,
        recipe: Recipe,
        destination: Path,
        cancelled: threading.Event,
        tell: Callable[[StarterProgress | None], None],
    ) -> None:
        self._recipe = recipe
        self._destination = destination
        self._cancelled = cancelled
        self._tell = tell
        self._state = replace(status(recipe, destination), running=True)
        self._fault: dict[str, Any] | None = None

    def take(self, line: bytes) -> None:
        """Make a state of one line, where it tells one."""
        with contextlib.suppress(ValueError):  # a library's own print is none of ours
            self._take(json.loads(line))

    def end(self, ending: Ending) -> None:
        """Tell the last state."""
        self._tell(self._last(ending))
        self._tell(None)

    def _take(self, line: dict[str, Any]) -> None:
        event = line.get("event")
        if event in ("error", "failed"):
            self._fault = line
        if event == "progress":
            self._state = replace(
                self._state,
                variants=self._variants(line["variant"]),
                progress=line["overall"],
                step=line["step"],
                elapsed_s=line["total_elapsed_s"],
                remaining_s=line["total_remaining_s"],
            )
        elif event in ("ready", "failed"):
            self._state = replace(self._state, variants=self._variants(None))
        else:
            return
        self._tell(self._state)

    def _variants(self, building: str | None) -> tuple[StarterVariant, ...]:
        keys = (variant.key for variant in self._recipe.variants)
        return tuple(variant_on_disk(self._recipe, self._destination, key, building) for key in keys)

    def _last(self, ending: Ending) -> StarterProgress:
        state = replace(
            self._state,
            variants=self._variants(None),
            running=False,
            step="",
            remaining_s=None,
            error=None,
            remedy=None,
        )
        if ending.code == 0:
            return replace(state, progress=1.0)
        if self._fault is not None:
            return replace(state, error=str(self._fault["message"]), remedy=str(self._fault["remedy"]))
        if self._cancelled.is_set():  # whether it tidied up or had to be killed
            return state
        return replace(state, error=ending.cause("The build"), remedy="Build again; what is finished is kept.")
