"""The engine client that asks the user where a checkpoint wants to run code of its own."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from engine.client.remote import RemoteEngine
from engine.domain.errors import Cancelled, CheckpointUnsupported

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from engine.client.host_process import HostAddress, HostOptions
    from engine.domain.lifecycle import LoadRequest

CONSENTS = ("trust_remote_code", "allow_pickle")


class AskingEngine(RemoteEngine):
    """A RemoteEngine whose `load` asks for a consent that the host's preflight misses, and loads again with it.

    `ask` gets the checkpoint's path and the consent's name (one of CONSENTS) and answers yes or no; it is called each
    time, since the files may be others by now, and it knows what was answered before.
    """

    def __init__(self, host: HostOptions | HostAddress, ask: Callable[[str, str], Awaitable[bool]]) -> None:
        super().__init__(host)
        self._ask = ask

    async def load(self, request: LoadRequest) -> None:
        """As the client's own; raises Cancelled where the user says no."""
        while True:
            try:
                await super().load(request)
            except CheckpointUnsupported as error:
                missing = error.details
                if missing not in CONSENTS or getattr(request, missing):
                    raise
            else:
                return
            if not await self._ask(request.checkpoint, missing):
                raise Cancelled("The load was not allowed.")
            granted: dict[str, Any] = {missing: True}
            request = dataclasses.replace(request, **granted)
