"""Whether a workload can be sent, before anything is: every objection is a sentence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bench.workload import (
    Arrival,
    AsRecorded,
    Bursts,
    ClosedLoop,
    Fixed,
    FromData,
    Lengths,
    LogNormal,
    Normal,
    OpenLoop,
    Ramp,
    RecordedLog,
    Synthetic,
    Uniform,
    WorkloadInvalid,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.bench.workload import Workload

_MOST_CLIENTS = 10_000
_MOST_TOKENS = 10_000_000


def objections(workload: Workload) -> tuple[str, ...]:
    """What is wrong with a workload, in sentences; empty where it can be sent."""
    return tuple(_objections(workload))


def require_valid(workload: Workload) -> None:
    """Raise WorkloadInvalid where a workload cannot be sent."""
    found = objections(workload)
    if found:
        raise WorkloadInvalid(" ".join(found), remedy="Correct the load and start it again.")


def _objections(workload: Workload) -> Iterator[str]:
    if workload.requests is None and workload.duration_s is None and not isinstance(workload.dataset, RecordedLog):
        yield "Say how many requests to send, or for how long."
    if workload.requests is not None and workload.requests < 1:
        yield "The number of requests has to be at least 1."
    if workload.duration_s is not None and not workload.duration_s > 0:
        yield "The duration has to be more than 0 seconds."
    if workload.warm_up_requests < 0:
        yield "The number of warm-up requests cannot be negative."
    if workload.most_per_s is not None and not workload.most_per_s > 0:
        yield "The limit of requests a second has to be more than 0."
    if not workload.request_timeout_s > 0:
        yield "The time-out of a request has to be more than 0 seconds."
    if not 0 <= workload.system_prompt_tokens <= _MOST_TOKENS:
        yield f"The system prompt can have 0 to {_MOST_TOKENS:,} tokens."
    targets = (workload.slos.ttft_s, workload.slos.tpot_s, workload.slos.e2e_s)
    if any(target is not None and not 0 < target < math.inf for target in targets):
        yield "A target has to be a time of more than 0 seconds."
    yield from _arrival(workload.arrival, workload)
    yield from _lengths("prompt", workload.prompt, synthetic=isinstance(workload.dataset, Synthetic))
    yield from _lengths("output", workload.output, synthetic=isinstance(workload.dataset, Synthetic))
    yield from _data(workload)


def _arrival(arrival: Arrival, workload: Workload) -> Iterator[str]:
    if isinstance(arrival, ClosedLoop):
        if not 1 <= arrival.clients <= _MOST_CLIENTS:
            yield f"There can be 1 to {_MOST_CLIENTS:,} clients."
        if arrival.think_s < 0:
            yield "The time between a client's requests cannot be negative."
        return
    if arrival.most_at_once is not None and arrival.most_at_once < 1:
        yield "At least 1 request has to be allowed at once."
    if isinstance(arrival, OpenLoop) and not (arrival.rate_per_s > 0 and arrival.burstiness > 0):
        yield "The rate and the burstiness have to be more than 0."
    if isinstance(arrival, Bursts) and not (arrival.size >= 1 and arrival.every_s > 0):
        yield "A burst needs at least 1 request and more than 0 seconds to the next."
    if isinstance(arrival, Ramp) and not (arrival.from_per_s >= 0 and arrival.to_per_s > 0 and arrival.over_s > 0):
        yield "A ramp goes from 0 or more to more than 0 requests a second, in more than 0 seconds."
    if isinstance(arrival, AsRecorded):
        if not isinstance(workload.dataset, RecordedLog):
            yield "Arrival as recorded needs a recorded log."
        if not arrival.speed > 0:
            yield "The speed of the replay has to be more than 0."


def _lengths(what: str, lengths: Lengths, *, synthetic: bool) -> Iterator[str]:
    if isinstance(lengths, Fixed) and not 1 <= lengths.tokens <= _MOST_TOKENS:
        yield f"The {what} length has to be 1 to {_MOST_TOKENS:,} tokens."
    if isinstance(lengths, Uniform | Normal | LogNormal) and not 1 <= lengths.least <= lengths.most <= _MOST_TOKENS:
        yield f"The {what} length needs a least value of 1 or more that is not above the most."
    if isinstance(lengths, Normal) and lengths.deviation < 0:
        yield f"The deviation of the {what} length cannot be negative."
    if isinstance(lengths, LogNormal) and not (lengths.median > 0 and lengths.sigma >= 0):
        yield f"The {what} length needs a median above 0 and a sigma of 0 or more."
    if isinstance(lengths, FromData) and synthetic:
        yield f"The {what} length cannot come from the data: there are none."


def _data(workload: Workload) -> Iterator[str]:
    dataset = workload.dataset
    if isinstance(dataset, Synthetic):
        if dataset.turns < 1:
            yield "A conversation needs at least 1 turn."
        return
    if not dataset.path:
        yield "Choose the file with the data."
    elif not Path(dataset.path).expanduser().is_file():
        yield f"There is no file {dataset.path}."
