"""Processor time of each thread of a server and its children, from Linux's own books: nothing is traced or slowed down.

The HTTP process of a server is one busy Python thread. What it and its other threads use for a token says where a
difference in tokens/s comes from, and needs no profiler where it is measured.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from engine.host.processes import children_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_CORE = re.compile(r"Engine_?Core")
_TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
_WORKER = re.compile(r"VLLM::Worker|VllmWorker|Worker_")


@dataclass(frozen=True, slots=True)
class ThreadTime:
    """One thread: ns on a core, ns waiting for one, and how often it gave its core up by itself or was put off it.

    `system_ns` is what the system took of it (by the clock's ticks), `faults` its page faults, `cpu` where it was last.
    """

    role: str  # "api", "core", "worker" or "other"
    name: str
    is_main: bool
    ran_ns: int
    waited_ns: int
    yields: int
    put_off: int
    system_ns: int = 0
    faults: int = 0
    cpu: int | None = None


Threads = dict[tuple[int, int], ThreadTime]


def child_with(word: str) -> int:
    """The pid of this process's own child that has `word` on its command line. Raises LookupError."""
    for pid in children_of(os.getpid()):
        if word in _command(pid):
            return pid
    raise LookupError(f"no child process with {word} on its command line")


def core_of(root: int) -> int:
    """The pid of the EngineCore below this HTTP process. Raises LookupError."""
    for pid in _descendants(root):
        if _role(_command(pid)) == "core":
            return pid
    raise LookupError(f"no EngineCore below process {root}")


def read_threads(root: int) -> Threads:
    """All threads of `root` and its descendants as they are now."""
    found: Threads = {}
    for pid in (root, *_descendants(root)):
        role = "api" if pid == root else _role(_command(pid))
        for folder in Path(f"/proc/{pid}/task").glob("*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                found[pid, int(folder.name)] = _thread(folder, role, is_main=int(folder.name) == pid)
    return found


def spent(before: Threads, after: Threads) -> tuple[ThreadTime, ...]:
    """What each thread used in between, most first. A thread that ended meanwhile is not known any more."""
    rows = []
    for key, late in after.items():
        early = before.get(key)
        rows.append(late if early is None else _difference(early, late))
    return tuple(sorted(rows, key=lambda row: -row.ran_ns))


def _difference(early: ThreadTime, late: ThreadTime) -> ThreadTime:
    return ThreadTime(
        late.role,
        late.name,
        late.is_main,
        late.ran_ns - early.ran_ns,
        late.waited_ns - early.waited_ns,
        late.yields - early.yields,
        late.put_off - early.put_off,
        late.system_ns - early.system_ns,
        late.faults - early.faults,
        late.cpu,
    )


@dataclass(frozen=True, slots=True)
class TurnTimes:
    """What one turn of `seconds` cost a server. `tokens` were generated in `steps` steps (0: not told), and were
    sent in `events` pieces."""

    tokens: int
    events: int
    steps: int
    threads: tuple[ThreadTime, ...]
    seconds: float = float("nan")

    def per_token(self, role: str, *, main: bool) -> float:
        """µs on a core for each token, of the main thread of the processes of this role, or of all others."""
        return self._ran(role, main=main) / 1e3 / self.tokens

    def per_step(self, role: str, *, main: bool) -> float:
        """The same for each step of the engine; nan where the steps are not known."""
        return self._ran(role, main=main) / 1e3 / self.steps if self.steps else float("nan")

    def of_core(self, of: Callable[[ThreadTime], float]) -> float:
        """The sum of something of the EngineCore's main thread for each step; nan where the steps are not known."""
        whole = sum(of(row) for row in self.threads if row.role == "core" and row.is_main)
        return whole / self.steps if self.steps else float("nan")

    def waited_per_token(self) -> float:
        """µs for each token that the HTTP process's main thread was ready and had no core."""
        return sum(row.waited_ns for row in self.threads if row.role == "api" and row.is_main) / 1e3 / self.tokens

    def _ran(self, role: str, *, main: bool) -> int:
        return sum(row.ran_ns for row in self.threads if row.role == role and row.is_main is main)


def compare(host: list[TurnTimes], alone: list[TurnTimes]) -> dict[str, tuple[float, float]]:
    """Medians of host and vLLM alone by what they are of, times in µs."""

    def both(of: object) -> tuple[float, float]:
        return median(map(of, host)), median(map(of, alone))  # type: ignore[call-overload]

    return {
        "HTTP thread a token": both(lambda turn: turn.per_token("api", main=True)),
        "its process's other threads a token": both(lambda turn: turn.per_token("api", main=False)),
        "HTTP thread without a core a token": both(TurnTimes.waited_per_token),
        "tokens an event": both(lambda turn: turn.tokens / turn.events),
        "EngineCore's main thread a step": both(lambda turn: turn.per_step("core", main=True)),
        "  of it in the system": both(lambda turn: turn.of_core(lambda row: row.system_ns / 1e3)),
        "  it waited for a core": both(lambda turn: turn.of_core(lambda row: row.waited_ns / 1e3)),
        "  page faults of it": both(lambda turn: turn.of_core(lambda row: row.faults)),
        "  it gave way, times": both(lambda turn: turn.of_core(lambda row: row.yields)),
        "  a step by the wall clock": both(
            lambda turn: turn.seconds * 1e6 / turn.steps if turn.steps else float("nan")
        ),
        "EngineCore's other threads a step": both(lambda turn: turn.per_step("core", main=False)),
        "tokens a step": both(lambda turn: turn.tokens / turn.steps if turn.steps else float("nan")),
    }


def lines(figures: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    """`compare`'s figures as text, with their ratios."""
    for what, (host, alone) in figures.items():
        ratio = f" = {host / alone:.3f}" if alone else ""
        yield f"       {what}: {host:,.2f} / {alone:,.2f}{ratio}"


def core_by_turns(turns: Iterable[TurnTimes]) -> str:
    """The EngineCore's main thread in each turn: µs a step, and the core that it was on at the end.

    What one and the same process needs for the same work differs by where the system has put it: compare with that.
    """
    parts = []
    for turn in turns:
        places = [str(row.cpu) for row in turn.threads if row.role == "core" and row.is_main]
        parts.append(f"{turn.per_step('core', main=True):,.0f} on {'/'.join(places)}")
    return f"       EngineCore's main thread by turns, µs a step: {', '.join(parts)}"


def busiest(turns: Iterable[TurnTimes], most: int = 8) -> Iterator[str]:
    """The busiest threads of the last of these turns, as text."""
    last = tuple(turns)[-1]
    for row in last.threads[:most]:
        kind = "main" if row.is_main else "thread"
        yield (
            f"       {row.role:6} {kind:6} {row.name:16} {row.ran_ns / 1e3 / last.tokens:8.2f} µs a token, "
            f"waited {row.waited_ns / 1e3 / last.tokens:6.2f}, gave way {row.yields}, put off {row.put_off}"
        )


def _thread(folder: Path, role: str, *, is_main: bool) -> ThreadTime:
    ran_ns, waited_ns = _times(folder)
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    counts = dict(re.findall(r"^(\w+_ctxt_switches):\s+(\d+)$", (folder / "status").read_text(), re.MULTILINE))
    return ThreadTime(
        role,
        (folder / "comm").read_text().strip(),
        is_main,
        ran_ns,
        waited_ns,
        int(counts.get("voluntary_ctxt_switches", 0)),
        int(counts.get("nonvoluntary_ctxt_switches", 0)),
        int(fields[12]) * _TICK_NS,
        int(fields[7]) + int(fields[9]),
        int(fields[36]),
    )


def _times(folder: Path) -> tuple[int, int]:
    """ns on a core and waiting for one; by the clock's ticks, and 0, on kernels that keep no such books."""
    try:
        ran, waited, _ = (folder / "schedstat").read_text().split()
    except OSError:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * _TICK_NS, 0
    return int(ran), int(waited)


def _role(command: str) -> str:
    if _CORE.search(command):
        return "core"
    return "worker" if _WORKER.search(command) else "other"


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def _descendants(pid: int) -> list[int]:
    found = []
    for child in children_of(pid):
        found += [child, *_descendants(child)]
    return found
