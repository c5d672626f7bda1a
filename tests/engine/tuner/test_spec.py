"""What cannot be searched or compared is said before anything is touched; grids, orders, fronts, exports."""

from __future__ import annotations

import json

import pytest

from engine.bench.result import Figures, Spread
from engine.bench.workload import ClosedLoop, Slos, Workload
from engine.domain.errors import ParameterInvalid
from engine.domain.lifecycle import EngineFacts, HostStatus, Lifecycle, LiveLimits, Phase
from engine.tuner.explain import front_of
from engine.tuner.export import search_table, to_csv, to_json, to_markdown
from engine.tuner.interval import difference_of
from engine.tuner.outcome import ABResult, ExperimentResult, Pair, Row, SearchResult, Trial, TrialState
from engine.tuner.presets import live_axes
from engine.tuner.report import to_html
from engine.tuner.saying import Saying
from engine.tuner.space import span
from engine.tuner.spec import (
    ABSpec,
    Axis,
    ExperimentSpec,
    SpecInvalid,
    SweepSpec,
    TunerSpec,
    Variant,
    check_spec,
    objective_of,
)
from engine.tuner.sweep import in_order

_LOAD = Workload(arrival=ClosedLoop(4), requests=8)
_BEST = (Saying("error", {"message": "Best is trial 2."}),)
_GOOD = Workload(arrival=ClosedLoop(4), requests=8, slos=Slos(ttft_s=1.0))
_SEQS = Axis("max_num_seqs", (4, 8, 16, 32))
_LIMITS = LiveLimits(1, 16, 16, 2048, 2048, 0, "fcfs", 0.0, False, True)
_FACTS = EngineFacts(
    vllm_version="0.32.0", checkpoint="/m", served_model_name="m", device="cpu", dtype="bfloat16", quantization=None,
    max_model_len=8192, block_size=128, num_blocks=100, max_num_seqs=16, max_num_batched_tokens=2048,
    async_scheduling=False, page_path="/page", processes=(),
    parameters={"max_num_seqs": 16, "max_num_batched_tokens": 2048, "block_size": 128, "enforce_eager": True},
)  # fmt: skip
_STATUS = HostStatus("0.1", "0.32.0", 1, "", Lifecycle(Phase.READY, facts=_FACTS), _LIMITS)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SweepSpec(workload=_LOAD, axes=()), "nothing to vary"),
        (SweepSpec(workload=_LOAD, axes=(_SEQS, _SEQS)), "twice"),
        (SweepSpec(workload=_LOAD, axes=(Axis("max_num_seqs", (4, 4)),)), "there twice"),
        (SweepSpec(workload=_LOAD, axes=(Axis("max_num_seqs", ()),)), "no values"),
        (SweepSpec(workload=_LOAD, axes=(_SEQS,), objective="goodput_per_s"), "needs a target"),
        (SweepSpec(workload=_LOAD, axes=(_SEQS,), objective="beauty"), "no figure"),
        (TunerSpec(workload=Workload(), axes=(_SEQS,)), "no end"),
        (TunerSpec(workload=_LOAD, axes=(_SEQS,), budget_s=0), "no time"),
        (SweepSpec(workload=_LOAD, axes=(Axis("seed", tuple(range(5000))),)), "5,000 points"),
        (ABSpec(workload=_LOAD, a={"max_num_seqs": 4}, b={"max_num_seqs": 4}), "the same"),
        (ABSpec(workload=_LOAD, a={"max_num_seqs": 4}, b={}, blocks=1), "tell nothing"),
        (ABSpec(workload=_LOAD, a={"max_num_seqs": 4}, b={}, confidence=1.0), "is none"),
        (ExperimentSpec(variants=()), "no format"),
        (ExperimentSpec(variants=(Variant(key="a", label="A", checkpoint="/m"),) * 2), "same key"),
    ],
)
def test_what_cannot_be(spec: SweepSpec | TunerSpec | ABSpec | ExperimentSpec, words: str) -> None:
    with pytest.raises(SpecInvalid, match=words) as caught:
        check_spec(spec)
    assert caught.value.remedy


def test_values_have_to_fit_their_rows() -> None:
    with pytest.raises(ParameterInvalid, match="max_num_seqs"):
        check_spec(SweepSpec(workload=_LOAD, axes=(Axis("max_num_seqs", (0,)),)))
    with pytest.raises(ParameterInvalid, match="no parameter named"):
        check_spec(ABSpec(workload=_LOAD, a={"speed": 1}, b={}))


def test_the_objective_is_goodput_where_there_are_targets() -> None:
    assert objective_of(TunerSpec(workload=_GOOD, axes=(_SEQS,))) == "goodput_per_s"
    assert objective_of(TunerSpec(workload=_LOAD, axes=(_SEQS,))) == "tokens_out_per_s"


