"""What the hub program and its client exchange: one JSON object a line."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Access(StrEnum):
    """Who may download: anyone, who agreed to the terms at once, or who was let in by the owner."""

    OPEN = "open"
    GATED = "gated"
    GATED_BY_HAND = "gated_by_hand"


class HubModel(msgspec.Struct, frozen=True, kw_only=True):
    """One repository as a search finds it. Sizes in bytes; None where the hub does not tell.

    `quantization` is what a user reads ("AWQ", "FP8", "BF16"); `weights_bytes` is counted from the numbers of
    parameters by dtype, which the hub reads from the safetensors headers.
    """

    repo: str
    quantization: str
    weights_bytes: int | None = None
    parameters: int | None = None
    architecture: str = ""
    access: Access = Access.OPEN
    is_private: bool = False
    downloads: int | None = None
    likes: int | None = None
    updated: str = ""
    task: str = ""


class HubFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a repository. `digest` is the SHA-256 of a large file, else the git blob's SHA-1."""

    name: str
    size: int | None
    digest: str | None
    is_large: bool


class HubDetails(msgspec.Struct, frozen=True, kw_only=True):
    """A repository looked at: its card (Markdown), its files, and which of them a download takes.

    `warnings` are sentences about what is in it: pickled weights, code of its own.
    """

    model: HubModel
    revision: str
    card: str
    files: tuple[HubFile, ...]
    wanted: tuple[str, ...]
    license: str = ""
    base_models: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def wanted_bytes(self) -> int | None:
        """How much a download fetches, None where the hub does not tell a size."""
        wanted = set(self.wanted)
        sizes = [file.size for file in self.files if file.name in wanted]
        return None if None in sizes else sum(size for size in sizes if size is not None)


class DownloadState(StrEnum):
    """What becomes of a download."""

    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"


class Download(msgspec.Struct, frozen=True, kw_only=True):
    """A download as it stands. Bytes; `bytes_per_s` over the last seconds, None before there is a speed.

    `note` says what it is doing where that is not fetching ("Checking model.safetensors", "Waiting for the hub").
    `path` is the snapshot's folder once it is done; `message` and `remedy` say what went wrong.
    """

    repo: str
    state: DownloadState
    done_bytes: int = 0
    total_bytes: int | None = None
    done_files: int = 0
    total_files: int = 0
    bytes_per_s: float | None = None
    file: str = ""
    note: str = ""
    path: str = ""
    message: str = ""
    remedy: str = ""
    kind: str = ""

    @property
    def remaining_s(self) -> float | None:
        """Seconds left at the present speed."""
        if not self.bytes_per_s or self.total_bytes is None:
            return None
        return (self.total_bytes - self.done_bytes) / self.bytes_per_s


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A search. `quantization` is "" for any; `author` limits it to one owner; `sort` as the hub spells it."""

    text: str = ""
    quantization: str = ""
    author: str = ""
    sort: str = "downloads"
    limit: int = 60


class HubRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A line to the program. `do` is "search", "details", "download", "pause" or "delete"."""

    id: int
    do: str
    repo: str = ""
    revision: str = ""
    query: Query | None = None


class HubSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The first line to the program: never in its arguments or environment, which other programs can read."""

    token: str | None = None
    endpoint: str | None = None


class HubFault(msgspec.Struct, frozen=True, kw_only=True):
    """An error as it crosses the pipe: the parts of a KVDeckError."""

    kind: str
    message: str
    remedy: str = ""
    details: str = ""


class HubAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A line from the program: the answer to request `id`, or (id 0) a download's news."""

    id: int
    models: tuple[HubModel, ...] | None = None
    details: HubDetails | None = None
    download: Download | None = None
    freed_bytes: int | None = None
    fault: HubFault | None = None
