"""One suite for NVML, real (where there is a GPU) and recorded: whatever the rest of KVDeck relies on."""

import itertools
import re
import threading

import pytest

from engine.gpu.nvml import Nvml

from .recorded_nvml import RecordedNvml


@pytest.fixture(params=["recorded", pytest.param("real", marks=pytest.mark.gpu)])
def nvml(request):
    session = Nvml(RecordedNvml() if request.param == "recorded" else None)
    if request.param == "real" and not session.available:
        pytest.skip(session.note)
    yield session
    session.close()


def test_the_driver_answers(nvml):
    assert nvml.available
    assert nvml.note is None
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", nvml.driver_version())


def test_each_gpu_says_what_it_is(nvml):
    gpus = nvml.describe_gpus()
    assert gpus
    assert len({gpu.uuid for gpu in gpus}) == len(gpus)
    for index, gpu in enumerate(gpus):
        assert gpu.index == index
        assert gpu.uuid.startswith(("GPU-", "MIG-"))
        assert gpu.name
        assert (5, 0) <= gpu.capability < (20, 0)
        assert gpu.total_bytes > 1 << 30
        assert gpu.error is None


def test_readings_are_in_our_units(nvml):
    for reading in nvml.read():
        assert reading.error is None
        assert 0 <= reading.used_bytes <= reading.identity.total_bytes
        assert 0 <= reading.free_bytes <= reading.identity.total_bytes
        for share in (reading.utilization, reading.memory_utilization):
            assert share is None or 0 <= share <= 1
        assert reading.power_w is None or 1 < reading.power_w < 3000
        assert reading.power_limit_w is None or 1 < reading.power_limit_w < 3000
        assert reading.temperature_c is None or 0 < reading.temperature_c < 120
        for clock in (reading.sm_clock_mhz, reading.memory_clock_mhz):
            assert clock is None or 0 <= clock < 20_000
        for pid, used in (reading.processes or {}).items():
            assert pid > 0
            assert used is None or 0 <= used <= reading.identity.total_bytes


def test_every_two_gpus_say_how_they_are_connected(nvml):
    uuids = [gpu.uuid for gpu in nvml.describe_gpus()]
    links = nvml.read_links()
    assert [(link.first, link.second) for link in links] == list(itertools.combinations(uuids, 2))
    for link in links:
        assert link.nvlink in (True, False, None)
        assert link.path in ("internal", "single", "multiple", "host_bridge", "node", "system", None)
        assert (link.nvlink, link.path) != (None, None)


def test_a_closed_session_opens_again(nvml):
    before = nvml.describe_gpus()
    nvml.close()
    assert nvml.describe_gpus() == before


def test_threads_may_ask_at_once(nvml):
    found = []
    threads = [threading.Thread(target=lambda: found.append(len(nvml.read()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [len(nvml.describe_gpus())] * 4
