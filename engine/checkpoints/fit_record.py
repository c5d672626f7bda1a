"""Predictions beside what came: each load's estimate of the KV cache against what the engine then reported."""

from __future__ import annotations

import contextlib
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

_KEPT = 500


@dataclass(frozen=True, slots=True)
class FitRecord:
    """One load. Tokens and bytes; None where one side does not tell. `unix_s` is when the engine was ready."""

    unix_s: float
    checkpoint: str
    name: str
    device: str
    vllm_version: str
    predicted_tokens: int | None
    reported_tokens: int | None
    predicted_weights: int | None
    reported_weights: int | None

    @property
    def tokens_error(self) -> float | None:
        """(predicted - reported) / reported of the KV cache's size."""
        return _error(self.predicted_tokens, self.reported_tokens)

    @property
    def weights_error(self) -> float | None:
        """The same of the weights' memory."""
        return _error(self.predicted_weights, self.reported_weights)


def _error(predicted: int | None, reported: int | None) -> float | None:
    return None if predicted is None or not reported else (predicted - reported) / reported


class FitRecords:
    """The newest 500 records, one JSON object a line in `path`; a damaged line costs only itself."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, record: FitRecord) -> None:
        """Keep one more. Raises OSError."""
        kept = [*self.read(), record][-_KEPT:]
        lines = b"\n".join(msgspec.json.encode(each) for each in kept) + b"\n"
        write_whole(self._path, lines, mode=0o600)

    def read(self) -> tuple[FitRecord, ...]:
        """All that are kept, oldest first."""
        found: deque[FitRecord] = deque(maxlen=_KEPT)
        with contextlib.suppress(OSError), self._path.open("rb") as file:
            for line in file:
                with contextlib.suppress(msgspec.DecodeError):
                    found.append(msgspec.json.decode(line, type=FitRecord))
        return tuple(found)

    def newest(self, checkpoint: str) -> FitRecord | None:
        """The last load of this checkpoint."""
        return next((each for each in reversed(self.read()) if each.checkpoint == checkpoint), None)
