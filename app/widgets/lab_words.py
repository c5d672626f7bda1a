"""The lab's figures and states in the user's words: names, definitions, values with their unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.widgets import figures
from engine.bench.definitions import BY_KEY

if TYPE_CHECKING:
    from engine.bench.result import Annotation

tr = QCoreApplication.translate


def state_text(state: str) -> str:
    """Where a run stands."""
    return {
        "starting": tr("LabWords", "starting"),
        "running": tr("LabWords", "running"),
        "finished": tr("LabWords", "finished"),
        "stopped": tr("LabWords", "stopped"),
        "failed": tr("LabWords", "failed"),
    }.get(state, state)


def kept_state_text(state: str) -> str:
    """Where a run in the list stands: one that has no end goes on somewhere, or was cut off with its program."""
    return tr("LabWords", "not ended") if state == "running" else state_text(state)


def phase_text(phase: str) -> str:
    """What the load process does."""
    return {
        "preparing": tr("LabWords", "making the prompts"),
        "warming_up": tr("LabWords", "warming up"),
        "running": tr("LabWords", "sending"),
        "paused": tr("LabWords", "paused: nothing new is sent"),
        "finishing": tr("LabWords", "waiting for the last answers"),
    }.get(phase, phase)


def value_text(value: float | None, unit: str) -> str:
    """A figure with its unit; durations in the unit that suits them."""
    if value is None:
        return figures.UNKNOWN
    match unit:
        case "s":
            return figures.duration(value)
        case "share":
            return figures.percent(value) if value == round(value, 2) else f"{figures.significant(value * 100)}\u202f%"
        case "count":
            return figures.count(value)
        case "tokens/s":
            return figures.per_second(value, tr("LabWords", "tok"))
        case _:
            return f"{figures.significant(value)}/s"


def figure_name(name: str) -> str:
    """A figure's short name ("ttft": "TTFT")."""
    return {
        "requests_per_s": tr("LabWords", "Requests"),
        "tokens_out_per_s": tr("LabWords", "Output tokens"),
        "tokens_in_per_s": tr("LabWords", "Input tokens"),
        "goodput_per_s": tr("LabWords", "Goodput"),
        "good_share": tr("LabWords", "Good answers"),
        "ttft": "TTFT",
        "tpot": "TPOT",
        "tpot_with_first": tr("LabWords", "TPOT, first counted"),
        "itl": "ITL",
        "e2e": "E2E",
        "queue": tr("LabWords", "Queue"),
        "prefill": "Prefill",
        "decode": "Decode",
        "lag": tr("LabWords", "Client lag"),
        "prefix_hit_rate": tr("LabWords", "Prefix hit rate"),
        "cached_share": tr("LabWords", "Cached prompt share"),
        "preemptions": tr("LabWords", "Preemptions"),
        "successful": tr("LabWords", "Successful"),
        "incomplete": tr("LabWords", "Incomplete"),
        "failed": tr("LabWords", "Failed"),
        "most_running": tr("LabWords", "Most at once"),
        "duration_s": tr("LabWords", "Duration"),
    }.get(name, name)


def full_name(key: str) -> str:
    """A figure's name with its percentile ("ttft.p95": "TTFT p95")."""
    name, _, part = key.partition(".")
    return f"{figure_name(name)} {part}" if part else figure_name(name)


def definition_text(name: str) -> str:
    """How a figure is defined, in a sentence; of a spread or of one figure."""
    own = {
        "requests_per_s": tr("LabWords", "Successful requests over the run's duration."),
        "tokens_out_per_s": tr("LabWords", "Tokens of the successful requests' answers over the run's duration."),
        "tokens_in_per_s": tr(
            "LabWords", "Prompt tokens of the successful requests, cached ones included, over the run's duration."
        ),
        "goodput_per_s": tr("LabWords", "Successful requests a second that kept every SLO."),
        "good_share": tr(
            "LabWords", "Share of the successful and the failed requests that succeeded and kept every SLO."
        ),
        "ttft": tr(
            "LabWords",
            "Time to first token: from sending the request to its first token, with queueing and prefill in it.",
        ),
        "tpot": tr(
            "LabWords",
            "Time per output token with the first left out, a value for each request: (last token − first token) / "
            "(tokens − 1). This is vLLM's definition; GuideLLM counts the first token in.",
        ),
        "tpot_with_first": tr(
            "LabWords",
            "E2E / tokens, a value for each request: GuideLLM's time per output token, with queueing and prefill in "
            "it.",
        ),
        "itl": tr(
            "LabWords",
            "Inter-token latency: the time from one piece of an answer to the next, all gaps of all requests "
            "together. Its mean weighs long answers more than TPOT's does.",
        ),
        "e2e": tr("LabWords", "End to end: from sending the request to its last token."),
    }
    return own.get(name) or _engine_definition(name) or BY_KEY[_any_key(name)].definition


