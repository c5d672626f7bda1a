"""uvicorn's HTTP protocol with a limit on what it takes before the token can be looked at: the head of a request.

Its parser keeps whatever comes as long as the head has not ended, and waits for it for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

HEAD_BYTES = 64 * 1024
HEAD_S = 30.0


class BoundedHead:
    """Mixed into uvicorn's protocol: ends a connection whose request's head is too long or does not come to its end."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport

    _head_bytes = 0
    _in_head = True
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_ended()
        super().connection_lost(exc)  # type: ignore[misc]

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
            # A body that came in the same piece is not the head's, but a head of this length is none either way.
            if self._head_bytes > HEAD_BYTES and b"\r\n\r\n" not in data:
                self._refuse()
                return
        super().data_received(data)  # type: ignore[misc]

    def on_message_begin(self) -> None:
        super().on_message_begin()  # type: ignore[misc]
        if self._patience is None:
            self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._head_ended()
        super().on_headers_complete()  # type: ignore[misc]

    def _wait_for_head(self) -> None:
        self._in_head, self._head_bytes = True, 0
        self._patience = self.loop.call_later(HEAD_S, self._refuse)

    def _head_ended(self) -> None:
        self._in_head = False
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _refuse(self) -> None:
        self._head_ended()
        if not self.transport.is_closing():
            self.send_400_response(  # type: ignore[attr-defined]
                "The head of this request is too long, or did not come to its end."
            )


def http_protocol() -> type[asyncio.Protocol] | str:
    """The protocol for uvicorn's Config; "auto", whose own has a limit, where httptools is not installed."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "auto"
    return type("HostProtocol", (BoundedHead, HttpToolsProtocol), {})
