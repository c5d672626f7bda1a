"""Which processes are the engine's."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time

from engine.domain.lifecycle import EngineProcess
from engine.host.processes import engine_processes, shared_segments
from engine.page.liveness import start_ticks


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


_FORKING = """
import os, sys, time
from engine.host.processes import engine_processes, is_part
# As vLLM's do, by name; then it starts a program, of which it is itself for a moment.
core = os.fork()
if core == 0:
    os.execv(sys.executable, ["VLLM::EngineCore", "-c", "import os, time; os.fork(); time.sleep(60)"])
while len(found := engine_processes()) < 2:
    time.sleep(0.01)
print(*(f"{each.name}: {is_part(each)}" for each in found), sep="\\n")
for each in found:
    os.kill(each.pid, 9)
"""


def test_what_an_engine_process_is_before_it_runs_another_program_is_not_a_part_of_the_engine() -> None:
    """It ends as it should, and for as long as it is there the host must not miss it: it may stay."""
    done = subprocess.run([sys.executable, "-c", _FORKING], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["EngineCore: True", "a process of EngineCore: False"], done.stderr


_ADOPTING = """
import asyncio, multiprocessing, os, subprocess, sys, time
from engine.host.adopted import AdoptedReaper
from engine.host.processes import adopt_orphans, children_of
from engine.page.liveness import stat_fields

def zombies():
    return {pid for pid in children_of(os.getpid()) if stat_fields(pid)[0] == "Z"}

def quick():
    sys.exit(6)

def main():
    adopt_orphans()
    now = 0.0
    reaper = AdoptedReaper(clock=lambda: now)
    mine = subprocess.Popen([sys.executable, "-c", "raise SystemExit(5)"])
    forked = multiprocessing.get_context("fork").Process(target=quick)
    forked.start()
    # A parent that ends before its child, which then ends, too: nobody here has ever seen it.
    orphan = "import subprocess; subprocess.Popen(['sleep', '0.2'])"
    subprocess.run([sys.executable, "-c", orphan], check=True)
    while len(zombies()) < 3:
        time.sleep(0.01)
    left = zombies() - {mine.pid, forked.pid}
    print(len(left), reaper.sweep())
    assert mine.wait() == 5  # before its time has come: its owner has its status
    now = 29.0
    print(reaper.sweep(), zombies() - {forked.pid} == left)
    now = 31.0
    print(reaper.sweep() == tuple(left), zombies() - {forked.pid})
    forked.join()
    print(forked.exitcode, reaper.sweep())
    async def child():
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(7)")
        return await process.wait()
    print(asyncio.run(child()), reaper.sweep(), zombies())

main()
"""


def test_what_fell_to_the_host_is_collected_and_what_others_wait_for_is_not() -> None:
    done = subprocess.run([sys.executable, "-c", _ADOPTING], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["1 ()", "() True", "True set()", "6 ()", "7 () set()"], done.stderr


def test_a_semaphore_is_its_makers_segment_though_it_is_mapped_under_another_name() -> None:
    code = (
        "import multiprocessing as m; it = m.get_context('spawn').Lock(); print(it._semlock.name, flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        name = child.stdout.readline().decode().strip().removeprefix("/")
        process = EngineProcess(child.pid, "EngineCore", start_ticks(child.pid) or 0)
        assert f"/dev/shm/sem.{name}" in shared_segments([process])
        child.communicate(b"\n")
    assert shared_segments([process]) == frozenset()
