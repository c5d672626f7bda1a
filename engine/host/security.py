"""Who may talk to the host: a bearer token, and nothing that a web page of another origin could send."""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Headers = list[tuple[bytes, bytes]]

# Control bodies are small; OpenAI bodies may carry images.
CONTROL_BODY_BYTES = 1 << 20
OPENAI_BODY_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is turned away, before anything else looks at it."""

    status: int
    kind: str
    message: str
    remedy: str


def make_token() -> str:
    """The token of this start: the content of the file KVDECK_TOKEN_FILE names, else random."""
    path = os.environ.get("KVDECK_TOKEN_FILE")
    if not path:
        return secrets.token_urlsafe(32)
    token = Path(path).read_text(encoding="utf-8").strip()
    if len(token) < 16 or not token.isascii() or any(character.isspace() for character in token):
        raise ValueError(f"{path} holds no usable token: 16 ASCII characters or more, no spaces")
    return token


def header(headers: Headers, name: bytes) -> str | None:
    """The value of the first header of this (lower-case) name."""
    for key, value in headers:
        if key == name:
            return value.decode("latin-1")
    return None


def _host_name(value: str) -> str:
    """The host part of "name:port", "[v6]:port" or a bare name, lower-case, without brackets."""
    value = value.strip().lower()
    if value.startswith("["):
        return value[1:].partition("]")[0]
    return value.rpartition(":")[0] if value.count(":") == 1 else value


class Gate:
    """Checks each request's Host, Origin and token. `open_paths` need no token."""

    def __init__(self, token: str, address: str, open_paths: Iterable[str] = ()) -> None:
        self._token = token.encode()
        self._open_paths = frozenset(open_paths)
        self._names = {"localhost", address.lower(), socket.gethostname().lower()}

    def refusal(self, path: str, headers: Headers) -> Refusal | None:
        """None for a request that may pass."""
        host = header(headers, b"host")
        if host is None or not self._is_our_name(_host_name(host)):
            return Refusal(
                421,
                "foreign_host",
                f"This server does not answer as {host or 'a request without a Host header'}.",
                "Address it as 127.0.0.1, localhost or by its own name.",
            )
        origin = header(headers, b"origin")
        if origin is not None and origin.rstrip("/").lower() not in (
            f"http://{host.lower()}",
            f"https://{host.lower()}",
        ):
            return Refusal(
                403,
                "foreign_origin",
                "A web page of another origin may not use this server.",
                "Call it from a program, or from a page that it serves itself.",
            )
        if path not in self._open_paths and not self._has_token(headers):
            return Refusal(
                401,
                "unauthorized",
                "The token is missing or wrong.",
                "Send the header 'Authorization: Bearer TOKEN' (an OpenAI client's api_key).",
            )
        return None

    def _is_our_name(self, name: str) -> bool:
        # DNS rebinding needs a name that someone else controls: an address as such is always safe.
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _has_token(self, headers: Headers) -> bool:
        given = header(headers, b"authorization") or ""
        scheme, _, value = given.partition(" ")
        candidate = value.strip() if scheme.lower() == "bearer" else header(headers, b"x-api-key") or ""
        return hmac.compare_digest(candidate.encode("utf-8", "surrogateescape"), self._token)
