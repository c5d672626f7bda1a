"""Errors in the shape that OpenAI's clients understand, for what answers before vLLM's routes, or in their place."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

DIED = "The engine died while it was answering. Send this again when the model is ready; KVDeck's log says why."
_NOT_READ = "There was an error parsing the body"  # the framework's words, of forms too
_KINDS = {
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    503: "ServiceUnavailableError",
}


def openai_error(message: str, status: int) -> dict[str, Any]:
    """The body of such an error, named as vLLM and OpenAI's client name it."""
    kind = _KINDS.get(status, "BadRequestError" if status < 500 else "InternalServerError")
    return {"error": {"message": message, "type": kind, "param": None, "code": status}}


def use_openai_shape(app: Any, model: str) -> None:
    """Let vLLM's application say so, too, what it has no route for: the framework's own answer is of another shape."""
    from starlette.exceptions import HTTPException  # vLLM's: the host itself begins without it
    from starlette.responses import JSONResponse

    async def answer(request: Request, error: HTTPException) -> Response:
        path, message = request.url.path, str(error.detail)
        if error.status_code == 404 and message == HTTPStatus.NOT_FOUND.phrase:
            message = f"{model} has no {path}: see GET /openapi.json for what it offers."
        elif error.status_code == 405 and message == HTTPStatus.METHOD_NOT_ALLOWED.phrase:
            message = f"{path} does not take {request.method}."
        elif message == _NOT_READ and "json" in request.headers.get("content-type", "json"):
            message = f"{message}: it is no JSON."
        return JSONResponse(openai_error(message, error.status_code), error.status_code, dict(error.headers or {}))

    app.add_exception_handler(HTTPException, answer)


def say_deaths_plainly() -> None:
    """vLLM sends clients of a dead engine to a "stack trace (above)", which only its own terminal has."""
    from vllm.v1.engine.exceptions import EngineDeadError

    EngineDeadError.__str__ = lambda _: DIED
