"""Where a run's load goes: a server that runs, or an engine host started for the run with a checkpoint."""

from __future__ import annotations

import contextlib
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from engine.bench.messages import Target
from engine.client.host_process import HostAddress, HostOptions
from engine.client.remote import RemoteEngine
from engine.domain.errors import EngineFailed, HostUnreachable, KVDeckError
from engine.domain.lifecycle import HostStatus, Lifecycle, LoadRequest, Phase
from engine.domain.paths import runtime_dir

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from engine.domain.lifecycle import ParameterValue


@dataclass(frozen=True, slots=True)
class Place:
    """A server to send to. `status` is what an engine host of ours says of itself, None for any other server."""

    target: Target
    status: HostStatus | None


def read_address_file(path: Path) -> HostAddress:
    """What an engine host wrote for its clients. Raises HostUnreachable."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return HostAddress(int(known["pid"]), str(known["address"]), str(known["token"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HostUnreachable(
            f"{path} is no address file: {error}.", remedy="Give the file that the engine host wrote."
        ) from error


def find_host() -> HostAddress:
    """The engine host of this user that runs now. Raises HostUnreachable where there is none, or more than one."""
    found = []
    for path in sorted(runtime_dir().glob("host-*.json")):
        with contextlib.suppress(HostUnreachable):
            address = read_address_file(path)
            if psutil.pid_exists(address.pid):
                found.append(address)
    if len(found) == 1:
        return found[0]
    how_many = "No engine host runs now." if not found else f"{len(found)} engine hosts run now."
    raise HostUnreachable(how_many, remedy="Say which with --address and --token-file, or give --checkpoint.")


async def running_server(address: HostAddress, model: str | None, tokenizer: str | None) -> Place:
    """A server that runs already, of whatever make. Raises HostUnreachable where nothing answers."""
    target = Target(address.url, address.token, model, tokenizer)
    engine = RemoteEngine(HostAddress(address.pid, address.url.rstrip("/").removesuffix("/v1"), address.token))
    try:
        return Place(target, await engine.start())
    except HostUnreachable as error:
        raise HostUnreachable(
            f"Nothing answers at {address.url}.", remedy="Check the address, and that the server runs.",
            details=error.details,
        ) from error  # fmt: skip
    except KVDeckError:  # it answers, but is no host of ours
        return Place(target, None)
    finally:
        await engine.close()


@asynccontextmanager
async def own_host(
    checkpoint: Path, values: Mapping[str, ParameterValue], tell: Callable[[str], None]
) -> AsyncIterator[Place]:
    """An engine host with this checkpoint READY in it, ended afterwards. Raises what the load failed of."""
    engine = RemoteEngine(HostOptions(port=0))
    try:
        status = await engine.start()
        tell(f"Loading {checkpoint.name}")
        await engine.load(LoadRequest(str(checkpoint), dict(values)))
        await _ready(engine, tell)
        status = await _status(engine)
        yield Place(Target(engine.address, engine.token), status)
    finally:
        await engine.close()


async def _ready(engine: RemoteEngine, tell: Callable[[str], None]) -> None:
    told = ""
    async with contextlib.aclosing(engine.events()) as events:
        async for event in events:
            lifecycle = event.lifecycle if isinstance(event, HostStatus) else event
            if not isinstance(lifecycle, Lifecycle):
                continue
            if lifecycle.phase is Phase.READY:
                return
            if lifecycle.phase in (Phase.FAILED, Phase.CRASHED):
                failure = lifecycle.failure
                message = "The load failed." if failure is None else failure.message
                remedy = "" if failure is None else failure.remedy
                raise EngineFailed(message, remedy=remedy)
            stage = lifecycle.stages[-1].stage.value if lifecycle.stages else ""
            if stage and stage != told:
                told = stage
                tell(f"Loading: {stage.replace('_', ' ')}")


async def _status(engine: RemoteEngine) -> HostStatus:
    async with contextlib.aclosing(engine.events()) as events:
        async for event in events:
            if isinstance(event, HostStatus):
                return event
    raise HostUnreachable("The engine host went away.", remedy="See its log.")
