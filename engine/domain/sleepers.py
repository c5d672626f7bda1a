"""Engines that wait beside the one that serves, ready to take its place within a moment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.domain.lifecycle import EngineProcess, LoadRequest  # noqa: TC001 - decoded by these types

DEFAULT_MOST = 4
PATIENCE_S = 30.0  # how long an engine may take to fall asleep, to wake, or to answer then


class Keep(StrEnum):
    """Whether the outgoing engine of a switch is kept: never, always (others go first where memory is short), or
    only where there is memory for it as things are."""

    OFF = "off"
    ON = "on"
    MEMORY = "memory"


class Rest(StrEnum):
    """How an engine waits. ASLEEP: vLLM's sleep mode, weights in main memory, VRAM given back, KV cache dropped.
    KEPT: idle as it is, weights and KV cache in main memory; so it is on the CPU, where vLLM has no sleep mode."""

    ASLEEP = "asleep"
    KEPT = "kept"


class Gone(StrEnum):
    """Why a waiting engine is no longer there."""

    ASKED = "asked"  # the user ended it
    LIMIT = "limit"  # over the limit, and used least recently
    MEMORY = "memory"  # another engine needed its memory
    REPLACED = "replaced"  # the same checkpoint was loaded with other parameters
    DIED = "died"  # its processes ended by themselves
    NO_SLEEP = "no_sleep"  # it could not be put to sleep
    NO_WAKE = "no_wake"  # it did not wake, or did not answer then


@dataclass(frozen=True, slots=True)
class KeepPolicy:
    """What the user wants kept. None leaves a limit to the host: `most` engines, `most_bytes` of main memory."""

    keep: Keep = Keep.OFF
    most: int | None = None
    most_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Sleeper:
    """One engine that waits. Bytes; None where it is not known (yet). Times are wall-clock seconds.

    `vram_bytes` is what stays on the GPUs while it sleeps, `freed_bytes` what it gave back there. `slept_in_s` is how
    long falling asleep took. `request` is what it was loaded with: the same one wakes it.
    """

    checkpoint: str
    name: str
    rest: Rest
    since_unix_s: float
    used_unix_s: float
    request: LoadRequest
    processes: tuple[EngineProcess, ...]
    slept_in_s: float
    quantization: str | None = None
    ram_bytes: int | None = None
    vram_bytes: int | None = None
    freed_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class EndedSleeper:
    """A waiting engine that is gone: why, in one sentence; and whether its end was clean.

    `processes_left` counts what would not end. `returned_bytes` is what its end gave back, main memory on the CPU,
    VRAM on GPUs; None where that is not known.
    """

    checkpoint: str
    name: str
    why: Gone
    message: str
    unix_s: float
    processes_left: int = 0
    returned_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class WarmSwitch:
    """One switch to a waiting engine: seconds from the request to serving, and what they went to.

    `same_answer` tells whether its first greedy token was the one of before its sleep; None: nothing to compare.
    """

    checkpoint: str
    name: str
    seconds: float
    sleep_s: float
    wake_s: float
    first_token_s: float
    same_answer: bool | None
    unix_s: float


@dataclass(frozen=True, slots=True)
class Sleepers:
    """The tray: who waits (the one used last comes first), the limits in force, the newest of those that are gone."""

    waiting: tuple[Sleeper, ...] = ()
    policy: KeepPolicy = KeepPolicy()
    most: int = DEFAULT_MOST
    most_bytes: int | None = None
    ended: tuple[EndedSleeper, ...] = ()
    last_switch: WarmSwitch | None = None

    def of(self, checkpoint: str) -> Sleeper | None:
        """The waiting engine of this checkpoint."""
        return next((each for each in self.waiting if each.checkpoint == checkpoint), None)


@dataclass(frozen=True, slots=True)
class SleeperRequest:
    """Which waiting engine is meant; "" is all of them."""

    checkpoint: str = ""
