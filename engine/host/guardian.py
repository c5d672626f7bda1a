"""Ends what an engine host leaves when it is killed: `python -I -S guardian.py PID TICKS SESSION PAGES SCRATCH`.

A program of its own, on the standard library alone, so that it costs nothing: it waits for the end of the host (the
process PID that was started at TICKS) and then for the engine's processes, which watch the host themselves as soon as
they have imported so much; that takes seconds. Those that are left after a moment are killed, and the telemetry pages
(files whose path begins with PAGES) and the folder SCRATCH removed. SESSION is 1 where the host has a session of its
own, whose processes are all the engine's. After an orderly end there is nothing to do.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

_OWN_END_S = 0.7  # they remove what is theirs
_KILL_S = 5.0
_LOOK_S = 0.05
_POLL_S = 0.2
_TRACKER = b"multiprocessing.resource_tracker"  # ends by itself, when it has removed what the others left


def start(pages: str, scratch: str) -> subprocess.Popen[bytes]:
    """Guard this process, the host. Stop the guard at an orderly end. Raises OSError."""
    own = [str(os.getpid()), _fields(os.getpid())[19].decode(), str(int(os.getsid(0) == os.getpid()))]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, *own, pages, scratch],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, env={},  # whoever ends the host's group does not end its guard
    )  # fmt: skip


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _fields(pid: int) -> list[bytes]:
    """Of /proc/PID/stat, from the state on."""
    text = _read(pid, "stat")
    return text[text.rfind(b")") + 2 :].split()


def _is_alive(pid: int, ticks: int) -> bool:
    fields = _fields(pid)
    return len(fields) > 19 and fields[0] not in b"ZXx" and int(fields[19]) == ticks


def wait_for_end(pid: int, ticks: int) -> None:
    """Return when the process is gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except (OSError, AttributeError):  # gone, or a kernel that cannot tell
        while _is_alive(pid, ticks):
            time.sleep(_POLL_S)
        return
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while _is_alive(pid, ticks):
        poll.poll(5000)
    os.close(descriptor)


def processes_of(host: int, *, session: bool) -> list[int]:
    """The living processes of this host's engines: they have its number in the environment that they were started
    with, or (vLLM overwrites that with a title) they belong to its `session`, where it had one of its own."""
    mark, found = f"KVDECK_HOST_PID={host}".encode(), []
    for pid in (int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()):
        fields = _fields(pid)
        if pid in (host, os.getpid()) or len(fields) < 20 or fields[0] in b"ZXx":
            continue
        ours = mark in _read(pid, "environ").split(b"\0") or (session and int(fields[3]) == host)
        if ours and _TRACKER not in _read(pid, "cmdline"):
            found.append(pid)
    return found


def end_processes(host: int, *, session: bool) -> None:
    """Let them end by themselves, and kill those that do not."""
    began = time.monotonic()
    while (left := processes_of(host, session=session)) and time.monotonic() - began < _KILL_S:
        if time.monotonic() - began >= _OWN_END_S:
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_S)


def remove(pages: str, scratch: str) -> None:
    """Unlink the pages, and remove the folder."""
    begin = Path(pages)
    with contextlib.suppress(OSError):
        for page in begin.parent.glob(f"{begin.name}*"):
            page.unlink()
    if Path(scratch).name.startswith("kvdeck-engine-"):
        shutil.rmtree(scratch, ignore_errors=True)


def main(arguments: list[str]) -> None:
    """Wait, and tidy up."""
    host, ticks, session, pages, scratch = int(arguments[0]), int(arguments[1]), *arguments[2:]
    wait_for_end(host, ticks)
    end_processes(host, session=session == "1")
    remove(pages, scratch)


if __name__ == "__main__":
    main(sys.argv[1:])
