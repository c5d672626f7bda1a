"""A child program is followed to its end, whatever it does, and is never left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from engine.domain.child_program import ChildProgram, Ending, hand_over
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Followed:
    """A program made of a few lines of Python, and what it said."""

    def __init__(self, folder: Path, source: str, *, told: bool = False) -> None:
        (folder / "childsays.py").write_text(source, encoding="utf-8")
        self.lines: list[bytes] = []
        self.ending: Ending | None = None
        self.begun = threading.Event()
        self._ended = threading.Event()
        environment = os.environ | {"PYTHONPATH": str(folder)}
        self.program = ChildProgram("child", ["childsays"], self._take, self._end, environment=environment, told=told)
        self.program.follow()

    def _take(self, line: bytes) -> None:
        self.lines.append(line.strip())
        self.begun.set()

    def _end(self, ending: Ending) -> None:
        self.ending = ending
        self._ended.set()

    def end(self) -> Ending:
        """How it ended."""
        assert self._ended.wait(PATIENCE_S)
        assert self.ending is not None
        return self.ending


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Followed]:
    """Starts a program."""
    return lambda source, **options: Followed(tmp_path, source, **options)


def test_every_line_comes_before_the_end(make: Callable[..., Followed]) -> None:
    child = make("for n in range(2000): print(n)")
    assert child.end() == Ending(0)
    assert child.lines == [str(n).encode() for n in range(2000)]
    assert not child.program.running


def test_much_on_its_standard_error_does_not_stop_it(make: Callable[..., Followed]) -> None:
    child = make("import sys\nfor n in range(20000): print('x' * 50, n, file=sys.stderr)\nprint('done')\nsys.exit(3)")
    ending = child.end()
    assert (ending.code, child.lines, len(ending.errors)) == (3, [b"done"], 40)
    assert ending.cause("The work") == f"The work ended with code 3: {'x' * 50} 19999"


def test_it_is_told_things_until_it_is_closed(make: Callable[..., Followed]) -> None:
    child = make("import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)", told=True)
    child.program.tell(b"one")
    assert child.begun.wait(PATIENCE_S)
    child.program.tell(b"two")
    child.program.close(PATIENCE_S)
    assert child.end().code == 0
    assert child.lines == [b"ONE", b"TWO"]
    child.program.tell(b"in vain")


def test_one_that_does_not_listen_is_killed(make: Callable[..., Followed]) -> None:
    deaf = (
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('here', flush=True)\ntime.sleep(600)"
    )
    child = make(deaf)
    assert child.begun.wait(PATIENCE_S)
    assert child.program.terminate(0.1)
    ending = child.end()
    assert ending.code == -signal.SIGKILL
    assert ending.cause("The work") == "The work was ended by signal 9, perhaps because memory ran out."
    assert not child.program.terminate(0.1)


def test_closing_kills_one_that_reads_nothing(make: Callable[..., Followed]) -> None:
    child = make("import time\nprint('here', flush=True)\ntime.sleep(600)", told=True)
    assert child.begun.wait(PATIENCE_S)
    child.program.close(0.1)
    assert child.end().code == -signal.SIGKILL


def test_a_missing_package_is_named(make: Callable[..., Followed]) -> None:
    child = make("import no_such_package_at_all")
    assert child.end().cause("The work") == (
        "The work needs a Python package that is not installed: No module named 'no_such_package_at_all'."
    )


def test_it_is_in_a_session_of_its_own(make: Callable[..., Followed]) -> None:
    child = make("import os\nprint(os.getsid(0) == os.getpid())")
    child.end()
    assert child.lines == [b"True"]


def test_waiting_in_vain_raises(make: Callable[..., Followed]) -> None:
    child = make("import sys\nprint('here', flush=True)\nsys.stdin.read()", told=True)
    assert child.begun.wait(PATIENCE_S)
    with pytest.raises(subprocess.TimeoutExpired):
        child.program.wait(0.01)
    child.program.close(PATIENCE_S)
    assert child.program.wait(PATIENCE_S) == 0
    child.end()


def test_nobody_is_called_on_a_closed_loop() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    hand_over(loop, pytest.fail, "called on a closed loop")
