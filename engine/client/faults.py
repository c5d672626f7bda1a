"""What went wrong on the wire, as the one tree of errors: host bodies, OpenAI bodies, a host that did not come up."""

from __future__ import annotations

import json
import re
import signal
from typing import Any

from engine.domain import errors
from engine.domain.errors import (
    ContextTooLong,
    EngineBusy,
    EngineCrashed,
    EngineFailed,
    EngineMissing,
    HostUnreachable,
    KVDeckError,
    ParameterInvalid,
)

_BY_KIND: dict[str, type[KVDeckError]] = {
    value.kind: value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, KVDeckError)
}
_ENGINE_MODULES = ("vllm", "torch", "uvloop", "uvicorn", "fastapi", "starlette")
_DEAD_ENGINE = ("The engine died while it was answering", "EngineCore encountered an issue", "EngineDeadError")
_PARAMETER_NOTE = re.compile(r"\s*\(parameter=\w+(, value=[^)]*)?\)$")  # vLLM's own note for programs
_TAIL_LINES = 40
HTTP_UNAUTHORIZED = 401
HTTP_BAD_REQUEST = 400
HTTP_UNAVAILABLE = 503
HTTP_OK = 200


def from_body(status: int, text: str, *, route: str) -> KVDeckError:
    """The error in a control route's answer `{"error": {"kind", "message", "remedy", "details"}}`.

    A body of another shape (a proxy's, a foreign program's on the same port) is quoted, not hidden.
    """
    record = _error_record(text)
    kind = _BY_KIND.get(str(record.get("kind", "")))
    if kind is not None:
        return kind(
            str(record.get("message", "")),
            remedy=str(record.get("remedy", "")),
            details=_text(record.get("details")),
            offers=_offers(record.get("actions")),
        )
    if record.get("kind") and record.get("message"):  # a kind that only newer hosts know, or a fault of ours
        return KVDeckError(str(record["message"]), remedy=str(record.get("remedy", "")), details=text[:4000])
    if status == HTTP_UNAUTHORIZED:
        return HostUnreachable(
            "The engine host does not accept this token.", remedy="Close the window and open it again."
        )
    return HostUnreachable(
        f"The engine host answered {route} with an unexpected status {status}.",
        remedy="The log has the details; restart the host if this goes on.",
        details=text[:4000],
    )


def _offers(actions: Any) -> tuple[tuple[str, dict[str, Any]], ...]:
    """A refused load's changes; what is of another shape is no offer."""
    given = [each for each in actions if isinstance(each, dict)] if isinstance(actions, list) else []
    pairs = [(str(each.get("label") or ""), each.get("parameters")) for each in given]
    return tuple((label, changes) for label, changes in pairs if label and isinstance(changes, dict) and changes)


def from_openai(status: int, text: str) -> KVDeckError:
    """The error in an OpenAI route's answer, before or in the middle of a stream (`status` 200 there)."""
    record = _error_record(text)
    if str(record.get("kind", "")) in _BY_KIND or status == HTTP_UNAUTHORIZED:
        return from_body(status, text, route="the chat request")
    code = record.get("code")
    if status == HTTP_OK and isinstance(code, int):
        status = code
    message = str(record.get("message") or "").strip() or f"The engine answered with status {status}."
    message = _PARAMETER_NOTE.sub("", message)
    if any(mark in message for mark in _DEAD_ENGINE):
        return engine_died(message)
    if "maximum context length" in message or "longer than the maximum model length" in message:
        return ContextTooLong(
            message, remedy="Start a new chat, shorten the conversation, or reload with a larger max_model_len."
        )
    if status == HTTP_UNAVAILABLE:
        return EngineBusy(message, remedy="Load a model, or wait until it is ready.")
    if status == HTTP_BAD_REQUEST:
        return ParameterInvalid(message, remedy="Change the message or the sampling options.")
    return EngineFailed(message, remedy="The log has the details.", details=text[:4000])


def engine_died(details: str = "") -> EngineCrashed:
    """A request whose engine ended while it ran."""
    return EngineCrashed(
        "The engine ended while it was answering.",
        remedy="Load the model again; the log says what happened.",
        details=details,
    )


def unreachable(url: str, cause: BaseException) -> HostUnreachable:
    """A connection that could not be made or was cut."""
    return HostUnreachable(
        f"The engine host at {url} does not answer.",
        remedy="Start it again; the log says what happened.",
        details=f"{type(cause).__name__}: {cause}",
    )


def from_exit(returncode: int, output: str) -> KVDeckError:
    """Why a host process ended, from its exit status and what it wrote: a JSON error line, or a traceback."""
    for line in reversed(output.splitlines()):
        record = _error_record(line)
        kind = _BY_KIND.get(str(record.get("kind", "")))
        if kind is not None:
            return kind(
                str(record.get("message", "")),
                remedy=str(record.get("remedy", "")),
                details=_text(record.get("details")) or _tail(output),
            )
    for module in _ENGINE_MODULES:
        if f"No module named '{module}" in output:
            return EngineMissing(
                f"The engine is not installed: the Python package {module} is missing.",
                remedy="Install it with: make run ENGINE=cpu (or ENGINE=cuda with an NVIDIA GPU), in KVDeck's folder.",
                details=_tail(output),
            )
    return HostUnreachable(
        f"The engine host ended unexpectedly ({_how(returncode)}).",
        remedy="Start it again; the log says what happened.",
        details=_tail(output),
    )


def _how(returncode: int) -> str:
    if returncode >= 0:
        return f"exit status {returncode}"
    try:
        return f"signal {signal.Signals(-returncode).name}"
    except (ValueError, RecursionError):
        return f"signal {-returncode}"


def _tail(output: str) -> str:
    return "\n".join(output.splitlines()[-_TAIL_LINES:])


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _error_record(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    record = body.get("error") if isinstance(body, dict) else None
    if isinstance(record, str):
        return {"message": record}
    return record if isinstance(record, dict) else {}
