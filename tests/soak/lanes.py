"""Several soaks at once over one report: each lane a process of its own, with a home, a window and an engine."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.soak.lane import LaneSettings
    from tests.soak.report import Report

_END_S = 60.0  # a lane that is told to stop ends its window, its host and its engine


class Lanes:
    """Hands out the rounds that the report lacks; every lane takes the next one when it is free.

    No round begins after `begin_s` seconds, and after `end_s` those that are not done are ended (they are begun anew by
    the next soak over the same report).
    """

    def __init__(
        self, settings: Sequence[LaneSettings], report: Report, rounds: int, begin_s: float, end_s: float
    ) -> None:
        self._report = report
        self._numbers = report.open_numbers(rounds)
        self._began = time.monotonic()
        self._begin_s, self._end_s = begin_s, end_s
        self._lock = threading.Lock()
        self._left: list[str] = []
        self._busy: dict[int, int] = {}
        self._stopping = False
        self._lanes = [
            # A session of its own: Ctrl+C at the terminal is this program's, which ends its lanes in order.
            subprocess.Popen(
                each.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
            )
            for each in settings[: max(1, len(self._numbers))]
        ]

    def run(self) -> list[str]:
        """Until all is done, or the time is up; returns `left`."""
        threads = [
            threading.Thread(target=self._drive, args=(number, lane), daemon=True)
            for number, lane in enumerate(self._lanes)
        ]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(min(max(0.0, self._began + self._end_s - time.monotonic()), threading.TIMEOUT_MAX))
        finally:
            self._stop()
        for thread in threads:
            thread.join(_END_S)
        return self.left

    @property
    def left(self) -> list[str]:
        """What the lanes found left at their ends, and who ended otherwise than by order."""
        return list(self._left)

    @property
    def cut(self) -> tuple[int, ...]:
        """The rounds that were begun and not done."""
        return tuple(sorted(self._busy.values()))

    def _drive(self, number: int, lane: subprocess.Popen[str]) -> None:
        assert lane.stdin is not None
        assert lane.stdout is not None
        while (round_number := self._next(number)) is not None:
            answer = _ask(lane.stdin, lane.stdout, str(round_number))
            if answer is None:
                self._broken(number)
                return
            with self._lock:
                del self._busy[number]
                self._report.add({**answer, "lane": number})
                print(json.dumps(self._report.rounds[-1]), flush=True)
        answer = _ask(lane.stdin, lane.stdout, "close")
        if answer is None:
            self._broken(number)
        else:
            self._left += [f"lane {number} at its end: {fault}" for fault in answer["left"]]

    def _next(self, number: int) -> int | None:
        with self._lock:
            if self._stopping or not self._numbers or time.monotonic() - self._began > self._begin_s:
                return None
            self._busy[number] = self._numbers.pop(0)
            return self._busy[number]

    def _broken(self, number: int) -> None:
        if not self._stopping:
            self._left.append(f"lane {number} ended by itself, with {self._lanes[number].wait(_END_S)}")

    def _stop(self) -> None:
        """Lanes whose orders end kill what they have started, and end."""
        self._stopping = True
        for lane in self._lanes:
            if lane.stdin is not None:
                lane.stdin.close()
        for number, lane in enumerate(self._lanes):
            try:
                lane.wait(_END_S)
            except subprocess.TimeoutExpired:
                lane.kill()  # its window sees that, and ends with all that it has
                lane.wait()
                self._left.append(f"lane {number} did not end by itself")


def _ask(orders: IO[str], answers: IO[str], order: str) -> dict[str, Any] | None:
    """A lane's answer to one order; None where it is gone."""
    try:
        orders.write(order + "\n")
        orders.flush()
        line = answers.readline()
    except (OSError, ValueError):  # closed
        return None
    answer: dict[str, Any] | None = json.loads(line) if line.endswith("\n") else None
    return answer
