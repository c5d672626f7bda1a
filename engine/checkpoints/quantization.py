"""How a checkpoint's weights are quantized: the method, what a user calls it, and the details that decide on kernels.

Sources, as vLLM reads them: `quantization_config` in config.json (or in its text part), `compression_config`, and the
files of older tools beside it (hf_quant_config.json, quantize_config.json, quant_config.json).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.checkpoints.config_file import object_of, read_object, text_of, text_part, whole
from engine.checkpoints.description import Scheme
from engine.checkpoints.schemes import compressed_tensors, modelopt
from engine.domain.checkpoint import Quantization
from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_OLD_FILES = ("hf_quant_config.json", "quantize_config.json", "quant_config.json")

_FULL_PRECISION = {"BF16": ("BF16", 16.0), "F16": ("FP16", 16.0), "F32": ("FP32", 32.0), "F64": ("FP64", 64.0)}


def find_raw(config: Mapping[str, Any], folder: Path | None) -> Mapping[str, Any]:
    """The quantization's own configuration, empty for an unquantized checkpoint."""
    text = text_part(config)
    for holder in (config, text):
        for key in ("quantization_config", "compression_config"):
            found = object_of(holder, key)
            if found:
                return found
    if folder is not None:
        for name in _OLD_FILES:
            old = _old_file(folder / name)
            if old:
                return old
    return {}


def _old_file(path: Path) -> Mapping[str, Any]:
    try:
        found = read_object(path) or {}
    except CheckpointInvalid:
        return {}  # an old side file that cannot be read tells nothing; the weights' own layout still does
    if found and "quant_method" not in found:
        method = {"hf_quant_config.json": "modelopt", "quantize_config.json": "gptq", "quant_config.json": "awq"}
        inner = object_of(found, "quantization")
        return {**found, **inner, "quant_method": method[path.name]}
    return found


def describe_scheme(raw: Mapping[str, Any], dtype: str | None) -> Scheme:
    """The scheme that `raw` describes; `dtype` (the weights' safetensors dtype) names an unquantized one."""
    if not raw:
        label, bits = _FULL_PRECISION.get(dtype or "", (dtype or "unknown", None))
        return Scheme(Quantization(None, label, bits))
    method = (text_of(raw, "quant_method") or _guess(raw)).lower().replace("compressed_tensors", "compressed-tensors")
    producer = text_of(object_of(raw, "producer"), "name")
    if producer == "modelopt" and not method.startswith("modelopt"):
        method = "modelopt"
    reader = _READERS.get(method, _other)
    return reader(method, raw)


def _guess(raw: Mapping[str, Any]) -> str:
    if "config_groups" in raw:
        return "compressed-tensors"
    if "load_in_4bit" in raw or "load_in_8bit" in raw:
        return "bitsandbytes"
    if "desc_act" in raw:
        return "gptq"
    if "quant_algo" in raw or "quant_algo" in object_of(raw, "quantization"):
        return "modelopt"
    return "awq" if "zero_point" in raw or "w_bit" in raw else "unknown"


def group_text(size: int | None) -> str:
    """ "group 128", "per channel" for -1, "" where unknown."""
    if size is None:
        return ""
    return "per channel" if size < 0 else f"group {size}"


