"""Which GPU's memory a failed load is told of: that of the GPU that it used, not of another one in the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.checkpoints.installed_vllm import InstalledVllm
from engine.gpu.nvml import Nvml
from engine.host.preflight import Preflight
from tests.engine.gpu.recorded_nvml import RecordedNvml

if TYPE_CHECKING:
    from pathlib import Path


def test_the_memory_is_that_of_the_smallest_gpu_in_use(tmp_path: Path) -> None:
    nvml = RecordedNvml()
    large, small = nvml.devices[0], {**nvml.devices[0]}
    large_bytes = large["nvmlDeviceGetMemoryInfo"]["value"]["total"]
    small |= {
        "nvmlDeviceGetMemoryInfo": {"value": {"total": 2 << 30, "used": 0, "free": 2 << 30}},
        "nvmlDeviceGetUUID": {"value": "GPU-small"},
    }
    nvml.devices.append(small)
    shown = Preflight(Nvml(nvml), InstalledVllm(tmp_path), {})
    assert shown.device_bytes({}) == large_bytes
    assert shown.device_bytes({"tensor_parallel_size": 2}) == 2 << 30
    assert shown.device_bytes({"gpu_uuids": "GPU-small"}) == 2 << 30
    assert Preflight(Nvml(nvml), InstalledVllm(tmp_path), {"CUDA_VISIBLE_DEVICES": "1"}).device_bytes({}) == 2 << 30
    assert Preflight(Nvml(nvml), InstalledVllm(tmp_path), {"CUDA_VISIBLE_DEVICES": ""}).device_bytes({}) is None
