"""The control routes: what each takes, what each answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import msgspec

from engine.domain import errors
from engine.domain.adapter import LoadAdapterRequest, UnloadAdapterRequest
from engine.domain.lifecycle import LimitsRequest, LoadRequest, PriorityRequest
from engine.domain.prefixes import KeepTokensRequest, PrefixReasonRequest, PrefixTextRequest
from engine.domain.sleepers import KeepPolicy, SleeperRequest
from engine.host.fault_findings import actions_of
from engine.host.openapi import document
from engine.host.preflight import LoadRefused
from engine.host.route_table import AbortRequest, UnknownField, require_known_fields

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from engine.host.adapters import AdapterCommands
    from engine.host.journal import Journal
    from engine.host.live import LiveCommands
    from engine.host.security import Headers
    from engine.host.service import EngineService
    from engine.host.shelf import Shelf
    from engine.host.state import HostState

Answer = tuple[int, Any]

_TREE_NODES, _MOST_TREE_NODES = 500, 5000
_DIGITS = 19

_STATUS: dict[type[errors.KVDeckError], int] = {
    errors.EngineBusy: 409,
    errors.CheckpointInvalid: 422,
    errors.CheckpointUnsupported: 422,
    errors.ParameterInvalid: 422,
    errors.ContextTooLong: 422,
    errors.OutOfMemory: 422,
    UnknownField: 422,
    errors.EngineMissing: 503,
    errors.EngineCrashed: 503,
}


class RouteNotFound(errors.KVDeckError):
    """No such control route."""

    kind = "not_found"


class BadRequest(errors.KVDeckError):
    """The body or the query of a control request cannot be read."""

    kind = "bad_request"


class MethodNotAllowed(errors.KVDeckError):
    """There is such a control route, for other verbs: `allowed`."""

    kind = "method"

    def __init__(self, message: str, allowed: tuple[str, ...]) -> None:
        super().__init__(message, remedy=f"Use {' or '.join(allowed)}.")
        self.allowed = allowed


def _decoded(body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
        raise BadRequest(f"The body cannot be read: {error}.", remedy=f"Send a JSON {kind.__name__}.") from None


def _whole(query: bytes, name: str, default: int) -> int:
    wanted = parse_qs(query.decode("latin-1")).get(name, [str(default)])[0]
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < _DIGITS):
        raise BadRequest(f"{name}={wanted[:40]} is no whole number.", remedy="Send a whole number.")
    return int(wanted)


class ControlRoutes:
    """Answers /kvdeck/... from the service and the journal."""

    def __init__(
        self,
        state: HostState,
        service: EngineService,
        live: LiveCommands,
        adapters: AdapterCommands,
        shelf: Shelf,
        journal: Journal,
        shut_down: Callable[[], None],
    ) -> None:
        self._state = state
        self._service = service
        self._live = live
        self._adapters = adapters
        self._shelf = shelf
        self._journal = journal
        self._shut_down = shut_down
        self._routes: dict[tuple[str, str], Callable[[bytes, bytes], Awaitable[Answer]]] = {
            ("GET", "status"): self._status,
            ("POST", "load"): self._load,
            ("POST", "cancel"): self._cancel,
            ("POST", "unload"): self._unload,
            ("POST", "restart"): self._restart,
            ("GET", "sleepers"): self._sleepers,
            ("POST", "sleepers"): self._set_keep_policy,
            ("POST", "sleep"): self._sleep,
            ("POST", "wake"): self._wake,
            ("POST", "end"): self._end,
            ("GET", "limits"): self._get_limits,
            ("POST", "limits"): self._set_limits,
            ("POST", "priority"): self._set_priority,
            ("POST", "abort"): self._abort,
            ("POST", "reset_prefix_cache"): self._reset_prefix_cache,
            ("POST", "scan_blocks"): self._scan_blocks,
            ("GET", "prefix_tree"): self._prefix_tree,
            ("POST", "prefix_text"): self._prefix_text,
            ("POST", "prefix_reason"): self._prefix_reason,
            ("POST", "keep_prefix_tokens"): self._keep_prefix_tokens,
            ("GET", "block_times"): self._block_times,
            ("GET", "adapters"): self._list_adapters,
            ("POST", "adapters/load"): self._load_adapter,
            ("POST", "adapters/unload"): self._unload_adapter,
            ("GET", "log"): self._log,
            ("GET", "openapi.json"): self._openapi,
            ("POST", "shutdown"): self._shutdown,
        }

    @property
    def phase(self) -> str:
        """The engine's phase, for /health."""
        return self._state.phase.value

    async def answer(self, method: str, path: str, query: bytes, body: bytes) -> Answer:
        """HTTP status and value of one control request. Raises KVDeckError."""
        name = path.removeprefix("/kvdeck/").rstrip("/")
        route = self._routes.get((method, name))
        if route is None:
            verbs = tuple(sorted(verb for verb, each in self._routes if each == name))
            if verbs:
                raise MethodNotAllowed(f"{path} does not answer {method}.", verbs)
            known = sorted({f"{verb} /kvdeck/{each}" for verb, each in self._routes})
            raise RouteNotFound(f"There is no {method} {path}.", remedy=f"The routes are {', '.join(known)}.")
        require_known_fields(method, name, body)
        return await route(query, body)

    @staticmethod
    def headers_of(error: errors.KVDeckError) -> Headers:
        """What else an error's answer says."""
        if isinstance(error, MethodNotAllowed):
            return [(b"allow", ", ".join(error.allowed).encode())]
        return []

    @staticmethod
    def status_of(error: errors.KVDeckError) -> int:
        """The HTTP status of an error."""
        if isinstance(error, RouteNotFound):
            return 404
        if isinstance(error, MethodNotAllowed):
            return 405
        if isinstance(error, BadRequest):
            return 400
        if isinstance(error, LoadRefused):
            return 422
        return next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)

    @staticmethod
    def describe(error: errors.KVDeckError) -> dict[str, Any]:
        """The error's body; a refused load also brings its numbers and the buttons that would help."""
        body: dict[str, Any] = {
            "kind": error.kind,
            "message": error.message,
            "remedy": error.remedy,
            "details": error.details,
        }
        if isinstance(error, LoadRefused):
            body |= {"numbers": error.failure.numbers, "actions": error.failure.actions}
        elif error.offers:
            body["actions"] = actions_of(error)
        return body

    async def _status(self, _query: bytes, _body: bytes) -> Answer:
        return 200, self._state.status()

    async def _load(self, _query: bytes, body: bytes) -> Answer:
        return 202, await self._service.load(_decoded(body, LoadRequest))

    async def _cancel(self, _query: bytes, _body: bytes) -> Answer:
        return 202, await self._service.cancel()

    async def _unload(self, _query: bytes, _body: bytes) -> Answer:
        return 202, await self._service.unload()

    async def _restart(self, _query: bytes, _body: bytes) -> Answer:
        return 202, await self._service.restart()

    async def _sleepers(self, _query: bytes, _body: bytes) -> Answer:
        return 200, await self._shelf.measure()

    async def _set_keep_policy(self, _query: bytes, body: bytes) -> Answer:
        return 200, self._shelf.set_policy(_decoded(body, KeepPolicy))

    async def _sleep(self, _query: bytes, _body: bytes) -> Answer:
        return 202, await self._service.sleep()

    async def _wake(self, _query: bytes, body: bytes) -> Answer:
        return 202, await self._service.wake(_decoded(body, SleeperRequest).checkpoint)

    async def _end(self, _query: bytes, body: bytes) -> Answer:
        return 200, await self._service.end_waiting(_decoded(body, SleeperRequest).checkpoint)

    async def _get_limits(self, _query: bytes, _body: bytes) -> Answer:
        return 200, await self._live.read_limits()

    async def _set_limits(self, _query: bytes, body: bytes) -> Answer:
        return 200, await self._live.set_limits(_decoded(body, LimitsRequest))

    async def _set_priority(self, _query: bytes, body: bytes) -> Answer:
        return 200, {"changed": await self._live.set_priority(_decoded(body, PriorityRequest))}

    async def _abort(self, _query: bytes, body: bytes) -> Answer:
        return 200, {"aborted": await self._live.abort(_decoded(body, AbortRequest).request_id)}

    async def _reset_prefix_cache(self, _query: bytes, _body: bytes) -> Answer:
        return 200, {"reset": await self._live.reset_prefix_cache()}

    async def _scan_blocks(self, _query: bytes, _body: bytes) -> Answer:
        return 200, await self._live.scan_blocks()

    async def _prefix_tree(self, query: bytes, _body: bytes) -> Answer:
        limit = _whole(query, "limit", _TREE_NODES)
        return 200, await self._live.prefix_tree(min(max(limit, 1), _MOST_TREE_NODES))

    async def _prefix_text(self, _query: bytes, body: bytes) -> Answer:
        wanted = _decoded(body, PrefixTextRequest)
        return 200, await self._live.prefix_text(wanted.key, wanted.blocks)

    async def _prefix_reason(self, _query: bytes, body: bytes) -> Answer:
        return 200, await self._live.prefix_reason(_decoded(body, PrefixReasonRequest).request_id)

    async def _keep_prefix_tokens(self, _query: bytes, body: bytes) -> Answer:
        return 200, {"on": await self._live.keep_prefix_tokens(on=_decoded(body, KeepTokensRequest).on)}

    async def _block_times(self, _query: bytes, _body: bytes) -> Answer:
        return 200, await self._live.block_times()

    async def _list_adapters(self, _query: bytes, _body: bytes) -> Answer:
        return 200, self._adapters.list()

    async def _load_adapter(self, _query: bytes, body: bytes) -> Answer:
        return 200, await self._adapters.load(_decoded(body, LoadAdapterRequest))

    async def _unload_adapter(self, _query: bytes, body: bytes) -> Answer:
        return 200, await self._adapters.unload(_decoded(body, UnloadAdapterRequest))

    async def _log(self, query: bytes, _body: bytes) -> Answer:
        return 200, {"records": self._journal.after(_whole(query, "after", 0))}

    async def _openapi(self, _query: bytes, _body: bytes) -> Answer:
        return 200, document(self._state.status().version)

    async def _shutdown(self, _query: bytes, _body: bytes) -> Answer:
        self._shut_down()
        return 202, self._state.lifecycle