def test_a_grid_knows_what_needs_a_reload_and_what_cannot_be() -> None:
    axes = (_SEQS, Axis("max_num_batched_tokens", (8, 2048)), Axis("block_size", (64, 128)))
    grid = span(axes, _STATUS)
    assert grid.left_out == 4, "8 tokens a step are fewer than 16 or 32 requests"
    assert grid.capacity == {"max_num_seqs": 32, "max_num_batched_tokens": 2048}
    assert grid.present is not None
    assert grid.points[grid.present].setting == {"max_num_seqs": 16, "max_num_batched_tokens": 2048, "block_size": 128}
    assert {point.needs_room for point in grid.points if point.setting["max_num_seqs"] == 32} == {True}
    assert {point.reload for point in grid.points} == {(("block_size", 64),), (("block_size", 128),)}
    order = in_order(grid)
    assert [point.reload == grid.loaded for point in order] == [True] * 6 + [False] * 6, "one reload, not many"
    assert grid.coordinates.min() == 0
    assert grid.coordinates.max() == 1


def test_no_threshold_lies_beyond_the_largest_one() -> None:
    grid = span((Axis("long_prefill_token_threshold", (0, 64, 512)),), _STATUS)
    assert [round(float(one), 2) for one in grid.coordinates[:, 0]] == [1.0, 0.0, 0.75]


def test_a_grid_of_contradictions_is_refused() -> None:
    with pytest.raises(SpecInvalid, match="No point of the grid can be"):
        span((Axis("max_num_seqs", (16,)), Axis("max_num_batched_tokens", (8,))), _STATUS)


def test_the_suggested_axes_need_no_reload() -> None:
    axes = live_axes(_LIMITS)
    assert {axis.name: axis.values for axis in axes} == {
        "max_num_seqs": (1, 2, 4, 8, 16),
        "max_num_batched_tokens": (256, 512, 1024, 2048),
        "long_prefill_token_threshold": (0, 512),
    }
    check_spec(TunerSpec(workload=_LOAD, axes=axes))
    assert not any(point.needs_room or point.reload for point in span(axes, _STATUS).points)


def _trial(number: int, tokens_per_s: float, ttft_s: float, state: TrialState = TrialState.MEASURED) -> Trial:
    spread = Spread(4, ttft_s, 0, ttft_s, ttft_s, ttft_s, ttft_s, ttft_s, ttft_s)
    figures = Figures(
        duration_s=4, sent=4, successful=4, incomplete=0, failed=0, tokens_in=4, tokens_out=4, requests_per_s=1,
        tokens_in_per_s=1, tokens_out_per_s=tokens_per_s, ttft=spread,
    )  # fmt: skip
    return Trial(
        number=number, setting={"max_num_seqs": number}, state=state, score=tokens_per_s, scores=(tokens_per_s,),
        figures=figures,
    )  # fmt: skip


def test_the_front_holds_what_nothing_beats() -> None:
    trials = (_trial(1, 10, 0.1), _trial(2, 20, 0.2), _trial(3, 15, 0.3), _trial(4, 30, 0.9), _trial(5, 30, 0.8),
              _trial(6, 99, 0.01, TrialState.PRUNED))  # fmt: skip
    assert front_of(trials) == (1, 2, 5)


def test_results_leave_as_text() -> None:
    trials = (_trial(1, 10, 0.1), _trial(2, 20, 0.2))
    result = SearchResult(objective="tokens_out_per_s", trials=trials, best=2, explanation=_BEST)
    assert json.loads(to_json(result))["best"] == 2
    assert to_markdown(result).startswith("| trial | setting | state | Output tokens/s |")
    assert "- Best is trial 2." in to_markdown(result)
    assert search_table(result)[1][:3] == ["2", "max_num_seqs 2", "measured, best"]
    head, first, *_ = to_csv(result).splitlines()
    assert head.startswith("trial,state,max_num_seqs,score")
    assert first.startswith("1,measured,1,10")
    page = to_html(result)
    assert page.count('<circle class="dot') == 2
    assert "<title>2: max_num_seqs 2</title>" in page
    rows = (
        Row(key="bf16", label="BF16", state="done", is_reference=True, disk_bytes=200 << 20, perplexity=20.0),
        Row(key="awq", label="AWQ", state="done", disk_bytes=100 << 20, perplexity=21.0),
        Row(key="gptq", label="GPTQ", state="failed", error="no kernel"),
    )
    text = to_markdown(ExperimentResult(rows=rows))
    assert "100 MiB (×0.50)" in text
    assert "21 (×1.05)" in text
    assert "failed: no kernel" in text
    page = to_html(ExperimentResult(rows=rows))
    assert "Perplexity. exp of the mean" in page
    assert page.count('<path class="bar') == 6, "two columns, three formats"
    assert "GPTQ: no kernel" in page


def test_an_ab_leaves_with_its_pairs_drawn() -> None:
    pairs = tuple(Pair(order="ab", a=1.0 + at / 10, b=2.0, run_a="x", run_b="y") for at in range(4))
    found = difference_of("goodput_per_s", [pair.a for pair in pairs], [pair.b for pair in pairs], 0.95)
    result = ABResult(objective="goodput_per_s", a={"max_num_seqs": 2}, b={}, pairs=pairs, differences=(found,))
    page = to_html(result)
    assert "max_num_seqs 2 against nothing changed" in page
    assert page.count('<path class="line') == 2
    assert to_html(ABResult(objective="goodput_per_s", a={}, b={}, pairs=())), "cancelled before the first pair"
