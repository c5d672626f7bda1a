"""Axes worth trying on the engine that runs, and the prepared comparison of one model's formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.bench.workload import ClosedLoop, Fixed, Uniform, Workload
from engine.parameters.changes import live_capacity
from engine.tuner.spec import Axis, ExperimentSpec, Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.checkpoint import Checkpoint
    from engine.domain.lifecycle import LiveLimits

_FEWEST_TOKENS = 64

ALONE = Workload(
    name="One client", arrival=ClosedLoop(clients=1), prompt=Fixed(tokens=128), output=Fixed(tokens=64), requests=4,
    warm_up_requests=1,
)  # fmt: skip
"""One client, one request at a time: what a single user feels."""

AT_LOAD = Workload(
    name="16 clients", arrival=ClosedLoop(clients=16), prompt=Uniform(least=64, most=192), output=Fixed(tokens=64),
    requests=32, warm_up_requests=2,
)  # fmt: skip
"""Sixteen clients at once."""


def live_axes(limits: LiveLimits) -> tuple[Axis, ...]:
    """The three limits that shape a batch, at values under their capacity: no reload is needed for any of them."""
    seqs = live_capacity("max_num_seqs", limits) or 1
    tokens = live_capacity("max_num_batched_tokens", limits) or 1
    return (
        Axis("max_num_seqs", _halves(seqs, 1, 5)),
        Axis("max_num_batched_tokens", _halves(tokens, min(_FEWEST_TOKENS, tokens), 4)),
        Axis("long_prefill_token_threshold", (0, *_halves(max(1, tokens // 4), 1, 1))),
    )


def formats_experiment(checkpoints: Sequence[Checkpoint], *, title: str = "") -> ExperimentSpec:
    """A family's checkpoints against each other, full precision first as the reference, and against transformers."""
    ordered = sorted(checkpoints, key=lambda one: one.quantization.method is not None)
    variants: list[Variant] = []
    for checkpoint in ordered:
        label = checkpoint.quantization.label
        same = sum(one.label.split(" (")[0] == label for one in variants)
        shown = f"{label} ({same + 1})" if same else label
        variants.append(Variant(key=shown.lower(), label=shown, checkpoint=checkpoint.path))
    return ExperimentSpec(variants=tuple(variants), alone=ALONE, at_load=AT_LOAD, title=title)


def _halves(most: int, least: int, count: int) -> tuple[int, ...]:
    """`most`, its half, its quarter, ..., at most `count` of them and none under `least`, rising."""
    values = [most]
    while len(values) < count and values[-1] // 2 >= least:
        values.append(values[-1] // 2)
    return tuple(reversed(values))
