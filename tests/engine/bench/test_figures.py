"""Figures by their definitions, against hand-made numbers and against vLLM's own computation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bench.definitions import BY_KEY, FIGURES, value_of
from engine.bench.figures import LATENCIES, heat_map, histogram, latency_of, spread_of, values_of
from engine.bench.sample import Outcome
from engine.bench.tally import ValueTally, figures_of, is_good
from engine.bench.workload import Slos
from tests.engine.bench.making import sample, samples


def test_one_request_by_hand() -> None:
    one = sample(gaps_s=[0.1, 0.3])
    assert one.ttft_s == pytest.approx(0.2)
    assert one.e2e_s == pytest.approx(0.6)
    assert one.tpot_s == pytest.approx(0.2)  # (0.1 + 0.3) / 2: the first token left out
    assert one.tpot_with_first_s == pytest.approx(0.2)  # 0.6 / 3
    assert one.gaps_s.tolist() == pytest.approx([0.1, 0.3])
    assert sample(gaps_s=[]).tpot_s is None
    assert sample(first_token_s=None, last_token_s=None).ttft_s is None


def test_outcomes_are_counted_apart() -> None:
    cut = sample(1, outcome=Outcome.INCOMPLETE, reason="stopped")
    bad = [sample(number, outcome=Outcome.FAILED, reason="HTTP 500: no") for number in (2, 3)]
    figures = figures_of([sample(0), cut, *bad])
    assert (figures.sent, figures.successful, figures.incomplete, figures.failed) == (4, 1, 1, 2)
    assert figures.tokens_out == 5
    assert figures.ttft is not None
    assert figures.ttft.count == 1
    assert figures.failures == {"HTTP 500: no": 2}
    assert figures.cached_share == pytest.approx(0.4)


def test_nothing_at_all() -> None:
    figures = figures_of([])
    assert figures.sent == 0
    assert figures.ttft is None
    assert value_of(figures, "ttft.p50") is None
    assert figures.goodput_per_s is None


def test_goodput_asks_for_every_slo() -> None:
    slos = Slos(ttft_s=0.25, tpot_s=0.06)
    found = [sample(0), sample(1, ttft_s=0.3), sample(2, gaps_s=[0.1, 0.1]), sample(3, outcome=Outcome.FAILED)]
    assert [is_good(one, slos) for one in found] == [True, False, False, False]
    figures = figures_of(found, slos, duration_s=2.0)
    assert (figures.good, figures.goodput_per_s, figures.good_share) == (1, 0.5, 0.25)
    assert is_good(sample(gaps_s=[]), slos)  # one token: no TPOT to miss


def test_every_figure_has_a_definition_and_a_value() -> None:
    found = [sample(0, queue_s=0.01, prefill_s=0.1, decode_s=0.2)]
    figures = figures_of(found, Slos(ttft_s=1.0))
    assert figures.phases_from == "requests"
    for definition in FIGURES:
        assert definition.definition
        assert definition.better in ("less", "more", "")
        value_of(figures, definition.key)
    known = {definition.key for definition in FIGURES if value_of(figures, definition.key) is not None}
    assert known >= {f"{name}.p95" for name in LATENCIES}
    with pytest.raises(KeyError):
        value_of(figures, "ttft")
    assert len(BY_KEY) == len(FIGURES)


def test_agrees_with_vllms_own_computation() -> None:
    serve = pytest.importorskip("vllm.benchmarks.serve")
    outputs, requests = [], []
    found = samples(50, 0.3)
    slos = Slos(ttft_s=0.3, tpot_s=0.021, e2e_s=0.6)
    for one in found:
        outputs.append(
            serve.RequestFuncOutput(
                success=True, latency=one.e2e_s, output_tokens=one.output_tokens, ttft=one.ttft_s,
                itl=one.gaps_s.tolist(), prompt_len=one.prompt_tokens, start_time=one.sent_s,
            )
        )  # fmt: skip
        requests.append(None)
    theirs, _ = serve.calculate_metrics(
        requests, outputs, 5.0, None, [50, 90, 95, 99], {"ttft": 300.0, "tpot": 21.0, "e2el": 600.0}
    )
    ours = figures_of(found, slos, duration_s=5.0)
    assert ours.requests_per_s == pytest.approx(theirs.request_throughput)
    assert ours.tokens_out_per_s == pytest.approx(theirs.output_throughput)
    assert ours.goodput_per_s == pytest.approx(theirs.request_goodput)
    pairs = ((ours.ttft, "ttft"), (ours.tpot, "tpot"), (ours.itl, "itl"), (ours.e2e, "e2el"))
    for spread, name in pairs:
        assert spread is not None
        assert spread.mean * 1e3 == pytest.approx(getattr(theirs, f"mean_{name}_ms"), rel=1e-5)
        assert spread.deviation * 1e3 == pytest.approx(getattr(theirs, f"std_{name}_ms"), rel=1e-4)
        percentiles = dict(getattr(theirs, f"percentiles_{name}_ms"))
        for share in (50, 90, 95, 99):
            assert getattr(spread, f"p{share}") * 1e3 == pytest.approx(percentiles[share], rel=1e-5)


def test_gaps_in_bounded_memory_are_off_by_a_thousandth_at_most() -> None:
    dice = np.random.default_rng(1)
    parts = [dice.lognormal(-4, 0.7, 500).astype(np.float32) for _ in range(40)]
    exact, binned = ValueTally(), ValueTally(most_exact=3000)
    for part in parts:
        exact.add(part)
        binned.add(part)
    one, other = exact.spread(), binned.spread()
    assert one is not None
    assert other is not None
    for name in ("mean", "deviation", "p50", "p90", "p95", "p99", "least", "most"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=2.5e-3), name
    assert other.count == one.count == 20_000
    assert ValueTally().spread() is None


@given(st.lists(st.floats(1e-4, 100.0), min_size=1, max_size=60), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_value_is_in_the_histogram_and_in_the_heat_map(values: list[float], log: bool) -> None:
    array = np.array(values)
    hist = histogram(array, 20, log=log)
    assert hist.counts.sum() == len(values)
    assert len(hist.edges) == 21
    heat = heat_map(np.linspace(0, 9, len(values)), array, columns=5, rows=7, log=log)
    assert heat.counts.sum() == len(values)
    assert heat.counts.shape == (7, 5)
    assert (np.diff(heat.value_edges) > 0).all()


def test_pictures_of_nothing() -> None:
    assert histogram(np.empty(0)).counts.sum() == 0
    assert heat_map(np.empty(0), np.empty(0)).counts.sum() == 0
    assert spread_of([]) is None


def test_values_stand_where_they_were_known() -> None:
    found = [sample(0), sample(1), sample(2, outcome=Outcome.FAILED)]
    times, values = values_of(found, "ttft")
    assert times.tolist() == pytest.approx([1.2, 2.2])
    assert values.tolist() == pytest.approx([0.2, 0.2])
    times, values = values_of(found, "itl")
    assert times[:4].tolist() == pytest.approx([1.25, 1.3, 1.35, 1.4])
    assert len(values) == 8
    assert values_of([], "itl")[0].size == 0
    assert latency_of(sample(0, due_s=0.4), "lag") == pytest.approx(0.6)
