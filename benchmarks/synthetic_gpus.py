"""Samples of GPUs that are not there: two of an H200's size, with the numbers that such a GPU shows while it serves."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.domain.gpu import GpuProcess, GpuSample, HardwareSample
from engine.gpu.sampler import HardwareSampler

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.store import Store

_TOTAL = 143_771 << 20
_HISTORY_S, _EVERY_S = 300, 0.5


class SyntheticSampler(HardwareSampler):
    """Samples the machine as ever, and puts the GPUs beside it."""

    def __init__(self, on_sample: Callable[[HardwareSample], None], **options: Any) -> None:
        super().__init__(lambda sample: on_sample(with_gpus(sample)), **options)


def with_gpus(sample: HardwareSample) -> HardwareSample:
    """The sample of a machine that has two GPUs, the first one busy."""
    return replace(sample, gpus=tuple(_gpu(sample.host.monotonic_ns, index) for index in range(2)), driver_note=None)


def fill_history(store: Store) -> None:
    """Publish the last five minutes, as the window has them by then: what it draws of them takes time, too."""
    newest = store.hardware
    assert newest is not None
    for back in range(int(_HISTORY_S / _EVERY_S), 0, -1):
        at_ns = newest.host.monotonic_ns - int(back * _EVERY_S * 1e9)
        store.publish(with_gpus(replace(newest, host=replace(newest.host, monotonic_ns=at_ns))))


def _gpu(at_ns: int, index: int) -> GpuSample:
    wave = math.sin(at_ns / 3e9)
    used = (127 << 30) + int(wave * (1 << 24)) if index == 0 else 5 << 30
    ours = used - (2 << 30) if index == 0 else 0
    processes = (
        GpuProcess(812, "VLLM::EngineCore", ours, is_ours=True),
        GpuProcess(97, "python", used - ours, is_ours=False),
    )
    return GpuSample(
        at_ns, index, f"GPU-{index}", "NVIDIA H200", _TOTAL, used, ours, used - ours, processes[index:],
        0.9 + 0.08 * wave, 0.6 + 0.1 * wave, 610 + 40 * wave, 700, 52 + int(3 * wave), 1980, 3201,
    )  # fmt: skip
