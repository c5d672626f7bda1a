"""What killed processes may leave behind: pages, shared memory, temporary files, GPU memory."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.gpu.nvml import Nvml
from engine.page.liveness import is_alive
from engine.parameters.gpu_choice import VISIBLE
from tests.soak.machine import family, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.soak.machine import Identity

GPU_SLACK_BYTES = 64 << 20
_SHM = Path("/dev/shm")
_SHARED = ("psm_", "torch_", "vllm", "sem.mp-")
_TEMPORARY = re.compile(r"kvdeck-engine-(\d+)-(\d+)-.*|vllm_dist_.*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|ks-.*")
_KEPT = "torchinductor_"  # what Torch compiles it keeps there for the next time
_MAPPED = re.compile(r"/dev/shm/([^\s]+)")
_LOOK_S = 0.2


class OwnSegments:
    """The shared memory that one family of processes has had mapped: the names do not tell whose they are, and other
    engines make theirs on the same machine at the same time."""

    def __init__(self, root: Callable[[], int | None]) -> None:
        self._root = root
        self._seen: set[str] = set()
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True, name="own-segments").start()

    def look(self) -> None:
        """See what is mapped now."""
        pid = self._root()
        if pid is not None:
            self._seen |= _held(each.pid for each in family(pid))

    @property
    def names(self) -> frozenset[str]:
        """All names that were seen."""
        return frozenset(self._seen)

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_S):
            self.look()


class Leftovers:
    """Compares one soak's own places with how they were when this was made: its home, its temporary folder, and its
    shared memory, which is all that is new unless `own` tells whose it is."""

    def __init__(self, home: Path, temporary: Path, own: OwnSegments | None) -> None:
        self._home = home
        self._temporary = temporary
        self._own = own
        self._shared = _names(_SHM)
        self._nvml = Nvml()

    def look(self) -> None:
        """A process is about to be killed."""
        if self._own is not None:
            self._own.look()

    def files(self, alive: Iterable[Identity]) -> list[str]:
        """What has no owner: shared memory that no process at all has, temporary files, pages in this home that belong
        to none of the processes in `alive`."""
        pids = {each.pid for each in alive}
        left = _ownerless(_names(_SHM) - self._shared, None if self._own is None else self._own.names)
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
        self._shared = _names(_SHM)
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
        left = _ownerless(_names(_SHM) - self._shared, None)
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


def _ownerless(new: Iterable[str], own: frozenset[str] | None) -> list[str]:
    """Those of these names in /dev/shm that are ours to look at, and that no process of this machine has."""
    ours = {name for name in new if name.startswith(_SHARED) and (own is None or name in own)}
    return [f"{_SHM}/{name}" for name in ours - _held(psutil.pids())] if ours else []


def _held(pids: Iterable[int]) -> set[str]:
    """The names in /dev/shm that these processes have mapped or open."""
    found: set[str] = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            found |= set(_MAPPED.findall(Path(f"/proc/{pid}/maps").read_text(errors="replace")))
        with contextlib.suppress(OSError):
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    found |= set(_MAPPED.findall(str(descriptor.readlink())))
    return found
