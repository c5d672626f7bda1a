"""What a load is: who sends what, when, how much of it, and what counts as good. Plain values, JSON through msgspec."""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.domain.errors import KVDeckError


class WorkloadInvalid(KVDeckError):
    """A load that cannot be sent: values out of range, or data that cannot be read."""

    kind = "workload_invalid"


class ClosedLoop(msgspec.Struct, frozen=True, tag="closed_loop", forbid_unknown_fields=True):
    """`clients` at once: each sends its next request when it has its answer, after `think_s` seconds."""

    clients: int = 50
    think_s: float = 0.0


class OpenLoop(msgspec.Struct, frozen=True, tag="open_loop", forbid_unknown_fields=True):
    """Requests come by themselves at `rate_per_s` on average, whether answers come or not.

    `burstiness` is the shape of the gamma-distributed gaps, as in `vllm bench serve`: 1 is a Poisson process, less is
    burstier, more is steadier. `most_at_once` holds further ones back (their lag is in the samples); None does not.
    """

    rate_per_s: float = 2.0
    burstiness: float = 1.0
    most_at_once: int | None = None


class Bursts(msgspec.Struct, frozen=True, tag="bursts", forbid_unknown_fields=True):
    """`size` requests in one moment, again every `every_s` seconds."""

    size: int = 16
    every_s: float = 10.0
    most_at_once: int | None = None


class Ramp(msgspec.Struct, frozen=True, tag="ramp", forbid_unknown_fields=True):
    """A Poisson process whose rate goes from `from_per_s` to `to_per_s` within `over_s` seconds, and then stays."""

    from_per_s: float = 0.5
    to_per_s: float = 8.0
    over_s: float = 60.0
    most_at_once: int | None = None


class AsRecorded(msgspec.Struct, frozen=True, tag="as_recorded", forbid_unknown_fields=True):
    """At the times of the recorded log (needs a `RecordedLog`), `speed` times as fast."""

    speed: float = 1.0
    most_at_once: int | None = None


Arrival = ClosedLoop | OpenLoop | Bursts | Ramp | AsRecorded


class Fixed(msgspec.Struct, frozen=True, tag="fixed", forbid_unknown_fields=True):
    """Always so many tokens."""

    tokens: int = 128


class Uniform(msgspec.Struct, frozen=True, tag="uniform", forbid_unknown_fields=True):
    """Any length from `least` to `most`, both included."""

    least: int = 16
    most: int = 256


class Normal(msgspec.Struct, frozen=True, tag="normal", forbid_unknown_fields=True):
    """A normal distribution, cut at `least` and `most`."""

    mean: float = 128.0
    deviation: float = 32.0
    least: int = 1
    most: int = 4096


class LogNormal(msgspec.Struct, frozen=True, tag="lognormal", forbid_unknown_fields=True):
    """Many short, few very long: `median` tokens, `sigma` of the logarithm, cut at `least` and `most`."""

    median: float = 128.0
    sigma: float = 0.6
    least: int = 1
    most: int = 4096


class FromData(msgspec.Struct, frozen=True, tag="from_data", forbid_unknown_fields=True):
    """As long as the data say (ShareGPT answers, a log's token counts, "max_tokens" of a JSONL line)."""

    most: int = 4096


Lengths = Fixed | Uniform | Normal | LogNormal | FromData


class Synthetic(msgspec.Struct, frozen=True, tag="synthetic", forbid_unknown_fields=True):
    """Text made of the model's own vocabulary, exactly as long as asked; every prompt different after the shared part.

    `turns` above 1 makes conversations: each turn sends the whole past with the answers, and `prompt` is one turn's
    length.
    """

    turns: int = 1


class ShareGpt(msgspec.Struct, frozen=True, tag="sharegpt", forbid_unknown_fields=True):
    """A JSON list of {"conversations": [{"from": "human"|"gpt", "value": text}, ...]}; `turns` at most of each."""

    path: str = ""
    turns: int = 1


class UserJsonl(msgspec.Struct, frozen=True, tag="jsonl", forbid_unknown_fields=True):
    """One JSON object a line: {"prompt": text} or {"messages": [...]}, and optionally "max_tokens"."""

    path: str = ""


class RecordedLog(msgspec.Struct, frozen=True, tag="recorded", forbid_unknown_fields=True):
    """A log of requests: JSONL of {"at_s", "prompt_tokens", "output_tokens"} (or "prompt"/"messages"), or *.kvdeck.

    Logs hold lengths and times, mostly not texts: where a line has none, text of that length is made up.
    """

    path: str = ""


Dataset = Synthetic | ShareGpt | UserJsonl | RecordedLog


class Slos(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a request has to keep to count as good, in seconds; None asks for nothing. All None: no goodput."""

    ttft_s: float | None = None
    tpot_s: float | None = None
    e2e_s: float | None = None

    @property
    def asked(self) -> bool:
        """Whether there is any."""
        return any(value is not None for value in (self.ttft_s, self.tpot_s, self.e2e_s))


class Workload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One load, complete: the same workload with the same seed sends the same requests.

    Lengths are tokens. `system_prompt_tokens` is the length of one made-up system prompt that all requests share (0:
    none); `system_prompt`, where given, is used as it is instead. It ends after `requests` requests or `duration_s`
    seconds, whichever comes first; one of them has to be given, and what runs at the end of `duration_s` is let
    finish unless `cut_at_end` (then it counts as incomplete). `warm_up_requests` are sent first and count nowhere.
    `most_per_s` limits how fast requests are sent, whatever the arrival. `route` is "chat" or "completions";
    `ignore_eos` makes answers exactly as long as asked (vLLM only). `request_timeout_s` fails a request.
    `extra` goes into every request's body as it is (for example {"priority": 1}).
    """

    name: str = ""
    route: Literal["chat", "completions"] = "chat"
    arrival: Arrival = msgspec.field(default_factory=ClosedLoop)
    dataset: Dataset = msgspec.field(default_factory=Synthetic)
    system_prompt_tokens: int = 0
    system_prompt: str | None = None
    prompt: Lengths = msgspec.field(default_factory=Fixed)
    output: Lengths = msgspec.field(default_factory=Fixed)
    ignore_eos: bool = True
    requests: int | None = None
    duration_s: float | None = None
    cut_at_end: bool = False
    warm_up_requests: int = 0
    most_per_s: float | None = None
    seed: int = 0
    temperature: float | None = 0.0
    request_timeout_s: float = 600.0
    slos: Slos = msgspec.field(default_factory=Slos)
    extra: dict[str, object] = {}


CLASSIC = Workload(
    name="50 clients, one long system prompt",
    arrival=ClosedLoop(clients=50),
    system_prompt_tokens=1024,
    prompt=Uniform(least=16, most=64),
    output=Fixed(tokens=64),
    requests=200,
)
"""The classic preset: 50 clients whose requests begin with the same long system prompt."""
