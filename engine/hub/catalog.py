"""What is on the hub: search, one repository's details, and what of it lies in the cache here."""

from __future__ import annotations

import re
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from huggingface_hub import HfApi, ModelCard, constants, scan_cache_dir

from engine.hub.faults import HubNotFound, HubUnreachable, explained
from engine.hub.labels import described
from engine.hub.records import HubDetails, HubFile, HubModel, Query
from engine.hub.selection import code_files, pickled_files, wanted_files

_CONNECT_S = 5.0
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_EXPAND = ["author", "config", "downloads", "gated", "gguf", "lastModified", "likes", "pipeline_tag", "private",
           "safetensors", "tags"]  # fmt: skip
# How each quantization is tagged on the hub; the label is what the search offers.
TAGS = {"AWQ": "awq", "GPTQ": "gptq", "FP8": "fp8", "INT8": "int8", "bitsandbytes": "bitsandbytes", "GGUF": "gguf",
        "MXFP4": "mxfp4", "NVFP4": "nvfp4", "compressed-tensors": "compressed-tensors"}  # fmt: skip


class Catalog:
    """One hub (`endpoint`) with one token. None: the hub that huggingface_hub's own settings name, and its token."""

    def __init__(self, token: str | None = None, endpoint: str | None = None) -> None:
        self.token = token
        self.endpoint = endpoint
        self._api = HfApi(endpoint=endpoint, token=token, library_name="kvdeck")

    def search(self, query: Query) -> tuple[HubModel, ...]:
        """The models that match, in the hub's order. Raises KVDeckError."""
        self._require_line()
        filters = [TAGS[query.quantization]] if query.quantization in TAGS else []
        try:
            found = self._api.list_models(
                search=query.text or None,
                author=query.author or None,
                filter=filters or None,
                sort=query.sort,  # type: ignore[arg-type]
                limit=query.limit,
                expand=_EXPAND,  # type: ignore[arg-type]
            )
            return tuple(described(info) for info in found)
        except Exception as error:
            raise explained(error) from error

    def details(self, repo: str, revision: str = "", *, with_card: bool = True) -> HubDetails:
        """One repository with its files and card. Raises KVDeckError."""
        self._require_line()
        try:
            info = self._api.model_info(repo, revision=revision or None, files_metadata=True)
        except Exception as error:
            raise explained(error, repo) from error
        files = tuple(_file(sibling) for sibling in info.siblings or ())
        names = [file.name for file in files]
        wanted = wanted_files(names)
        card: dict[str, Any] = info.card_data.to_dict() if info.card_data else {}  # type: ignore[no-untyped-call]
        return HubDetails(
            model=described(info),
            revision=info.sha or revision or "main",
            card=self._card(repo, info.sha, names) if with_card else "",
            files=files,
            wanted=wanted,
            license=str(card.get("license_name") or card.get("license") or ""),
            base_models=_base_models(card.get("base_model")),
            warnings=_warnings(wanted),
        )

    def _require_line(self) -> None:
        """Say at once that there is no way to the hub: huggingface_hub tries five times, for half a minute."""
        if getproxies():
            return  # the way leads through another machine
        parts = urlsplit(self.endpoint or constants.ENDPOINT)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            socket.create_connection((parts.hostname or "", port), _CONNECT_S).close()
        except OSError as error:
            raise HubUnreachable(
                f"The hub at {parts.hostname} cannot be reached: {error.strerror or error}.",
                remedy="Check the network (and HF_ENDPOINT, where a mirror is used) and go on; nothing is lost.",
            ) from error

    def _card(self, repo: str, revision: str | None, names: list[str]) -> str:
        if "README.md" not in names:
            return ""
        try:
            # Not into the cache: reading about a model is not having it.
            with tempfile.TemporaryDirectory(prefix="kvdeck-card-") as folder:
                path = self._api.hf_hub_download(repo, "README.md", revision=revision, local_dir=folder)
                text = Path(path).read_text(encoding="utf-8", errors="replace")
            return str(ModelCard(text, ignore_metadata_errors=True).text)
        except Exception as error:  # noqa: BLE001 - a gated model's card may be refused: the rest is worth showing
            return f"*{explained(error, repo).message}*"


def delete(repo: str, cache: Path | None = None) -> int:
    """Delete everything of `repo` from the cache here, unfinished files too; returns the bytes that are free again.

    Raises HubNotFound where the cache has nothing of it, or KVDeckError where a file cannot be deleted.
    """
    root = cache or Path(constants.HF_HUB_CACHE)
    folder = root / f"models--{repo.replace('/', '--')}"
    if not folder.is_dir():
        raise HubNotFound(f"The cache has nothing of {repo}.", remedy="It may have been deleted already.")
    freed = sum(path.stat().st_size for path in (folder / "blobs").rglob("*") if path.is_file())
    try:
        known = next((each for each in scan_cache_dir(root).repos if each.repo_path == folder), None)
        if known is not None:
            revisions = [revision.commit_hash for revision in known.revisions]
            scan_cache_dir(root).delete_revisions(*revisions).execute()
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise explained(error, repo) from error
    return freed


def _file(sibling: Any) -> HubFile:
    large = sibling.lfs
    digest = (large.sha256 if large else sibling.blob_id) or ""
    known = digest if _DIGEST.fullmatch(digest) else None  # it becomes a file's name
    return HubFile(name=sibling.rfilename, size=sibling.size, digest=known, is_large=large is not None)


def _base_models(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(each) for each in value) if isinstance(value, list) else ()


def _warnings(wanted: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    pickled, code = pickled_files(wanted), code_files(wanted)
    if pickled:
        found.append(f"Its weights are pickled ({pickled[0]}): reading them runs code that came with them.")
    if code:
        found.append(f"It brings code of its own ({', '.join(code[:3])}), which only runs after an explicit yes.")
    return tuple(found)
