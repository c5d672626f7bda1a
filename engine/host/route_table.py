"""The control routes as data: what each takes and answers. The OpenAPI document and the check of bodies use it."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypedDict

import msgspec

from engine.domain import errors
from engine.domain.adapter import EngineAdapters, LoadAdapterRequest, UnloadAdapterRequest
from engine.domain.block_times import BlockTimes
from engine.domain.lifecycle import (
    HostStatus,
    Lifecycle,
    LimitsRequest,
    LiveLimits,
    LoadRequest,
    LogRecord,
    PriorityRequest,
)
from engine.domain.prefixes import (
    KeepTokensRequest,
    PrefixReason,
    PrefixReasonRequest,
    PrefixText,
    PrefixTextRequest,
    PrefixTree,
)
from engine.domain.sleepers import KeepPolicy, SleeperRequest, Sleepers


class UnknownField(errors.KVDeckError):
    """A control request's body has a field that its route does not know: a slip that would otherwise go unseen."""

    kind = "unknown_field"


class AbortRequest(msgspec.Struct, frozen=True):
    """Abort this request, by its OpenAI or internal id."""

    request_id: str


class Changed(TypedDict):
    """How many requests got the priority."""

    changed: int


class Aborted(TypedDict):
    """How many requests were aborted."""

    aborted: int


class Reset(TypedDict):
    """Whether the whole prefix cache could be dropped."""

    reset: bool


class Scanned(TypedDict):
    """Blocks whose entry in the telemetry page differs from vLLM's own pool, at one step."""

    mismatches: int
    step: int


class Kept(TypedDict):
    """Whether token ids of cached prefixes are kept."""

    on: bool


class LogPage(TypedDict):
    """Lines of the log."""

    records: list[LogRecord]


@dataclass(frozen=True, slots=True)
class Whole:
    """A query parameter: a whole number from 0 on."""

    name: str
    default: int
    about: str


@dataclass(frozen=True, slots=True)
class RouteFacts:
    """What one route does, the type of its body (None: it takes none), of its answer, and the answer's status."""

    about: str
    answer: Any
    body: Any = None
    status: int = 200
    query: tuple[Whole, ...] = ()


ROUTES: dict[tuple[str, str], RouteFacts] = {
    ("GET", "status"): RouteFacts("The host and its engine as they are.", HostStatus),
    ("POST", "load"): RouteFacts("Load a checkpoint, or switch to it.", Lifecycle, LoadRequest, 202),
    ("POST", "cancel"): RouteFacts("Stop the load in progress.", Lifecycle, status=202),
    ("POST", "unload"): RouteFacts("End the engine.", Lifecycle, status=202),
    ("POST", "restart"): RouteFacts("Load again what was loaded last.", Lifecycle, status=202),
    ("GET", "sleepers"): RouteFacts("The engines that wait, with what they hold.", Sleepers),
    ("POST", "sleepers"): RouteFacts("Say which engines a switch keeps.", Sleepers, KeepPolicy),
    ("POST", "sleep"): RouteFacts("Put the engine to rest.", Lifecycle, status=202),
    ("POST", "wake"): RouteFacts("Switch to a waiting engine.", Lifecycle, SleeperRequest, 202),
    ("POST", "end"): RouteFacts("End a waiting engine, or all of them.", Sleepers, SleeperRequest),
    ("GET", "limits"): RouteFacts("The batching limits in force.", LiveLimits),
    ("POST", "limits"): RouteFacts("Change batching limits while requests run.", LiveLimits, LimitsRequest),
    ("POST", "priority"): RouteFacts("Give a request another priority.", Changed, PriorityRequest),
    ("POST", "abort"): RouteFacts("Abort a request in the engine.", Aborted, AbortRequest),
    ("POST", "reset_prefix_cache"): RouteFacts("Drop every reusable prefix.", Reset),
    ("POST", "scan_blocks"): RouteFacts("Compare the telemetry page with a full scan of the pool.", Scanned),
    ("GET", "prefix_tree"): RouteFacts(
        "The cached prefixes as a tree.", PrefixTree, query=(Whole("limit", 500, "at most so many nodes"),)
    ),
    ("POST", "prefix_text"): RouteFacts("The text of cached blocks.", PrefixText, PrefixTextRequest),
    ("POST", "prefix_reason"): RouteFacts(
        "Why a request found what it found in the prefix cache.", PrefixReason, PrefixReasonRequest
    ),
    ("POST", "keep_prefix_tokens"): RouteFacts("Keep token ids of cached prefixes, or not.", Kept, KeepTokensRequest),
    ("GET", "block_times"): RouteFacts("How long cache blocks lived and lay idle.", BlockTimes),
    ("GET", "adapters"): RouteFacts("The LoRA adapters of the engine.", EngineAdapters),
    ("POST", "adapters/load"): RouteFacts("Load a LoRA adapter.", EngineAdapters, LoadAdapterRequest),
    ("POST", "adapters/unload"): RouteFacts("Unload a LoRA adapter.", EngineAdapters, UnloadAdapterRequest),
    ("GET", "log"): RouteFacts("The newest lines of the log.", LogPage, query=(Whole("after", 0, "this sequence"),)),
    ("GET", "openapi.json"): RouteFacts("This document.", dict[str, Any]),
    ("POST", "shutdown"): RouteFacts("End the host and its engine.", Lifecycle, status=202),
}


def field_names(kind: Any) -> tuple[str, ...]:
    """The fields of a body's type; none for a route that takes no body."""
    if kind is None:
        return ()
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else tuple(kind.__struct_fields__)


def require_known_fields(method: str, name: str, body: bytes) -> None:
    """Raise UnknownField where a body has a field that this route does not take; what is no object passes here."""
    facts = ROUTES.get((method, name))
    if facts is None or not body.strip():
        return
    try:
        given = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        if facts.body is not None:
            return  # reading it by its type says what is wrong with it
        raise UnknownField(f"/kvdeck/{name} takes no body but {{}}.", remedy="Send none.") from None
    known = field_names(facts.body)
    unknown = sorted(set(given) - set(known))
    if unknown:
        fields_known = f"The fields are {', '.join(known)}." if known else "It takes none."
        raise UnknownField(f"/kvdeck/{name} has no field {unknown[0][:80]!r}.", remedy=fields_known)
