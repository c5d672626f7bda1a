"""One of several soaks at once: `python -m tests.soak.lane SETTINGS`, a JSON object.

A line in is a round's number, and a line out its result; "close" ends the last window, and answers what is left then.
When nobody gives orders any more, in the middle of a round too, it ends everything that it has started.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.soak.rounds import Soak


@dataclass(frozen=True, slots=True)
class LaneSettings:
    """What a lane has to know. `home` is its own; `worker` the process that computes; `moment` None is any."""

    home: str
    checkpoint: str
    parameters: dict[str, Any]
    clients: int
    targets: tuple[str, ...]
    seed: int
    worker: str
    alone: bool
    busy_machine: bool
    moment: str | None = None

    def command(self) -> list[str]:
        """What starts it."""
        return [sys.executable, "-m", "tests.soak.lane", json.dumps(asdict(self))]


def _run(settings: LaneSettings, temporary: Path) -> None:
    home = Path(settings.home)
    soak = Soak(
        home,
        temporary,
        Path(settings.checkpoint),
        settings.parameters,
        settings.clients,
        tuple(settings.targets),
        worker=settings.worker,
        alone=settings.alone,
        busy_machine=settings.busy_machine,
        moment=settings.moment,
    )
    orders: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            orders.put(line.strip())
            if line.strip() == "close":
                return
        soak.give_up()
        shutil.rmtree(temporary, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=listen, daemon=True, name="orders").start()
    while (order := orders.get()) != "close":
        _answer(soak.round(int(order), settings.seed).as_json())
    _answer({"left": soak.close()})


def _answer(values: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # nobody reads it: `listen` sees that, too
        os.write(1, (json.dumps(values) + "\n").encode())


def main() -> int:
    """Run rounds until told to close."""
    # As short as can be: vLLM's sockets have to fit into a path of 107 bytes.
    with tempfile.TemporaryDirectory(prefix="ks-", ignore_cleanup_errors=True) as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        _run(LaneSettings(**json.loads(sys.argv[1])), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
