"""Will it run here? A verdict per checkpoint before any load, with its reason in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.checkpoints.drafts import head_method
from engine.domain.checkpoint import Verdict, VerdictKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.checkpoints.description import Description
    from engine.checkpoints.machine import GpuTraits, Machine
    from engine.domain.checkpoint import Checkpoint, Quantization

_GIB = 1 << 30
_PACKED_INT4 = ("INT4",)
_NO_CPU_KERNEL = {
    "mxfp4": "MXFP4",
    "gpt_oss_mxfp4": "MXFP4",
    "modelopt_fp4": "NVFP4",
    "modelopt_mxfp8": "MXFP8",
    "modelopt_mixed": "mixed ModelOpt",
    "bitsandbytes": "bitsandbytes",
    "experts_int8": "int8-expert",
    "gguf": "GGUF",
}
# Least compute capability by method, for when the installed vLLM has not been asked yet (read in 0.32.0).
_CAPABILITY = {
    "awq": 75,
    "gptq": 60,
    "fp8": 75,
    "fbgemm_fp8": 80,
    "modelopt": 80,
    "mxfp4": 80,
    "compressed-tensors": 70,
}
_GROUP_SIZES = (-1, 32, 64, 128)
_AMPERE, _ADA = 80, 89


def judge(description: Description, machine: Machine) -> Checkpoint:
    """The checkpoint with its verdict for `machine`, and without a need for remote code that transformers covers.

    Rules are tried from the hardest to the mildest; the first that speaks decides.
    """
    checkpoint = replace(description.checkpoint, needs_remote_code=needs_remote_code(description, machine))
    if checkpoint.problem is not None:
        return replace(checkpoint, verdict=Verdict(VerdictKind.REFUSED, checkpoint.problem))
    for rule in _RULES:
        verdict = rule(description, machine)
        if verdict is not None:
            return replace(checkpoint, verdict=verdict)
    return replace(checkpoint, verdict=Verdict(VerdictKind.RUNS))


def needs_remote_code(description: Description, machine: Machine) -> bool:
    """Whether loading would run code from the checkpoint: it names some, and transformers lacks the model itself."""
    checkpoint, vllm = description.checkpoint, machine.vllm
    if not description.remote_classes:
        return False
    if vllm is None or not vllm.model_types or checkpoint.model_type is None:
        return True
    return checkpoint.model_type not in vllm.model_types


def _refused(reason: str) -> Verdict:
    return Verdict(VerdictKind.REFUSED, reason)


def _is_foreign(description: Description, machine: Machine) -> bool:
    """Whether vLLM has no implementation of its own of this architecture (False while nobody has asked it)."""
    name, vllm = description.checkpoint.architecture, machine.vllm
    return vllm is not None and bool(vllm.architectures) and name is not None and name not in vllm.architectures


def _head(description: Description, _: Machine) -> Verdict | None:
    checkpoint = description.checkpoint
    method = head_method(checkpoint.architecture, checkpoint.model_type)
    if method is None:
        return None
    return _refused(f"It is a head that guesses ahead for another model: choose it there, by the method {method}.")


def _unknown_architecture(description: Description, machine: Machine) -> Verdict | None:
    name, vllm = description.checkpoint.architecture, machine.vllm
    if vllm is None or not _is_foreign(description, machine):
        return None
    if name in vllm.transformers_architectures or description.remote_classes:
        return None
    return _refused(f"vLLM {vllm.version} does not know the architecture {name}.")


def _foreign_architecture(description: Description, machine: Machine) -> Verdict | None:
    if not _is_foreign(description, machine):
        return None
    name = description.checkpoint.architecture
    if needs_remote_code(description, machine):
        return Verdict(VerdictKind.RUNS, f"vLLM has no {name} of its own; the checkpoint's own code would have to run.")
    how = "runs it through transformers, which is slower"
    return Verdict(VerdictKind.RUNS, f"vLLM has no {name} of its own and {how}.")


def _method(description: Description, machine: Machine) -> Verdict | None:
    quantization, vllm = description.checkpoint.quantization, machine.vllm
    method = quantization.method
    if method is None or vllm is None or not vllm.methods or method in vllm.methods:
        return None
    return _refused(f"The installed vLLM {vllm.version} has no support for {quantization.label} ({method}).")


def _bits(description: Description, machine: Machine) -> Verdict | None:
    scheme, method = description.scheme, description.checkpoint.quantization.method
    bits = scheme.quantization.bits
    if method not in ("awq", "gptq") or bits is None:
        return None
    if method == "awq" and bits != 4:
        return _refused(f"vLLM has kernels for AWQ at 4 bit only; this checkpoint has {bits:g} bit.")
    if method == "gptq" and (bits not in (4, 8) or scheme.symmetric is False):
        form = "symmetric" if scheme.symmetric is not False else "asymmetric"
        return _refused(
            f"vLLM has kernels for symmetric GPTQ at 4 and 8 bit; this checkpoint is {form} at {bits:g} bit."
        )
    if method == "gptq" and bits == 8 and machine.device == "cpu":
        return _refused("vLLM has no CPU kernel for GPTQ at 8 bit; the FP8 or INT8 variant runs.")
    return None


def _activation_order(description: Description, machine: Machine) -> Verdict | None:
    scheme = description.scheme
    if not scheme.desc_act or scheme.group_size == -1:
        return None
    if machine.vllm is not None and machine.vllm.release < (0, 32):
        return None
    return _refused("vLLM 0.32 and later refuse GPTQ with activation order (desc_act) in groups.")


def _group(description: Description, machine: Machine) -> Verdict | None:
    scheme, method = description.scheme, description.checkpoint.quantization.method
    size = scheme.group_size
    if size is None or method not in ("awq", "gptq"):
        return None
    allowed = machine.vllm.marlin_group_sizes if machine.vllm and machine.vllm.marlin_group_sizes else _GROUP_SIZES
    if method == "awq" and machine.device == "cpu":
        return None if size == -1 or size % 2 == 0 else _refused(f"The CPU kernel takes no odd group size ({size}).")
    if size in allowed:
        return None
    listed = ", ".join(str(item) for item in allowed if item > 0)
    return _refused(f"vLLM's kernels take groups of {listed} or whole channels; this checkpoint has groups of {size}.")


def _no_cpu_kernel(description: Description, machine: Machine) -> Verdict | None:
    quantization = description.checkpoint.quantization
    if machine.device != "cpu" or quantization.method is None:
        return None
    if quantization.method in _NO_CPU_KERNEL:
        return _refused(f"vLLM has no CPU kernel for {_NO_CPU_KERNEL[quantization.method]} weights.")
    labels = set(quantization.label.split(" + "))
    if quantization.method == "compressed-tensors" and labels & {"NVFP4", "MXFP4"}:
        return _refused(f"vLLM has no CPU kernel for {quantization.label} weights.")
    if quantization.method == "compressed-tensors" and quantization.bits == 8 and "W8A16" in quantization.details:
        return _refused("vLLM has no CPU kernel for 8-bit weights with 16-bit activations.")
    return None


def _capability(description: Description, machine: Machine) -> Verdict | None:
    method = description.checkpoint.quantization.method
    if machine.device != "cuda" or method is None:
        return None
    asked = machine.vllm.methods.get(method) if machine.vllm else None
    least = asked if asked is not None else _CAPABILITY.get(method)
    label = description.checkpoint.quantization.label
    weak = machine.lacking(lambda gpu: _is_below(gpu, least)) if least is not None else None
    if least is None or weak is None or weak.capability is None:
        return None
    needs = f"{label} needs compute capability {least // 10}.{least % 10}"
    return _refused(f"{needs}; the {weak.name} has {weak.capability[0]}.{weak.capability[1]}.")


def _is_below(gpu: GpuTraits, least: int) -> bool:
    return gpu.capability is not None and gpu.capability[0] * 10 + gpu.capability[1] < least


def _bfloat16(description: Description, machine: Machine) -> Verdict | None:
    if machine.device != "cuda" or description.checkpoint.weight_dtype != "bfloat16":
        return None
    old = machine.lacking(lambda gpu: _is_below(gpu, _AMPERE))
    if old is None:
        return None
    return Verdict(VerdictKind.RUNS, f"The {old.name} has no bfloat16: vLLM runs it in float16.")


def _weight_only(description: Description, machine: Machine) -> Verdict | None:
    """FP8 and FP4 below the GPUs that compute in them: Marlin unpacks on the fly, which saves memory, not time."""
    label = description.checkpoint.quantization.label
    if machine.device != "cuda" or label not in ("FP8", "NVFP4", "MXFP4"):
        return None
    least = _ADA if label == "FP8" else 100
    slow = machine.lacking(lambda gpu: _is_below(gpu, least))
    if slow is None:
        return None
    return Verdict(VerdictKind.RUNS, f"The {slow.name} does not compute in {label}: it saves memory, not time.")


def _too_large(description: Description, machine: Machine) -> Verdict | None:
    weights = description.checkpoint.weights_bytes
    if weights is None:
        return None
    if machine.device == "cpu":
        total, where = machine.memory_bytes, "main memory"
        grows = _unpacked_bytes(description, machine) if _is_unpacked(description, machine) else None
        weights = max(weights, grows or 0)
    else:
        sizes = [gpu.total_bytes for gpu in machine.gpus if gpu.total_bytes is not None]
        total = sum(sizes) if sizes and len(sizes) == len(machine.gpus) else None
        where = "VRAM" if len(sizes) < 2 else f"VRAM on {len(sizes)} GPUs"
    if total is None or weights < total:
        return None
    return _refused(f"The weights need {weights / _GIB:.1f} GiB; this machine has {total / _GIB:.1f} GiB of {where}.")


def _is_unpacked(description: Description, machine: Machine) -> bool:
    quantization = description.checkpoint.quantization
    if machine.device != "cpu":
        return False
    if is_packed_four_bit(quantization):
        return machine.lacks_wna16_kernel
    return quantization.label == "FP8" and machine.lacks_fp8_kernel


def is_packed_four_bit(quantization: Quantization) -> bool:
    """Whether these are four-bit weights of which vLLM's CPU build has a kernel, on processors that can run it."""
    return quantization.method in ("awq", "gptq") or (
        quantization.method == "compressed-tensors" and quantization.label in _PACKED_INT4
    )


