"""The measurements: bandwidth by copying and by reading a large matrix, arithmetic by multiplying square ones.

Each is repeated for a fraction of a second and the best is taken: a limit is what was reached once. Memory is bounded
by a quarter of what is free.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import torch

from engine.domain.errors import OutOfMemory

if TYPE_CHECKING:
    from collections.abc import Callable

_LARGEST = 1 << 30  # bytes of one buffer: far more than any cache
_SMALLEST = 64 << 20
_ROW = 4096
_REPEAT_S = 0.5
_FEWEST = 3
_SIDES = (256, 512, 1024, 2048, 4096, 8192)
_ONE_RUN_S = {"cpu": 0.25, "cuda": 0.02}
_EIGHT_BITS = ("float8_e4m3fn", "int8")


class Bench:
    """Measures on one device ("cpu", "cuda:0"). Rates are per second; raises OutOfMemory where it has no room."""

    def __init__(self, device: str, free_bytes: int) -> None:
        self._device = torch.device(device)
        self._free = free_bytes
        torch.backends.cuda.matmul.allow_tf32 = False  # as vLLM multiplies float32

    def copy_bytes_per_s(self) -> float:
        """Bytes read and written a second by copying a buffer."""
        source = self._buffer(2)
        target = torch.empty_like(source)
        return 2.0 * int(source.nbytes) / self._best_s(lambda: target.copy_(source))

    def read_bytes_per_s(self) -> float:
        """Bytes read a second: the better of a matrix times a vector, which decoding does, and a sum."""
        matrix = self._buffer(1).view(-1, _ROW)
        vector = torch.ones(_ROW, dtype=matrix.dtype, device=self._device)
        times = self._best_s(lambda: torch.mv(matrix, vector))
        return int(matrix.nbytes) / min(times, self._best_s(lambda: matrix.sum()))

    def flops_per_s(self, dtype: str) -> float | None:
        """Operations a second of a square matrix product; None where this device or this torch has none for it."""
        best = None
        try:
            for side in _SIDES:
                if 3 * side * side * 4 > self._free // 4:
                    break
                multiply = self._product(dtype, side)
                seconds = self._best_s(multiply, repeat_s=0.02)
                if seconds * 8 > _ONE_RUN_S[self._device.type] or side == _SIDES[-1]:
                    seconds = min(seconds, self._best_s(multiply))
                    return max(best or 0.0, 2.0 * side**3 / seconds)
                best = max(best or 0.0, 2.0 * side**3 / seconds)
        except (RuntimeError, TypeError, AttributeError, NotImplementedError):  # torch has many words for "not here"
            return best
        return best

    def _product(self, dtype: str, side: int) -> Callable[[], object]:
        kind = getattr(torch, dtype)
        if dtype not in _EIGHT_BITS:
            left = torch.randn(side, side, device=self._device).to(kind)
            right = torch.randn(side, side, device=self._device).to(kind)
            return lambda: left @ right
        if dtype == "int8":
            whole = torch.randint(-100, 100, (side, side), dtype=kind, device=self._device)
            return lambda: torch._int_mm(whole, whole.t())  # noqa: SLF001 - torch's only door to int8
        if self._device.type == "cpu":
            raise NotImplementedError("vLLM multiplies FP8 weights as bfloat16 on a CPU")
        small = torch.randn(side, side, device=self._device).to(kind)
        one = torch.ones((), device=self._device)
        return lambda: torch._scaled_mm(  # noqa: SLF001 - torch's only door to FP8
            small, small.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16
        )

    def _buffer(self, copies: int) -> torch.Tensor:
        size = min(_LARGEST if self._device.type == "cuda" else _LARGEST // 4, self._free // (4 * copies))
        if size < _SMALLEST:
            raise OutOfMemory(
                f"{self._free / 1e9:.2f} GB of memory are free on {self._device}: too little for a measurement.",
                remedy="Unload the model, then measure again.",
            )
        count = size // 4 // _ROW * _ROW
        return torch.ones(count, dtype=torch.float32, device=self._device)

    def _best_s(self, run: Callable[[], object], *, fewest: int = _FEWEST, repeat_s: float = _REPEAT_S) -> float:
        """The shortest of several runs, after one that does not count."""
        run()
        clock = self._cuda_s if self._device.type == "cuda" else _cpu_s
        best, begin, count = float("inf"), time.perf_counter(), 0
        while count < fewest or time.perf_counter() - begin < repeat_s:
            best = min(best, clock(run))
            count += 1
        return best

    def _cuda_s(self, run: Callable[[], object]) -> float:
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        for _ in range(4):  # several in a row, so that the launch of one hides behind another
            run()
        last.record()
        last.synchronize()
        return float(first.elapsed_time(last)) / 4e3


def _cpu_s(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin
