"""A program of KVDeck's own that works for another of its processes: started, followed line by line, ended in time."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping, Sequence

_PROJECT = Path(__file__).resolve().parents[2]
_STDERR_LINES = 40
_MODULE_MISSING = "ModuleNotFoundError"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended: its exit code (below 0: the signal), and the newest lines of its standard error."""

    code: int
    errors: tuple[str, ...] = ()

    def cause(self, what: str) -> str:
        """One sentence for a program that ended without a word of its own; `what` is its subject ("The build")."""
        last = next((line.strip() for line in reversed(self.errors) if line.strip()), "")
        if self.code < 0:
            return f"{what} was ended by signal {-self.code}, perhaps because memory ran out."
        if last.startswith(_MODULE_MISSING):
            return f"{what} needs a Python package that is not installed: {last.partition(':')[2].strip()}."
        return f"{what} ended with code {self.code}: {last}" if last else f"{what} ended with code {self.code}."


class ChildProgram:
    """One run of `python -m` something, in a session of its own: Ctrl+C in a terminal is for its owner.

    `take` gets each line of its standard output, `ended` how it ended, once, after the last line. Both are called in a
    thread of this object's (`hand_over` brings what they make of it to a loop). Raises OSError where it cannot start.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        take: Callable[[bytes], None],
        ended: Callable[[Ending], None],
        *,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        told: bool = False,
    ) -> None:
        """`told`: it reads what `tell` sends; `environment` None is this process's own."""
        self._name = name
        self._take = take
        self._ended = ended
        self._errors: deque[str] = deque(maxlen=_STDERR_LINES)
        variables = dict(os.environ if environment is None else environment)
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_PROJECT), variables.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [python, "-m", *arguments],
            stdin=subprocess.PIPE if told else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=variables,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it is still there."""
        return self._process.poll() is None

    def wait(self, timeout_s: float) -> int:
        """Wait in this thread until it has ended; its exit code. Raises subprocess.TimeoutExpired."""
        return self._process.wait(timeout_s)

    def follow(self) -> None:
        """Begin to hand over lines; returns at once."""
        threading.Thread(target=self._follow, name=self._name, daemon=True).start()

    def tell(self, line: bytes) -> None:
        """Send one line. One that has ended already is told in vain: `ended` says so."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def terminate(self, patience_s: float) -> bool:
        """Ask it to end, and kill it after `patience_s`; returns at once, False where it had ended already.

        It does not keep this process: one that outlives us notices so by itself.
        """
        if not self.running:
            return False
        self._process.terminate()
        threading.Thread(target=self._kill_after, args=(patience_s,), name=f"{self._name}-kill", daemon=True).start()
        return True

    def close(self, patience_s: float) -> None:
        """Tell it nothing more, at which it ends, and kill it after `patience_s`; returns at once.

        This process stays until then.
        """
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        threading.Thread(target=self._kill_after, args=(patience_s,), name=f"{self._name}-end").start()

    def _follow(self) -> None:
        errors = threading.Thread(target=self._collect, name=f"{self._name}-errors", daemon=True)
        errors.start()
        for line in _pipe(self._process.stdout):
            self._take(line)
        errors.join()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not sent any more
                    pipe.close()
        self._ended(Ending(code, tuple(self._errors)))

    def _collect(self) -> None:
        for line in _pipe(self._process.stderr):
            self._errors.append(line.decode(errors="replace"))

    def _kill_after(self, patience_s: float) -> None:
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def hand_over(loop: asyncio.AbstractEventLoop, act: Callable[..., object], *arguments: object) -> None:
    """Call `act` on a loop from another thread; a loop that is closed has nobody who listens any more."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(act, *arguments)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe
