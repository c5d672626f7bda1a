"""Stages and figures out of logs as vLLM writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.lifecycle import Stage
from engine.host.journal import parse_line
from engine.host.load_times import LoadTimes
from engine.host.progress import LoadProgress

LOGS = Path(__file__).parent / "logs"
GIB = 1 << 30


def played(name: str, expected: dict[Stage, float] | None = None) -> LoadProgress:
    """A log fed one line a second."""
    progress = LoadProgress(expected)
    for second, line in enumerate((LOGS / name).read_text().splitlines(), start=1):
        progress.feed(parse_line(line)[2], float(second))
    return progress


def test_cuda_026_reaches_every_stage_in_order() -> None:
    progress = played("cuda-0.26-ready.log")
    stages = {timing.stage: timing for timing in progress.stages}
    assert list(stages) == [
        Stage.STARTING,
        Stage.WEIGHTS,
        Stage.COMPILING,
        Stage.PROFILING,
        Stage.GRAPHS,
        Stage.KV_CACHE,
    ]
    assert stages[Stage.WEIGHTS].progress == 1.0
    assert stages[Stage.GRAPHS].progress == 1.0
    assert stages[Stage.STARTING].started_s == 0.0
    assert sum(timing.ended_s is None for timing in stages.values()) == 1


def test_cuda_026_memory_split() -> None:
    memory = played("cuda-0.26-ready.log").memory
    assert memory.weights_bytes == int(5.34 * GIB)
    assert memory.kv_cache_bytes == int(118.72 * GIB)
    assert memory.activation_bytes == int(3.43 * GIB)
    assert memory.non_torch_bytes == int(0.61 * GIB)
    assert memory.graph_bytes == int(1.12 * GIB)


def test_newer_releases_add_weights_and_the_rest_together() -> None:
    progress = LoadProgress()
    progress.feed("Model loading took 5.0 GiB memory and 3.4 seconds", 1.0)
    progress.feed(
        "Free memory on device (138.9/139.8 GiB) on startup. Desired GPU memory utilization is (0.92, 128.6 GiB). "
        "Actual usage is 5.5 GiB for consumed memory (weights + non-torch), 3.43 GiB for peak "
        "activation, and 1.1 GiB for",
        2.0,
    )
    assert progress.memory.non_torch_bytes == GIB // 2
    assert progress.memory.activation_bytes == int(3.43 * GIB)


def test_cpu_032_without_compiling() -> None:
    progress = played("cpu-0.32-ready.log")
    assert [timing.stage for timing in progress.stages] == [Stage.STARTING, Stage.WEIGHTS, Stage.KV_CACHE]
    assert progress.memory.kv_cache_bytes == GIB
    assert progress.memory.weights_bytes is None
    assert len(progress.scratch_files) == 1
    assert next(iter(progress.scratch_files)).startswith("/tmp/vllm_dist_")


def test_cpu_with_compiling() -> None:
    progress = LoadProgress()
    for second, line in enumerate(
        (
            "Starting to load model /m...",
            "Warming up model for the compilation...",
            "Warming up done.",
            "Auto set (1.2/11.5) GiB for KV cache on node 0, with 4 GiB requested memory for the worker.",
        )
    ):
        progress.feed(line, float(second))
    assert [timing.stage for timing in progress.stages][1:] == [Stage.WEIGHTS, Stage.COMPILING, Stage.KV_CACHE]


def test_progress_is_told_once_per_change() -> None:
    progress = LoadProgress()
    bar = "Loading safetensors checkpoint shards:  {}% Completed | 1/2 [00:00<?, ?it/s]"
    assert progress.feed(bar.format(50), 1.0)
    assert not progress.feed(bar.format(50), 1.1)
    assert progress.feed(bar.format(100), 1.2)
    assert progress.stages[-1].progress == 1.0


def test_a_second_workers_late_line_does_not_turn_back() -> None:
    progress = played("cuda-0.26-ready.log")
    before = progress.stages
    assert not progress.feed("Starting to load model /models/Llama-8B-AWQ...", 99.0)
    assert not progress.feed("Dynamo bytecode transform time: 4.12 s", 99.0)
    assert progress.stages == before


def test_the_hosts_own_stages_end_the_load() -> None:
    progress = played("cpu-0.32-ready.log")
    progress.enter(Stage.FIRST_TOKEN, 60.0)
    progress.finish(61.5)
    ready = progress.stages[-1]
    assert (ready.stage, ready.started_s, ready.ended_s) == (Stage.READY, 61.5, 61.5)
    assert progress.durations()[Stage.FIRST_TOKEN] == 1.5
    assert Stage.READY not in progress.durations()
    assert not progress.feed("Starting to load model /other...", 70.0)


def test_times_are_remembered_per_checkpoint(tmp_path: Path) -> None:
    times = LoadTimes(tmp_path / "times.json")
    assert times.of("/a") == {}
    times.remember("/a", {Stage.WEIGHTS: 2.5, Stage.STARTING: 20.0})
    times.remember("/b", {Stage.WEIGHTS: 9.0})
    again = LoadTimes(tmp_path / "times.json")
    assert again.of("/a") == {Stage.WEIGHTS: 2.5, Stage.STARTING: 20.0}
    progress = LoadProgress(again.of("/a"))
    assert progress.expected_s == 22.5
    assert progress.stages[0].expected_s == 20.0


@pytest.mark.parametrize("content", ["", "{", "[]", '{"/a": 3}', '{"/a": {"weights": "x", "nonsense": 1}}'])
def test_a_damaged_file_of_times_only_costs_the_estimate(tmp_path: Path, content: str) -> None:
    path = tmp_path / "times.json"
    path.write_text(content)
    times = LoadTimes(path)
    assert times.of("/a") == {}
    times.remember("/a", {Stage.WEIGHTS: 1.0})
    assert times.of("/a") == {Stage.WEIGHTS: 1.0}