def _unpacked_bytes(description: Description, machine: Machine) -> int | None:
    """Memory of the dense model, in the dtype that this CPU computes in."""
    parameters = description.checkpoint.parameters
    return None if parameters is None else parameters * (4 if machine.lacks_bfloat16 else 2)


def _unpacked(description: Description, machine: Machine) -> Verdict | None:
    if not _is_unpacked(description, machine):
        return None
    kind = "FP8" if description.checkpoint.quantization.label == "FP8" else "4-bit"
    needed = _unpacked_bytes(description, machine)
    size = f", and take {needed / _GIB:.1f} GiB" if needed else ""
    return Verdict(VerdictKind.RUNS_UNPACKED, f"This CPU has no {kind} kernels: weights are unpacked at load{size}.")


def _cpu_bfloat16(description: Description, machine: Machine) -> Verdict | None:
    if machine.device != "cpu" or description.checkpoint.quantization.method is not None or not machine.lacks_bfloat16:
        return None
    if description.checkpoint.weight_dtype != "bfloat16":
        return None
    return Verdict(VerdictKind.RUNS, "This CPU has no bfloat16 arithmetic: it runs in float32, with twice the memory.")


_RULES: tuple[Callable[[Description, Machine], Verdict | None], ...] = (
    _head,
    _unknown_architecture,
    _method,
    _bits,
    _activation_order,
    _group,
    _no_cpu_kernel,
    _capability,
    _too_large,
    _unpacked,
    _foreign_architecture,
    _bfloat16,
    _weight_only,
    _cpu_bfloat16,
)
