"""Clients that mean harm or know no better: odd paths, torn and endless requests, hundreds of them at once."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import socket
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psutil
import pytest
import uvicorn

from engine.host.asgi import send_json
from engine.host.security import CONTROL_BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.host.asgi import Receive, Scope, Send
    from tests.engine.host.hosting import RunningHost

pytestmark = pytest.mark.engine
_ANSWER_S = 10.0


@contextlib.contextmanager
def connected(host: RunningHost) -> Iterator[socket.socket]:
    """A plain connection to the host."""
    parts = urlsplit(host.url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=_ANSWER_S) as client:
        yield client


def told(client: socket.socket) -> bytes:
    """What comes back until the host closes or has said it all."""
    client.settimeout(_ANSWER_S)
    found = b""
    with contextlib.suppress(TimeoutError, ConnectionError):
        while b"\r\n\r\n" not in found:
            piece = client.recv(65536)
            if not piece:
                break
            found += piece
    return found


def raw(host: RunningHost, head: str, body: bytes = b"", *, token: bool = True) -> int:
    """Send these very lines (the token and Host are added); the status of the answer, 0 for none."""
    lines = [head, f"Host: {urlsplit(host.url).netloc}"]
    lines += [f"Authorization: Bearer {host.token}"] if token else []
    with connected(host) as client:
        client.sendall("\r\n".join(lines).encode() + b"\r\nConnection: close\r\n\r\n" + body)
        answer = told(client)
    return int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/1.") else 0


def assert_well(host: RunningHost) -> None:
    """The host answers at once, and has nothing to complain about."""
    began = time.monotonic()
    assert host.get("/kvdeck/status").status == 200
    assert time.monotonic() - began < _ANSWER_S
    assert not [record.text for record in host.log() if "Traceback" in record.text]


PATHS = [
    "/kvdeck/../kvdeck/status",
    "/kvdeck/%2e%2e/kvdeck/status",
    "/health/../kvdeck/status",
    "/health/..%2fkvdeck/status",
    "/health%00/kvdeck/status",
    "/health;/kvdeck/status",
    "/health?/kvdeck/status",
    "/health#/kvdeck/status",
    "//kvdeck/status",
    "//health/kvdeck/status",
    "/kvdeck//status",
    "/kvdeck/status;x=/health",
    "/%6bvdeck/status",
    "/KVDECK/status",
    "/kvdeck/status/",
    "/kvdeck\\status",
    "http://evil.example/kvdeck/status",
    "http://127.0.0.1/health/../kvdeck/status",
    "/" + "a" * 60_000,
    "*",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_way_of_writing_a_path_goes_round_the_token(bare_host: RunningHost, path: str) -> None:
    open_door = path.startswith(("/health?", "/health#"))  # a query or a fragment is no part of the path
    for method in ("GET", "POST", "OPTIONS", "HEAD"):
        status = raw(bare_host, f"{method} {path} HTTP/1.1", token=False)
        assert status in ((503, 405) if open_door else (0, 400, 401, 404, 414, 431)), (method, path, status)


@pytest.mark.parametrize("path", PATHS)
def test_with_the_token_an_odd_path_is_another_route_or_none(bare_host: RunningHost, path: str) -> None:
    status = raw(bare_host, f"GET {path} HTTP/1.1")
    # 503: it belongs to vLLM's application, which is not there. 200: it is /kvdeck/status after decoding.
    assert status in (0, 200, 400, 404, 414, 431, 503), (path, status)
    assert_well(bare_host)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("GET /kvdeck/status HTTP/1.1\r\nHost: evil.example", b""),
        ("POST /kvdeck/load HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 900", b"{}"),
        ("POST /kvdeck/load HTTP/1.1\r\nContent-Length: -1", b"{}"),
        ("POST /kvdeck/load HTTP/1.1\r\nContent-Length: 99999999999999999999999999", b"{}"),
        ("POST /kvdeck/load HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2", b"zz\r\n{}\r\n0\r\n\r\n"),
        ("POST /kvdeck/load HTTP/1.1\r\nTransfer-Encoding: chunked", b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
        ("\0\1\2", b""),
        ("GET /kvdeck/status HTTP/9.9", b""),
        ("GET /kvdeck/status HTTP/1.1\r\n" + "\r\n".join(f"X-{each}: {'y' * 500}" for each in range(300)), b""),
        ("GET /kvdeck/log?after=" + "9" * 5000 + " HTTP/1.1", b""),
        ("GET /kvdeck/events HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade", b""),
    ],
)
def test_requests_that_are_none_are_refused(bare_host: RunningHost, head: str, body: bytes) -> None:
    status = raw(bare_host, head, body)
    assert status == 0 or 400 <= status < 500, (head[:60], status)
    assert_well(bare_host)


def test_a_chunked_body_is_refused_as_soon_as_it_is_too_large(bare_host: RunningHost) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with connected(bare_host) as client:
        head = f"POST /kvdeck/load HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {bare_host.token}\r\n"
        client.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        with contextlib.suppress(ConnectionError):  # the host may hang up on the rest
            for _ in range(CONTROL_BODY_BYTES // 0x10000 + 2):
                client.sendall(chunk)
        assert told(client).startswith(b"HTTP/1.1 413")
    assert_well(bare_host)


@pytest.mark.parametrize("head", [b"X-Long: ", b"", b"GET /"])
def test_without_the_token_an_endless_head_fills_no_memory(bare_host: RunningHost, head: bytes) -> None:
    sent = 0
    with connected(bare_host) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + head if head != b"GET /" else head)
        with contextlib.suppress(ConnectionError, TimeoutError):
            while sent < 8 << 20:
                client.sendall(b"y" * 0x4000 if head else b"X: " + b"y" * 0x3FFB + b"\r\n")
                sent += 0x4000
        assert sent < 8 << 20, "the host took it all"
    assert_well(bare_host)


def test_a_head_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """uvicorn's own server in this process, with a patience that a test has."""
    from engine.host import http_protocol

    monkeypatch.setattr(http_protocol, "HEAD_S", 0.2)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await send_json(send, 200, {})

    async def ask() -> tuple[bytes, bytes]:
        kind: Any = http_protocol.http_protocol()
        server = uvicorn.Server(uvicorn.Config(answer, port=0, http=kind, lifespan="off", log_config=None))
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup()
        port = server.servers[0].sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHo")
        whole = await asyncio.wait_for(reader.read(), _ANSWER_S)
        writer.close()
        await server.shutdown()
        return whole, whole.split(b"\r\n\r\n")[-1]

    whole, last = asyncio.run(ask())
    assert whole.startswith(b"HTTP/1.1 200")
    assert last == b"The head of this request is too long, or did not come to its end."


