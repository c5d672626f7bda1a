"""What a search or a comparison is to do. Plain values, JSON through msgspec."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from engine.bench.checks import require_valid
from engine.bench.definitions import BY_KEY
from engine.bench.workload import Workload
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import ParameterValue
from engine.parameters.values import spec_of

Setting = dict[str, ParameterValue]
"""Catalog names and values: what differs from the engine as it was found."""

MOST_POINTS = 4096
_FEWEST_BLOCKS, _MOST_BLOCKS = 3, 200


class SpecInvalid(KVDeckError):
    """A search or comparison that cannot be carried out as it is asked for."""

    kind = "spec_invalid"


class Axis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One parameter of the catalog and the values to try, in an order that has a meaning (rising, mostly)."""

    name: str
    values: tuple[ParameterValue, ...]


class SweepSpec(msgspec.Struct, frozen=True, kw_only=True, tag="sweep", forbid_unknown_fields=True):
    """Measure every point of the grid that the axes span, `repeats` times each, and put back what was in force.

    `objective` is the key of the figure that decides which point is best; None is goodput where the load has SLOs, else
    output tokens/s. `budget_s` ends it early (what was measured is kept).
    """

    workload: Workload
    axes: tuple[Axis, ...]
    repeats: int = 1
    objective: str | None = None
    budget_s: float | None = None
    title: str = ""


class TunerSpec(msgspec.Struct, frozen=True, kw_only=True, tag="tuner", forbid_unknown_fields=True):
    """Find the best point of the grid in few trials.

    It ends after the work of `most_trials` whole runs of the load (None: a fifth of the grid, at least 6) or `budget_s`
    seconds, or when no other point is likely to be better than the best by `least_gain` (a share). Its runs send a part
    of the load each (engine.tuner.pieces). `restarts` False leaves alone what needs a reload. `prune` ends a run once
    it cannot win any more.
    """

    workload: Workload
    axes: tuple[Axis, ...]
    objective: str | None = None
    most_trials: int | None = None
    budget_s: float | None = None
    least_gain: float = 0.01
    restarts: bool = True
    prune: bool = True
    seed: int = 0
    title: str = ""


