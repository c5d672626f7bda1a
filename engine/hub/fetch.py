"""Downloads a repository into the Hugging Face cache, file by file, and says how far it is."""

from __future__ import annotations

import shutil
import time
from collections import deque
from typing import TYPE_CHECKING

import msgspec
from huggingface_hub import hf_hub_download, hf_hub_url, try_to_load_from_cache
from huggingface_hub.utils._headers import build_hf_headers

from engine.domain.errors import Cancelled, DiskFull
from engine.domain.whole_file import write_whole
from engine.hub import partial_file
from engine.hub.faults import explained
from engine.hub.partial_file import Reports
from engine.hub.records import Download, DownloadState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.hub.catalog import Catalog
    from engine.hub.records import HubDetails, HubFile

_REPORT_EVERY_S = 0.2
_SPEED_OVER_S = 5.0
_SPARE_BYTES = 256 << 20


class Fetch:
    """One download. `run` blocks; `stop` may be called from another thread."""

    def __init__(
        self, catalog: Catalog, cache: Path, repo: str, revision: str, tell: Callable[[Download], None]
    ) -> None:
        self._catalog = catalog
        self._cache = cache
        self._repo = repo
        self._revision = revision
        self._tell = tell
        self._stopped = False
        self._state = Download(repo=repo, state=DownloadState.RUNNING, note="Asking the hub")
        self._speed: deque[tuple[float, int]] = deque()
        self._told = 0.0
        self._done = 0

    def stop(self) -> None:
        """Pause: what has arrived stays, and the next download of it goes on from there."""
        self._stopped = True

    def run(self) -> None:
        """Download everything that is wanted; the last thing told is DONE, PAUSED or FAILED with its cause."""
        self._change()
        try:
            self._run()
        except Cancelled:
            self._change(state=DownloadState.PAUSED, note="", bytes_per_s=None)
        except Exception as error:  # noqa: BLE001 - whatever it is, the window has to be told
            fault = explained(error, self._repo)
            self._change(state=DownloadState.FAILED, message=fault.message, remedy=fault.remedy, kind=fault.kind,
                         note="", bytes_per_s=None)  # fmt: skip

    def _run(self) -> None:
        details = self._catalog.details(self._repo, self._revision, with_card=False)
        wanted = [file for file in details.files if file.name in set(details.wanted)]
        self._change(total_bytes=details.wanted_bytes, total_files=len(wanted))
        folder = self._cache / f"models--{self._repo.replace('/', '--')}"
        self._require_room(details, wanted, folder)
        # The weights last: a damaged or refused small file shows before gigabytes have been fetched.
        for file in sorted(wanted, key=lambda each: each.size or 0):
            self._one(file, details.revision, folder)
            self._change(done_files=self._state.done_files + 1)
        if self._revision in ("", "main"):
            (folder / "refs").mkdir(parents=True, exist_ok=True)
            write_whole(folder / "refs" / "main", details.revision.encode())
        self._change(state=DownloadState.DONE, note="", file="", bytes_per_s=None,
                     path=str(folder / "snapshots" / details.revision))  # fmt: skip

    def _one(self, file: HubFile, revision: str, folder: Path) -> None:
        if self._stopped:
            raise Cancelled("Paused.")
        self._change(file=file.name)
        present = try_to_load_from_cache(self._repo, file.name, cache_dir=self._cache, revision=revision)
        if isinstance(present, str):
            self._arrived(file.size or 0)
            return
        endpoint, token = self._catalog.endpoint, self._catalog.token
        if file.digest is not None:
            url = hf_hub_url(self._repo, file.name, revision=revision, endpoint=endpoint)
            headers = build_hf_headers(token=token)
            reports = Reports(self._arrived, lambda note: self._change(note=note), lambda: self._stopped)
            partial_file.fetch(url, headers, file, folder / "blobs", reports)
        # The content is there: this puts its name into the snapshot.
        hf_hub_download(
            self._repo, file.name, revision=revision, cache_dir=self._cache, token=token, endpoint=endpoint
        )

    def _require_room(self, details: HubDetails, wanted: list[HubFile], folder: Path) -> None:
        total = details.wanted_bytes
        if total is None:
            return
        blobs = folder / "blobs"
        present = 0
        for file in wanted:
            for path in (blobs / str(file.digest), partial_file.partial_path(blobs, file)):
                present += path.stat().st_size if path.exists() else 0
        self._cache.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self._cache).free
        if total - present + _SPARE_BYTES > free:
            raise DiskFull(
                f"{self._repo} needs {(total - present) / 2**30:.1f} GiB more, "
                f"and {self._cache} has {free / 2**30:.1f} GiB left.",
                remedy="Free some space, or set HF_HOME to a folder on a larger disk.",
            )

    def _arrived(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        self._speed.append((now, count))
        while self._speed and now - self._speed[0][0] > _SPEED_OVER_S:
            self._speed.popleft()
        if now - self._told >= _REPORT_EVERY_S:
            span = now - self._speed[0][0]
            speed = sum(each for _, each in self._speed) / span if span > 0.5 else None
            self._change(bytes_per_s=speed)

    def _change(self, **changes: object) -> None:
        self._told = time.monotonic()
        self._state = msgspec.structs.replace(self._state, done_bytes=self._done, **changes)
        self._tell(self._state)
