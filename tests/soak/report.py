"""The report of a soak: one JSON line a round, so that a soak goes on where it stopped; and its sum."""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


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

    def add(self, line: dict[str, Any]) -> None:
        """Append one round, at once."""
        self.rounds.append(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def summary(self) -> str:
        """A table by what was killed, then every round that found something."""
        lines = ["killed        rounds  failed  told p50  told max  gone max  next load p50"]
        for target in sorted({each["target"] for each in self.rounds}):
            own = [each for each in self.rounds if each["target"] == target]
            told, gone, load = (_values(own, name) for name in ("told_s", "gone_s", "load_s"))
            failed = sum(not each["ok"] for each in own)
            lines.append(
                f"{target:<12}  {len(own):>6}  {failed:>6}  {_median(told):>8}  {_most(told):>8}"
                f"  {_most(gone):>8}  {_median(load):>13}"
            )
        for name in ("window_bytes", "host_bytes"):
            sizes = _values(self.rounds, name)
            if sizes:
                lines.append(f"{name}: {min(sizes) >> 20} to {max(sizes) >> 20} MiB")
        for each in self.rounds:
            lines += [
                f"round {each['number']} ({each['target']}, {each['moment']}): {fault}" for fault in each["faults"]
            ]
        return "\n".join(lines)


def _values(rounds: list[dict[str, Any]], name: str) -> list[float]:
    return [each[name] for each in rounds if each.get(name) is not None]


def _median(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} s" if values else "—"


def _most(values: list[float]) -> str:
    return f"{max(values):.2f} s" if values else "—"
