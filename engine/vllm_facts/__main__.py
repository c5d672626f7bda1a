"""Print one JSON object on standard output: what the installed vLLM supports on this machine.

Everything vLLM or its imports print goes to standard error, so that the answer stays readable. A question that this
release cannot answer is null in the answer, never a failure of the whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMAT = 2

# Operations of vLLM's own library that decide whether a method has a kernel on this CPU.
_CPU_OPERATIONS = ("cpu_gemm_wna16", "fp8_scaled_mm_cpu", "create_onednn_scaled_mm_handler", "onednn_scaled_mm")


def _version() -> str:
    import vllm

    return str(vllm.__version__)


def _device() -> str:
    from vllm.platforms import current_platform

    return "cpu" if current_platform.is_cpu() else str(current_platform.device_type)


def _architectures() -> list[str]:
    from vllm import ModelRegistry

    return sorted(ModelRegistry.get_supported_archs())


def _methods() -> dict[str, int | None]:
    """Each quantization method with the least compute capability (80 for 8.0) that it asks for, null where unknown."""
    from vllm.model_executor.layers.quantization import QUANTIZATION_METHODS, get_quantization_config

    found: dict[str, int | None] = {}
    for method in QUANTIZATION_METHODS:
        found[method] = None
        with contextlib.suppress(Exception):
            found[method] = int(get_quantization_config(method).get_min_capability())
    return found


def _model_types() -> list[str]:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    names = set(CONFIG_MAPPING_NAMES)
    with contextlib.suppress(Exception):
        from vllm.transformers_utils.config import _CONFIG_REGISTRY

        names |= set(_CONFIG_REGISTRY)
    return sorted(names)


def _transformers_architectures() -> list[str]:
    """Causal language models of transformers, which vLLM can run through its own transformers backend."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    found: set[str] = set()
    for names in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values():
        found |= {names} if isinstance(names, str) else set(names)
    return sorted(found)


def _marlin_group_sizes() -> list[int]:
    from vllm.model_executor.layers.quantization.utils.marlin_utils import MARLIN_SUPPORTED_GROUP_SIZES

    return [int(size) for size in MARLIN_SUPPORTED_GROUP_SIZES]


def _cpu_operations() -> list[str]:
    import torch
    from vllm import _custom_ops  # noqa: F401  (loads the library whose operations are asked for)

    return [name for name in _CPU_OPERATIONS if hasattr(torch.ops._C, name)]  # noqa: SLF001 (its public name)


def _cpu_has_amx() -> bool:
    import torch

    return bool(torch.cpu._is_amx_tile_supported())  # noqa: SLF001 (what vLLM itself asks)


_QUESTIONS: dict[str, Callable[[], object]] = {
    "version": _version,
    "device": _device,
    "architectures": _architectures,
    "methods": _methods,
    "model_types": _model_types,
    "transformers_architectures": _transformers_architectures,
    "marlin_group_sizes": _marlin_group_sizes,
    "cpu_operations": _cpu_operations,
    "cpu_has_amx": _cpu_has_amx,
}


def _ask(name: str, question: Callable[[], object]) -> object:
    try:
        return question()
    except Exception as error:  # noqa: BLE001  (one release's missing name must not cost the other answers)
        sys.stderr.write(f"{name}: {type(error).__name__}: {error}\n")
        return None


def main() -> int:
    """Answer all questions; 0 unless vLLM cannot be imported at all."""
    answer_to = os.dup(1)
    os.dup2(2, 1)  # vLLM logs to standard output
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    try:
        import vllm  # noqa: F401
    except ImportError as error:
        sys.stderr.write(f"vLLM cannot be imported: {error}\n")
        return 1
    answers: dict[str, object] = {"format": _FORMAT}
    answers |= {name: _ask(name, question) for name, question in _QUESTIONS.items()}
    with os.fdopen(answer_to, "w", encoding="utf-8") as out:
        json.dump(answers, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
