"""Which of the starter model's variants this machine runs with the installed vLLM, and how."""

from __future__ import annotations

from typing import Any

NATIVE, UNPACKED, REFUSED = "native", "unpacked", "refused"
_ADA = (8, 9)
_TURING = (7, 5)


def describe() -> dict[str, Any]:
    """{"vllm", "device", "methods": {key: {"how", "reason"}}} for bf16, awq, gptq, fp8 and int8. Imports vLLM."""
    import vllm
    from vllm.platforms import current_platform

    if current_platform.is_cpu():
        methods = _on_cpu()
    elif current_platform.is_cuda():
        capability = current_platform.get_device_capability()
        methods = _on_cuda((capability.major, capability.minor) if capability else (0, 0))
    else:
        methods = {}
    return {"vllm": vllm.__version__, "device": current_platform.device_type, "methods": methods}


def _on_cpu() -> dict[str, dict[str, str]]:
    from engine.quantize.native import cpu_kernels, has_bfloat16_arithmetic

    kernels = cpu_kernels()
    four_bit = _entry(NATIVE)
    if not kernels.four_bit:
        four_bit = _entry(UNPACKED, "This CPU has no 4-bit kernels: weights are unpacked at load.")
    fp8 = _entry(NATIVE)
    if not kernels.fp8:
        fp8 = _entry(UNPACKED, "This CPU has no FP8 kernels: weights are unpacked at load.")
    emulated = "" if has_bfloat16_arithmetic() else "This CPU has no bfloat16 arithmetic: float32 is faster."
    bf16 = _entry(NATIVE, emulated)
    return {"bf16": bf16, "awq": four_bit, "gptq": four_bit, "fp8": fp8, "int8": _entry(NATIVE)}


def _on_cuda(capability: tuple[int, int]) -> dict[str, dict[str, str]]:
    name = f"{capability[0]}.{capability[1]}"
    marlin = _entry(NATIVE)
    if capability < _TURING:
        marlin = _entry(REFUSED, f"The kernels need compute capability 7.5; this GPU has {name}.")
    fp8 = _entry(NATIVE)
    if capability < _ADA and marlin["how"] == NATIVE:
        fp8 = _entry(NATIVE, f"Compute capability {name} does not compute in FP8: it saves memory, not time.")
    elif capability < _ADA:
        fp8 = marlin
    return {"bf16": _entry(NATIVE), "awq": marlin, "gptq": marlin, "fp8": fp8, "int8": marlin}


def _entry(how: str, reason: str = "") -> dict[str, str]:
    return {"how": how, "reason": reason}
