"""All that `make test` checks, on two lanes side by side: `python -m tests.lanes [pytest's arguments]`.

One lane has the tests of the real engine and those that measure time, at the usual priority. A load keeps one core
busy, so the other lane has the second one meanwhile: types, import contracts and all other tests, at a low priority.
What a lane prints is kept apart; failures come in full at the end, and the exit code is the first lane's that failed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_LESS = 10  # a nice value: a tenth of the usual weight
_NO_TESTS = 5  # pytest's exit code where it was to run none
_INTERRUPTED = 130
_END_S = 60.0
_LOOK_S = 0.2


@dataclass(slots=True)
class Lane:
    """Programs one after the other, whose output goes to a file."""

    name: str
    commands: tuple[list[str], ...]
    output: Path
    makes_way: bool = False
    codes: list[int] = field(default_factory=list)
    took_s: float = 0.0
    _process: subprocess.Popen[bytes] | None = None
    _heavy: bool = False
    _shown: int = 0
    _began: float = field(default_factory=time.monotonic)

    @property
    def has_ended(self) -> bool:
        """Whether all of it has run."""
        return len(self.codes) == len(self.commands)

    @property
    def failed(self) -> bool:
        """Whether a program of it has failed so far."""
        return any(code not in (0, _NO_TESTS) for code in self.codes)

    def step(self) -> None:
        """Look after what runs, and start what comes next."""
        if self._process is not None and (code := self._process.poll()) is not None:
            self.codes.append(code)
            self._process, self.took_s = None, time.monotonic() - self._began
        if self._process is None and not self.has_ended:
            with self.output.open("ab") as file:
                self._process = subprocess.Popen(
                    self.commands[len(self.codes)],
                    cwd=_ROOT,
                    env=_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # Ctrl+C is ours to pass on: a second one would cut fixtures short
                )
            self._heavy = self.makes_way
        if self._process is not None and self._heavy:
            self._heavy = not _make_way(self._process.pid)

    def show(self) -> None:
        """Print what has come since the last time."""
        with self.output.open("rb") as file:
            file.seek(self._shown)
            new = file.read()
        self._shown += len(new)
        sys.stdout.buffer.write(new)
        sys.stdout.flush()

    def show_failures(self) -> None:
        """Print pytest's report of them again: much may have come after it."""
        lines = self.output.read_bytes().splitlines(keepends=True)
        starts = [number for number, line in enumerate(lines) if b"= FAILURES =" in line or b"= ERRORS =" in line]
        sys.stdout.buffer.write(b"".join(lines[starts[0] :] if starts else lines[-40:]))
        sys.stdout.flush()

    def interrupt(self) -> None:
        """As Ctrl+C does: pytest's fixtures end the engines that they started."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def wait(self) -> None:
        """Wait for the end after `interrupt`; not for ever."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
            self._process.kill()
            self._process.wait()


def _make_way(pid: int) -> bool:
    """Give a process that has just begun less of the cores than all others, and its session too, where Linux shares
    between sessions; False where it takes no change just now (one in a tenth of a second, from all programs)."""
    with contextlib.suppress(OSError):  # it may have ended
        os.setpriority(os.PRIO_PROCESS, pid, _LESS)
    try:
        Path(f"/proc/{pid}/autogroup").write_text(str(_LESS), encoding="ascii")
    except OSError as error:
        return error.errno != errno.EAGAIN
    return True


def _environment() -> dict[str, str]:
    """As wide and as coloured as where it is shown."""
    kept = {**os.environ, "COLUMNS": str(shutil.get_terminal_size().columns)}
    return {**kept, "PY_COLORS": "1"} if sys.stdout.isatty() else kept


def make_lanes(folder: Path, arguments: list[str]) -> tuple[Lane, Lane]:
    """The engine's lane and the one beside it; their output goes to files in `folder`."""
    tools = Path(sys.executable).parent
    pytest = [sys.executable, "-m", "pytest", *arguments]
    beside = (
        [str(tools / "mypy")],
        [str(tools / "lint-imports"), "--no-cache"],
        [*pytest, "--lane=beside", "-o", "cache_dir=.pytest_cache/beside"],
    )
    return (
        Lane("The engine's tests", ([*pytest, "--lane=engine"],), folder / "engine"),
        Lane("Types, contracts and all other tests", beside, folder / "beside", makes_way=True),
    )


def verdict(engine: Lane, beside: Lane) -> int:
    """The first code of a program that failed; pytest's own for "no tests" where neither lane had any."""
    codes = [*engine.codes, *beside.codes]
    failed = [code for code in codes if code not in (0, _NO_TESTS)]
    empty = engine.codes[-1] == beside.codes[-1] == _NO_TESTS
    return failed[0] if failed else _NO_TESTS if empty else 0


def run(engine: Lane, beside: Lane, stop: threading.Event | None = None) -> int:
    """Run both to their ends, the engine's shown as it goes and then the other; the exit code. Once `stop` is set, both
    are interrupted."""
    stop = stop or threading.Event()
    try:
        while not (engine.has_ended and beside.has_ended):
            for lane in (engine, beside):
                lane.step()
            engine.show()
            if engine.has_ended:
                beside.show()
            if stop.wait(_LOOK_S):
                return _INTERRUPTED
    finally:
        for lane in (engine, beside):
            lane.interrupt()
        for lane in (engine, beside):
            lane.wait()
            lane.show()
    if engine.failed:
        print(f"\n{engine.name}, once more:\n", flush=True)
        engine.show_failures()
    print()
    for lane in (engine, beside):
        print(f"{lane.name}: {'FAILED' if lane.failed else 'passed'} after {lane.took_s / 60:.1f} minutes", flush=True)
    return verdict(engine, beside)


def main(arguments: list[str]) -> int:
    """Both lanes with these arguments of pytest."""
    stop = threading.Event()
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
    ):  # no exception: it might come while a program is being started
        signal.signal(number, lambda *_: stop.set())
    with tempfile.TemporaryDirectory(prefix="kvdeck-lanes-") as folder:
        return run(*make_lanes(Path(folder), arguments), stop)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
