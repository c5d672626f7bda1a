"""Which processes are the engine's."""

from __future__ import annotations

import queue
import subprocess
import threading
import time

from engine.host.processes import engine_processes


def test_a_child_whose_starting_thread_ends_meanwhile_is_not_missed() -> None:
    """The system keeps children by thread, and the thread that starts an engine ends when the engine is ready."""
    idle = threading.Event()
    threads = [threading.Thread(target=idle.wait) for _ in range(40)]
    for thread in threads:
        thread.start()
    missed = [stay_s for stay_s in (attempt % 10 * 3e-4 for attempt in range(60)) if not _seen(stay_s)]
    idle.set()
    for thread in threads:
        thread.join()
    assert missed == []


def _seen(stay_s: float) -> bool:
    started: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()

    def start() -> None:
        started.put(subprocess.Popen(["sleep", "60"]))
        time.sleep(stay_s)

    starter = threading.Thread(target=start)
    starter.start()
    child = started.get()
    found = engine_processes()
    child.kill()
    child.wait()
    starter.join()
    return child.pid in {process.pid for process in found}
