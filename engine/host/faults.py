"""Why a load failed or an engine died: the root cause out of the exception and the log, with ways out."""

from __future__ import annotations

import re
import shutil
import signal
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import EngineProcess, Failure
from engine.host.deaths import EngineProcessDied
from engine.host.fault_findings import actions_of
from engine.host.fault_rules import RULES
from engine.host.openai_errors import DIED
from engine.host.processes import FROM_OUTSIDE, Death

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.lifecycle import LogRecord
    from engine.host.fault_findings import Finding, Situation

_FAILED_PROCESS = re.compile(r"'([\w-]+)': (-?\d+)")
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - looked at, never written to
_TAIL = 60
_LONGEST = 400
_MARKER = re.compile(r"failed to start|encountered a fatal error|hit an exception|Engine core proc .* died")
_RAISED = re.compile(
    r"^(?:[\w]+\.)*(?P<name>\w*(?:Error|Exception|Exit|Interrupt|Failure))(?:: (?P<text>.*))?$", re.DOTALL
)
# What vLLM raises on top of a cause, and says nothing.
_WRAPPERS = (
    "Engine core initialization failed",
    "WorkerProc initialization failed",
    "Failed core proc",
    "cancelled",
    "Executor failed",
    "Engine core proc",
    "EngineCore encountered an issue",
    DIED,
    "died unexpectedly",
)


def _match_rules(text: str, situation: Situation) -> Finding | None:
    for pattern, build in RULES:
        match = pattern.search(text)
        if match:
            return build(match, situation)
    return None


def _pydantic_text(text: str) -> str:
    """The sentence inside a pydantic validation error, which wraps it in lines of its own."""
    match = re.search(r"(?:Value|Assertion) error, (.*?)(?: \[type=|$)", text, re.DOTALL)
    return match[1] if match else text


def _is_wrapper(text: str) -> bool:
    return any(wrapper in text for wrapper in _WRAPPERS)


def raised_in(lines: Sequence[str]) -> str | None:
    """The exception that ended an engine process, as its log has it: of the first traceback after the engine says
    that it failed, the last exception of the chain that says anything."""
    begin = next((index for index, line in enumerate(lines) if _MARKER.search(line)), None)
    if begin is None:
        return None
    cause: str | None = None
    for line in lines[begin + 1 :]:
        if _MARKER.search(line) and cause:
            break
        match = _RAISED.match(line)
        if match and not _is_wrapper(line):
            text = (match["text"] or "").strip()
            cause = f"{match['name']}: {text}" if text else match["name"]
    return cause


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _telling(records: Iterable[LogRecord]) -> list[str]:
    """The lines that may hold a cause: warnings never do, and often sound like one."""
    return [record.text for record in records if record.level not in ("WARNING", "DEBUG")]


def _tail(records: Iterable[LogRecord]) -> tuple[str, ...]:
    return tuple(record.text for record in records)[-_TAIL:]


def _killed(error: BaseException) -> Death | None:
    """The engine process that was killed: seen by the host, or named in vLLM's exception: {'EngineCore': -9}."""
    if isinstance(error, EngineProcessDied):
        return error.death
    for name, code in _FAILED_PROCESS.findall(str(error)):
        if int(code) < 0:
            try:
                signal_name = signal.Signals(-int(code)).name
            except ValueError:
                signal_name = f"signal {-int(code)}"
            return Death(EngineProcess(0, name, 0), signal_name=signal_name)
    return None


def _gave_up(killed: Death, records: Iterable[LogRecord]) -> bool:
    """Whether the EngineCore had failed for a reason of its own: it kills a worker that does not end then."""
    own = [record for record in records if record.source.startswith("EngineCore")]
    return killed.process.name.startswith("Worker") and raised_in(_telling(own)) is not None


def failure_of_load(
    error: BaseException, records: Sequence[LogRecord], situation: Situation, *, oom_killed: bool = False
) -> Failure:
    """Why a load failed. `records` are the log since the load began; `oom_killed` as for `failure_of_death`."""
    tail = _tail(records)
    if isinstance(error, KVDeckError):
        return Failure(error.kind, error.message, error.remedy, actions=actions_of(error), log_tail=tail)
    own = "" if isinstance(error, EngineProcessDied) else _pydantic_text(str(error))
    lines = _telling(records)
    killed = _killed(error)
    if killed is not None and killed.signal_name in FROM_OUTSIDE and not _gave_up(killed, records):
        return failure_of_death(killed, records, situation, oom_killed=oom_killed, while_loading=True)
    finding = None if _is_wrapper(own) else _match_rules(f"{type(error).__name__}: {own}", situation)
    finding = finding or _match_rules("\n".join(lines), situation)
    if finding is not None:
        return Failure(finding.kind, finding.message, finding.remedy, finding.numbers, finding.actions, tail)
    cause = raised_in(lines) or (None if _is_wrapper(own) or not own else f"{type(error).__name__}: {own}")
    if cause is None and killed is not None:
        return failure_of_death(killed, records, situation, oom_killed=oom_killed, while_loading=True)
    if cause is None:
        return Failure(
            "engine_failed",
            "An engine process ended while it started, without saying why.",
            "The log may show more. If memory ran out, choose a smaller checkpoint or a smaller KV cache.",
            log_tail=tail,
        )
    return Failure("engine_failed", _shortened(cause), "The log shows where it happened.", log_tail=tail)


def failure_of_death(
    death: Death, records: Sequence[LogRecord], situation: Situation, *, oom_killed: bool, while_loading: bool = False
) -> Failure:
    """Why a process of the engine died. `oom_killed`: the system counted a kill for want of memory meanwhile."""
    tail = _tail(records)
    when = " while the model was loading" if while_loading else ""
    numbers = (f"process: {death.process.name}",) + ((f"pid: {death.process.pid}",) if death.process.pid else ())
    if death.signal_name == "SIGKILL" and oom_killed:
        return Failure(
            "out_of_memory",
            f"{death.sentence}{when}: the system had run out of memory.",
            "Close other programs, reserve less for the KV cache, or choose a smaller checkpoint.",
            numbers,
            log_tail=tail,
        )
    if death.signal_name == "SIGBUS":
        free = f"{_SHARED_MEMORY}: {shutil.disk_usage(_SHARED_MEMORY).free >> 20} MiB free"
        remedy = "Give /dev/shm more room (a container: --shm-size=2g), or free some."
        message = f"{death.sentence}{when}: shared memory is full."
        return Failure("out_of_memory", message, remedy, (*numbers, free), log_tail=tail)
    if death.signal_name == "SIGILL":
        remedy = "Install the build of vLLM that is made for this processor."
        message = f"{death.sentence}{when}: the engine was built for a newer processor than this one."
        return Failure("engine_failed", message, remedy, numbers, log_tail=tail)
    if death.signal_name is not None:
        return Failure("engine_crashed", f"{death.sentence}{when}.", "Start the engine again.", numbers, log_tail=tail)
    return _failure_of_exit(f"{death.sentence}{when}", numbers, records, situation)


def _failure_of_exit(
    what: str, numbers: tuple[str, ...], records: Sequence[LogRecord], situation: Situation
) -> Failure:
    """Why a process ended by itself: its log knows."""
    tail, lines = _tail(records), _telling(records)
    found = _match_rules("\n".join(lines), situation)
    if found is not None:
        return Failure(found.kind, found.message, found.remedy, (*numbers, *found.numbers), found.actions, tail)
    cause = raised_in(lines)
    message = f"{what}: {_shortened(cause)}" if cause else f"{what}."
    return Failure("engine_crashed", message, "Start the engine again; the log shows more.", numbers, log_tail=tail)
