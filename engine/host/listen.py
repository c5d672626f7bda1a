"""The host's sockets, bound before anything heavy, so that a port in use is said at once."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError, PortInUse

if TYPE_CHECKING:
    from collections.abc import Sequence

_BACKLOG = 2048


class AddressUnusable(KVDeckError):
    """The address to listen on is not one of this machine."""

    kind = "address_unusable"


def listen(address: str, port: int) -> list[socket.socket]:
    """A listening socket on `address`:`port` (0 picks a free port). Raises PortInUse, AddressUnusable."""
    try:
        found = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, OverflowError) as error:
        raise AddressUnusable(
            f"{address}:{port} is no address: {error}.", remedy="Use 127.0.0.1 and a port from 1 to 65535."
        ) from error
    family, kind, protocol, _, where = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # A port whose last connections are still closing may be taken over; one that listens may not.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(where)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise _explained(error, address, port) from error
    listener.setblocking(False)
    listener.set_inheritable(False)
    return [listener]


def _explained(error: OSError, address: str, port: int) -> KVDeckError:
    if error.errno == errno.EADDRINUSE:
        return PortInUse(f"Port {port} belongs to another program.", remedy="Choose another port, or end that program.")
    if error.errno == errno.EACCES:
        return PortInUse(f"Port {port} may not be used by this user.", remedy="Choose a port above 1023.")
    return AddressUnusable(f"Cannot listen on {address}:{port}: {error.strerror}.", remedy="Use 127.0.0.1.")


def url_of(sockets: Sequence[socket.socket]) -> str:
    """The address that a client uses: http://127.0.0.1:8000."""
    name = sockets[0].getsockname()
    host, port = name[0], name[1]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - the reverse: what listens everywhere is reached here
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
