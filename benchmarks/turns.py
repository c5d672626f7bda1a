"""Two servers under the same load by turns: their tokens/s, and the processor time that each token cost them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import urllib.request
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.http_load import Load, Outcome, run_load
from benchmarks.pinning import pin_server
from benchmarks.stack_profile import HTTP_LOOP, Profile, difference, profiling
from benchmarks.thread_times import TurnTimes, busiest, compare, core_by_turns, core_of, lines, read_threads, spent

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

_PROFILED = 3  # times the usual answers: enough samples for a function that takes a hundredth of a step
_STEPS = re.compile(r"^vllm:iteration_tokens_total_count\{.*\} ([\d.e+]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the servers; `pid` is its HTTP process's. `stopped` is a process that stands still in its turns."""

    name: str
    url: str
    token: str
    model: str
    pid: int
    stopped: int | None = None

    def load(self, streams: int, options: argparse.Namespace, output: int | None = None) -> Outcome:
        """Send it this many streams at once and read all of them."""
        length = output or options.output
        load = Load(self.url, self.token, self.model, streams, options.input, length, chat=options.chat)
        return run_load(load, options.clients)

    def turn(self, streams: int, options: argparse.Namespace) -> tuple[Outcome, TurnTimes]:
        """The same, with what it cost. Raises RuntimeError where a request failed."""
        if options.pin:
            pin_server(self.pid)
        with _standing_still(self.stopped):
            steps, before = self._steps(), read_threads(self.pid)
            outcome = self.load(streams, options)
            after = read_threads(self.pid)
        if outcome.failed:
            raise RuntimeError(f"{self.name}: {outcome.failed} of {streams} requests failed")
        return outcome, TurnTimes(
            outcome.tokens, outcome.events, self._steps() - steps, spent(before, after), outcome.seconds
        )

    def profile(self, streams: int, options: argparse.Namespace) -> tuple[Profile, Profile]:
        """One more turn, a longer one, with a look at the stacks of the EngineCore and of the HTTP thread many times a
        second: the one by steps, the other by tokens."""
        if options.pin:
            pin_server(self.pid)
        steps, name = self._steps(), f"{self.name.replace(' ', '-')}-{streams}"
        core, http = options.profile / f"{name}.txt", options.profile / f"{name}-http.txt"
        with profiling(core_of(self.pid), core) as in_core, profiling(self.pid, http, HTTP_LOOP) as in_http:
            outcome = self.load(streams, options, _PROFILED * options.output)
        return Profile(in_core, self._steps() - steps), Profile(in_http, outcome.tokens)

    def _steps(self) -> int:
        """Steps that the engine has made since its start; 0 where this vLLM does not tell."""
        asked = urllib.request.Request(f"{self.url}/metrics", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return sum(int(float(count)) for count in _STEPS.findall(answer.read().decode()))


@contextlib.contextmanager
def _standing_still(pid: int | None) -> Iterator[None]:
    if pid is None:
        yield
        return
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@dataclass(frozen=True, slots=True)
class Done:
    """What one side did in its turns at one number of streams: tokens/s, and what it cost."""

    speeds: list[float] = field(default_factory=list)
    times: list[TurnTimes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Turns:
    """One side beside vLLM alone, at one number of streams."""

    streams: int
    name: str
    alone: Done
    other: Done

    @property
    def ratios(self) -> list[float]:
        """The other over alone by turns, the least first."""
        return sorted(other / alone for alone, other in zip(self.alone.speeds, self.other.speeds, strict=True))

    def report(self) -> dict[str, object]:
        """All of it for a JSON file."""
        cost = compare(self.other.times, self.alone.times)
        return {
            "core_us_a_step": {
                name: [turn.per_step("core", main=True) for turn in done.times]
                for name, done in (("alone", self.alone), ("host", self.other))
            },
            "alone": self.alone.speeds,
            "host": self.other.speeds,
            "ratio": median(self.ratios),
            "best_ratio": max(self.other.speeds) / max(self.alone.speeds),
            "host_and_alone_us": {what: list(both) for what, both in cost.items()},
        }

    def text(self) -> str:
        """One line for people, and one for each figure of the cost."""
        ratios, alone, other = self.ratios, self.alone.speeds, self.other.speeds
        speed = (
            f"{self.streams:4} streams, {self.name}: {median(other):,.1f} / {median(alone):,.1f} tokens/s, "
            f"by turns {median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}), "
            f"best {max(other):,.1f} / {max(alone):,.1f} = {max(other) / max(alone):.3f}"
        )
        return "\n".join((speed, *lines(compare(self.other.times, self.alone.times))))


def measure(sides: Sequence[Side], options: argparse.Namespace) -> dict[int, list[Turns]]:
    """All sides by turns (A B C, C B A, ...) after a short warm-up of the same shape; the first is vLLM alone.

    Prints as it goes; returns each other side's turns beside it, by the number of streams.
    """
    for side in sides:
        side.load(max(options.streams), options, 8)
    found: dict[int, list[Turns]] = {}
    for streams in options.streams:
        done = [Done() for _ in sides]
        for number in range(options.rounds):
            order = list(zip(sides, done, strict=True))
            for side, of in order if number % 2 == 0 else reversed(order):
                outcome, times = side.turn(streams, options)
                of.speeds.append(outcome.tokens_per_s)
                of.times.append(times)
        pairs = list(zip(sides[1:], done[1:], strict=True))
        found[streams] = [Turns(streams, side.name, done[0], of) for side, of in pairs]
        for turns in found[streams]:
            print(turns.text(), flush=True)
        if options.threads:
            for side, of in zip(sides, done, strict=True):
                head = (f"     {side.name}:", core_by_turns(of.times), "       its last turn:")
                print("\n".join((*head, *busiest(of.times))), flush=True)
        if options.profile is not None:
            _profile(sides, streams, options)
    return found


def _profile(sides: Sequence[Side], streams: int, options: argparse.Namespace) -> None:
    try:
        alone, host = (side.profile(streams, options) for side in sides[:2])
    except (RuntimeError, LookupError) as error:  # what was measured before is worth keeping
        print(f"     no profile: {error}", flush=True)
        return
    for thread, unit, ours, theirs in zip(("EngineCore's main", "HTTP"), ("step", "token"), host, alone, strict=True):
        print(f"     {thread} thread at {streams} streams by functions, host / vLLM alone:", flush=True)
        print("\n".join(difference(ours, theirs, unit)), flush=True)


def write_report(found: dict[int, list[Turns]], options: argparse.Namespace) -> None:
    """Keep the figures where --json says."""
    if options.json:
        rows = {streams: {turns.name: turns.report() for turns in each} for streams, each in found.items()}
        options.json.write_text(json.dumps(rows, indent=1))
