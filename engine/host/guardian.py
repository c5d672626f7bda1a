"""Ends what a killed host leaves: `python -I -S guardian.py PID TICKS SESSION PAGES SCRATCH ADDRESS [PARENT TICKS]`.

A program of its own, on the standard library alone, so that it costs nothing: it waits for the end of the host (the
process PID that was started at TICKS) and then for the engine's processes, which watch the host themselves as soon as
they have imported so much; that takes seconds. Those that are left after a moment are killed, and the shared memory
that they had, the telemetry pages (files whose path begins with PAGES), the folder SCRATCH and the file ADDRESS, where
it is still this host's, removed. SESSION is a session whose processes are all the engine's, 0 for none. PARENT is the
process that the host ends with by itself; one that hangs cannot, and is killed. After an orderly end there is nothing
to do.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
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
_POLL_S = 0.1
_HOST_END_S = 1.0  # it removes what is its own when its parent has ended
_TRACKER = b"multiprocessing.resource_tracker"  # ends by itself, when it has removed what the others left
_SEGMENT = re.compile(rb"/dev/shm/(?:psm_|torch_|vllm|sem\.mp-)\S*")


def start(
    pages: str, scratch: str, session: int | None = None, *, parent: int | None = None, address: str = ""
) -> subprocess.Popen[bytes]:
    """Guard this process, the host. Stop the guard at an orderly end. Raises OSError.

    `session` is that of the processes to end, this process's own where it leads one unless given. `parent` is the pid
    of the process that the host ends with, `address` its address file.
    """
    if session is None:
        session = os.getpid() if os.getsid(0) == os.getpid() else 0
    own = [str(os.getpid()), _fields(os.getpid())[19].decode(), str(session)]
    fields = [] if parent is None else _fields(parent)
    its = [str(parent), fields[19].decode()] if len(fields) > 19 else []
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, *own, pages, scratch, address, *its],
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


def wait_for_end(pid: int, ticks: int, parent: tuple[int, int] | None = None) -> None:
    """Return when the process is gone. Where it outlives its parent, (pid, ticks), by more than a moment, kill it."""
    orphaned_s: float | None = None
    while _is_alive(pid, ticks):
        if parent is not None and not _is_alive(*parent):
            parent, orphaned_s = None, time.monotonic()
        if orphaned_s is not None and time.monotonic() - orphaned_s > _HOST_END_S:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        both = (pid,) if parent is None else (pid, parent[0])
        _wait_for_either(both, 5.0 if orphaned_s is None else _POLL_S)


def _wait_for_either(pids: tuple[int, ...], seconds: float) -> None:
    """Return when one of them has ended, and at the latest after this long."""
    poll, opened = select.poll(), []
    try:
        for pid in pids:
            opened.append(os.pidfd_open(pid))
            poll.register(opened[-1], select.POLLIN)
        poll.poll(seconds * 1000)
    except (OSError, AttributeError):  # gone, or a kernel that cannot tell
        time.sleep(_POLL_S)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def processes_of(host: int, session: int) -> list[int]:
    """The living processes of this host's engines: they have its number in the environment that they were started
    with, or (vLLM overwrites that with a title) they belong to `session`, where that is not 0."""
    mark, found = f"KVDECK_HOST_PID={host}".encode(), []
    for pid in (int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()):
        fields = _fields(pid)
        if pid in (host, os.getpid()) or len(fields) < 20 or fields[0] in b"ZXx":
            continue
        ours = mark in _read(pid, "environ").split(b"\0") or (session and int(fields[3]) == session)
        if ours and _TRACKER not in _read(pid, "cmdline"):
            found.append(pid)
    return found


def end_processes(host: int, session: int) -> None:
    """Let them end by themselves, and kill those that do not."""
    began, segments = time.monotonic(), set()
    while (left := processes_of(host, session)) and time.monotonic() - began < _KILL_S:
        if time.monotonic() - began >= _OWN_END_S:
            for pid in left:
                segments |= set(_SEGMENT.findall(_read(pid, "maps")))
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_S)
    for name in segments:  # Python's resource tracker knows of Python's own alone
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108 - as bytes


def remove_address(address: Path, host: int) -> None:
    """Unlink the address file of this host; one that another host has written since stays."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        if json.loads(address.read_bytes())["pid"] == host:
            address.unlink()


def remove(pages: str, scratch: str, address: str, host: int) -> None:
    """Unlink the pages and the address file, where it is this host's, and remove the folder."""
    remove_address(Path(address), host)
    begin = Path(pages)
    with contextlib.suppress(OSError):
        for page in begin.parent.glob(f"{begin.name}*") if pages else ():
            page.unlink()
    if Path(scratch).name.startswith("kvdeck-engine-"):
        shutil.rmtree(scratch, ignore_errors=True)


def main(arguments: list[str]) -> None:
    """Wait, and tidy up."""
    host, ticks, session = (int(each) for each in arguments[:3])
    pages, scratch, address, *parent = arguments[3:]
    wait_for_end(host, ticks, (int(parent[0]), int(parent[1])) if parent else None)
    end_processes(host, session)
    remove(pages, scratch, address, host)


if __name__ == "__main__":
    main(sys.argv[1:])