def test_without_the_token_an_endless_body_fills_no_memory(bare_host: RunningHost) -> None:
    before = psutil.Process(bare_host.pid).memory_info().rss
    sent = 0
    with connected(bare_host) as client:
        client.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        with contextlib.suppress(ConnectionError, TimeoutError):
            while sent < 64 << 20:
                client.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
                sent += 0x10000
        assert told(client).startswith(b"HTTP/1.1 401")
    # The import of vLLM goes on beside it, so this bounds only what a body of 64 MiB kept whole would add on top.
    assert psutil.Process(bare_host.pid).memory_info().rss - before < 2 << 30
    assert_well(bare_host)


def test_hundreds_of_slow_clients_keep_nobody_waiting(bare_host: RunningHost) -> None:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected(bare_host)) for _ in range(300)]
        for number, client in enumerate(clients):
            head = "GET /kvdeck/status HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            client.sendall(head[: 5 + number % len(head)].encode())  # each stops somewhere in the middle
        assert_well(bare_host)
        for client in clients[::10]:
            client.close()
        assert_well(bare_host)
    assert_well(bare_host)


def test_a_body_that_never_comes_is_given_up(bare_host: RunningHost) -> None:
    """The client's connection is closed by the client here; the host must not keep the request."""
    for _ in range(20):
        with connected(bare_host) as client:
            head = f"POST /kvdeck/load HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {bare_host.token}\r\n"
            client.sendall(head.encode() + b"Content-Length: 1000\r\n\r\n{")
    assert_well(bare_host)


def test_a_foreign_page_cannot_open_the_event_stream(bare_host: RunningHost) -> None:
    handshake = "GET /kvdeck/events HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
    handshake += "AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    with connected(bare_host) as client:
        own = f"Host: evil.example\r\nConnection: Upgrade\r\nAuthorization: Bearer {bare_host.token}\r\n\r\n"
        client.sendall((handshake + own).encode())  # DNS rebinding: the name is the page's, the address is ours
        assert told(client).split(b" ")[1] in (b"403", b"421")
    assert_well(bare_host)


def test_what_the_host_writes_is_for_its_user_alone(bare_host: RunningHost) -> None:
    """However permissive the umask that it was started under (the tests' own is the usual 022)."""
    address = bare_host.home / "address.json"
    assert stat.S_IMODE(address.stat().st_mode) == 0o600
    for folder in ("run", "cache"):
        path = bare_host.home / folder
        if path.exists():
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    scratch = Path(psutil.Process(bare_host.pid).environ().get("KVDECK_SCRATCH", ""))
    del scratch  # set after the start, so not in /proc; the folder's mode is tested in tests/engine/page
    assert os.access(address, os.R_OK)


def test_the_token_is_in_no_command_line_environment_or_log(bare_host: RunningHost) -> None:
    process = psutil.Process(bare_host.pid)
    assert bare_host.token not in " ".join(process.cmdline())
    assert bare_host.token not in json.dumps(process.environ())
    bare_host.ask("GET", f"/kvdeck/nothing?token={bare_host.token}")
    with contextlib.suppress(http.client.HTTPException, OSError):
        bare_host.ask("POST", "/kvdeck/load", b"{" + bare_host.token.encode())
    assert bare_host.token not in bare_host.log_path.read_text(errors="replace")
    assert bare_host.token not in json.dumps(bare_host.get("/kvdeck/log").value)
