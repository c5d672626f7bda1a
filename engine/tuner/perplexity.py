"""How well the loaded model predicts a text, by the engine's own log-probabilities of a prompt's tokens."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec

from engine.bench.runner import RunFailed

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = Path(__file__).resolve().parents[2] / "resources" / "texts" / "perplexity.txt"
_WINDOW = 512  # tokens scored together; the first of each has nothing before it and is not counted
_OK = 200


async def perplexity(
    url: str, token: str, tokens: int, context: int, on_share: Callable[[float], None]
) -> tuple[float, int]:
    """exp of the mean negative log-probability over the first `tokens` tokens of the text that ships with KVDeck, in
    windows of 512 (or the model's `context`), and how many were predicted. Raises RunFailed.
    """
    window = min(_WINDOW, max(2, context - 1))
    text = TEXT.read_text(encoding="utf-8")
    headers = {"Authorization": f"Bearer {token}"}
    surprise, counted = 0.0, 0
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(total=600)) as session:
            model = (await _ask(session, "GET", f"{url}/v1/models", None))["data"][0]["id"]
            body = {"model": model, "prompt": text, "add_special_tokens": False}
            ids = (await _ask(session, "POST", f"{url}/tokenize", body))["tokens"][:tokens]
            for start in range(0, len(ids), window):
                piece = ids[start : start + window]
                if len(piece) < 2:
                    break
                sum_log, count = await _score(session, url, model, piece)
                surprise -= sum_log
                counted += count
                on_share(min(1.0, (start + len(piece)) / len(ids)))
    except (aiohttp.ClientError, OSError, TimeoutError, KeyError, IndexError, TypeError) as error:
        raise RunFailed(f"The text could not be scored: {error!r}.", remedy="Try again.") from error
    if not counted:
        raise RunFailed("The text has too few tokens for this model.", remedy="Leave perplexity out.")
    return math.exp(surprise / counted), counted


async def _score(session: aiohttp.ClientSession, url: str, model: str, ids: list[int]) -> tuple[float, int]:
    """The sum of the log-probabilities of every token but the first, and how many those are."""
    body = {"model": model, "prompt": ids, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
    answer = await _ask(session, "POST", f"{url}/v1/completions", body)
    scored = answer["choices"][0]["prompt_logprobs"]
    total = 0.0
    for token, known in zip(ids[1:], scored[1:], strict=True):
        total += float(known[str(token)]["logprob"])
    return total, len(ids) - 1


async def _ask(session: aiohttp.ClientSession, method: str, url: str, body: dict[str, Any] | None) -> dict[str, Any]:
    data = None if body is None else msgspec.json.encode(body)
    async with session.request(method, url, data=data, headers={"Content-Type": "application/json"}) as response:
        raw = await response.read()
        if response.status != _OK:
            said = raw[:300].decode("utf-8", "replace")
            raise RunFailed(f"{url} answered {response.status}: {said}", remedy="Look at the engine's log.")
    found: dict[str, Any] = msgspec.json.decode(raw)
    return found
