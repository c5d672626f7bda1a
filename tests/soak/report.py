"""The report of a soak: one JSON line a round, so that a soak goes on where it stopped; and its sum."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from tests.soak.traffic import Count

if TYPE_CHECKING:
    from pathlib import Path

_TIMES = ("told_s", "gone_s", "load_s", "round_s")


@dataclass(slots=True)
class Result:
    """What a round did and found; `faults` empty: as it should be. Times in seconds after the kill, but `ready_s`,
    until there was something to kill, and `round_s`, all of it. `gpu_left_bytes` None: the driver tells nothing."""

    number: int
    seed: int
    target: str
    moment: str
    delay_s: float = 0.0
    ready_s: float | None = None
    told_s: float | None = None
    gone_s: float | None = None
    load_s: float | None = None
    round_s: float | None = None
    gpu_left_bytes: int | None = None
    window_bytes: int | None = None
    host_bytes: int | None = None
    saved: int = 0
    clients: Count = field(default_factory=Count)
    faults: list[str] = field(default_factory=list)
    failure: str | None = None

    def as_json(self) -> dict[str, object]:
        """For the report."""
        return {"ok": not self.faults, **asdict(self)}


class Report:
    """The file of one soak."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.rounds: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def seed(self, fresh: int) -> int:
        """The seed of the rounds so far, or a fresh one."""
        return int(self.rounds[-1]["seed"]) if self.rounds else fresh

    def open_numbers(self, rounds: int) -> list[int]:
        """Which of rounds 1 to `rounds` are not in it yet."""
        done = {each["number"] for each in self.rounds}
        return [number for number in range(1, rounds + 1) if number not in done]

    def add(self, line: dict[str, Any]) -> None:
        """Append one round, at once."""
        self.rounds.append(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def figures(self) -> dict[str, Any]:
        """The sum for a program: rounds and times (least, median, most) by what was killed, and each fault."""
        rounds = self.rounds
        targets = {
            target: _figures([each for each in rounds if each["target"] == target])
            for target in sorted({each["target"] for each in rounds})
        }
        faults = [
            f"round {each['number']} ({each['target']}, {each['moment']}): {fault}"
            for each in rounds
            for fault in each["faults"]
        ]
        return {**_figures(rounds), "targets": targets, "faults": faults}

    def summary(self) -> str:
        """A table by what was killed, then every round that found something."""
        figures = self.figures()
        lines = ["killed        rounds  failed  told p50  told max  gone max  next load p50"]
        for target, own in figures["targets"].items():
            told, gone, load = (own[name] for name in ("told_s", "gone_s", "load_s"))
            lines.append(
                f"{target:<12}  {own['rounds']:>6}  {own['failed']:>6}  {_seconds(told, 'median'):>8}"
                f"  {_seconds(told, 'most'):>8}  {_seconds(gone, 'most'):>8}  {_seconds(load, 'median'):>13}"
            )
        for name in ("window_bytes", "host_bytes"):
            sizes = _values(self.rounds, name)
            if sizes:
                lines.append(f"{name}: {int(min(sizes)) >> 20} to {int(max(sizes)) >> 20} MiB")
        return "\n".join([*lines, *figures["faults"]])


def _figures(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    failed = sum(not each["ok"] for each in rounds)
    return {"rounds": len(rounds), "failed": failed, **{name: _range(_values(rounds, name)) for name in _TIMES}}


def _values(rounds: list[dict[str, Any]], name: str) -> list[float]:
    return [each[name] for each in rounds if each.get(name) is not None]


def _range(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    figures = {"least": min(values), "median": statistics.median(values), "most": max(values)}
    return {name: round(value, 3) for name, value in figures.items()}


def _seconds(figures: dict[str, float] | None, name: str) -> str:
    return f"{figures[name]:.2f} s" if figures else "—"
