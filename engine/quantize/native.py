"""Which kernels for packed weights the installed vLLM has on this processor. Imports vLLM: engine processes only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CpuKernels:
    """`four_bit`: AWQ, GPTQ and W4A16 run packed. `fp8`: FP8 weights run packed at a usable speed."""

    four_bit: bool
    fp8: bool

    @staticmethod
    def none() -> CpuKernels:
        """As on a processor that has neither."""
        return CpuKernels(four_bit=False, fp8=False)


def cpu_kernels() -> CpuKernels:
    """Ask vLLM's loaded library and torch; without AMX tiles FP8 falls back to a scalar loop in torch."""
    import torch
    import vllm._custom_ops  # noqa: F401 - loads the library whose operations are asked for

    return CpuKernels(
        four_bit=hasattr(torch.ops._C, "cpu_gemm_wna16"),  # noqa: SLF001 - the name of vLLM's operations
        fp8=bool(torch.cpu._is_amx_tile_supported()),  # noqa: SLF001 - vLLM asks torch in the same way
    )


def has_bfloat16_arithmetic() -> bool:
    """Whether bfloat16 is computed in hardware; emulated, it is several times slower than float32."""
    import torch

    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())  # noqa: SLF001 - as above
