"""How processes end: the loop hears of it at once, and also when somebody else has collected what tells how."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import struct
from typing import TYPE_CHECKING

from engine.host.processes import death_of
from engine.page.liveness import start_ticks

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.domain.lifecycle import EngineProcess
    from engine.host.processes import Death

# <linux/pidfd.h>: _IOWR(0xFF, 11, struct pidfd_info) in its first size, 64 bytes that begin with the mask (64 bits) and
# end with the exit code (32). Linux has told the exit code of a collected process since 6.15.
_PIDFD_GET_INFO = 0xC040FF0B
_PIDFD_INFO_EXIT = 1 << 3
_INFO_BYTES = 64


def wait_status(descriptor: int) -> int | None:
    """The wait status of the process behind a pidfd, once it has been collected; None before, or on an older Linux."""
    info = bytearray(_INFO_BYTES)
    struct.pack_into("=Q", info, 0, _PIDFD_INFO_EXIT)
    try:
        fcntl.ioctl(descriptor, _PIDFD_GET_INFO, info, True)
    except OSError:
        return None
    told = struct.unpack_from("=Q", info)[0] & _PIDFD_INFO_EXIT
    return int(struct.unpack_from("=i", info, _INFO_BYTES - 4)[0]) if told else None


class Endings:
    """Calls `ended` on the running loop with each watched process that ends, and how, as soon as it does.

    A worker's status is gone as soon as the EngineCore, whose child it is, has collected it, which may be before the
    host has a core to look. The descriptor that wakes the loop tells it afterwards, too, where Linux is new enough.
    """

    def __init__(self, ended: Callable[[Death], None]) -> None:
        self._ended = ended
        self._watched: dict[int, EngineProcess] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def watch(self, process: EngineProcess) -> bool:
        """Watch this one, too. False where that cannot be: it is gone already, or the system has no such descriptor."""
        try:
            descriptor = os.pidfd_open(process.pid)
        except (OSError, AttributeError):
            return False
        if start_ticks(process.pid) != process.start_ticks:  # the number is another process's by now
            os.close(descriptor)
            return False
        self._loop = asyncio.get_running_loop()
        self._watched[descriptor] = process
        self._loop.add_reader(descriptor, self._has_ended, descriptor)
        return True

    def stop(self) -> None:
        """Watch none of them any longer. Harmless when called twice."""
        for descriptor in tuple(self._watched):
            self._forget(descriptor)

    def _has_ended(self, descriptor: int) -> None:
        process = self._watched[descriptor]
        death = death_of(process)
        if death.signal_name is None and death.exit_code is None:
            death = death_of(process, status=wait_status(descriptor))
        self._forget(descriptor)
        self._ended(death)

    def _forget(self, descriptor: int) -> None:
        del self._watched[descriptor]
        if self._loop is not None:
            self._loop.remove_reader(descriptor)
        with contextlib.suppress(OSError):
            os.close(descriptor)
