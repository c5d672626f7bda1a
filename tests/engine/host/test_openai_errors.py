"""What vLLM's application answers where the framework, and none of its routes, turns a request away."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import FastAPI, Form
from starlette.exceptions import HTTPException

from engine.host.asgi import post
from engine.host.openai_errors import use_openai_shape


async def test_only_what_is_no_json_is_said_to_be_none() -> None:
    app = FastAPI()
    use_openai_shape(app, "tiny")

    @app.post("/json")
    async def _json(body: dict[str, Any]) -> None:
        """It is never reached."""

    @app.post("/said/{status}")
    async def _say(status: int) -> None:
        raise HTTPException(status, "The baseline is missing")

    @app.post("/form")
    async def _form(name: Annotated[str, Form()]) -> None:
        """It is never reached."""

    assert await _said(app, "/json", b'"\xff"') == "There was an error parsing the body: it is no JSON."
    assert await _said(app, "/other", b"{}") == "tiny has no /other: see GET /openapi.json for what it offers."
    for status in (400, 404, 405):
        assert await _said(app, f"/said/{status}", b"{}") == "The baseline is missing", "the route's own words"
    form = await _said(app, "/form", b"no form", b"multipart/form-data")
    assert "boundary" in form
    assert "JSON" not in form


async def _said(app: FastAPI, path: str, body: bytes, content_type: bytes = b"application/json") -> str:
    async def of_type(scope: Any, receive: Any, send: Any) -> None:
        headers = [(name, content_type if name == b"content-type" else value) for name, value in scope["headers"]]
        await app({**scope, "headers": headers}, receive, send)

    _, answer = await post(of_type, path, body)
    message: str = json.loads(answer)["error"]["message"]
    return message
