"""A small server that speaks the hub's protocol, and can be told to misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Repository:
    """A model: files by name; those over 1 KiB count as large (LFS), as on the hub."""

    files: dict[str, bytes]
    tags: tuple[str, ...] = ()
    config: dict[str, Any] = field(default_factory=dict)
    safetensors: dict[str, int] = field(default_factory=dict)
    gated: str | bool = False
    token: str | None = None
    downloads: int = 7


class HubServer:
    """Serves `repositories` on `url`. What goes wrong is set on it: see the attributes."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.url = ""
        self.cut_after: int | None = None  # bytes of a file's body after which the connection is cut
        self.cuts_left = 0
        self.wrong_bytes = False
        self.status: int | None = None  # an answer to every question
        self.ignores_ranges = False
        self.bytes_per_s: int | None = None
        self.sent: list[tuple[str, int, int]] = []  # file, from, bytes sent
        self.tokens: set[str] = set()
        self.agents: set[str] = set()
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hub-server")

    def start(self) -> None:
        """Serve in a thread of its own."""
        self._thread.start()
        assert self._started.wait(PATIENCE_S)

    def stop(self) -> None:
        """Stop serving."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application()
        app.router.add_get("/api/models", self._search)
        app.router.add_get("/api/models/{owner}/{name}", self._info)
        app.router.add_get("/api/models/{owner}/{name}/revision/{revision}", self._info)
        app.router.add_get("/{owner}/{name}/resolve/{revision}/{file:.+}", self._file)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        self._started.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    def _guard(self, request: web.Request, repository: Repository | None) -> web.Response | None:
        """The refusal, or None."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token:
            self.tokens.add(token)
        self.agents.add(request.headers.get("User-Agent", ""))
        if self.status is not None:
            return web.Response(status=self.status, headers={"Retry-After": "0"})
        if repository is None:
            return web.Response(status=404, headers={"X-Error-Code": "RepoNotFound"})
        if repository.token is not None and token != repository.token:
            status = 403 if token else 401
            return web.Response(status=status, headers={"X-Error-Code": "GatedRepo", "X-Error-Message": "Ask first."})
        return None

    async def _search(self, request: web.Request) -> web.Response:
        if refusal := self._guard(request, Repository({})):
            return refusal
        text, wanted = request.query.get("search", "").lower(), request.query.getall("filter", [])
        found = [
            self._described(name, repository)
            for name, repository in self.repositories.items()
            if text in name.lower() and set(wanted) <= set(repository.tags)
        ]
        return web.json_response(found[: int(request.query.get("limit", 100))])

    async def _info(self, request: web.Request) -> web.Response:
        name = f"{request.match_info['owner']}/{request.match_info['name']}"
        repository = self.repositories.get(name)
        # As on the hub: a gated model's page can be read by everyone, its files cannot.
        if repository is None or self.status is not None:
            return self._guard(request, repository) or web.Response(status=500)
        siblings = []
        for file, content in repository.files.items():
            entry: dict[str, Any] = {"rfilename": file, "size": len(content), "blobId": _blob(content)}
            if _large(content):
                entry["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
            siblings.append(entry)
        return web.json_response(self._described(name, repository) | {"sha": _COMMIT, "siblings": siblings})

    def _described(self, name: str, repository: Repository) -> dict[str, Any]:
        described: dict[str, Any] = {
            "id": name,
            "modelId": name,
            "tags": list(repository.tags),
            "downloads": repository.downloads,
            "likes": 3,
            "private": False,
            "gated": repository.gated,
            "config": repository.config,
            "lastModified": "2026-11-02T10:00:00.000Z",
            "pipeline_tag": "text-generation",
            "cardData": {"license": "apache-2.0", "base_model": "org/base"},
        }
        if repository.safetensors:
            counts = repository.safetensors
            described["safetensors"] = {"parameters": counts, "total": sum(counts.values())}
        return described

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name, file = f"{request.match_info['owner']}/{request.match_info['name']}", request.match_info["file"]
        repository = self.repositories.get(name)
        if refusal := self._guard(request, repository):
            return refusal
        assert repository is not None
        if file not in repository.files:
            return web.Response(status=404, headers={"X-Error-Code": "EntryNotFound"})
        content = repository.files[file]
        digest = hashlib.sha256(content).hexdigest() if _large(content) else _blob(content)
        headers = {"ETag": f'"{digest}"', "X-Repo-Commit": _COMMIT, "Accept-Ranges": "bytes"}
        first = 0
        asked = request.headers.get("Range")
        if asked and not self.ignores_ranges:
            first = int(asked.removeprefix("bytes=").partition("-")[0])
            headers["Content-Range"] = f"bytes {first}-{len(content) - 1}/{len(content)}"
        headers["Content-Length"] = str(len(content) - first)
        response = web.StreamResponse(status=206 if "Content-Range" in headers else 200, headers=headers)
        await response.prepare(request)
        if request.method == "GET":
            await self._send(request, response, file, content, first)
        return response

    async def _send(
        self, request: web.Request, response: web.StreamResponse, file: str, content: bytes, first: int
    ) -> None:
        sent = 0
        body = bytes(len(content)) if self.wrong_bytes and _large(content) else content
        for piece in _pieces(body[first:], 1 << 14):
            if self.cut_after is not None and self.cuts_left and sent >= self.cut_after and _large(content):
                self.cuts_left -= 1
                self.sent.append((file, first, sent))
                assert request.transport is not None
                request.transport.abort()
                return
            try:
                await response.write(piece)
            except ConnectionResetError:
                break  # the client has gone
            sent += len(piece)
            if self.bytes_per_s and _large(content):
                await asyncio.sleep(len(piece) / self.bytes_per_s)
        self.sent.append((file, first, sent))
        with contextlib.suppress(ConnectionResetError):
            await response.write_eof()


def _pieces(content: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


def _large(content: bytes) -> bool:
    return len(content) > 1024


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def model_files(weights: int = 4 << 20) -> dict[str, bytes]:
    """A repository's files: small ones, sharded weights of `weights` bytes each, and what no download should take."""
    return {
        "README.md": b"---\nlicense: apache-2.0\n---\n# A small model\n\nIt answers.\n",
        "config.json": json.dumps({"architectures": ["LlamaForCausalLM"], "model_type": "llama"}).encode(),
        "tokenizer.json": b"{}",
        "model-00001-of-00002.safetensors": bytes(range(256)) * (weights // 256),
        "model-00002-of-00002.safetensors": bytes(reversed(range(256))) * (weights // 256),
        "consolidated.safetensors": b"x" * 2048,
        "pytorch_model.bin": b"y" * 2048,
        "onnx/model.onnx": b"z" * 2048,
    }
