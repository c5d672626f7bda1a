"""What a hub's metadata tells about a model: quantization, size, access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.hub.records import Access, HubModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Bits of a parameter by the hub's name of its dtype (safetensors' names).
_BITS = {
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F4": 4,
    "I64": 64, "I32": 32, "I16": 16, "I8": 8, "U8": 8, "U16": 16, "U32": 32, "U64": 64, "BOOL": 8,
}  # fmt: skip
_LABELS = {
    "awq": "AWQ", "gptq": "GPTQ", "fp8": "FP8", "fbgemm_fp8": "FP8", "bitsandbytes": "bitsandbytes", "mxfp4": "MXFP4",
    "nvfp4": "NVFP4", "gguf": "GGUF", "int8": "INT8", "w8a8": "INT8", "4-bit": "4 bit", "8-bit": "8 bit",
}  # fmt: skip
_FULL = {"BF16": "BF16", "F16": "FP16", "F32": "FP32"}


def described(info: Any) -> HubModel:
    """A HubModel from huggingface_hub's ModelInfo, as far as it was filled in."""
    counts: dict[str, int] = dict(info.safetensors.parameters) if info.safetensors else {}
    config = info.config or {}
    architectures = config.get("architectures") or []
    return HubModel(
        repo=info.id,
        quantization=quantization(config, info.tags or (), counts, info.id),
        weights_bytes=weights_bytes(counts),
        parameters=_parameters(counts, config) or (info.gguf or {}).get("total"),
        architecture=architectures[0] if architectures else (info.gguf or {}).get("architecture", ""),
        access={"manual": Access.GATED_BY_HAND, "auto": Access.GATED}.get(info.gated or "", Access.OPEN),
        is_private=bool(info.private),
        downloads=info.downloads,
        likes=info.likes,
        updated=info.last_modified.isoformat() if info.last_modified else "",
        task=info.pipeline_tag or "",
    )


def quantization(config: Mapping[str, Any], tags: Iterable[str], counts: Mapping[str, int], repo: str) -> str:
    """What a user reads: by the configuration first, by tags and dtypes where that is silent, by the name last."""
    method = str((config.get("quantization_config") or {}).get("quant_method", "")).lower().replace("-", "_")
    for name in (method, *(tag.lower() for tag in tags)):
        if name in _LABELS:
            return _LABELS[name]
    if method:
        return _from_name(repo) or method.replace("_", "-")
    if any(dtype.startswith("F8") for dtype in counts):
        return "FP8"
    full = [dtype for dtype in counts if dtype in _FULL]
    if full and "I32" not in counts:
        return _FULL[max(full, key=lambda dtype: counts[dtype])]
    return _from_name(repo)


def weights_bytes(counts: Mapping[str, int]) -> int | None:
    """Bytes of all tensors by their dtypes; None where there are no counts or one dtype is not known."""
    if not counts or any(dtype not in _BITS for dtype in counts):
        return None
    return sum(number * _BITS[dtype] for dtype, number in counts.items()) // 8


def _parameters(counts: Mapping[str, int], config: Mapping[str, Any]) -> int | None:
    """Parameters of the model; packed integers hold several each, so that those are only known with their bits."""
    packed = counts.get("I32", 0) + counts.get("U8", 0) + counts.get("I64", 0)
    if not counts:
        return None
    if not packed:
        return sum(counts.values())
    bits = (config.get("quantization_config") or {}).get("bits")
    if not isinstance(bits, int) or not 0 < bits <= 8:
        return None
    rest = sum(number for dtype, number in counts.items() if dtype not in ("I32", "U8", "I64"))
    return rest + counts.get("I32", 0) * 32 // bits + counts.get("U8", 0) * 8 // bits


def _from_name(repo: str) -> str:
    words = repo.rpartition("/")[2].lower().replace("_", "-").split("-")
    return next((_LABELS[word] for word in words if word in _LABELS), "")
