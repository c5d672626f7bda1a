"""The sampling thread: its pace, its end, and who uses what."""

import os
import subprocess
import sys
import threading
import time

import pytest

from engine.gpu.nvml import Nvml
from engine.gpu.sampler import HardwareSampler, with_descendants
from tests.patience import PATIENCE_S

from .recorded_nvml import RecordedNvml

MIB = 1 << 20


@pytest.fixture
def module():
    return RecordedNvml()


@pytest.fixture
def sampler(module):
    return HardwareSampler(lambda _: None, nvml=Nvml(module))


def processes(module, found):
    listed = [{"pid": pid, "usedGpuMemory": used} for pid, used in found.items()]
    module.devices[0]["nvmlDeviceGetComputeRunningProcesses"] = {"value": listed}
    module.devices[0]["nvmlDeviceGetGraphicsRunningProcesses"] = {"value": []}
    module.devices[0]["nvmlDeviceGetMemoryInfo"] = {
        "value": {"total": 1000 * MIB, "used": 300 * MIB, "free": 700 * MIB}
    }


def test_ours_and_others_by_pid(module, sampler):
    processes(module, {os.getpid(): 100 * MIB, 1: 50 * MIB})
    sampler.set_engine_pids([os.getpid()])
    gpu = sampler.sample().gpus[0]
    assert (gpu.used_bytes, gpu.ours_bytes, gpu.others_bytes) == (300 * MIB, 100 * MIB, 200 * MIB)
    ours, other = gpu.processes
    assert (ours.pid, ours.is_ours, other.pid, other.is_ours) == (os.getpid(), True, 1, False)
    assert ours.name.startswith(("python", "pytest"))


def test_without_an_engine_all_is_others(module, sampler):
    processes(module, {1: 50 * MIB})
    gpu = sampler.sample().gpus[0]
    assert (gpu.ours_bytes, gpu.others_bytes) == (0, 300 * MIB)


def test_what_cannot_be_told_apart_is_none(module, sampler):
    sampler.set_engine_pids([os.getpid()])
    processes(module, {os.getpid(): None, 1: 5})
    gpu = sampler.sample().gpus[0]
    assert (gpu.ours_bytes, gpu.others_bytes) == (None, None)
    processes(module, {})
    gpu = sampler.sample().gpus[0]
    assert (gpu.ours_bytes, gpu.others_bytes) == (None, None), "in a container NVML lists nobody"


def test_a_process_of_another_container_has_no_name(module, sampler):
    processes(module, {2**22 + 9: 5})
    assert sampler.sample().gpus[0].processes[0].name == "process"


def test_no_driver_is_a_note_beside_the_machines_own_figures():
    module = RecordedNvml()
    module.fail["nvmlInit"] = 12
    sample = HardwareSampler(lambda _: None, nvml=Nvml(module)).sample()
    assert sample.gpus == ()
    assert "no NVIDIA driver" in sample.driver_note
    assert sample.driver_version is None
    assert sample.host.total_bytes > 0


def test_children_count_as_the_engines():
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    try:
        assert child.pid in with_descendants(frozenset({os.getpid()}))
        assert 2**22 + 11 in with_descendants(frozenset({2**22 + 11})), "a dead one stays as it was told"
    finally:
        child.communicate()


def test_the_thread_keeps_its_pace_and_ends(module):
    samples, enough = [], threading.Event()

    def take(sample):
        samples.append(sample)
        if len(samples) == 4:
            enough.set()

    sampler = HardwareSampler(take, period_s=0.05, nvml=Nvml(module))
    sampler.start()
    sampler.start()
    assert enough.wait(PATIENCE_S)
    sampler.stop()
    count = len(samples)
    assert not [thread for thread in threading.enumerate() if thread.name == "hardware-sampler"]
    assert module.sessions == 0
    time.sleep(0.2)
    assert len(samples) == count
    times = [sample.host.monotonic_ns for sample in samples]
    assert times == sorted(times)


def test_a_new_pace_applies_at_once(module):
    seen = threading.Semaphore(0)
    sampler = HardwareSampler(lambda _: seen.release(), period_s=3600, nvml=Nvml(module))
    sampler.start()
    try:
        assert seen.acquire(timeout=PATIENCE_S)
        sampler.set_period(0.02)
        for _ in range(3):
            assert seen.acquire(timeout=PATIENCE_S)
    finally:
        sampler.stop()
    with pytest.raises(ValueError, match="positive"):
        sampler.set_period(0)


def test_it_can_be_started_again_after_a_stop(module):
    seen = threading.Event()
    sampler = HardwareSampler(lambda _: seen.set(), period_s=0.05, nvml=Nvml(module))
    for _ in range(2):
        seen.clear()
        sampler.start()
        assert seen.wait(PATIENCE_S)
        sampler.stop()
