"""The one funnel into NVML: every question is answered with a value or None, and nothing here raises.

pynvml is imported when the driver is first asked, so that a machine without one pays nothing for it.
"""

from __future__ import annotations

import importlib
import logging
import threading
import time
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

from engine.domain.gpu import GpuLink

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

# NVML_ERROR numbers after which a handle, or the whole session, is of no more use.
_UNINITIALIZED, _LOST, _RESET_REQUIRED, _DRIVER_NOT_LOADED = 1, 15, 16, 9
_LIBRARY_NOT_FOUND, _MISMATCH = 12, 18
_NO_PERMISSION = 4
# What NVML writes where it cannot tell a process's memory (WSL2, containers, MIG).
_NOT_AVAILABLE = (1 << 64) - 1
# NVML_P2P_CAPS_INDEX_NVLINK, NVML_P2P_STATUS_OK, and nvmlGpuTopologyLevel_t.
_P2P_NVLINK, _P2P_OK = 2, 0
_COMMON = {0: "internal", 10: "single", 20: "multiple", 30: "host_bridge", 40: "node", 50: "system"}
# Looking for a driver's library that is not there walks the library path: not at every sample.
_ASK_AGAIN_S = 30.0


class NvmlModule(Protocol):
    """The part of pynvml that is used here; a recorded one must pass the same contract suite as the real one."""

    NVMLError: type[Exception]

    def nvmlInit(self) -> None: ...  # noqa: N802 - NVML's own name
    def nvmlShutdown(self) -> None: ...  # noqa: N802 - NVML's own name
    def __getattr__(self, name: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class GpuIdentity:
    """What stays while the driver is loaded. `capability` is (major, minor); `error` says why a GPU is lost."""

    index: int
    uuid: str
    name: str | None
    total_bytes: int | None
    capability: tuple[int, int] | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class GpuReading:
    """What NVML says of one GPU at one moment. Bytes, watts, °C, MHz; utilizations 0 to 1.

    `processes` maps a pid to its VRAM in bytes or None; it is None as a whole where NVML cannot list them.
    """

    identity: GpuIdentity
    used_bytes: int | None
    free_bytes: int | None
    processes: dict[int, int | None] | None
    utilization: float | None
    memory_utilization: float | None
    power_w: float | None
    power_limit_w: float | None
    temperature_c: int | None
    sm_clock_mhz: int | None
    memory_clock_mhz: int | None
    error: str | None = None


class Nvml:
    """A session with the driver. `available` is False, and `note` says why in a sentence, where there is none.

    Safe to use from several threads. `close` ends the session; it may be used again afterwards.
    """

    def __init__(self, module: NvmlModule | None = None) -> None:
        self._given = module
        self._module: NvmlModule | None = None
        self._lock = threading.RLock()
        self._handles: list[Any] = []
        self._identities: list[GpuIdentity] = []
        self._ask_again_s = 0.0
        self.note: str | None = None

    @property
    def available(self) -> bool:
        """Whether a driver answers. Asks on the first call, after a loss, and now and then while there is none."""
        with self._lock:
            if self._module is not None:
                return True
            if time.monotonic() < self._ask_again_s:
                return False
            opened = self._open()
            self._ask_again_s = 0.0 if opened else time.monotonic() + _ASK_AGAIN_S
            return opened

    def driver_version(self) -> str | None:
        """The driver's version ("570.86.10")."""
        if not self.available:
            return None
        return _text(self._ask("nvmlSystemGetDriverVersion"))

    def describe_gpus(self) -> tuple[GpuIdentity, ...]:
        """Every GPU that the driver counts, in its order; empty without a driver."""
        return tuple(self._identities) if self.available else ()

    def read(self) -> tuple[GpuReading, ...]:
        """A reading of every GPU; a lost one says so in `error`. Takes milliseconds a GPU: not on the GUI thread."""
        if not self.available:
            return ()
        with self._lock:
            pairs = list(zip(self._handles, self._identities, strict=True))
        lost: list[GpuIdentity] = []
        readings = tuple(self._read_one(handle, identity, lost) for handle, identity in pairs)
        if lost:  # after the others were read, which may be sound
            self.close()  # the next question opens a new session and counts the GPUs anew
        return readings

    def read_links(self) -> tuple[GpuLink, ...]:
        """How every two GPUs are connected; empty with fewer than two. They stay as they are: ask once."""
        if not self.available:
            return ()
        with self._lock:
            pairs = list(combinations(zip(self._handles, self._identities, strict=True), 2))
        return tuple(self._link(one, other, (first.uuid, second.uuid)) for (one, first), (other, second) in pairs)

    def _link(self, one: Any, other: Any, uuids: tuple[str, str]) -> GpuLink:
        if one is None or other is None:
            return GpuLink(*uuids, None, None)
        peers = self._ask("nvmlDeviceGetP2PStatus", one, other, _P2P_NVLINK)
        common = self._ask("nvmlDeviceGetTopologyCommonAncestor", one, other)
        return GpuLink(*uuids, None if peers is None else peers == _P2P_OK, _COMMON.get(common))

    def close(self) -> None:
        """End the session with the driver."""
        with self._lock:
            module, self._module = self._module, None
            self._handles, self._identities = [], []
            if module is not None:
                try:
                    module.nvmlShutdown()
                except module.NVMLError as error:
                    log.info("NVML did not end its session: %s", error)

    def _open(self) -> bool:
        try:
            module = self._given if self._given is not None else importlib.import_module("pynvml")
        except ImportError:
            self.note = "The Python package nvidia-ml-py is not installed, so GPUs cannot be seen."
            return False
        try:
            module.nvmlInit()
        except module.NVMLError as error:
            self.note = _why(error)
            return False
        self._module, self.note = module, None
        count = self._ask("nvmlDeviceGetCount")
        for index in range(count if isinstance(count, int) else 0):
            handle = self._ask("nvmlDeviceGetHandleByIndex", index)
            self._handles.append(handle)
            self._identities.append(self._identify(index, handle))
        if not self._handles:
            self.note = "The NVIDIA driver is loaded, but it sees no GPU."
        return True

    def _identify(self, index: int, handle: Any) -> GpuIdentity:
        if handle is None:
            return GpuIdentity(index, f"GPU-{index}", None, None, None, error="This GPU does not answer its driver.")
        memory = self._ask("nvmlDeviceGetMemoryInfo", handle)
        capability = self._ask("nvmlDeviceGetCudaComputeCapability", handle)
        pair = (int(capability[0]), int(capability[1])) if capability is not None else None
        uuid = _text(self._ask("nvmlDeviceGetUUID", handle)) or f"GPU-{index}"
        return GpuIdentity(index, uuid, _text(self._ask("nvmlDeviceGetName", handle)), _field(memory, "total"), pair)

    def _read_one(self, handle: Any, identity: GpuIdentity, lost: list[GpuIdentity]) -> GpuReading:
        """A reading of one GPU, which also goes into `lost` where the driver has lost it since the session began."""
        if handle is None:
            return _lost(identity, identity.error or "This GPU does not answer its driver.")
        faults: list[int] = []

        def ask(name: str, *more: Any) -> Any:
            return self._ask(name, handle, *more, faults=faults)

        memory, load = ask("nvmlDeviceGetMemoryInfo"), ask("nvmlDeviceGetUtilizationRates")
        if any(fault in (_LOST, _RESET_REQUIRED, _UNINITIALIZED, _DRIVER_NOT_LOADED) for fault in faults):
            lost.append(identity)
            return _lost(identity, "The driver has lost this GPU; it may have fallen off the bus or need a reset.")
        return GpuReading(
            identity=identity,
            used_bytes=_field(memory, "used"),
            free_bytes=_field(memory, "free"),
            processes=self._processes(handle),
            utilization=_share(load, "gpu"),
            memory_utilization=_share(load, "memory"),
            power_w=_thousandth(ask("nvmlDeviceGetPowerUsage")),
            power_limit_w=_thousandth(ask("nvmlDeviceGetEnforcedPowerLimit")),
            temperature_c=_whole(ask("nvmlDeviceGetTemperature", 0)),
            sm_clock_mhz=_whole(ask("nvmlDeviceGetClockInfo", 1)),
            memory_clock_mhz=_whole(ask("nvmlDeviceGetClockInfo", 2)),
        )

    def _processes(self, handle: Any) -> dict[int, int | None] | None:
        """Compute and graphics processes together; a process that does both is counted once, with the larger figure."""
        found: dict[int, int | None] = {}
        answered = False
        for name in ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses"):
            listed = self._ask(name, handle)
            if listed is None:
                continue
            answered = True
            for process in listed:
                pid, used = _whole(getattr(process, "pid", None)), getattr(process, "usedGpuMemory", None)
                if pid is None:
                    continue
                size = used if isinstance(used, int) and 0 <= used < _NOT_AVAILABLE else None
                before = found.get(pid)
                found[pid] = size if before is None else max(before, size or 0)
        return found if answered else None

    def _ask(self, name: str, *arguments: Any, faults: list[int] | None = None) -> Any:
        """The one place where NVML is called: its answer, or None and the error's number in `faults`."""
        module = self._module
        if module is None:
            return None
        function: Callable[..., Any] | None = getattr(module, name, None)
        if function is None:
            return None
        try:
            return function(*arguments)
        except module.NVMLError as error:
            if faults is not None:
                faults.append(_number(error))
            return None
        except (AttributeError, ValueError, TypeError, UnicodeDecodeError, OSError) as error:
            # Old drivers lack symbols, and some answer with bytes that are no text.
            log.debug("%s: %s", name, error)
            return None


def _lost(identity: GpuIdentity, error: str) -> GpuReading:
    return GpuReading(identity, None, None, None, None, None, None, None, None, None, None, error=error)


def _number(error: Exception) -> int:
    value = getattr(error, "value", None)
    return value if isinstance(value, int) else 999


def _why(error: Exception) -> str:
    number = _number(error)
    if number in (_LIBRARY_NOT_FOUND, _DRIVER_NOT_LOADED):
        return "There is no NVIDIA driver on this machine."
    if number == _MISMATCH:
        return "The NVIDIA driver was updated while it ran: its library and its kernel module differ until a restart."
    if number == _NO_PERMISSION:
        return "This user may not ask the NVIDIA driver."
    return f"The NVIDIA driver does not answer: {error}."


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _NOT_AVAILABLE else None


def _thousandth(value: Any) -> float | None:
    whole = _whole(value)
    return None if whole is None else whole / 1000


def _field(value: Any, name: str) -> int | None:
    return None if value is None else _whole(getattr(value, name, None))


def _share(value: Any, name: str) -> float | None:
    percent = _field(value, name)
    return None if percent is None else min(1.0, percent / 100)
