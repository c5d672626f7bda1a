"""pynvml as recorded on a real GPU, for machines without one: it passes the contract suite that the real one does."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PAIRS = ("nvmlDeviceGetP2PStatus", "nvmlDeviceGetTopologyCommonAncestor")
RECORDING = Path(__file__).with_name("nvml_h200.json")


class NVMLError(Exception):
    """An error of NVML with its number, as pynvml raises it."""

    def __init__(self, value: int, text: str = "") -> None:
        super().__init__(text or f"NVML error {value}")
        self.value = value


class RecordedNvml:
    """Plays a recording back. `devices` may be changed by a test; `fail` makes a function raise an error's number,
    `fail_at` only for one device."""

    NVMLError = NVMLError

    def __init__(self, recording: Path = RECORDING) -> None:
        loaded = json.loads(recording.read_text())
        self.driver = loaded["driver"]
        self.devices: list[dict[str, Any]] = copy.deepcopy(loaded["devices"])
        self.fail: dict[str, int] = {}
        self.fail_at: dict[int, dict[str, int]] = {}
        self.sessions = 0

    def nvmlInit(self) -> None:  # noqa: N802 - NVML's own name
        self._may_fail("nvmlInit")
        self.sessions += 1

    def nvmlShutdown(self) -> None:  # noqa: N802 - NVML's own name
        self._may_fail("nvmlShutdown")
        self.sessions -= 1

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802 - NVML's own name
        self._may_fail("nvmlSystemGetDriverVersion")
        return str(self.driver)

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802 - NVML's own name
        self._may_fail("nvmlDeviceGetCount")
        return len(self.devices)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802 - NVML's own name
        self._may_fail("nvmlDeviceGetHandleByIndex")
        return index

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("nvmlDeviceGet"):
            raise AttributeError(name)

        def answer(handle: int, *arguments: int) -> Any:
            self._may_fail(name)
            if name in self.fail_at.get(handle, {}):
                raise NVMLError(self.fail_at[handle][name])
            if name in PAIRS:
                recorded = self.devices[handle]["pairs"][str(arguments[0])][name]
                if "error" in recorded:
                    raise NVMLError(recorded["error"], recorded["text"])
                return recorded["value"]
            key = f"{name}#2" if arguments == (2,) else name
            recorded = self.devices[handle][key]
            if "error" in recorded:
                raise NVMLError(recorded["error"], recorded["text"])
            return _object(recorded["value"])

        return answer

    def _may_fail(self, name: str) -> None:
        if name in self.fail:
            raise NVMLError(self.fail[name])


def _object(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**value)
    return [_object(item) for item in value] if isinstance(value, list) else value
