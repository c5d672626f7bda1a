"""How long each stage of a checkpoint's load took last time, remembered in the cache folder."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from engine.domain.lifecycle import Stage
from engine.domain.paths import cache_dir
from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

log = logging.getLogger(__name__)
_MOST = 200


class LoadTimes:
    """Seconds per stage and checkpoint. A file that cannot be read or written only costs the estimate."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or cache_dir() / "load_times.json"

    def of(self, checkpoint: str) -> dict[Stage, float]:
        """What is known of this checkpoint; empty for one never loaded."""
        known = self._read().get(checkpoint, {})
        names = {stage.value for stage in Stage}
        return {
            Stage(name): float(seconds)
            for name, seconds in (known.items() if isinstance(known, dict) else ())
            if name in names and isinstance(seconds, int | float)
        }

    def remember(self, checkpoint: str, durations: Mapping[Stage, float]) -> None:
        """Keep these durations in place of the last ones."""
        everything = self._read()
        everything.pop(checkpoint, None)
        everything[checkpoint] = {stage.value: seconds for stage, seconds in durations.items()}
        kept = dict(list(everything.items())[-_MOST:])
        try:
            write_whole(self._path, json.dumps(kept, indent=1).encode())
        except OSError as error:
            log.warning("Load times are not remembered: %s", error)

    def _read(self) -> dict[str, object]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}
