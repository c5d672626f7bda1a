"""A thread that samples GPUs and machine at its own pace and hands each sample to a callback."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

import psutil

from engine.domain.gpu import GpuProcess, GpuSample, HardwareSample
from engine.gpu.host_memory import HostMemory
from engine.gpu.nvml import Nvml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.gpu.nvml import GpuReading

log = logging.getLogger(__name__)

_UNNAMED = "process"
_JOIN_S = 5.0
_FAMILY_S = 2.0


class HardwareSampler:
    """Calls `on_sample` with a HardwareSample every `period_s`, on its own thread.

    The callback must be quick and thread-safe (a Qt signal, `call_soon_threadsafe`). Which processes are the engine's
    is told with `set_engine_pids`, from any thread; their descendants count with them. `period_s` may change at any
    time (`set_period`): a hidden window asks less often.
    """

    def __init__(
        self,
        on_sample: Callable[[HardwareSample], None],
        *,
        period_s: float = 0.5,
        nvml: Nvml | None = None,
        host: HostMemory | None = None,
    ) -> None:
        self._on_sample = on_sample
        self._period_s = period_s
        self._nvml = nvml or Nvml()
        self._host = host or HostMemory()
        self._pids: frozenset[int] = frozenset()
        self._family = _Family()
        self._names: dict[int, str] = {}
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to sample; the first sample comes at once. Does nothing when it already runs."""
        if self._thread is None:
            self._stopping = False
            self._thread = threading.Thread(target=self._run, name="hardware-sampler", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread and the session with the driver; no callback comes after this returns."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._stopping = True
        self._wake.set()
        thread.join(_JOIN_S)
        self._nvml.close()

    def set_engine_pids(self, pids: Iterable[int]) -> None:
        """Tell which processes are the engine's (host, EngineCore, workers)."""
        self._pids = frozenset(pids)

    def set_period(self, period_s: float) -> None:
        """Sample every `period_s` from now on."""
        if period_s <= 0:
            raise ValueError(f"a period must be positive, not {period_s}")
        self._period_s = period_s
        self._wake.set()

    def sample(self) -> HardwareSample:
        """Take one sample on this thread. Not beside a running thread: the loads are differences between samples."""
        pids = self._family.of(self._pids)
        readings = self._nvml.read()
        gpus = tuple(self._gpu(reading, pids) for reading in readings)
        self._forget_names(gpus)
        return HardwareSample(
            host=self._host.sample(pids),
            gpus=gpus,
            driver_version=self._nvml.driver_version(),
            driver_note=None if gpus else self._nvml.note,
        )

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopping:
            try:
                sample = self.sample()
                if not self._stopping:
                    self._on_sample(sample)
            except (OSError, psutil.Error) as error:
                # /proc can fail for a moment (too many open files); the thread is the only source of samples.
                log.info("A hardware sample failed: %s", error)
            due = max(due + self._period_s, time.monotonic())
            self._wake.wait(max(0.0, due - time.monotonic()) or self._period_s)
            if self._wake.is_set():
                self._wake.clear()
                due = time.monotonic()

    def _gpu(self, reading: GpuReading, pids: frozenset[int]) -> GpuSample:
        processes = self._processes(reading, pids)
        identity = reading.identity
        ours, others = split(reading, processes)
        return GpuSample(
            monotonic_ns=time.monotonic_ns(),
            index=identity.index,
            uuid=identity.uuid,
            name=identity.name or "GPU",
            total_bytes=identity.total_bytes,
            used_bytes=reading.used_bytes,
            ours_bytes=ours,
            others_bytes=others,
            processes=processes,
            utilization=reading.utilization,
            memory_utilization=reading.memory_utilization,
            power_w=reading.power_w,
            power_limit_w=reading.power_limit_w,
            temperature_c=reading.temperature_c,
            sm_clock_mhz=reading.sm_clock_mhz,
            memory_clock_mhz=reading.memory_clock_mhz,
            error=reading.error,
        )

    def _processes(self, reading: GpuReading, pids: frozenset[int]) -> tuple[GpuProcess, ...]:
        found = [GpuProcess(pid, self._name(pid), used, pid in pids) for pid, used in (reading.processes or {}).items()]
        return tuple(sorted(found, key=lambda process: (not process.is_ours, -(process.used_bytes or 0), process.pid)))

    def _name(self, pid: int) -> str:
        if pid not in self._names:
            try:
                self._names[pid] = psutil.Process(pid).name()
            except (psutil.Error, OSError):
                self._names[pid] = _UNNAMED  # of another container or user
        return self._names[pid]

    def _forget_names(self, gpus: tuple[GpuSample, ...]) -> None:
        alive = {process.pid for gpu in gpus for process in gpu.processes}
        self._names = {pid: name for pid, name in self._names.items() if pid in alive}


class _Family:
    """Descendants of the engine's processes, looked up again after a while: it means a walk over all of /proc."""

    def __init__(self) -> None:
        self._roots: frozenset[int] | None = None
        self._found: frozenset[int] = frozenset()
        self._until_s = 0.0

    def of(self, roots: frozenset[int]) -> frozenset[int]:
        now = time.monotonic()
        if roots != self._roots or now >= self._until_s:
            self._roots, self._found, self._until_s = roots, with_descendants(roots), now + _FAMILY_S
        return self._found


def split(reading: GpuReading, processes: tuple[GpuProcess, ...]) -> tuple[int | None, int | None]:
    """VRAM of the engine and of everybody else. None where NVML does not tell each process's share.

    "Everybody else" is what is used beyond the engine: it also holds what the driver keeps for itself.
    """
    if reading.processes is None or reading.used_bytes is None:
        return None, None
    sizes = [process.used_bytes for process in processes if process.is_ours]
    if any(size is None for size in sizes):
        return None, None
    if not sizes and reading.used_bytes and not processes:
        # Inside a container NVML lists nobody while memory is in use: whose it is cannot be said.
        return None, None
    ours = sum(size for size in sizes if size is not None)
    return ours, max(0, reading.used_bytes - ours)


def with_descendants(pids: frozenset[int]) -> frozenset[int]:
    """The given processes and all that they started, as far as they are alive."""
    found = set(pids)
    for pid in pids:
        try:
            found |= {child.pid for child in psutil.Process(pid).children(recursive=True)}
        except (psutil.Error, OSError):
            continue
    return frozenset(found)