def _join(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _group_size(raw: Mapping[str, Any]) -> int | None:
    value = raw.get("group_size", raw.get("q_group_size"))
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _awq(_: str, raw: Mapping[str, Any]) -> Scheme:
    bits = whole(raw, "bits", "w_bit") or 4
    group = _group_size(raw)
    zero_point = raw.get("zero_point", True) is not False
    version = (text_of(raw, "version") or "gemm").lower()
    details = _join(f"{bits} bit", group_text(group), "zero point" if zero_point else "symmetric", version)
    label = "AWQ" if bits == 4 else f"AWQ {bits}-bit"
    return Scheme(Quantization("awq", label, float(bits), details), group, symmetric=not zero_point)


def _gptq(_: str, raw: Mapping[str, Any]) -> Scheme:
    bits = whole(raw, "bits") or 4
    group = _group_size(raw)
    desc_act = raw.get("desc_act") is True
    symmetric = raw.get("sym", True) is not False
    form = text_of(raw, "checkpoint_format")
    details = _join(
        f"{bits} bit",
        group_text(group),
        "symmetric" if symmetric else "asymmetric",
        "activation order" if desc_act else "",
        form if form and form != "gptq" else "",
    )
    label = "GPTQ" if bits == 4 else f"GPTQ {bits}-bit"
    return Scheme(Quantization("gptq", label, float(bits), details), group, desc_act, symmetric)


def _fp8(method: str, raw: Mapping[str, Any]) -> Scheme:
    block = raw.get("weight_block_size")
    size = f"blocks {block[0]} × {block[1]}" if isinstance(block, list) and len(block) == 2 else ""
    scheme = text_of(raw, "activation_scheme") or "dynamic"
    return Scheme(Quantization(method, "FP8", 8.0, _join(f"{scheme} activation scales", size)))


def _bitsandbytes(method: str, raw: Mapping[str, Any]) -> Scheme:
    if raw.get("load_in_8bit") is True:
        return Scheme(Quantization(method, "BNB 8-bit", 8.0, "LLM.int8()"))
    kind = (text_of(raw, "bnb_4bit_quant_type") or "fp4").upper()
    double = "nested scales" if raw.get("bnb_4bit_use_double_quant") is True else ""
    return Scheme(Quantization(method, "BNB 4-bit", 4.0, _join(kind, double)))


def _mxfp4(_: str, __: Mapping[str, Any]) -> Scheme:
    return Scheme(Quantization("mxfp4", "MXFP4", 4.0, "blocks of 32"), 32)


def _compressed(_: str, raw: Mapping[str, Any]) -> Scheme:
    label, bits, group, details = compressed_tensors(raw)
    return Scheme(Quantization("compressed-tensors", label, bits, details), group)


def _modelopt(_: str, raw: Mapping[str, Any]) -> Scheme:
    vllm_name, label, bits, group, details = modelopt(raw)
    return Scheme(Quantization(vllm_name, label, bits, details), group)


def _auto_round(_: str, raw: Mapping[str, Any]) -> Scheme:
    bits = whole(raw, "bits") or 4
    packing = text_of(raw, "packing_format") or ""
    group = _group_size(raw)
    label = f"INT{bits}"
    details = _join("AutoRound", f"{bits} bit", group_text(group), packing.replace("auto_round:", ""))
    return Scheme(Quantization("inc", label, float(bits), details), group, symmetric=raw.get("sym") is True)


def _other(method: str, raw: Mapping[str, Any]) -> Scheme:
    bits = whole(raw, "bits", "num_bits", "weight_bits", "w_bit")
    if bits is None:
        config_text = str(raw.get("quant_type") or raw.get("weights") or "").lower()
        bits = next((n for n in (2, 3, 4, 8) if f"int{n}" in config_text or f"float{n}" in config_text), None)
    names = {"hqq": "HQQ", "quark": "Quark", "torchao": "TorchAO", "fbgemm_fp8": "FP8", "aqlm": "AQLM", "eetq": "EETQ"}
    label = names.get(method, method)
    if method == "fbgemm_fp8":
        bits = 8
    details = _join(f"{bits} bit" if bits else "", group_text(_group_size(raw)))
    return Scheme(Quantization(method, label, float(bits) if bits else None, details), _group_size(raw))


_READERS: Mapping[str, Callable[[str, Mapping[str, Any]], Scheme]] = {
    "awq": _awq,
    "auto_awq": _awq,
    "awq_marlin": _awq,
    "gptq": _gptq,
    "auto_gptq": _gptq,
    "gptq_marlin": _gptq,
    "gptqmodel": _gptq,
    "fp8": _fp8,
    "deepseek_v4_fp8": _fp8,
    "bitsandbytes": _bitsandbytes,
    "mxfp4": _mxfp4,
    "gpt_oss_mxfp4": _mxfp4,
    "compressed-tensors": _compressed,
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "modelopt_mxfp8": _modelopt,
    "modelopt_mixed": _modelopt,
    "auto-round": _auto_round,
    "intel/auto-round": _auto_round,
    "auto_round": _auto_round,
    "inc": _auto_round,
}
