"""Memory and load of real processes."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from engine.gpu.host_memory import HostMemory, process_bytes

MIB = 1 << 20
HOLD = "import sys; held = bytearray(64 << 20); print('up', flush=True); sys.stdin.read()"
SPIN = "import sys; print('up', flush=True)\nwhile True: pass"


@pytest.fixture
def child():
    started = []

    def start(program):
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "up\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_the_machine(child):
    memory = HostMemory()
    first = memory.sample([])
    assert 0 < first.available_bytes <= first.total_bytes
    assert (first.engine_bytes, first.engine_cpu, first.cpu_utilization) == (None, None, ())
    time.sleep(0.1)
    second = memory.sample([])
    assert len(second.cpu_utilization) == psutil.cpu_count()
    assert all(0 <= share <= 1 for share in second.cpu_utilization)


def test_memory_of_the_engines_processes(child):
    one, two = child(HOLD), child(HOLD)
    memory = HostMemory()
    alone = memory.sample([one.pid]).engine_bytes
    assert 64 * MIB < alone < 120 * MIB
    both = memory.sample([one.pid, two.pid]).engine_bytes
    assert 1.7 * alone < both < 2.2 * alone
    assert process_bytes(psutil.Process(one.pid)) <= psutil.Process(one.pid).memory_info().rss


def test_load_of_the_engines_processes(child):
    busy = child(SPIN)
    memory = HostMemory()
    assert memory.sample([busy.pid]).engine_cpu is None, "a load is a difference"
    used = psutil.Process(busy.pid).cpu_times().user
    while psutil.Process(busy.pid).cpu_times().user < used + 0.2:
        time.sleep(0.05)
    assert 0 < memory.sample([busy.pid]).engine_cpu < 1.3


def test_a_process_that_ends_is_left_out(child):
    one = child(HOLD)
    memory = HostMemory()
    assert memory.sample([one.pid, 2**22 + 7]).engine_bytes
    one.kill()
    one.wait()
    gone = memory.sample([one.pid])
    assert (gone.engine_bytes, gone.engine_cpu) == (None, None)
    assert memory.sample([os.getpid()]).engine_bytes
