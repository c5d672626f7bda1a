"""A closed load over HTTP from processes of its own: N streams at once, every token read, tokens/s counted.

The clients count server-sent events without parsing them: at tens of thousands of tokens a second a parsing client
would be what is measured. The engine's own usage figure at the end of each stream gives the exact token count.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import time
from dataclasses import dataclass

import aiohttp

_Row = tuple[float, float, float, int, int]  # sent, first token, last token, tokens, events


@dataclass(frozen=True, slots=True)
class Load:
    """What to send: `streams` requests at once, once each, of `input_tokens` in and exactly `output_tokens` out."""

    url: str
    token: str
    model: str
    streams: int
    input_tokens: int
    output_tokens: int
    chat: bool = False  # through the chat route: words instead of token ids


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back. `tokens_per_s` is generated tokens over the wall time of the whole batch; `events` are the pieces
    that they came in, which are fewer where the server falls behind and sends several tokens at once."""

    streams: int
    failed: int
    tokens: int
    seconds: float
    ttft_p50_s: float
    events: int

    @property
    def tokens_per_s(self) -> float:
        return self.tokens / self.seconds


def run_load(load: Load, processes: int = 4) -> Outcome:
    """Run the load from up to `processes` client processes; all of them start together."""
    workers = max(1, min(processes, load.streams))
    shares = [load.streams // workers + (index < load.streams % workers) for index in range(workers)]
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(workers)
    answers: multiprocessing.Queue[list[_Row]] = context.Queue()
    arguments = [(load, share, index * 10_000, ready, answers) for index, share in enumerate(shares)]
    children = [context.Process(target=_client, args=row, daemon=True) for row in arguments]
    for child in children:
        child.start()
    rows = [row for _ in children for row in answers.get(timeout=580)]
    for child in children:
        child.join()
    good = [row for row in rows if row[3] > 0]
    begun, ended = min(row[0] for row in rows), max(row[2] for row in rows)
    first = sorted(row[1] - row[0] for row in good)
    return Outcome(
        load.streams,
        len(rows) - len(good),
        sum(row[3] for row in good),
        ended - begun,
        first[len(first) // 2] if first else float("nan"),
        sum(row[4] for row in good),
    )


def _client(load: Load, share: int, salt: int, ready: object, answers: object) -> None:
    answers.put(asyncio.run(_streams(load, share, salt, ready)))  # type: ignore[attr-defined]


async def _streams(load: Load, share: int, salt: int, ready: object) -> list[_Row]:
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=560)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        ready.wait()  # type: ignore[attr-defined]
        return await asyncio.gather(*(_stream(session, load, salt + index) for index in range(share)))


async def _stream(session: aiohttp.ClientSession, load: Load, number: int) -> _Row:
    """One request; its tokens are 0 where it failed."""
    body = {
        "model": load.model, **_question(load, number),
        "max_tokens": load.output_tokens, "min_tokens": load.output_tokens, "ignore_eos": True, "temperature": 0,
        "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
    sent = first = time.monotonic()
    tail, seen, events = b"", False, 0
    try:
        headers = {"Authorization": f"Bearer {load.token}"}
        route = "chat/completions" if load.chat else "completions"
        async with session.post(f"{load.url}/v1/{route}", json=body, headers=headers) as response:
            async for chunk in response.content.iter_any():
                if not seen:
                    first, seen = time.monotonic(), True
                events += chunk.count(b"data: {")  # one cut in two by the network is missed
                tail = (tail + chunk)[-4096:]
            if response.status != 200:
                return sent, first, time.monotonic(), 0, 0
    except aiohttp.ClientError:
        return sent, first, time.monotonic(), 0, 0
    return sent, first, time.monotonic(), _completion_tokens(tail), events


def _question(load: Load, number: int) -> dict[str, object]:
    """Every one differs in its first token (of a chat: of its message), so that little comes from the prefix cache."""
    if load.chat:
        words = " ".join(str((number * 31 + place) % 9) for place in range(load.input_tokens // 2))
        return {"messages": [{"role": "user", "content": f"{number} {words}"}]}
    return {
        "prompt": [3 + (number * (7919 if place == 0 else 31) + place) % 40_000 for place in range(load.input_tokens)]
    }


def _completion_tokens(tail: bytes) -> int:
    """The usage that the stream ended with, or 0 where the stream ended with something else."""
    for line in reversed(tail.split(b"\n")):
        if line.startswith(b"data: {") and b'"usage"' in line:
            usage = json.loads(line[6:]).get("usage") or {}
            return int(usage.get("completion_tokens") or 0)
    return 0
