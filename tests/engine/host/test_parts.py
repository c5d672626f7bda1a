"""The host's small parts: the journal, the output capture, statistics, events, defaults, processes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from engine.domain.errors import EngineMissing
from engine.domain.lifecycle import EngineProcess, HostStatus, Lifecycle, Phase, ServingStats
from engine.host.cpu_defaults import CpuTraits, fill_in, thread_binding
from engine.host.events import EventHub
from engine.host.journal import Journal, parse_line
from engine.host.mount import Mount
from engine.host.processes import death_of, engine_processes, is_alive, wait_gone
from engine.host.pulse import Pulse
from engine.host.stall_watch import StallWatch
from engine.host.stats import StatsWindow, percentile
from engine.host.vllm_names import require_supported
from engine.page.liveness import start_ticks
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

BAR = "Loading safetensors checkpoint shards:  {}% Completed | 1/9 [00:00<?, ?it/s]"


@pytest.mark.parametrize(
    ("line", "level", "source", "text"),
    [
        ("(EngineCore pid=12) INFO 11-29 18:35:02 [core.py:133] Ready", "INFO", "EngineCore", "Ready"),
        ("(Worker_TP1 pid=3) WARNING 11-29 18:35:02 [a/b.py:1] Slow", "WARNING", "Worker_TP1", "Slow"),
        ("(MainProcess pid=1) ERROR 11-29 18:35:02 [x.py:1] Bad", "ERROR", "host", "Bad"),
        ("INFO 11-29 18:35:02 [x.py:1] as 0.26 writes", "INFO", "output", "as 0.26 writes"),
        ("(EngineCore pid=1) INFO 11-29 18:35:02 [x.py:1]   indented", "INFO", "EngineCore", "  indented"),
        ("(EngineCore pid=1) plain print", "INFO", "EngineCore", "plain print"),
        ("ValueError: x", "ERROR", "output", "ValueError: x"),
        ("(of course) this is no source", "INFO", "of course", "this is no source"),
        ("anything else", "INFO", "output", "anything else"),
    ],
)
def test_lines_are_taken_apart(line: str, level: str, source: str, text: str) -> None:
    assert parse_line(line) == (level, source, text)


def test_progress_bars_are_heard_often_and_kept_seldom() -> None:
    now = [100.0]
    journal = Journal(wall_clock=lambda: now[0])
    heard: list[str] = []
    journal.on_line(heard.append)
    for percent in range(0, 101, 10):
        journal.write(BAR.format(percent))
        now[0] += 0.1
    journal.write(BAR.format(100))
    assert len(heard) == 12
    kept = [record.text for record in journal.after(0)]
    assert 3 <= len(kept) <= 4
    assert "100%" in kept[-1]


def test_the_journal_is_bounded_and_numbered() -> None:
    journal = Journal(capacity=10)
    for number in range(25):
        journal.write(f"line {number}")
    assert [record.sequence for record in journal.after(0)] == list(range(16, 26))
    assert [record.text for record in journal.after(23)] == ["line 23", "line 24"]


CAPTURED = """
import os, subprocess, sys
sys.path.insert(0, os.getcwd())
from engine.host.output import OutputCapture
lines = []
capture = OutputCapture(lines.append)
capture.start()
print("from python")
os.system("echo from a child")
subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write('bar 1%\\\\rbar 2%\\\\rbar 3%')"])
os.write(2, b"\\nno newline at the end")
capture.stop()
capture.stop()
print(repr(lines))
"""


def test_output_of_children_and_progress_bars_is_captured(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CAPTURED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    lines = eval(done.stdout.strip().splitlines()[-1])
    assert lines == ["from python", "from a child", "bar 1%", "bar 2%", "bar 3%", "no newline at the end"]
    assert "from a child" in done.stderr


def test_a_reader_that_stopped_reading_does_not_stop_the_engine() -> None:
    script = CAPTURED.replace(
        'print("from python")', 'os.write(1, b"x" * 200 + b"\\n"); [print("y" * 1000) for _ in range(500)]'
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # stderr is never read: 500 kB do not fit its pipe.
        assert process.stdout is not None
        assert b"from a child" in process.stdout.read()
        assert process.wait(PATIENCE_S) == 0


def test_percentiles_are_ranks() -> None:
    assert percentile([], 0.5) is None
    assert percentile([3.0], 0.95) == 3.0
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert percentile(range(1, 101), 0.95) == 95


def iteration(**more: Any) -> Any:
    """vLLM's IterationStats as far as the window reads it."""
    base = {
        "num_prompt_tokens": 0,
        "num_generation_tokens": 0,
        "num_preempted_reqs": 0,
        "time_to_first_tokens_iter": [],
        "inter_token_latencies_iter": [],
        "finished_requests": [],
    }
    return SimpleNamespace(**(base | more))


