"""Lets vLLM run packed weights on a processor that has no kernel for them: they are unpacked once, at load.

vLLM chooses a linear layer's kernel from a list by platform. `install` puts a kernel of ours into the CPU's lists where
the installed build lacks one: four-bit weights (AWQ, GPTQ, W4A16) where `torch.ops._C` has no `cpu_gemm_wna16` (its
AVX2 library), FP8 weights where the CPU has no AMX tiles and vLLM would fall back to torch's scalar loop. The model
then takes the memory of the dense one and runs at its speed. On GPUs and where the kernels are, nothing changes.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.quantize.native import CpuKernels

_log = logging.getLogger(__name__)
FORCE_UNPACK = "KVDECK_FORCE_UNPACK"
_installed = False


def install() -> None:
    """Teach this process's vLLM to unpack what it has no kernel for; a second call does nothing.

    KVDECK_FORCE_UNPACK=1 unpacks on any CPU, to test or to compare. A vLLM whose kernels are listed elsewhere is left
    alone, with a warning in the log.
    """
    global _installed  # vLLM may call its plugins more than once in a process
    if _installed:
        return
    _installed = True
    from vllm.platforms import current_platform  # late: the GUI's environment has no vLLM

    if not current_platform.is_cpu():
        return
    try:
        from engine.quantize.native import cpu_kernels

        missing = cpu_kernels()
        if os.environ.get(FORCE_UNPACK) == "1":
            missing = missing.none()
        _register(missing)
    except (ImportError, AttributeError, KeyError) as error:
        _log.warning("Weights cannot be unpacked at load with this vLLM: %s", error)


def _register(kernels: CpuKernels) -> None:
    if kernels.four_bit and kernels.fp8:
        return
    import vllm.model_executor.kernels.linear as linear
    from vllm.platforms.interface import PlatformEnum

    from engine.quantize import dense_kernels

    wanted = []
    if not kernels.four_bit:
        wanted.append(("_POSSIBLE_KERNELS", dense_kernels.UnpackedInt4Kernel))
    if not kernels.fp8:
        wanted.append(("_POSSIBLE_FP8_KERNELS", dense_kernels.UnpackedFp8Kernel))
        wanted.append(("_POSSIBLE_FP8_BLOCK_KERNELS", dense_kernels.UnpackedFp8BlockKernel))
    lists = [getattr(linear, name)[PlatformEnum.CPU] for name, _ in wanted]  # all of them, before any is changed
    for kernels_of_cpu, (_, kernel) in zip(lists, wanted, strict=True):
        kernels_of_cpu.insert(0, kernel)
    _let_float32_through(kernels)
    _log.info("No kernel for packed weights here: %s.", ", ".join(kernel.__name__ for _, kernel in wanted))


def _let_float32_through(kernels: CpuKernels) -> None:
    """AWQ, GPTQ and FP8 name float16 and bfloat16 alone; unpacked weights run in float32 too, the fastest on AVX2.

    Only what is unpacked: the four-bit kernel, where there is one, knows no float32 and would fail at the first token.
    """
    import torch
    from vllm.model_executor.layers.quantization.auto_awq import AutoAWQConfig
    from vllm.model_executor.layers.quantization.auto_gptq import AutoGPTQConfig
    from vllm.model_executor.layers.quantization.fp8 import Fp8Config

    def with_float32(_cls: type[Any]) -> list[torch.dtype]:
        return [torch.bfloat16, torch.half, torch.float32]

    unpacked = [*(() if kernels.four_bit else (AutoAWQConfig, AutoGPTQConfig)), *(() if kernels.fp8 else (Fp8Config,))]
    for config in unpacked:
        config.get_supported_act_dtypes = classmethod(with_float32)
