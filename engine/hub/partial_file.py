"""One file of a repository, fetched so that nothing that has arrived is fetched again, and checked at its end.

huggingface_hub throws away what has arrived of a file when a download ends early (its 2.x keeps one partial file a
process). Here the partial file stays under the name of its content, so that a pause, a crash or a cut line costs only
what was in flight; huggingface_hub's own `http_get` fetches the rest.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from huggingface_hub import constants
from huggingface_hub.file_download import get_hf_file_metadata, http_get

from engine.domain.errors import Cancelled
from engine.hub.faults import ChecksumWrong, HubBusy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from engine.hub.records import HubFile

_READ_BYTES = 1 << 20
# Its own 10 MB would be ten seconds between two signs of life on a slow line, and as much lost with a cut one.
constants.DOWNLOAD_CHUNK_SIZE = 1 << 18
SUFFIX = ".kvdeck.incomplete"


@dataclass(frozen=True, slots=True)
class Reports:
    """What a fetch tells: bytes that arrived (negative when some had to be thrown away), and what it does now."""

    arrived: Callable[[int], None]
    note: Callable[[str], None]
    stopped: Callable[[], bool]


def partial_path(blobs: Path, file: HubFile) -> Path:
    """Where the beginning of `file` is kept until it is whole."""
    return blobs / f"{file.digest}{SUFFIX}"


def fetch(url: str, headers: dict[str, str], file: HubFile, blobs: Path, reports: Reports) -> Path:
    """Fetch `file` into `blobs` under its digest and return its path there.

    Raises Cancelled when `reports.stopped`, ChecksumWrong where the content is not what the hub announced (nothing of
    it is kept then), HubBusy where another program fetches the same file, or what huggingface_hub raises.
    """
    assert file.digest is not None
    whole, partial = blobs / file.digest, partial_path(blobs, file)
    if whole.exists():
        reports.arrived(file.size or 0)
        return whole
    blobs.mkdir(parents=True, exist_ok=True)
    with partial.open("ab+") as out, _alone(out, file.name):
        present = out.tell()
        if file.size is not None and present > file.size:
            out.truncate(0)
            present = 0
        reports.arrived(present)
        _rest(url, headers, file, out, present, reports)
        reports.note(f"Checking {file.name}")
        if not _is_right(file, out, reports):
            partial.unlink()
            reports.arrived(-(file.size or 0))
            raise ChecksumWrong(
                f"{file.name} arrived damaged: its checksum is not the one that the hub announces.",
                remedy="Download again; that file starts anew, the others are kept.",
            )
        partial.rename(whole)
    return whole


def _rest(
    url: str, headers: dict[str, str], file: HubFile, out: BinaryIO, present: int, reports: Reports
) -> None:
    if file.size is not None and present == file.size:
        return
    reports.note(f"Fetching {file.name}")
    place = get_hf_file_metadata(url, headers=headers, retry_on_errors=True).location
    if place.partition("://")[2].partition("/")[0] != url.partition("://")[2].partition("/")[0]:
        headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
    http_get(
        place,
        out,
        resume_size=present,
        headers=headers,
        expected_size=file.size,
        displayed_filename=file.name,
        tqdm_class=_bar(reports),
    )
    out.flush()


def _bar(reports: Reports) -> Any:
    """The class that `http_get` tells of its progress; it is also where a pause takes hold."""

    class Bar:
        def __init__(self, *_positional: Any, **_named: Any) -> None:
            pass

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_error: object) -> None:
            pass

        def update(self, count: int = 1) -> None:
            if reports.stopped():
                raise Cancelled("Paused.")
            reports.arrived(count)

    return Bar


def _is_right(file: HubFile, out: BinaryIO, reports: Reports) -> bool:
    size = out.seek(0, 2)
    if file.size is not None and size != file.size:
        return False
    # A git object's name is the digest of its kind, its size and its content.
    digest = hashlib.sha256() if file.is_large else hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    out.seek(0)
    while chunk := out.read(_READ_BYTES):
        if reports.stopped():
            raise Cancelled("Paused.")
        digest.update(chunk)
    return digest.hexdigest() == file.digest


@contextlib.contextmanager
def _alone(out: BinaryIO, name: str) -> Iterator[None]:
    """Hold the partial file against another window; the lock ends with its process, however that ends."""
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise HubBusy(
            f"Another program is downloading {name} right now.", remedy="Wait for it, or stop it there."
        ) from None
    yield
