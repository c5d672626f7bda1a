"""The tuner's runs: shorter than the load they are part of, and the same requests for every point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from engine.bench.workload import AsRecorded, ClosedLoop, Ramp

if TYPE_CHECKING:
    from engine.bench.workload import Workload

_SHARE = 0.25
_FEWEST = 16  # requests: below, one that just misses its target turns the figure
_WAVES = 3  # of a closed loop's clients: all begin at once, and what follows is another load than the first wave
_SHORTEST_S = 10.0
_NEARLY_WHOLE = 0.7


def run_share(workload: Workload) -> float:
    """Which share of a load one of the tuner's runs sends: a quarter where that tells enough, else more."""
    if isinstance(workload.arrival, Ramp | AsRecorded):
        return 1.0  # a part of it is another load
    needed = _SHARE
    if workload.requests is not None:
        clients = workload.arrival.clients if isinstance(workload.arrival, ClosedLoop) else 0
        needed = max(needed, max(_FEWEST, _WAVES * clients) / workload.requests)
    if workload.duration_s is not None:
        needed = max(needed, _SHORTEST_S / workload.duration_s)
    return needed if needed < _NEARLY_WHOLE else 1.0


def piece_of(workload: Workload, share: float, batch: int) -> Workload:
    """A run of this share of a load; each batch has other requests, and every point of a batch has the same."""
    requests, duration = workload.requests, workload.duration_s
    return msgspec.structs.replace(
        workload,
        requests=None if requests is None else math.ceil(share * requests - 1e-9),
        duration_s=None if duration is None else share * duration,
        seed=workload.seed + batch,
    )
