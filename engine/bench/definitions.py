"""Every figure by name: what it is, its unit, which way is better. Tools differ in definitions: each says its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.bench.result import Figures

PARTS = ("mean", "p50", "p90", "p95", "p99")


@dataclass(frozen=True, slots=True)
class FigureDefinition:
    """One figure. `key` is how `value_of` finds it ("ttft.p95"). `unit` is "s", "1/s", "tokens/s", "share" or "count".

    `better` is "less", "more" or "" (neither is better). Labels and definitions are English; the window translates.
    """

    key: str
    label: str
    unit: str
    definition: str
    better: str = ""


_RATES = (
    ("requests_per_s", "Requests/s", "1/s", "more", "Successful requests over the run's duration."),
    (
        "tokens_out_per_s", "Output tokens/s", "tokens/s", "more",
        "Tokens of the successful requests' answers over the run's duration.",
    ),
    (
        "tokens_in_per_s", "Input tokens/s", "tokens/s", "more",
        "Prompt tokens of the successful requests, cached ones included, over the run's duration.",
    ),
    ("goodput_per_s", "Goodput", "1/s", "more", "Successful requests a second that kept every SLO."),
    (
        "good_share", "Good share", "share", "more",
        "Share of the successful and the failed requests that succeeded and kept every SLO.",
    ),
)  # fmt: skip

_LATENCIES = (
    (
        "ttft", "TTFT", "less",
        "Time to first token: from sending the request to its first token, with queueing and prefill in it.",
    ),
    (
        "tpot", "TPOT", "less",
        "Time per output token, a value for each request: (last token − first token) / (tokens − 1). "  # noqa: ISC004
        "The first token is left out, as vLLM does; GuideLLM counts it in.",
    ),
    (
        "tpot_with_first", "TPOT, first counted", "less",
        "E2E / tokens, a value for each request: GuideLLM's time per output token, with queueing and prefill in it.",
    ),
    (
        "itl", "ITL", "less",
        "Inter-token latency: from one piece of an answer to the next, all gaps of all requests. "  # noqa: ISC004
        "Its mean weighs long answers more than TPOT's does.",
    ),
    ("e2e", "E2E", "less", "End to end: from sending the request to its last token."),
    (
        "queue", "Queue time", "less",
        "From the engine's receipt of the request to its first scheduling, by the engine's own clock.",
    ),
    ("prefill", "Prefill time", "less", "From the first scheduling to the first token, by the engine's own clock."),
    (
        "decode", "Decode time", "less",
        "From the first token to the last, by the engine's own clock; time lost to preemptions is in it.",
    ),
    (
        "lag", "Client lag", "",
        "How much later than the schedule asked a request was sent: a large one is the client's doing, or its limit's.",
    ),
)  # fmt: skip

_COUNTS = (
    (
        "prefix_hit_rate", "Prefix hit rate", "share", "more",
        "Share of the prompt tokens looked up in the prefix cache that were found, by the engine's counters.",
    ),
    (
        "cached_share", "Cached prompt share", "share", "more",
        "Share of the successful requests' prompt tokens that the server reports as cached.",
    ),
    (
        "preemptions", "Preemptions", "count", "less",
        "How often the engine took a running request's blocks away during the run.",
    ),
    (
        "successful", "Successful", "count", "",
        "Requests whose answer ended in good order. Latencies and rates are over these alone.",
    ),
    ("incomplete", "Incomplete", "count", "", "Requests that we cut: the run was stopped, or its time was over."),
    ("failed", "Failed", "count", "less", "Requests that were refused, cut by the server, or took too long."),
    ("most_running", "Most at once", "count", "", "The most requests under way at one moment."),
    ("duration_s", "Duration", "s", "", "From the first request to the last answer, pauses left out."),
)  # fmt: skip

FIGURES: tuple[FigureDefinition, ...] = (
    *(FigureDefinition(key, label, unit, text, better) for key, label, unit, better, text in _RATES),
    *(
        FigureDefinition(f"{key}.{part}", f"{label} {part}", "s", text, better)
        for key, label, better, text in _LATENCIES
        for part in PARTS
    ),
    *(FigureDefinition(key, label, unit, text, better) for key, label, unit, better, text in _COUNTS),
)
BY_KEY = {figure.key: figure for figure in FIGURES}


def value_of(figures: Figures, key: str) -> float | None:
    """A figure's value in its unit, None where it is unknown. Raises KeyError for a key that is none."""
    if key not in BY_KEY:
        raise KeyError(key)
    name, _, part = key.partition(".")
    found = getattr(figures, name)
    if part and found is not None:
        found = getattr(found, part)
    return None if found is None else float(found)
