"""Whose memory is whose: parts add up, and what nobody can tell stays unknown."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.gpu import GpuSample, HostSample
from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase
from engine.metrics.memory_history import MemoryHistory, MemoryPoint
from engine.metrics.memory_split import MemorySplit, split_gpu, split_host

_FACTS = EngineFacts(
    vllm_version="0", checkpoint="c", served_model_name="c", device="cuda", dtype="bfloat16", quantization=None,
    max_model_len=8, block_size=16, num_blocks=8, max_num_seqs=8, max_num_batched_tokens=8, async_scheduling=True,
    page_path="", processes=(), parameters={}, gpu_uuids=("GPU-0",), kv_cache_bytes=50, weights_bytes=20,
)  # fmt: skip
_READY = Lifecycle(Phase.READY, facts=_FACTS)
_GPU = GpuSample(0, 0, "GPU-0", "card", 100, 85, 75, 10, (), None, None, None, None, None, None, None)


def test_a_gpu_with_everything_known() -> None:
    assert split_gpu(_GPU, _READY) == MemorySplit(100, 20, 50, 5, 10, None, 15)


def test_what_the_driver_cannot_tell_is_unknown_and_never_zero() -> None:
    sample = dataclasses.replace(_GPU, ours_bytes=None, others_bytes=None)
    split = split_gpu(sample, _READY)
    assert (split.rest_bytes, split.others_bytes, split.engine_bytes) == (None, None, None)
    assert (split.weights_bytes, split.kv_cache_bytes, split.unattributed_bytes, split.free_bytes) == (20, 50, 15, 15)
    dark = split_gpu(dataclasses.replace(sample, used_bytes=None), _READY)
    assert dark == MemorySplit(100, None, None, None, None, None, None)


def test_the_engines_numbers_count_only_on_its_own_gpus() -> None:
    other = dataclasses.replace(_GPU, uuid="GPU-1", ours_bytes=0, others_bytes=85)
    assert split_gpu(other, _READY) == MemorySplit(100, None, None, 0, 85, None, 15)


def test_while_loading_or_asleep_the_engines_numbers_do_not_count() -> None:
    for phase in (Phase.LOADING, Phase.ASLEEP):
        split = split_gpu(_GPU, dataclasses.replace(_READY, phase=phase))
        assert (split.weights_bytes, split.kv_cache_bytes, split.rest_bytes) == (None, None, 75)


@given(st.integers(1, 200), st.integers(0, 200), st.integers(0, 200) | st.none())
def test_parts_of_a_machine_add_up(total: int, available: int, engine: int | None) -> None:
    sample = HostSample(0, total, min(available, total), engine, None, ())
    split = split_host(sample, _READY)
    parts = (split.weights_bytes, split.kv_cache_bytes, split.rest_bytes, split.others_bytes, split.unattributed_bytes)
    assert all(part is None or part >= 0 for part in parts)
    used = total - min(available, total)
    if engine is None or used:
        assert sum(part or 0 for part in parts) == used
    assert split.free_bytes == min(available, total)


def test_without_an_engine_others_hold_all_that_is_used() -> None:
    split = split_host(HostSample(0, 100, 30, None, None, ()), Lifecycle(Phase.OFFLINE))
    assert (split.others_bytes, split.unattributed_bytes, split.rest_bytes) == (70, None, None)


def _point(second: float) -> MemoryPoint:
    return MemoryPoint(int(second * 1e9), MemorySplit(1, None, None, None, None, None, None), None)


def test_the_history_keeps_its_span_and_finds_moments() -> None:
    history = MemoryHistory(keep_s=60)
    for second in range(500):
        history.add(_point(second))
    history.add(_point(498.9))  # an older one is not taken
    assert 60 <= len(history) <= 70
    nearest = history.nearest(int(470.4e9))
    assert nearest is not None
    assert nearest.monotonic_ns == 470_000_000_000
    assert [point.monotonic_ns // 10**9 for point in history.since(int(498e9))] == [497, 498, 499]
    assert MemoryHistory().nearest(1) is None


def test_a_history_goes_back_in_time_with_a_replay() -> None:
    history = MemoryHistory(keep_s=600)
    for second in range(100):
        history.add(_point(second))
    history.add(_point(40))
    assert [point.monotonic_ns // 10**9 for point in history.since(0)] == list(range(41))
