"""What killed processes may leave behind: pages, shared memory, temporary files, GPU memory."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from engine.gpu.nvml import Nvml
from engine.page.liveness import is_alive
from engine.parameters.gpu_choice import VISIBLE
from tests.shared_memory import FOLDER, ownerless
from tests.soak.machine import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.shared_memory import OwnSegments
    from tests.soak.machine import Identity

GPU_SLACK_BYTES = 64 << 20
_TEMPORARY = re.compile(r"kvdeck-engine-(\d+)-(\d+)-.*|vllm_dist_.*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|ks-.*")
_KEPT = "torchinductor_"  # what Torch compiles it keeps there for the next time


class Leftovers:
    """Compares one soak's own places with how they were when this was made: its home, its temporary folder, and its
    shared memory, which is all that is new unless `own` tells whose it is."""

    def __init__(self, home: Path, temporary: Path, own: OwnSegments | None) -> None:
        self._home = home
        self._temporary = temporary
        self._own = own
        self._shared = _names(FOLDER)
        self._nvml = Nvml()

    def look(self) -> None:
        """A process is about to be killed."""
        if self._own is not None:
            self._own.look()

    def files(self, alive: Iterable[Identity]) -> list[str]:
        """What has no owner: shared memory that no process at all has, temporary files, pages in this home that belong
        to none of the processes in `alive`."""
        pids = {each.pid for each in alive}
        new = _names(FOLDER) - self._shared
        shared = ownerless(new if self._own is None else new & self._own.names)
        left = [f"{FOLDER}/{name}" for name in shared]
        for name in _names(self._temporary):
            found = _TEMPORARY.fullmatch(name)
            in_use = found is not None and found[1] and is_alive(int(found[1]), int(found[2]))
            if not in_use and not name.startswith(_KEPT):
                left.append(f"{self._temporary}/{name}")
        run = self._home / "run"
        left += [str(path) for path in run.glob("page-*") if int(path.name.split("-")[1]) not in pids]
        left += [str(path) for path in run.glob("host-*.json") if not pids]
        return left

    def gpu_pids(self, processes: Iterable[Identity]) -> frozenset[int]:
        """Those of them that the driver says have memory on a GPU; it may see none of this system's numbers."""
        listed = {pid for gpu in self._nvml.read() for pid in gpu.processes or {}}
        return frozenset(listed & {each.pid for each in processes})

    def gpu_left(self, pids: frozenset[int]) -> int | None:
        """Bytes that the driver still counts for these ended processes; None where it had told nothing of them."""
        if not pids:
            return None
        sizes = [size or 0 for gpu in self._nvml.read() for pid, size in (gpu.processes or {}).items() if pid in pids]
        return max(sum(sizes), GPU_SLACK_BYTES) if sizes else 0  # still listed is still there, whatever it says


class Surroundings:
    """The whole machine before a soak and after it, when nobody else has used it meanwhile."""

    def __init__(self) -> None:
        self._shared = _names(FOLDER)
        self._temporary = _names(Path(tempfile.gettempdir()))
        self._nvml = Nvml()
        self._gpu_bytes = self._gpu_used()

    @property
    def gpus(self) -> tuple[str, ...]:
        """The UUIDs of the GPUs here."""
        return tuple(each.uuid for each in self._nvml.describe_gpus())

    def left(self) -> list[str]:
        """What is there now that was not, and belongs to nobody; given a moment to go."""
        wait_until(lambda: not self._left(), 5.0, 0.1)
        return self._left()

    def _left(self) -> list[str]:
        left = [f"{FOLDER}/{name}" for name in ownerless(_names(FOLDER) - self._shared)]
        for name in _names(Path(tempfile.gettempdir())) - self._temporary:
            found = _TEMPORARY.fullmatch(name)
            if found is not None and not (found[1] and is_alive(int(found[1]), int(found[2]))):
                left.append(f"{tempfile.gettempdir()}/{name}")
        now = self._gpu_used()
        if now is not None and self._gpu_bytes is not None and now - self._gpu_bytes >= GPU_SLACK_BYTES:
            left.append(f"{now - self._gpu_bytes} bytes of GPU memory")
        return left

    def _gpu_used(self) -> int | None:
        """Of the GPUs that this soak may use: on the others somebody else may work."""
        shown = os.environ.get(VISIBLE)
        ours = None if shown is None else {name.strip() for name in shown.split(",")}
        gpus = enumerate(self._nvml.read())
        used = [gpu.used_bytes for number, gpu in gpus if ours is None or ours & {str(number), gpu.identity.uuid}]
        return sum(each for each in used if each is not None) if used else None


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
