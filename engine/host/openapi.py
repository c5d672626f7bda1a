"""The OpenAPI document of the control routes, made from the types that the routes themselves decode and answer."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.host.route_table import ROUTES, RouteFacts, Whole

_SCHEMAS = "#/components/schemas/"
_JSON = "application/json"
_ERRORS = {
    "400": "The body or the query cannot be read.",
    "401": "The token is missing or wrong.",
    "403": "A web page of another origin asked.",
    "409": "The engine is in no state for this.",
    "413": "The body is too large.",
    "421": "The Host header is not one of this host's names.",
    "422": "The request is readable, and cannot be carried out.",
    "503": "There is no engine to ask, or it died meanwhile.",
}


class ErrorFacts(msgspec.Struct):
    """What failed, in a sentence; what to do, in another. A refused load brings numbers and actions, too."""

    kind: str
    message: str
    remedy: str
    details: str
    numbers: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    actions: list[Any] | msgspec.UnsetType = msgspec.UNSET


class ErrorBody(msgspec.Struct):
    """Every answer of status 400 and above."""

    error: ErrorFacts


def document(version: str) -> dict[str, Any]:
    """The document as plain values, OpenAPI 3.1. `version` is KVDeck's."""
    kinds: list[Any] = [ErrorBody]
    for facts in ROUTES.values():
        kinds += [kind for kind in (facts.body, facts.answer) if kind is not None and kind not in kinds]
    shown, components = msgspec.json.schema_components(kinds, ref_template=_SCHEMAS + "{name}")
    schemas = dict(zip(kinds, shown, strict=True))
    for facts in ROUTES.values():
        if facts.body is not None:
            components[schemas[facts.body]["$ref"].removeprefix(_SCHEMAS)]["additionalProperties"] = False
    paths: dict[str, dict[str, Any]] = {}
    for (verb, name), facts in ROUTES.items():
        paths.setdefault(f"/kvdeck/{name}", {})[verb.lower()] = _operation(verb, name, facts, schemas)
    about = "Control of one vLLM engine. Events: the WebSocket /kvdeck/events. All other paths are vLLM's own."
    return {
        "openapi": "3.1.0",
        "info": {"title": "KVDeck's engine host", "version": version, "description": about},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(verb: str, name: str, facts: RouteFacts, schemas: dict[Any, Any]) -> dict[str, Any]:
    wrong = {"content": {_JSON: {"schema": schemas[ErrorBody]}}}
    right = {"description": facts.about, "content": {_JSON: {"schema": schemas[facts.answer]}}}
    found: dict[str, Any] = {
        "operationId": f"{verb.lower()}_{name.replace('/', '_')}",
        "summary": facts.about,
        "responses": {
            str(facts.status): right,
            **{status: {"description": about, **wrong} for status, about in _ERRORS.items()},
        },
    }
    if facts.query:
        found["parameters"] = [_parameter(each) for each in facts.query]
    if facts.body is not None:
        found["requestBody"] = {"required": True, "content": {_JSON: {"schema": schemas[facts.body]}}}
    return found


def _parameter(whole: Whole) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1, "default": whole.default}
    return {"name": whole.name, "in": "query", "required": False, "description": whole.about, "schema": schema}
