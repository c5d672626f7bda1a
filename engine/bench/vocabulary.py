"""Text of an exact length in the model's tokens, and how long a text is, without the model.

The tokenizer is the server's own (/tokenize), or a tokenizer.json on this machine. Where there is neither, a word
counts as a token and four letters of other text as one; the server's own counts are in the samples all the same.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import aiohttp
import msgspec

from engine.bench.words import WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTERS_A_TOKEN = 4
_TIMEOUT = aiohttp.ClientTimeout(total=60)


class TokenCounter(Protocol):
    """Counts tokens. `exact` says whether they are the model's own."""

    exact: bool

    async def count(self, text: str) -> int:
        """How many tokens `text` is, special tokens left out."""


class EstimatedCounter:
    """For servers that do not tell."""

    exact = False

    async def count(self, text: str) -> int:
        """Words or a quarter of the letters, whichever is more."""
        return max(len(text.split()), -(-len(text) // _LETTERS_A_TOKEN))


class FileCounter:
    """From a tokenizer.json. Raises OSError or ValueError where it cannot be used."""

    exact = True

    def __init__(self, place: str) -> None:
        folder = Path(place).expanduser()
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ValueError("the package tokenizers is not installed") from error
        path = folder if folder.is_file() else folder / "tokenizer.json"
        if not path.is_file():
            raise FileNotFoundError(path)
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises plain Exception
            raise ValueError(f"{path}: {error}") from error

    async def count(self, text: str) -> int:
        """How many tokens `text` is."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


class _Tokenized(msgspec.Struct):
    count: int


class ServerCounter:
    """Asks vLLM's /tokenize."""

    exact = True

    def __init__(self, session: aiohttp.ClientSession, root: str, model: str) -> None:
        self._session = session
        self._url = f"{root}/tokenize"
        self._model = model

    async def count(self, text: str) -> int:
        """How many tokens `text` is. Raises aiohttp.ClientError, ValueError."""
        body = {"model": self._model, "prompt": text, "add_special_tokens": False}
        async with self._session.post(self._url, json=body, timeout=_TIMEOUT) as response:
            response.raise_for_status()
            return msgspec.json.decode(await response.read(), type=_Tokenized).count


async def choose_counter(
    session: aiohttp.ClientSession, root: str, model: str, folder: str | None
) -> TokenCounter:
    """The best counter there is: the given folder's, the server's, else an estimate. Raises ValueError, OSError."""
    if folder is not None:
        return await asyncio.to_thread(FileCounter, folder)
    counter = ServerCounter(session, root, model)
    try:
        await counter.count("a word")
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError, msgspec.MsgspecError):
        return EstimatedCounter()
    return counter


class Vocabulary:
    """Words of which each is exactly one token of this model, and texts made of them."""

    def __init__(self, words: Sequence[str], counter: TokenCounter) -> None:
        self._words = tuple(words)
        self.counter = counter

    def text(self, tokens: int, seed: str) -> str:
        """A text of `tokens` tokens, always the same for the same seed."""
        chosen = random.Random(seed).choices(self._words, k=tokens)  # noqa: S311 - filler text, no secret
        return "".join(f" {word}" for word in chosen)


async def learn_vocabulary(counter: TokenCounter) -> Vocabulary:
    """Keep the words that are one token each; a handful of questions to the tokenizer."""
    if not counter.exact:
        return Vocabulary(WORDS, counter)
    good = await _single(counter, list(WORDS))
    if not good:  # a tokenizer of bytes or letters: nothing is one token, so lengths are estimates
        return Vocabulary(WORDS, EstimatedCounter())
    return Vocabulary(good, counter)


async def _single(counter: TokenCounter, words: list[str]) -> list[str]:
    if await counter.count("".join(f" {word}" for word in words)) == len(words):
        return words
    if len(words) == 1:
        return []
    half = len(words) // 2
    return await _single(counter, words[:half]) + await _single(counter, words[half:])