class ABSpec(msgspec.Struct, frozen=True, kw_only=True, tag="ab", forbid_unknown_fields=True):
    """Two settings on the same load, interleaved A B, B A, A B, ... so that a drift of the machine hits both.

    Each of `blocks` pairs is one run of each with the same seed (a new one for each pair). `objective` as in a sweep.
    Live parameters only, unless `restarts`: a reload between all runs takes its time.
    """

    workload: Workload
    a: Setting
    b: Setting
    blocks: int = 6
    objective: str | None = None
    confidence: float = 0.95
    restarts: bool = False
    title: str = ""


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One format of the model: `checkpoint` is its folder. The first variant of an experiment is its reference."""

    key: str
    label: str
    checkpoint: str
    parameters: Setting = {}


class ExperimentSpec(msgspec.Struct, frozen=True, kw_only=True, tag="experiment", forbid_unknown_fields=True):
    """Formats of one model against each other, each loaded in turn, and against plain Hugging Face transformers.

    `alone` is sent by one client, `at_load` by many; None leaves that part out. `parameters` go into every load.
    `perplexity_tokens` of the text that ships with KVDeck are scored (0: none). `transformers` also lets transformers
    answer `alone`'s prompts, one request at a time, in a process of its own with the engine unloaded, on the variant
    `transformers_variant` (None: the first).
    """

    variants: tuple[Variant, ...]
    alone: Workload | None = None
    at_load: Workload | None = None
    parameters: Setting = {}
    perplexity_tokens: int = 2048
    transformers: bool = True
    transformers_variant: str | None = None
    title: str = ""


Spec = SweepSpec | TunerSpec | ABSpec | ExperimentSpec
Kind = Literal["sweep", "tuner", "ab", "experiment"]


def kind_of(spec: Spec) -> Kind:
    """The word for a spec, as its tag says it."""
    match spec:
        case SweepSpec():
            return "sweep"
        case TunerSpec():
            return "tuner"
        case ABSpec():
            return "ab"
        case ExperimentSpec():
            return "experiment"


def objective_of(spec: SweepSpec | TunerSpec | ABSpec) -> str:
    """The key of the figure that decides."""
    if spec.objective is not None:
        return spec.objective
    return "goodput_per_s" if spec.workload.slos.asked else "tokens_out_per_s"


def num_points(axes: tuple[Axis, ...]) -> int:
    """How many points a grid has."""
    return math.prod(len(axis.values) for axis in axes)


def check_spec(spec: Spec) -> None:
    """Raises SpecInvalid, ParameterInvalid or WorkloadInvalid with the first thing that cannot be."""
    match spec:
        case SweepSpec() | TunerSpec():
            _check_axes(spec.axes)
            _check_load(spec.workload, objective_of(spec))
            if spec.budget_s is not None and spec.budget_s <= 0:
                raise SpecInvalid("A budget is more than no time.", remedy="Give the search some seconds.")
        case ABSpec():
            _check_ab(spec)
        case ExperimentSpec():
            _check_experiment(spec)


def _check_axes(axes: tuple[Axis, ...]) -> None:
    if not axes:
        raise SpecInvalid("There is nothing to vary.", remedy="Choose at least one parameter.")
    names = [axis.name for axis in axes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise SpecInvalid(f"{twice} is varied twice.", remedy="Put all its values into one axis.")
    for axis in axes:
        row = spec_of(axis.name)
        values = [row.check(value) for value in axis.values]
        if not values:
            raise SpecInvalid(f"{axis.name} has no values.", remedy="Give it at least one.")
        if len(set(map(repr, values))) != len(values):
            raise SpecInvalid(f"A value of {axis.name} is there twice.", remedy="Name each value once.")
    if num_points(axes) > MOST_POINTS:
        raise SpecInvalid(
            f"The grid has {num_points(axes):,} points; {MOST_POINTS:,} is the most.", remedy="Leave out some values."
        )


def _check_load(workload: Workload, objective: str) -> None:
    if objective not in BY_KEY or not BY_KEY[objective].better:
        raise SpecInvalid(f"{objective!r} is no figure that can be better or worse.", remedy="Choose a figure.")
    if objective.startswith("good") and not workload.slos.asked:
        raise SpecInvalid("Goodput needs a target.", remedy="Say how long a first token or an answer may take.")
    if workload.requests is None and workload.duration_s is None:
        raise SpecInvalid("The load has no end.", remedy="Give it a number of requests or a duration.")
    require_valid(workload)


def _check_ab(spec: ABSpec) -> None:
    for setting in (spec.a, spec.b):
        for name, value in setting.items():
            spec_of(name).check(value)
    if spec.a == spec.b:
        raise SpecInvalid("A and B are the same.", remedy="Change a value of one of them.")
    if not _FEWEST_BLOCKS <= spec.blocks <= _MOST_BLOCKS:
        raise SpecInvalid(
            f"{spec.blocks} pairs of runs tell nothing, or take for ever.",
            remedy=f"Choose {_FEWEST_BLOCKS} to {_MOST_BLOCKS} pairs.",
        )
    if not 0.5 <= spec.confidence < 1:
        raise SpecInvalid(f"A confidence of {spec.confidence:g} is none.", remedy="0.95 is usual.")
    _check_load(spec.workload, objective_of(spec))


def _check_experiment(spec: ExperimentSpec) -> None:
    if not spec.variants:
        raise SpecInvalid("There is no format to compare.", remedy="Choose at least one checkpoint.")
    keys = [variant.key for variant in spec.variants]
    if len(set(keys)) != len(keys):
        raise SpecInvalid("Two formats have the same key.", remedy="Name each once.")
    if spec.transformers_variant is not None and spec.transformers_variant not in keys:
        raise SpecInvalid(
            f"There is no format {spec.transformers_variant!r}.", remedy="Name one of the formats for transformers."
        )
    for workload in (spec.alone, spec.at_load):
        if workload is not None:
            _check_load(workload, "tokens_out_per_s")
