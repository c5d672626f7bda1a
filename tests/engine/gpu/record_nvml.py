"""A program for a machine with an NVIDIA GPU: record what NVML answers, as JSON on standard output.

The recording is what `recorded_nvml.RecordedNvml` plays back. Names and serial numbers of the machine are left out.
"""

import json
import sys

import pynvml

CALLS = {
    "nvmlDeviceGetMemoryInfo": (),
    "nvmlDeviceGetUtilizationRates": (),
    "nvmlDeviceGetName": (),
    "nvmlDeviceGetCudaComputeCapability": (),
    "nvmlDeviceGetPowerUsage": (),
    "nvmlDeviceGetEnforcedPowerLimit": (),
    "nvmlDeviceGetTemperature": (0,),
    "nvmlDeviceGetClockInfo": (1,),
    "nvmlDeviceGetClockInfo#2": (2,),
    "nvmlDeviceGetComputeRunningProcesses": (),
    "nvmlDeviceGetGraphicsRunningProcesses": (),
}
PAIR_CALLS = {"nvmlDeviceGetP2PStatus": (2,), "nvmlDeviceGetTopologyCommonAncestor": ()}
FIELDS = ("total", "used", "free", "gpu", "memory", "pid", "usedGpuMemory")


def plain(value):
    """A JSON value with NVML's structures as objects of their fields."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str | int | float | bool | type(None)):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return {name: plain(getattr(value, name)) for name in FIELDS if hasattr(value, name)}


def ask(function, handle, arguments):
    try:
        return {"value": plain(getattr(pynvml, function)(handle, *arguments))}
    except pynvml.NVMLError as error:
        return {"error": error.value, "text": str(error)}


def main():
    pynvml.nvmlInit()
    devices, handles = [], [pynvml.nvmlDeviceGetHandleByIndex(n) for n in range(pynvml.nvmlDeviceGetCount())]
    for index in range(pynvml.nvmlDeviceGetCount()):
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        answers = {name: ask(name.partition("#")[0], handle, arguments) for name, arguments in CALLS.items()}
        answers["nvmlDeviceGetUUID"] = {"value": f"GPU-00000000-0000-0000-0000-{index:012}"}
        answers["pairs"] = {
            str(other): {name: ask(name, handle, (handles[other], *more)) for name, more in PAIR_CALLS.items()}
            for other in range(len(handles))
            if other != index
        }
        devices.append(answers)
    json.dump({"driver": plain(pynvml.nvmlSystemGetDriverVersion()), "devices": devices}, sys.stdout, indent=1)


main()
