"""What the overhead benchmark measures with: threads as the system has them, cores by turns, stacks by functions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from benchmarks import pinning
from benchmarks.stack_profile import HTTP_LOOP, Profile, difference, read_raw
from benchmarks.thread_times import TurnTimes, compare, core_by_turns, read_threads, spent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.thread_times import ThreadTime

_RAW = """\
<module> (core.py:1);run_busy_loop (vllm/v1/engine/core.py:900);step (vllm/v1/engine/core.py:300);schedule (a/b.py:5) 30
<module> (core.py:1);run_busy_loop (vllm/v1/engine/core.py:901);step (vllm/v1/engine/core.py:310);wait (cuda.py:9) 50
Thread-1 (thread.py:1);wait (threading.py:300) 900
"""


def _own(rows: Iterable[ThreadTime]) -> ThreadTime:
    """This process's own main thread among those of its children."""
    (row,) = (row for row in rows if row.is_main and row.role == "api")
    return row


def test_a_threads_time_faults_and_core_are_known() -> None:
    before = read_threads(os.getpid())
    pages = bytearray(64 << 20)
    for place in range(0, len(pages), 4096):
        pages[place] = 1
    row = _own(spent(before, read_threads(os.getpid())))
    assert row.ran_ns > 0
    assert row.faults > 0
    assert row.system_ns >= 0
    assert row.cpu in range(os.cpu_count() or 1)


def test_what_the_core_took_is_told_a_step() -> None:
    own = _own(read_threads(os.getpid()).values())

    def core(ran_ns: int, faults: int) -> ThreadTime:
        return type(own)("core", "EngineCore", True, ran_ns, 2_000_000, 40, 2, 1_000_000, faults, 3)

    host = TurnTimes(1000, 1000, 10, (core(40_000_000, 50),), 0.1)
    alone = TurnTimes(1000, 1000, 10, (core(20_000_000, 10),), 0.05)
    figures = compare([host], [alone])
    assert figures["EngineCore's main thread a step"] == (4000, 2000)
    assert figures["  of it in the system"] == (100, 100)
    assert figures["  page faults of it"] == (5, 1)
    assert figures["  it gave way, times"] == (4, 4)
    assert figures["  a step by the wall clock"] == pytest.approx((10_000, 5000))
    assert core_by_turns([host, alone]).endswith("4,000 on 3, 2,000 on 3")


def test_both_sides_get_whole_cores_and_the_rest_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinning, "_halves", lambda cpu: {cpu - cpu % 2, cpu - cpu % 2 + 1})
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(2, 12)))
    places = pinning.places.__wrapped__()
    assert (places.core, places.api, places.others) == (2, 4, frozenset(range(6, 12)))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2, 3, 4, 5})
    with pytest.raises(RuntimeError, match="beside two whole ones"):
        pinning.places.__wrapped__()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    with pytest.raises(RuntimeError, match="two whole cores"):
        pinning.places.__wrapped__()


def test_a_core_is_its_own_half() -> None:
    assert 0 in pinning._halves(0)
    assert pinning._halves(1 << 20) == {1 << 20}


def test_stacks_are_counted_by_function_below_the_engines_loop() -> None:
    seen = read_raw(_RAW)
    assert seen == {
        "run_busy_loop (core.py)": 80, "step (core.py)": 80, "schedule (b.py)": 30, "wait (cuda.py)": 50,
    }  # fmt: skip
    rows = list(difference(Profile(seen, 100), Profile(read_raw(_RAW.replace(" 30", " 10")), 100), "step"))
    (schedule,) = (row for row in rows if "schedule" in row)
    assert "750.00 /     250.00 µs a step,   +500.00" in schedule
    assert "nothing was seen" in next(difference(Profile(read_raw(""), 5), Profile(read_raw(""), 5), "step"))


def test_the_http_thread_is_known_by_whichever_loop_runs_it() -> None:
    raw = "main (a.py:1);run (uvloop/__init__.py:92);send (x.py:3) 4\nrun (asyncio/runners.py:118);send (x.py:3) 2\n"
    seen = read_raw(raw + "wait (threading.py:5) 9", HTTP_LOOP)
    assert seen == {"run (__init__.py)": 4, "send (x.py)": 6, "run (runners.py)": 2}
