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


@dataclass(frozen=True, slots=True)
class Load:
    """What to send: `streams` requests at once, once each, of `input_tokens` in and exactly `output_tokens` out."""

    url: str
    token: str
    model: str
    streams: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back. `tokens_per_s` is generated tokens over the wall time of the whole batch."""

    streams: int
    failed: int
    tokens: int
    seconds: float
    ttft_p50_s: float

    @property
    def tokens_per_s(self) -> float:
        return self.tokens / self.seconds


def run_load(load: Load, processes: int = 4) -> Outcome:
    """Run the load from up to `processes` client processes; all of them start together."""
    workers = max(1, min(processes, load.streams))
    shares = [load.streams // workers + (index < load.streams % workers) for index in range(workers)]
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(workers)
    answers: multiprocessing.Queue[list[tuple[float, float, float, int]]] = context.Queue()
    arguments = [(load, share, index * 10_000, ready, answers) for index, share in enumerate(shares)]
    children = [context.Process(target=_client, args=row) for row in arguments]
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
    )


def _client(load: Load, share: int, salt: int, ready: object, answers: object) -> None:
    answers.put(asyncio.run(_streams(load, share, salt, ready)))  # type: ignore[attr-defined]


async def _streams(load: Load, share: int, salt: int, ready: object) -> list[tuple[float, float, float, int]]:
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=560)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        ready.wait()  # type: ignore[attr-defined]
        return await asyncio.gather(*(_stream(session, load, salt + index) for index in range(share)))


async def _stream(session: aiohttp.ClientSession, load: Load, number: int) -> tuple[float, float, float, int]:
    """One request: (sent, first token, last token, tokens); tokens is 0 where it failed."""
    body = {
        "model": load.model,
        # Token ids: every prompt differs in its first token, so nothing comes from the prefix cache.
        "prompt": [3 + (number * (7919 if place == 0 else 31) + place) % 40_000 for place in range(load.input_tokens)],
        "max_tokens": load.output_tokens, "min_tokens": load.output_tokens, "ignore_eos": True, "temperature": 0,
        "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
    sent = first = time.monotonic()
    tail, seen = b"", False
    try:
        headers = {"Authorization": f"Bearer {load.token}"}
        async with session.post(f"{load.url}/v1/completions", json=body, headers=headers) as response:
            async for chunk in response.content.iter_any():
                if not seen:
                    first, seen = time.monotonic(), True
                tail = (tail + chunk)[-4096:]
            if response.status != 200:
                return sent, first, time.monotonic(), 0
    except aiohttp.ClientError:
        return sent, first, time.monotonic(), 0
    return sent, first, time.monotonic(), _completion_tokens(tail)


def _completion_tokens(tail: bytes) -> int:
    """The usage that the stream ended with, or 0 where the stream ended with something else."""
    for line in reversed(tail.split(b"\n")):
        if line.startswith(b"data: {") and b'"usage"' in line:
            usage = json.loads(line[6:]).get("usage") or {}
            return int(usage.get("completion_tokens") or 0)
    return 0