def test_rates_and_latencies_over_their_windows() -> None:
    now = [0.0]
    window = StatsWindow(window_s=10.0, clock=lambda: now[0])
    scheduler = SimpleNamespace(
        num_running_reqs=3, num_waiting_reqs=2, num_skipped_waiting_reqs=1, kv_cache_usage=0.5, spec_decoding_stats=None
    )
    done = SimpleNamespace(e2e_latency=4.0, queued_time=0.25)
    now[0] = 1.0
    window.record(scheduler, iteration(num_prompt_tokens=500, time_to_first_tokens_iter=[0.2]))
    for second in range(2, 12):
        now[0] = float(second)
        window.record(None, iteration(num_generation_tokens=40, inter_token_latencies_iter=[0.1] * 40))
    window.record(None, iteration(finished_requests=[done], num_preempted_reqs=2))
    now[0] = 12.0
    stats = window.now()
    assert stats.prompt_tokens_per_s == 0.0
    assert stats.generation_tokens_per_s == 40.0
    assert stats.requests_per_s == 0.1
    assert (stats.ttft_p50_s, stats.itl_p95_s, stats.e2e_p50_s, stats.queue_p50_s) == (0.2, 0.1, 4.0, 0.25)
    assert (stats.running, stats.waiting, stats.kv_cache_usage) == (3, 3, 0.5)
    assert (stats.finished_total, stats.preempted_total) == (1, 2)
    window.settle()
    assert (window.now().running, window.now().kv_cache_usage) == (0, 0.0)
    now[0] = 200.0
    late = window.now()
    assert (late.generation_tokens_per_s, late.ttft_p50_s) == (0.0, None)
    assert late.finished_total == 1
    window.reset()
    assert window.now().finished_total == 0


def test_a_clock_that_was_set_makes_no_latencies() -> None:
    now = [0.0]
    window = StatsWindow(window_s=10.0, clock=lambda: now[0])
    now[0] = 100.0
    lasted = [SimpleNamespace(e2e_latency=value, queued_time=0.1) for value in (86_404.0, -86_396.0, 4.0)]
    window.record(None, iteration(time_to_first_tokens_iter=[86_400.2, 0.2, -86_399.8], finished_requests=lasted))
    stats = window.now()
    assert (stats.ttft_p50_s, stats.ttft_p95_s, stats.e2e_p50_s) == (0.2, 0.2, 4.0)
    assert stats.finished_total == 3


def test_gaps_of_many_streams_are_sampled_and_forgotten_though_nobody_asks() -> None:
    now = [0.0]
    window = StatsWindow(clock=lambda: now[0])
    for step in range(20_000):
        now[0] = step * 0.01
        slow = step % 10 == 0
        window.record(
            None, iteration(num_generation_tokens=512, inter_token_latencies_iter=[0.5 if slow else 0.01] * 512)
        )
    held = window._recent["itl"]
    assert 1000 < len(held) < 6000, "a minute of 6,000 steps, each of 512 gaps"
    assert len(window._recent["generation"]) < 1100
    stats = window.now()
    assert (stats.itl_p50_s, stats.itl_p95_s) == (0.01, 0.5), "every tenth step took half a second"
    assert stats.generation_tokens_per_s == pytest.approx(51_200, rel=0.01)


async def test_figures_are_worked_out_for_readers_only() -> None:
    hub, worked_out = EventHub(a_status), 0

    class Watched(StatsWindow):
        def now(self) -> ServingStats:
            nonlocal worked_out
            worked_out += 1
            return super().now()

    service: Any = SimpleNamespace(running=SimpleNamespace(unfinished=1), tell_elapsed=lambda: None)
    pulse = Pulse(service, Watched(), hub)
    pulse.beat()
    assert worked_out == 0
    reader = hub.subscribe()
    pulse.beat()
    hub.close()
    frames = [msgspec.json.decode(data) async for data in reader.frames()]
    assert [each["topic"] for each in frames] == ["status", "serving"]


