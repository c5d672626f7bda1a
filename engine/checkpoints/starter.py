"""The starter model for a window: what is there of it, and a build of it that can be followed and cancelled.

The build itself is a program of its own (`python -m engine.quantize build`): it needs torch, takes both cores, and may
be killed at any time. Nothing here imports torch.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.checkpoints.starter_folders import status, variant_on_disk
from engine.checkpoints.starter_recipe import load_recipe
from engine.domain.errors import EngineBusy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from engine.checkpoints.starter_recipe import Recipe
    from engine.domain.checkpoint import StarterProgress, StarterVariant

_PROJECT = Path(__file__).resolve().parents[2]
_KILL_AFTER_S = 5.0
_STDERR_LINES = 40
_MODULE_MISSING = "ModuleNotFoundError"


class StarterBuild:
    """The starter model in `destination`; `python` is the interpreter of the environment that has torch."""

    def __init__(self, destination: Path, python: str = sys.executable, recipe: Path | None = None) -> None:
        self._destination = destination
        self._python = python
        self._recipe_file = recipe
        self._recipe: Recipe = load_recipe() if recipe is None else load_recipe(recipe)
        self._process: subprocess.Popen[str] | None = None
        self._cancelled = threading.Event()

    @property
    def running(self) -> bool:
        """Whether a build that this object started is running."""
        return self._process is not None

    def status(self) -> StarterProgress:
        """The starter model as it is on disk, whoever builds it. Takes about a millisecond."""
        return status(self._recipe, self._destination)

    async def run(self, variants: Sequence[str] = ()) -> AsyncIterator[StarterProgress]:
        """Build these variants (all when empty) and yield the state after each step; unfinished ones are taken up.

        The last state has `running` false, and `error` and `remedy` where something went wrong; a cancelled build ends
        without an error. Closing the iterator cancels the build. Raises EngineBusy when this object builds already.
        """
        if self._process is not None:
            raise EngineBusy("The starter model is being built already.", remedy="Wait for it, or cancel it.")
        loop = asyncio.get_running_loop()
        states: asyncio.Queue[StarterProgress | None] = asyncio.Queue()

        def hand_over(state: StarterProgress | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                loop.call_soon_threadsafe(states.put_nowait, state)

        self._cancelled.clear()
        self._start(variants, hand_over)
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
            self._process = None

    def _start(self, variants: Sequence[str], hand_over: Callable[[StarterProgress | None], None]) -> None:
        command = [self._python, "-m", "engine.quantize", "build", "--json", "--parent-pid", str(os.getpid())]
        command += ["--dest", str(self._destination), "--variants", ",".join(variants)]
        if self._recipe_file is not None:
            command += ["--recipe", str(self._recipe_file)]
        path = os.pathsep.join(part for part in (str(_PROJECT), os.environ.get("PYTHONPATH")) if part)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,  # Ctrl+C in the window's terminal is for the window, which then cancels us
        )
        _Follower(self._process, self._recipe, self._destination, self._cancelled, hand_over).start()

    def cancel(self) -> None:
        """Stop a running build and return at once; what is finished stays, and the next build goes on from there."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        self._cancelled.set()
        process.terminate()
        threading.Thread(target=_kill_in_time, args=(process,), name="starter-kill", daemon=True).start()


def _kill_in_time(process: subprocess.Popen[str]) -> None:
    """A build may be killed at any point: what looks ready is ready. Ends with the build where that ends by itself."""
    try:
        process.wait(_KILL_AFTER_S)
    except subprocess.TimeoutExpired:
        process.kill()


class _Follower(threading.Thread):
    """Turns the program's lines into states and hands each over; None after the last."""

    def __init__(
        self,
        process: subprocess.Popen[str],
        recipe: Recipe,
        destination: Path,
        cancelled: threading.Event,
        hand_over: Callable[[StarterProgress | None], None],
    ) -> None:
        super().__init__(name="starter-build", daemon=True)
        self._process = process
        self._recipe = recipe
        self._destination = destination
        self._cancelled = cancelled
        self._hand_over = hand_over
        self._errors: deque[str] = deque(maxlen=_STDERR_LINES)
        self._state = replace(status(recipe, destination), running=True)
        self._fault: dict[str, Any] | None = None

    def run(self) -> None:
        """Follow the program to its end."""
        stderr = threading.Thread(target=self._read_errors, name="starter-build-errors", daemon=True)
        stderr.start()
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with contextlib.suppress(ValueError):  # a library's own print is none of ours
                    self._take(json.loads(line))
        code = self._process.wait()
        stderr.join()
        self._hand_over(self._last(code))
        self._hand_over(None)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            self._errors.extend(lines)

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
        self._hand_over(self._state)

    def _variants(self, building: str | None) -> tuple[StarterVariant, ...]:
        keys = (variant.key for variant in self._recipe.variants)
        return tuple(variant_on_disk(self._recipe, self._destination, key, building) for key in keys)

    def _last(self, code: int) -> StarterProgress:
        state = replace(
            self._state,
            variants=self._variants(None),
            running=False,
            step="",
            remaining_s=None,
            error=None,
            remedy=None,
        )
        if code == 0:
            return replace(state, progress=1.0)
        if self._fault is not None:
            return replace(state, error=str(self._fault["message"]), remedy=str(self._fault["remedy"]))
        if self._cancelled.is_set():  # whether it tidied up or had to be killed
            return state
        return replace(state, error=self._cause(code), remedy="Build again; what is finished is kept.")

    def _cause(self, code: int) -> str:
        """Why the program ended without a word of its own."""
        lines = [line.strip() for line in self._errors if line.strip()]
        if code < 0:
            return f"The build was ended by signal {-code}, perhaps because memory ran out."
        if lines and lines[-1].startswith(_MODULE_MISSING):
            return f"The build needs a Python package that is not installed: {lines[-1].partition(':')[2].strip()}."
        return f"The build ended with code {code}: {lines[-1]}" if lines else f"The build ended with code {code}."
