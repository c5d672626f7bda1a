"""A run is ended early only when it can no longer win."""

from __future__ import annotations

from engine.bench.messages import Finished, Progress
from engine.bench.sample import Outcome, Sample
from engine.bench.workload import ClosedLoop, Fixed, Slos, Uniform, Workload
from engine.tuner.ceiling import Ceiling

_LOAD = Workload(arrival=ClosedLoop(4), requests=20, output=Fixed(10), slos=Slos(ttft_s=1.0))


def _progress(elapsed_s: float, running: int = 4, successful: int = 0) -> Progress:
    return Progress("running", elapsed_s, 20, running, successful, 0, 0)


def _finished(good: int, bad: int) -> Finished:
    def one(ttft_s: float) -> Sample:
        return Sample(0, "r", Outcome.SUCCESSFUL, 0, 0, 3, first_token_s=ttft_s, last_token_s=3, output_tokens=10)

    return Finished(tuple([one(0.5)] * good + [one(1.5)] * bad))


def test_what_can_still_win_goes_on() -> None:
    ceiling = Ceiling(_LOAD, "goodput_per_s", best=2.0, best_s=10.0)
    assert not ceiling.take(_finished(5, 0))
    assert not ceiling.take(_progress(4.9, successful=5))
    assert not ceiling.take(_progress(9.9, running=8, successful=5))  # 20 requests in 10 s would still be 2 a second


def test_requests_that_missed_lower_the_ceiling() -> None:
    ceiling = Ceiling(_LOAD, "goodput_per_s", best=2.0, best_s=None)
    ceiling.take(_finished(5, 8))
    assert not ceiling.take(_progress(6.0))  # (20 - 8) / 6 = 2
    assert ceiling.take(_progress(6.3))
    assert ceiling.most is not None
    assert ceiling.most < 1.94
    assert ceiling.why is not None
    assert ceiling.why.values["left"] == 12


def test_far_behind_halfway_is_enough() -> None:
    ceiling = Ceiling(_LOAD, "goodput_per_s", best=2.0, best_s=10.0)
    ceiling.take(_finished(1, 0))
    assert not ceiling.take(_progress(4.0, running=2, successful=1))
    assert not ceiling.take(_progress(5.0, running=2, successful=5)), "four have ended that were not told of yet"
    assert ceiling.take(_progress(5.0, running=2, successful=1))  # 3 in 5 s, where the best had 10
    assert ceiling.estimate is not None
    assert ceiling.estimate < 0.6


def test_tokens_count_where_every_answer_has_as_many() -> None:
    ceiling = Ceiling(_LOAD, "tokens_out_per_s", best=20.0, best_s=None)
    assert not ceiling.take(_progress(10.0))
    assert ceiling.take(_progress(10.5))
    unknown = Workload(arrival=ClosedLoop(4), requests=20, output=Uniform(1, 50))
    assert not Ceiling(unknown, "tokens_out_per_s", 20.0, 10.0).take(_progress(1000.0))


def test_nothing_is_ended_before_there_is_a_best_or_a_clock() -> None:
    assert not Ceiling(_LOAD, "goodput_per_s", None, None).take(_progress(1000.0))
    ceiling = Ceiling(_LOAD, "goodput_per_s", 2.0, 10.0)
    assert not ceiling.take(Progress("warming_up", 1000.0, 0, 0, 0, 0, 0))
    assert not Ceiling(_LOAD, "ttft.p95", 2.0, 10.0).take(_progress(1000.0))
