"""Who may pass, what is said without an engine, and how the host starts and ends."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
import pytest

from engine.domain.lifecycle import Phase
from engine.host.security import CONTROL_BODY_BYTES
from tests.engine.host.hosting import environment, start_host
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engine.host.hosting import RunningHost

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("path", ["/kvdeck/status", "/metrics", "/docs", "/kvdeck/nothing", "/"])
@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", "Bearer wrong", "Basic {token}", "Bearer {token}x", "{token}"]
)
def test_without_the_token_nothing_is_answered(bare_host: RunningHost, path: str, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization.format(token=bare_host.token)}
    answer = bare_host.ask("GET", path, headers=headers)
    assert answer.status == 401
    assert answer.value["error"]["kind"] == "unauthorized"
    assert answer.value["error"]["remedy"]


async def test_a_client_of_openai_is_turned_away_in_its_own_shape(bare_host: RunningHost) -> None:
    """Its error classes read `type` and `code`, its users `message` alone."""
    url = f"{bare_host.url}/v1/models"
    async with aiohttp.ClientSession() as session:
        for headers, status, kind in (
            ({}, 401, "AuthenticationError"),
            ({"Authorization": "Bearer wrong"}, 401, "AuthenticationError"),
            ({**bare_host.headers, "Origin": "http://evil.example"}, 403, "PermissionDeniedError"),
            ({**bare_host.headers, "Host": "evil.example"}, 421, "BadRequestError"),
            ({**bare_host.headers, "Content-Length": str(1 << 40)}, 413, "BadRequestError"),
        ):
            async with session.get(url, headers=headers) as response:
                error = (await response.json())["error"]
                assert (response.status, error["code"], error["type"]) == (status, status, kind)
                assert error["message"].count(".") >= 2, "what is wrong, and what helps"
                assert ("WWW-Authenticate" in response.headers) is (status == 401)


def test_only_health_is_open_and_says_little(bare_host: RunningHost) -> None:
    answer = bare_host.ask("GET", "/health", headers={})
    assert (answer.status, answer.value) == (503, {"phase": "idle"})
    assert bare_host.ask("POST", "/health", headers={}).status == 405


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example:1", "", "[evil]"],
)
def test_a_foreign_host_header_is_refused_even_with_the_token(bare_host: RunningHost, host: str) -> None:
    answer = bare_host.ask("GET", "/kvdeck/status", headers={**bare_host.headers, "Host": host})
    assert answer.status in (400, 421), answer  # the HTTP layer itself turns some away
    assert bare_host.ask("GET", "/health", headers={"Host": "evil.example"}).status == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:80", "192.0.2.7"])
def test_our_own_names_and_plain_addresses_pass(bare_host: RunningHost, host: str) -> None:
    assert bare_host.ask("GET", "/kvdeck/status", headers={**bare_host.headers, "Host": host}).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
def test_a_foreign_origin_is_refused_even_with_the_token(bare_host: RunningHost, origin: str) -> None:
    answer = bare_host.ask("GET", "/kvdeck/status", headers={**bare_host.headers, "Origin": origin})
    assert answer.status == 403
    assert answer.value["error"]["kind"] == "foreign_origin"


def test_our_own_origin_passes(bare_host: RunningHost) -> None:
    assert bare_host.ask("GET", "/kvdeck/status", headers={**bare_host.headers, "Origin": bare_host.url}).status == 200


async def test_the_event_stream_has_the_same_door(bare_host: RunningHost) -> None:
    url = bare_host.url.replace("http", "ws", 1) + "/kvdeck/events"
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(url)
        assert refused.value.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url, headers={**bare_host.headers, "Origin": "http://evil.example"})
        async with session.ws_connect(url, headers=bare_host.headers) as socket_:
            first = await socket_.receive_json(timeout=PATIENCE_S)
        assert (first["topic"], first["value"]["pid"]) == ("status", bare_host.pid)


def test_a_body_too_large_is_refused_before_it_is_read(bare_host: RunningHost) -> None:
    answer = bare_host.post("/kvdeck/load", b"{" + b" " * CONTROL_BODY_BYTES)
    assert answer.status == 413
    parts = urlsplit(bare_host.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_S)
    connection.putrequest("POST", "/v1/chat/completions")
    for name, value in {**bare_host.headers, "Content-Length": str(1 << 40)}.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("GET", "/kvdeck/nothing", None, 404, "not_found"),
        ("GET", "/kvdeck/load", None, 405, "method"),
        ("POST", "/kvdeck/load", {"checkpoint": "/x", "parameter": {}}, 422, "unknown_field"),
        ("POST", "/kvdeck/unload", {"checkpoint": "/x"}, 422, "unknown_field"),
        ("POST", "/kvdeck/unload", [], 422, "unknown_field"),
        ("POST", "/kvdeck/load", b"{", 400, "bad_request"),
        ("POST", "/kvdeck/load", b"[" * 100_000, 400, "bad_request"),
        ("POST", "/kvdeck/load", b"\xff\xfe", 400, "bad_request"),
        ("POST", "/kvdeck/load", {}, 400, "bad_request"),
        ("POST", "/kvdeck/load", {"checkpoint": 3}, 400, "bad_request"),
        ("POST", "/kvdeck/load", {"checkpoint": "/x", "parameters": {"dtype": [1]}}, 400, "bad_request"),
        ("GET", "/kvdeck/log?after=x", None, 400, "bad_request"),
        ("GET", "/kvdeck/limits", None, 409, "engine_busy"),
        ("POST", "/kvdeck/limits", {"max_num_seqs": 1}, 409, "engine_busy"),
        ("POST", "/kvdeck/abort", {"request_id": "x"}, 409, "engine_busy"),
        ("POST", "/kvdeck/reset_prefix_cache", None, 409, "engine_busy"),
        ("POST", "/kvdeck/scan_blocks", None, 409, "engine_busy"),
        ("POST", "/kvdeck/restart", None, 409, "engine_busy"),
    ],
)
def test_what_cannot_be_done_is_said(
    bare_host: RunningHost, method: str, path: str, body: object, status: int, kind: str
) -> None:
    answer = bare_host.ask(method, path, body)
    assert (answer.status, answer.value["error"]["kind"]) == (status, kind)
    assert answer.value["error"]["message"].endswith(".")
    assert answer.value["error"]["remedy"]


def test_openai_routes_without_a_model_answer_as_openai_clients_expect(bare_host: RunningHost) -> None:
    answer = bare_host.post("/v1/chat/completions", {"model": "x", "messages": []})
    assert answer.status == 503
    assert answer.value["error"]["message"] == "No model is loaded."
    assert answer.value["error"]["code"] == 503


def test_commands_without_an_engine_change_nothing(bare_host: RunningHost) -> None:
    assert bare_host.post("/kvdeck/cancel").value["phase"] == "idle"
    assert bare_host.post("/kvdeck/unload").value["phase"] == "idle"
    status = bare_host.status()
    assert status.lifecycle.phase is Phase.IDLE
    assert status.limits is None
    assert status.address == bare_host.url
    assert status.vllm_version


def test_a_port_in_use_is_said_at_once(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "engine.host", "--port", str(port), "--address-file", str(tmp_path / "a")]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment(tmp_path), check=False
        )
    assert done.returncode == 3
    error = json.loads(done.stderr)["error"]
    assert error["kind"] == "port_in_use"
    assert str(port) in error["message"]
    assert error["remedy"]
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--set", "max_model_len=1"], "--set needs --load"),
        (["--load", "/x", "--set", "nonsense=1"], "no parameter named 'nonsense'"),
        (["--load", "/x", "--set", "max_num_seqs=many"], "max_num_seqs is a number"),
        (["--load", "/x", "--set", "max_num_seqs"], "NAME=VALUE"),
    ],
)
def test_a_wrong_command_line_is_explained(tmp_path: Path, arguments: list[str], says: str) -> None:
    command = [sys.executable, "-m", "engine.host", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment(tmp_path), check=False
    )
    assert done.returncode == 2
    assert says in done.stderr


def test_start_and_end_of_a_host(tmp_path: Path) -> None:
    """The token comes from a file, the address file is this user's alone, and both ways of ending leave nothing."""
    token_file = tmp_path / "token"
    token_file.write_text("a-token-of-enough-length\n")
    home = tmp_path / "home"
    for end in ("signal", "route"):
        host = start_host(home, variables={"KVDECK_TOKEN_FILE": str(token_file)})
        assert host.token == "a-token-of-enough-length"
        assert stat.S_IMODE((home / "address.json").stat().st_mode) == 0o600
        if end == "signal":
            os.kill(host.pid, signal.SIGINT)
        else:
            assert host.post("/kvdeck/shutdown").status == 202
        assert host.process.wait(PATIENCE_S) == 0
        assert not (home / "address.json").exists()
