"""Workloads as values: JSON, objections, arrivals, lengths."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bench.arrivals import due_times, most_at_once
from engine.bench.checks import objections, require_valid
from engine.bench.lengths import draw_length
from engine.bench.workload import (
    CLASSIC,
    Arrival,
    AsRecorded,
    Bursts,
    ClosedLoop,
    Dataset,
    Fixed,
    FromData,
    Lengths,
    LogNormal,
    Normal,
    OpenLoop,
    Ramp,
    RecordedLog,
    ShareGpt,
    Slos,
    Synthetic,
    Uniform,
    UserJsonl,
    Workload,
    WorkloadInvalid,
)

ARRIVALS: list[Arrival] = [ClosedLoop(4), OpenLoop(3.0, 0.5), Bursts(5, 2.0), Ramp(0.5, 9.0, 30.0), AsRecorded(2.0)]
DATASETS: list[Dataset] = [Synthetic(3), ShareGpt("a.json"), UserJsonl("b.jsonl"), RecordedLog("c.kvdeck")]
LENGTHS: list[Lengths] = [Fixed(7), Uniform(3, 9), Normal(50, 9, 10, 90), LogNormal(50, 0.5, 5, 400), FromData(64)]


@pytest.mark.parametrize("arrival", ARRIVALS)
@pytest.mark.parametrize("dataset", DATASETS)
def test_survives_json(arrival: Arrival, dataset: Dataset) -> None:
    for lengths in LENGTHS:
        workload = Workload(
            arrival=arrival, dataset=dataset, prompt=lengths, output=lengths, requests=3, slos=Slos(ttft_s=0.2),
            extra={"priority": 1, "top_k": None},
        )  # fmt: skip
        assert msgspec.json.decode(msgspec.json.encode(workload), type=Workload) == workload


def test_the_classic_preset_can_be_sent() -> None:
    require_valid(CLASSIC)
    assert CLASSIC.arrival == ClosedLoop(50)
    assert CLASSIC.system_prompt_tokens >= 1000


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"requests": None}, "how many"),
        ({"requests": 0}, "at least 1"),
        ({"duration_s": 0.0}, "duration"),
        ({"arrival": ClosedLoop(0)}, "clients"),
        ({"arrival": OpenLoop(0.0)}, "rate"),
        ({"arrival": Bursts(0)}, "burst"),
        ({"arrival": Ramp(-1.0)}, "ramp"),
        ({"arrival": AsRecorded()}, "recorded log"),
        ({"arrival": OpenLoop(1.0, 1.0, 0)}, "at once"),
        ({"prompt": Fixed(0)}, "prompt"),
        ({"prompt": Uniform(9, 3)}, "prompt"),
        ({"output": LogNormal(median=0.0)}, "output"),
        ({"output": FromData()}, "data"),
        ({"dataset": ShareGpt("")}, "Choose"),
        ({"dataset": UserJsonl("/nowhere/x.jsonl")}, "no file"),
        ({"dataset": Synthetic(0)}, "turn"),
        ({"most_per_s": 0.0}, "limit"),
        ({"warm_up_requests": -1}, "warm-up"),
        ({"request_timeout_s": 0.0}, "time-out"),
        ({"system_prompt_tokens": -1}, "system prompt"),
    ],
)
def test_objects_to_what_cannot_be_sent(changes: dict[str, object], word: str) -> None:
    workload = msgspec.structs.replace(CLASSIC, **changes)
    assert any(word in sentence for sentence in objections(workload)), objections(workload)
    with pytest.raises(WorkloadInvalid):
        require_valid(workload)


def first(arrival: Arrival, count: int, seed: int = 1) -> np.ndarray:
    return np.array(list(itertools.islice(due_times(arrival, seed), count)))


def test_an_open_loop_keeps_its_rate_and_its_burstiness() -> None:
    for burstiness in (0.25, 1.0, 4.0):
        gaps = np.diff(first(OpenLoop(5.0, burstiness), 20_001))
        assert gaps.mean() == pytest.approx(0.2, rel=0.05)
        assert gaps.var() / gaps.mean() ** 2 == pytest.approx(1 / burstiness, rel=0.1)  # a gamma distribution's
    assert first(OpenLoop(5.0), 50).tolist() == first(OpenLoop(5.0), 50).tolist()
    assert first(OpenLoop(5.0), 50, seed=2).tolist() != first(OpenLoop(5.0), 50).tolist()


def test_bursts_come_together() -> None:
    assert first(Bursts(3, 2.5), 7).tolist() == [0, 0, 0, 2.5, 2.5, 2.5, 5.0]


def test_a_ramp_rises_and_stays() -> None:
    ramp = Ramp(0.0, 100.0, 20.0)
    times = first(ramp, 3000)
    assert (np.diff(times) >= 0).all()
    early, middle = np.sum(times < 10.0), np.sum(times < 20.0)
    assert early == pytest.approx(250, rel=0.2)  # the triangle to half the time has a quarter of the area
    assert middle == pytest.approx(1000, rel=0.1)
    late = times[times > 20.0]
    assert np.diff(late).mean() == pytest.approx(0.01, rel=0.1)


@given(st.floats(0, 50), st.floats(0.1, 50), st.floats(0.5, 100))
@settings(max_examples=40, deadline=None)
def test_any_ramp_is_in_order(begin: float, end: float, over: float) -> None:
    times = first(Ramp(begin, end, over), 200)
    assert np.isfinite(times).all()
    assert (np.diff(times) >= -1e-9).all()
    assert times[0] >= 0


def test_a_recorded_log_is_replayed_at_another_speed() -> None:
    assert list(due_times(AsRecorded(4.0), 0, [0.0, 2.0, 8.0])) == [0.0, 0.5, 2.0]


def test_limits_of_requests_at_once() -> None:
    assert most_at_once(ClosedLoop(7)) == 7
    assert most_at_once(OpenLoop(1.0)) is None
    assert most_at_once(Bursts(2, 1.0, 9)) == 9


@pytest.mark.parametrize("lengths", LENGTHS[:-1])
def test_lengths_follow_their_distribution(lengths: Lengths) -> None:
    drawn = np.array([draw_length(lengths, 3, "prompt", place, 0, None) for place in range(3000)])
    again = np.array([draw_length(lengths, 3, "prompt", place, 0, None) for place in range(3000)])
    assert (drawn == again).all()
    match lengths:
        case Fixed():
            assert set(drawn) == {7}
        case Uniform():
            assert set(drawn) == set(range(3, 10))
        case Normal():
            assert (drawn.min() >= 10, drawn.max() <= 90) == (True, True)
            assert drawn.mean() == pytest.approx(50, rel=0.05)
        case LogNormal():
            assert (drawn.min() >= 5, drawn.max() <= 400) == (True, True)
            assert np.median(drawn) == pytest.approx(50, rel=0.1)


def test_lengths_from_data_are_cut() -> None:
    assert draw_length(FromData(64), 0, "output", 0, 0, 40) == 40
    assert draw_length(FromData(64), 0, "output", 0, 0, 4000) == 64
    assert draw_length(FromData(64), 0, "output", 0, 0, None) == 64


@pytest.mark.parametrize("target", [0.0, -1.0, float("nan"), float("inf")])
def test_a_target_is_a_time(target: float) -> None:
    (said,) = objections(Workload(requests=1, slos=Slos(tpot_s=target)))
    assert "target" in said
