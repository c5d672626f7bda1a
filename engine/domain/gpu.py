"""Samples of the hardware. None means that the driver or the system cannot tell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process that holds VRAM; `used_bytes` is None where NVML cannot tell (WSL2, containers)."""

    pid: int
    name: str
    used_bytes: int | None
    is_ours: bool


@dataclass(frozen=True, slots=True)
class GpuSample:
    """One GPU at one moment. Bytes, watts, degrees Celsius, MHz; utilizations 0 to 1."""

    monotonic_ns: int
    index: int
    uuid: str
    name: str
    total_bytes: int | None
    used_bytes: int | None
    ours_bytes: int | None
    others_bytes: int | None
    processes: tuple[GpuProcess, ...]
    utilization: float | None
    memory_utilization: float | None
    power_w: float | None
    power_limit_w: float | None
    temperature_c: int | None
    sm_clock_mhz: int | None
    memory_clock_mhz: int | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class GpuLink:
    """The way between two GPUs, by UUID. None is unknown.

    `nvlink` is whether memory goes over NVLink directly; `path` is where their PCIe ways meet, as NVML has it:
    "internal", "single", "multiple", "host_bridge", "node" or "system".
    """

    first: str
    second: str
    nvlink: bool | None
    path: str | None


@dataclass(frozen=True, slots=True)
class HostSample:
    """The machine without a GPU, from the operating system: memory in bytes, utilization 0 to 1 per core.

    `engine_bytes` is the summed proportional (or resident) memory of the engine's processes, `engine_cpu` their
    summed share of one core (1.0 is one core busy).
    """

    monotonic_ns: int
    total_bytes: int
    available_bytes: int
    engine_bytes: int | None
    engine_cpu: float | None
    cpu_utilization: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HardwareSample:
    """Everything sampled at one moment. `driver_note` says in a sentence why there is no GPU, when there is none."""

    host: HostSample
    gpus: tuple[GpuSample, ...] = ()
    driver_version: str | None = None
    driver_note: str | None = None
