"""How far a build is and how long it will take: one JSON object a line on standard output, the newest also on disk."""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.checkpoints.starter_folders import PROGRESS_FILE
from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.checkpoints.starter_recipe import VariantRecipe

_TRUSTED_SHARE = 0.05  # of a build: below it, its own speed says less than the recipe's expectation
_SAVE_EVERY_S = 0.25
_SLOWEST, _FASTEST = 20.0, 0.2  # how far this machine may differ from the recipe's, for the first guess


@dataclass(slots=True)
class _Variant:
    recipe: VariantRecipe
    began: float
    first: float  # progress at which this process took over
    progress: float


class Report:
    """Collects the progress of the variants still to be built and emits it. Times are seconds."""

    def __init__(
        self, variants: Sequence[VariantRecipe], destination: Path, emit: Callable[[dict[str, Any]], None]
    ) -> None:
        self._waiting = list(variants)
        self._file = destination / PROGRESS_FILE
        self._emit = emit
        self._began = time.monotonic()
        self._expected_s = sum(variant.expected_s for variant in variants) or 1.0
        self._finished_s = 0.0  # expected seconds of the variants that are done
        self._saved = 0.0
        self._current: _Variant | None = None

    def begin(self, recipe: VariantRecipe, progress: float) -> None:
        """A variant's build begins, or goes on at `progress` (0 to 1)."""
        self._current = _Variant(recipe, time.monotonic(), progress, progress)
        self._waiting = [variant for variant in self._waiting if variant.key != recipe.key]

    def at(self, step: str, progress: float) -> None:
        """The present variant is at `progress` (0 to 1), doing `step`."""
        current = self._current
        assert current is not None
        current.progress = max(current.progress, min(progress, 1.0))
        elapsed = time.monotonic() - current.began
        remaining = self._remaining(current, elapsed)
        total_elapsed = time.monotonic() - self._began
        others = sum(variant.expected_s for variant in self._waiting) * self._pace(total_elapsed)
        line = {
            "event": "progress",
            "variant": current.recipe.key,
            "step": step,
            "progress": round(current.progress, 4),
            "elapsed_s": round(elapsed, 2),
            "remaining_s": round(remaining, 1),
            "overall": round(self._overall(), 4),
            "total_elapsed_s": round(total_elapsed, 2),
            "total_remaining_s": round(remaining + others, 1),
        }
        self._emit(line)
        self._save(line)

    def ready(self, recipe: VariantRecipe, folder: Path, quality: dict[str, Any] | None) -> None:
        """A variant is whole."""
        self._close(recipe)
        elapsed = None if self._current is None else round(time.monotonic() - self._current.began, 2)
        self._emit(
            {"event": "ready", "variant": recipe.key, "path": str(folder), "quality": quality, "elapsed_s": elapsed}
        )

    def failed(self, recipe: VariantRecipe, reason: dict[str, str]) -> None:
        """A variant is not shipped."""
        self._close(recipe)
        self._emit({"event": "failed", "variant": recipe.key, **reason})

    def close(self) -> None:
        """Nothing runs any more."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _close(self, recipe: VariantRecipe) -> None:
        self._finished_s += recipe.expected_s
        self._waiting = [variant for variant in self._waiting if variant.key != recipe.key]
        if self._current is not None:
            self._current.progress = 0.0

    def _overall(self) -> float:
        running = self._current.recipe.expected_s * self._current.progress if self._current else 0.0
        return min(1.0, (self._finished_s + running) / self._expected_s)

    def _remaining(self, current: _Variant, elapsed: float) -> float:
        done = current.progress - current.first
        if done < _TRUSTED_SHARE:
            return current.recipe.expected_s * (1 - current.progress) * self._pace(time.monotonic() - self._began)
        return elapsed * (1 - current.progress) / done

    def _pace(self, total_elapsed: float) -> float:
        """This machine's time over the recipe's, from what has been built so far; 1 when there is too little of it."""
        current = self._current
        done_s = self._finished_s
        if current is not None:
            done_s += current.recipe.expected_s * (current.progress - current.first)
        if done_s < _TRUSTED_SHARE * self._expected_s:
            return 1.0
        return min(_SLOWEST, max(_FASTEST, total_elapsed / done_s))

    def _save(self, line: dict[str, Any]) -> None:
        now = time.monotonic()
        if now - self._saved < _SAVE_EVERY_S:
            return
        self._saved = now
        # Only for other processes that ask; where it cannot be written, the build itself will say why.
        with contextlib.suppress(OSError):
            write_whole(self._file, json.dumps(line).encode())