def _engine_definition(name: str) -> str | None:
    return {
        "queue": tr(
            "LabWords", "From the engine's receipt of the request to its first scheduling, by the engine's own clock."
        ),
        "prefill": tr("LabWords", "From the first scheduling to the first token, by the engine's own clock."),
        "decode": tr(
            "LabWords",
            "From the first token to the last, by the engine's own clock; time lost to preemptions is in it.",
        ),
        "lag": tr(
            "LabWords",
            "How much later than its schedule asked a request was sent: a large one means that the client or its "
            "limit of requests at once was in the way, and not the engine.",
        ),
        "prefix_hit_rate": tr(
            "LabWords",
            "Share of the prompt tokens looked up in the prefix cache that were found, by the engine's counters.",
        ),
        "cached_share": tr(
            "LabWords", "Share of the successful requests' prompt tokens that the server reports as cached."
        ),
        "preemptions": tr("LabWords", "How often the engine took a running request's blocks away during the run."),
        "successful": tr(
            "LabWords", "Requests whose answer ended in good order. Latencies and rates are over these alone."
        ),
        "incomplete": tr("LabWords", "Requests that we cut: the run was stopped, or its time was over."),
        "failed": tr("LabWords", "Requests that were refused, cut by the server, or took too long."),
        "most_running": tr("LabWords", "The most requests under way at one moment."),
        "duration_s": tr("LabWords", "From the first request to the last answer, pauses left out."),
    }.get(name)


def unit_of(name: str) -> str:
    """A figure's unit, of a spread or of one figure."""
    return BY_KEY[_any_key(name)].unit


def _any_key(name: str) -> str:
    return name if name in BY_KEY else f"{name}.p50"


def change_text(note: Annotation) -> str:
    """What a live change did, who did it and when: for the hover of its flag."""
    values = note.values
    if "name" not in values:
        return note.text
    by = {"window": tr("LabWords", "this window"), "": tr("LabWords", "a program that did not say"),
          "tuner": tr("LabWords", "the tuner")}.get(str(values.get("by", "")), str(values.get("by", "")))  # fmt: skip
    lines = [
        f"{values['name']}: {values.get('before')} → {values.get('after')}",
        tr("LabWords", "by {who}").format(who=by),
    ]
    if values.get("preempted"):
        lines.append(tr("LabWords", "requests sent back to the queue for it: {0}").format(values["preempted"]))
    return "\n".join(lines)


def column_name(field: str) -> str:
    """A column of the formats' table."""
    return {
        "disk_bytes": tr("LabWords", "On disk"),
        "weights_bytes": tr("LabWords", "Weights"),
        "memory_bytes": tr("LabWords", "Memory"),
        "gpu_bytes": "VRAM",
        "capacity_tokens": tr("LabWords", "KV capacity"),
        "load_s": tr("LabWords", "Load time"),
        "alone_tokens_per_s": tr("LabWords", "Alone"),
        "alone_ttft_p50_s": tr("LabWords", "TTFT alone"),
        "load_tokens_per_s": tr("LabWords", "At load"),
        "load_ttft_p95_s": tr("LabWords", "TTFT p95 at load"),
        "perplexity": tr("LabWords", "Perplexity"),
    }.get(field, field)


def column_definition(field: str) -> str:
    """What a column of the formats' table is."""
    return {
        "disk_bytes": tr("LabWords", "Size of the weight files."),
        "weights_bytes": tr("LabWords", "What the weights take once loaded, as the engine reports it."),
        "memory_bytes": tr("LabWords", "Memory of all its processes after the load, the KV cache in it."),
        "gpu_bytes": tr("LabWords", "GPU memory of all its processes, the KV cache in it."),
        "capacity_tokens": tr("LabWords", "Tokens that the KV cache holds."),
        "load_s": tr("LabWords", "From the load to the first token."),
        "alone_tokens_per_s": tr(
            "LabWords", "Output tokens a second of one client that sends one request at a time."
        ),
        "alone_ttft_p50_s": tr("LabWords", "Median time to first token of one client."),
        "load_tokens_per_s": tr(
            "LabWords", "Output tokens a second of many clients together. transformers answers them one by one."
        ),
        "load_ttft_p95_s": tr("LabWords", "95th percentile of the time to first token of many clients."),
        "perplexity": tr(
            "LabWords",
            "exp of the mean negative log-probability of a text's tokens: lower predicts the text better.",
        ),
    }.get(field, "")
