"""What a driver can refuse, lose or hide, each turned into None or a sentence."""

import sys

import pytest

from engine.gpu.nvml import Nvml

from .recorded_nvml import RecordedNvml


@pytest.fixture
def module():
    return RecordedNvml()


NO_SESSION = {
    12: "no NVIDIA driver",
    9: "no NVIDIA driver",
    18: "until a restart",
    4: "may not ask",
    999: "does not answer",
}


@pytest.mark.parametrize(("number", "words"), NO_SESSION.items())
def test_no_driver_says_why(module, number, words):
    module.fail["nvmlInit"] = number
    nvml = Nvml(module)
    assert not nvml.available
    assert words in nvml.note
    assert (nvml.read(), nvml.describe_gpus(), nvml.driver_version()) == ((), (), None)


def test_no_package_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    nvml = Nvml()
    assert not nvml.available
    assert "nvidia-ml-py" in nvml.note


def test_a_driver_without_a_gpu(module):
    module.devices = []
    nvml = Nvml(module)
    assert nvml.available
    assert "sees no GPU" in nvml.note


def test_links_that_the_driver_does_not_tell_are_unknown(module):
    first = module.devices[0]
    second = {**first, "nvmlDeviceGetUUID": {"value": "GPU-second"}}
    told = {"nvmlDeviceGetP2PStatus": {"value": 4}, "nvmlDeviceGetTopologyCommonAncestor": {"value": 40}}
    first["pairs"], second["pairs"] = {"1": told}, {"0": told}
    module.devices.append(second)
    (link,) = Nvml(module).read_links()
    assert (link.second, link.nvlink, link.path) == ("GPU-second", False, "node")
    module.fail |= {"nvmlDeviceGetP2PStatus": 3, "nvmlDeviceGetTopologyCommonAncestor": 3}
    (link,) = Nvml(module).read_links()
    assert (link.nvlink, link.path) == (None, None)


QUESTIONS = {
    "nvmlDeviceGetUtilizationRates": "utilization",
    "nvmlDeviceGetPowerUsage": "power_w",
    "nvmlDeviceGetEnforcedPowerLimit": "power_limit_w",
    "nvmlDeviceGetTemperature": "temperature_c",
    "nvmlDeviceGetClockInfo": "sm_clock_mhz",
    "nvmlDeviceGetMemoryInfo": "used_bytes",
}


@pytest.mark.parametrize(("function", "field"), QUESTIONS.items())
def test_what_is_not_supported_is_none_and_costs_nothing_else(module, function, field):
    module.fail[function] = 3
    nvml = Nvml(module)
    (reading, *_) = nvml.read()
    assert getattr(reading, field) is None
    others = [getattr(reading, other) for other in QUESTIONS.values() if other != field]
    assert None not in others
    assert reading.error is None


def test_processes_that_nvml_cannot_list(module):
    for name in ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses"):
        module.fail[name] = 3
    assert Nvml(module).read()[0].processes is None


def test_a_process_whose_memory_is_hidden_is_none_and_never_zero(module):
    hidden = [{"pid": 7, "usedGpuMemory": None}, {"pid": 8, "usedGpuMemory": (1 << 64) - 1}]
    module.devices[0]["nvmlDeviceGetComputeRunningProcesses"] = {"value": hidden}
    module.devices[0]["nvmlDeviceGetGraphicsRunningProcesses"] = {"value": [{"pid": 7, "usedGpuMemory": 5}]}
    assert Nvml(module).read()[0].processes == {7: 5, 8: None}


def test_a_lost_gpu_says_so_and_may_come_back(module):
    nvml = Nvml(module)
    assert nvml.read()[0].error is None
    module.fail["nvmlDeviceGetMemoryInfo"] = 15
    assert "lost this GPU" in nvml.read()[0].error
    assert module.sessions == 0, "the dead session was ended"
    module.fail.clear()
    assert nvml.read()[0].error is None


@pytest.mark.parametrize("lost", [0, 1])
def test_one_of_two_gpus_is_lost_while_the_other_goes_on(module, lost):
    module.devices.append({**module.devices[0], "nvmlDeviceGetUUID": {"value": "GPU-second"}})
    nvml = Nvml(module)
    assert [reading.error for reading in nvml.read()] == [None, None]
    module.fail_at[lost] = dict.fromkeys([*QUESTIONS, "nvmlDeviceGetComputeRunningProcesses"], 15)
    for _ in range(3):  # for good: a GPU that fell off the bus does not come back by itself
        readings = nvml.read()
        assert "lost this GPU" in readings[lost].error
        assert (readings[1 - lost].error, readings[1 - lost].used_bytes is None) == (None, False)
    module.fail_at.clear()
    assert [reading.error for reading in nvml.read()] == [None, None]
    nvml.close()
    assert module.sessions == 0


NUMBERS = [*range(1, 30), 999]


@pytest.mark.parametrize("number", NUMBERS)
def test_no_error_of_any_function_is_more_than_something_unknown(module, number):
    functions = [name.partition("#")[0] for name in module.devices[0] if name.startswith("nvml")]
    for name in ("nvmlInit", "nvmlShutdown", "nvmlSystemGetDriverVersion", "nvmlDeviceGetCount", *functions):
        nvml = Nvml(module)
        assert nvml.read()
        module.fail[name] = number
        for _ in range(2):  # the second time after what the first one did to the session
            for reading in nvml.read():
                assert reading.error is None or reading.used_bytes is None
        nvml.driver_version()
        nvml.read_links()
        nvml.close()
        module.fail.clear()


def test_a_gpu_that_is_lost_from_the_start(module):
    module.fail["nvmlDeviceGetHandleByIndex"] = 15
    nvml = Nvml(module)
    assert "does not answer" in nvml.describe_gpus()[0].error
    assert "does not answer" in nvml.read()[0].error


def test_an_old_driver_lacks_functions(module):
    del_names = ("nvmlDeviceGetEnforcedPowerLimit",)

    class Old(RecordedNvml):
        def __getattr__(self, name):
            if name in del_names:
                raise AttributeError(name)
            return super().__getattr__(name)

    assert Nvml(Old()).read()[0].power_limit_w is None


def test_closing_twice_or_after_a_loss_is_fine(module):
    nvml = Nvml(module)
    assert nvml.available
    module.fail["nvmlShutdown"] = 1
    nvml.close()
    nvml.close()