async def test_a_figure_that_cannot_be_told_silences_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A beat that fails is in the log, and the next one follows."""
    monkeypatch.setattr("engine.host.pulse._EVERY_S", 0.01)
    hub, told = EventHub(a_status), asyncio.Event()

    class Failing(StatsWindow):
        failures = 2

        def now(self) -> Any:
            self.failures -= 1
            if self.failures >= 0:
                raise ZeroDivisionError("a figure of nothing")
            told.set()
            return super().now()

    hub.subscribe()
    service: Any = SimpleNamespace(running=SimpleNamespace(unfinished=0), tell_elapsed=lambda: None)
    pulse = Pulse(service, Failing(), hub)
    pulse.start()
    await asyncio.wait_for(told.wait(), 30)
    pulse.stop()
    assert caplog.text.count("ZeroDivisionError: a figure of nothing") == 2


@pytest.mark.parametrize("serves", [True, False])
def test_what_holds_the_loop_up_is_named(caplog: pytest.LogCaptureFixture, serves: bool) -> None:
    caplog.set_level("INFO", "engine.host.stall_watch")
    watch, done = StallWatch(stall_s=0.05, serves=lambda: serves), threading.Event()
    other = threading.Thread(target=done.wait, name="somebody else")
    other.start()
    watch.start()

    def a_very_long_thought() -> None:
        give_up = time.monotonic() + PATIENCE_S
        while "a_very_long_thought" not in caplog.text and time.monotonic() < give_up:
            time.sleep(0.01)

    a_very_long_thought()
    watch.moved()
    watch.moved()
    watch.stop()
    done.set()
    other.join()
    assert "has stood still" in caplog.text
    assert caplog.records[0].levelname == ("WARNING" if serves else "INFO"), "a load holds it up: that is no fault"
    assert "in a_very_long_thought" in caplog.text
    assert "somebody else in Condition.wait (threading.py:" in caplog.text
    assert caplog.text.count("goes on after") == 1


def a_status() -> HostStatus:
    """Some status."""
    return HostStatus("1", None, 1, "http://127.0.0.1:1", Lifecycle(Phase.IDLE), None)


async def test_a_slow_reader_misses_lines_and_never_a_state() -> None:
    hub = EventHub(a_status)
    slow = hub.subscribe()
    for number in range(5000):
        hub.publish("log", {"n": number})
        hub.publish("lifecycle", {"n": number})
    hub.close()
    frames = [msgspec.json.decode(data) async for data in slow.frames()]
    assert frames[0]["topic"] == "status"
    assert [each["value"]["n"] for each in frames if each["topic"] == "lifecycle"] == [4999]
    lines = [each["value"]["n"] for each in frames if each["topic"] == "log"]
    assert lines == list(range(4000, 5000))


async def test_a_reader_that_left_costs_nothing() -> None:
    hub = EventHub(a_status)
    gone = hub.subscribe()
    hub.unsubscribe(gone)
    hub.publish("limits", {})
    stayed = hub.subscribe()
    hub.close()
    assert len([data async for data in stayed.frames()]) == 1
    late = hub.subscribe()
    assert len(await asyncio.wait_for(_all(late), 1.0)) == 1


async def _all(subscriber: Any) -> list[bytes]:
    return [data async for data in subscriber.frames()]


async def test_an_answer_cut_off_before_it_began_is_an_error() -> None:
    mount = Mount()
    entered = asyncio.Event()

    async def never_answers(_scope: Any, _receive: Any, _send: Any) -> None:
        entered.set()
        await asyncio.Event().wait()

    mount.attach(never_answers)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asked = asyncio.ensure_future(mount({"type": "http"}, asyncio.Event().wait, send))
    await entered.wait()
    mount.detach()
    await mount.end_open("The model was unloaded.", grace_s=0.0)
    await asked
    assert sent[0]["status"] == 503
    assert msgspec.json.decode(sent[1]["body"])["error"]["message"] == "The model was unloaded."
    assert mount.open_requests == 0


@pytest.mark.parametrize("over", [False, True])
async def test_an_answer_cut_off_midway_ends_as_its_client_can_read(*, over: bool) -> None:
    mount, entered, sent = Mount(), asyncio.Event(), []

    async def streams(_scope: Any, _receive: Any, send: Any) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}
        await send(start)
        await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": not over})
        entered.set()
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    mount.attach(streams)
    asked = asyncio.ensure_future(mount({"type": "http"}, asyncio.Event().wait, send))
    await entered.wait()
    await mount.end_open("The engine died.", grace_s=0.0)
    await asked
    assert len(sent) == (2 if over else 3), "nothing is said after the end"
    if not over:
        assert b'"message":"The engine died."' in sent[-1]["body"]
        assert sent[-1]["body"].endswith(b"data: [DONE]\n\n")


def traits(**more: Any) -> CpuTraits:
    """A desktop with AVX2."""
    return CpuTraits(**({"bf16": False, "cores": (0, 1), "free_bytes": 16 << 30} | more))


def test_a_cpu_is_given_what_suits_it() -> None:
    silent = {"enforce_eager": True, "dtype": "float32", "cpu_kvcache_space_gib": 2.0}
    assert fill_in({}, traits(), {}) == silent
    assert fill_in({"dtype": "auto"}, traits(bf16=True), {})["dtype"] == "bfloat16"
    assert "dtype" not in fill_in({}, traits(bf16=None), {})
    assert fill_in({}, traits(), {}, packed=True)["dtype"] == "bfloat16", "the four-bit kernel knows no float32"
    assert fill_in({"dtype": "half"}, traits(), {}, packed=True)["dtype"] == "half"
    given = {"enforce_eager": False, "dtype": "bfloat16", "cpu_kvcache_space_gib": 5.0}
    assert fill_in(given, traits(), {}) == given
    assert "cpu_kvcache_space_gib" not in fill_in({"kv_cache_memory_bytes": 1 << 28}, traits(), {})


@pytest.mark.parametrize(
    ("free_gib", "shell", "space"), [(16, "", 2.0), (3, "", 1.5), (0, "", 0.125), (16, "4", 4.0), (16, "x", 2.0)]
)
def test_the_kv_cache_is_bounded_by_free_memory(free_gib: int, shell: str, space: float) -> None:
    variables = {"VLLM_CPU_KVCACHE_SPACE": shell} if shell else {}
    assert fill_in({}, traits(free_bytes=free_gib << 30), variables)["cpu_kvcache_space_gib"] == space


def test_small_machines_give_all_their_cores() -> None:
    assert thread_binding(traits(), 1) == "0,1"
    assert thread_binding(traits(cores=tuple(range(8))), 1) is None
    assert thread_binding(traits(), 2) == "0|1"
    assert thread_binding(traits(cores=tuple(range(7))), 3) == "0,1|2,3|4,5,6"
    assert thread_binding(traits(numa_nodes=2), 2) is None  # vLLM gives each its own
    assert thread_binding(traits(), 3) is None


def test_processes_are_known_by_pid_and_start() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        ticks = start_ticks(child.pid)
        assert ticks is not None
        me = EngineProcess(child.pid, "child", ticks)
        assert is_alive(me)
        assert not is_alive(EngineProcess(child.pid, "child", ticks - 1))
        assert child.pid in {process.pid for process in engine_processes()}
        os.kill(child.pid, signal.SIGKILL)
        assert wait_gone([me], PATIENCE_S) == ()
        death = death_of(me)
        assert death.signal_name == "SIGKILL"
        assert death.sentence == f"child (pid {child.pid}) was ended by SIGKILL"
    assert death_of(me).sentence == f"child (pid {child.pid}) has ended"
    assert death_of(me, 3).sentence == f"child (pid {child.pid}) exited with code 3"


def test_waiting_for_a_process_that_stays_gives_it_back() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        me = EngineProcess(child.pid, "child", start_ticks(child.pid) or 0)
        began = time.monotonic()
        assert wait_gone([me], 0.2) == (me,)
        assert time.monotonic() - began > 0.1
        child.kill()


@pytest.mark.parametrize(("version", "release"), [("0.26.0", (0, 26)), ("0.32.0+cpu", (0, 32)), ("0.33.1rc2", (0, 33))])
def test_known_releases_pass(version: str, release: tuple[int, int]) -> None:
    assert require_supported(version) == release


@pytest.mark.parametrize("version", [None, "0.25.9", "0.34.0", "1.0.0", "nightly"])
def test_other_releases_are_refused_with_what_would_do(version: str | None) -> None:
    with pytest.raises(EngineMissing) as refused:
        require_supported(version)
    assert refused.value.remedy
