"""What the tour measured: exactly the keys that were promised, None for what was not reached."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from engine.metrics.gaps import GapSummary

Value = str | int | float | None

KEYS = (
    "window_visible_s",
    "load_s",
    "chat.text",
    "chat.ttft_ms",
    "chat.tokens_per_s",
    "burst.requested",
    "burst.finished",
    "burst.shared_blocks_max",
    "burst.prefix_hit_rate",
    "live.running_max_before",
    "live.running_max_after",
    "live.steps_to_effect",
    "live.lost_requests",
    "switch.from",
    "switch.to",
    "switch.s",
    "switch.old_processes_left",
    "frames.p50_ms",
    "frames.p99_ms",
    "frames.max_ms",
    "blocks.checked_steps",
    "blocks.mismatches",
)


@dataclass(frozen=True, slots=True)
class StepTold:
    """What became of one step: "held", "failed" or "left out"; the seconds that it took and the sentence about it."""

    title: str
    outcome: str
    seconds: float
    message: str


class TourReport:
    """A value per key, nested by the dots when written, and a list of the steps. Setting a key that was not promised is
    a fault."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = dict.fromkeys(KEYS)
        self.steps: list[StepTold] = []

    def set(self, key: str, value: Value) -> None:
        """Note one measured value; floats are rounded to a tenth of a per mille of what they say."""
        if key not in self._values:
            raise KeyError(key)
        self._values[key] = round(value, 4) if isinstance(value, float) else value

    def get(self, key: str) -> Value:
        """What was measured, None if nothing was."""
        return self._values[key]

    @property
    def missing(self) -> tuple[str, ...]:
        """The keys without a value."""
        return tuple(key for key, value in self._values.items() if value is None)

    def set_frames(self, gaps: GapSummary) -> None:
        """Note the frame clock's distribution."""
        self.set("frames.p50_ms", gaps.p50_ms)
        self.set("frames.p99_ms", gaps.p99_ms)
        self.set("frames.max_ms", gaps.max_ms)

    def nested(self) -> dict[str, object]:
        """The report as it is written: one level of dictionaries for the dots, and the steps."""
        result: dict[str, object] = {}
        for key, value in self._values.items():
            group, _, name = key.rpartition(".")
            if not group:
                result[name] = value
                continue
            inner = result.setdefault(group, {})
            assert isinstance(inner, dict)
            inner[name] = value
        result["steps"] = [asdict(step) for step in self.steps]
        return result

    def write(self, path: Path) -> None:
        """Write the report as JSON, whole or not at all."""
        write_whole(path, (json.dumps(self.nested(), indent=2, ensure_ascii=False) + "\n").encode())
