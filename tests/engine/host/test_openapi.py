"""The OpenAPI document is what the routes do: by the routes' own code, and by requests made from it to a real host."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from engine.host.openapi import document
from engine.host.route_table import ROUTES
from engine.host.routes import ControlRoutes

if TYPE_CHECKING:
    from collections.abc import Container

    from tests.engine.host.hosting import RunningHost

schemathesis = pytest.importorskip("schemathesis")

_ENDS_THE_HOST = ("/kvdeck/shutdown",)
# What leaves the session's engine as it is: other tests go on with it.
_HARMLESS = (
    *(
        f"GET /kvdeck/{name}"
        for name in ("status", "limits", "prefix_tree", "block_times", "adapters", "log", "sleepers")
    ),
    *(f"POST /kvdeck/{name}" for name in ("abort", "priority", "prefix_text", "prefix_reason", "scan_blocks")),
    *("POST /kvdeck/keep_prefix_tokens", "POST /kvdeck/reset_prefix_cache"),
)


def _routes() -> dict[tuple[str, str], Any]:
    parameters = len(inspect.signature(ControlRoutes.__init__).parameters) - 1
    return ControlRoutes(*[None] * parameters)._routes  # type: ignore[arg-type]


def test_the_table_has_every_route_with_the_type_that_it_decodes() -> None:
    routes = _routes()
    assert set(ROUTES) == set(routes)
    for key, route in routes.items():
        decoded = re.search(r"_decoded\(body, (\w+)\)", inspect.getsource(route))
        facts = ROUTES[key]
        assert (decoded[1] if decoded else None) == (facts.body.__name__ if facts.body else None), key
        queries = re.findall(r'_whole\(query, "(\w+)"', inspect.getsource(route))
        assert queries == [each.name for each in facts.query], key


def test_the_document_is_served_behind_the_token(bare_host: RunningHost) -> None:
    answer = bare_host.get("/kvdeck/openapi.json")
    assert answer.status == 200
    assert answer.value == msgspec.json.decode(msgspec.json.encode(document(bare_host.status().version)))
    assert bare_host.ask("GET", "/kvdeck/openapi.json", headers={}).status == 401


def examine(host: RunningHost, examples: int, routes: Container[str] | None = None) -> int:
    """Ask every route (or `routes`) what the document allows and what it forbids; returns how many requests were made.

    Raises where an answer is a server's error, is not in the document, or is not of the form that it says.
    """
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    schema = schemathesis.openapi.from_dict(document("1"))
    asked = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path in _ENDS_THE_HOST or (routes is not None and operation.label not in routes):
            continue
        for mode in schemathesis.GenerationMode:

            @settings(
                max_examples=examples,
                derandomize=True,
                deadline=None,
                database=None,
                phases=[Phase.explicit, Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case: Any) -> None:
                nonlocal asked
                asked += 1
                case.call_and_validate(base_url=host.url, headers=host.headers, checks=checks)

            ask()
    return asked


@pytest.mark.engine
def test_no_request_breaks_the_host(bare_host: RunningHost) -> None:
    assert examine(bare_host, 2) > 50
    assert bare_host.lifecycle.phase.value == "idle"
    assert not [record for record in bare_host.log() if "Traceback" in record.text]


@pytest.mark.engine
@pytest.mark.slow
def test_no_request_breaks_an_engine(engine_host: RunningHost) -> None:
    try:
        assert examine(engine_host, 2, _HARMLESS) > 20
    finally:
        engine_host.post("/kvdeck/keep_prefix_tokens", {"on": False})
    assert engine_host.lifecycle.phase.value == "ready"
    assert engine_host.post("/kvdeck/scan_blocks").value["mismatches"] == 0
