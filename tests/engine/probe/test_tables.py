"""Block tables in uncommon cases: too many for the page, and streaming sessions, which keep theirs for a while."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from engine.page.reader import PageReader
from engine.probe import publisher as publishing
from engine.probe.scan import scan
from tests.engine.probe.driving import BLOCK, Runner, Traffic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _check(scheduler: Any) -> None:
    found = scheduler.kvdeck_scan_blocks()
    assert scheduler.kvdeck_failure is None
    assert found["mismatches"] == 0, scan(scheduler, scheduler.kvdeck_publisher).differences[:10]


@pytest.mark.parametrize("async_scheduling", [False, True])
def test_blocks_are_exact_where_the_page_has_no_room_for_their_tables(
    probed_scheduler: Callable[..., Any], page_path: Path, monkeypatch: pytest.MonkeyPatch, async_scheduling: bool
) -> None:
    geometry_of = publishing.geometry_of
    monkeypatch.setattr(publishing, "geometry_of", lambda scheduler: replace(geometry_of(scheduler), table_entries=128))
    scheduler = probed_scheduler(120, async_scheduling=async_scheduling)
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=9)
    reader = PageReader(page_path)
    cut = 0
    while runner.steps < 300:
        if traffic.random.random() < 0.2 and len(scheduler.requests) < 40:
            traffic.add(traffic.random.randrange(1, 5))
        if traffic.random.random() < 0.03:
            traffic.abort(1)
        runner.step()
        if runner.steps % 9 == 0:
            _check(scheduler)
            snapshot = reader.snapshot()
            assert snapshot is not None
            cut += sum(row.tables_truncated for row in snapshot.requests)
    runner.drain()
    _check(scheduler)
    reader.close()
    assert cut > 20
    assert scheduler.kvdeck_publisher.steps.preemptions > 5


class _Session:
    """One client that says a few things, one after the other, over one request."""

    def __init__(self, traffic: Traffic, runner: Runner, number: int) -> None:
        self._traffic, self._runner = traffic, runner
        self._id = f"session-{number}"
        runner.sessions.add(self._id)
        self._left = traffic.random.randrange(1, 6)
        self._say()

    def go_on(self) -> bool:
        """Say the next thing if the engine waits for it, or now and then before it does. False when it is over."""
        request = self._traffic.scheduler.requests.get(self._id)
        if request is None:
            return False
        dice = self._traffic.random.random()
        if request.status.name == "WAITING_FOR_STREAMING_REQ" or dice < 0.02:
            self._say()
        return True

    def _say(self) -> None:
        random = self._traffic.random
        shared = self._left and random.random() < 0.5
        said = [1] * random.randrange(1, 5 * BLOCK) if shared else [random.randrange(1000) for _ in range(BLOCK)]
        request = self._traffic.request(prompt=said, max_tokens=random.randrange(1, 40))
        request.request_id = self._id
        request.resumable = self._left > 0
        self._left -= 1
        if self._left >= -1:
            self._traffic.scheduler.add_request(request)


@pytest.mark.parametrize(("async_scheduling", "second_runner"), [(False, False), (True, False), (True, True)])
def test_streaming_sessions_keep_their_blocks(
    probed_scheduler: Callable[..., Any], async_scheduling: bool, second_runner: bool
) -> None:
    scheduler = probed_scheduler(150, async_scheduling=async_scheduling)
    scheduler.use_v2_model_runner = second_runner
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=3)
    sessions: list[_Session] = []
    for round_ in range(600):
        if len(sessions) < 6 and traffic.random.random() < 0.1:
            sessions.append(_Session(traffic, runner, round_))
        if traffic.random.random() < 0.1 and len(scheduler.requests) < 20:
            traffic.add(2)
        runner.step()
        sessions = [session for session in sessions if session.go_on()]
        if round_ % 7 == 0:
            _check(scheduler)
    _check(scheduler)
    assert len(runner.sessions) > 6
    assert runner.finished
