"""The two families of configurations that name many schemes: compressed-tensors and NVIDIA ModelOpt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.checkpoints.config_file import object_of, text_of, whole

if TYPE_CHECKING:
    from collections.abc import Mapping


def compressed_tensors(raw: Mapping[str, Any]) -> tuple[str, float | None, int | None, str]:
    """Label, bits, group size and details of a compressed-tensors configuration, over all of its groups."""
    groups = [group for group in object_of(raw, "config_groups").values() if isinstance(group, dict)]
    described = [_group(group, text_of(group, "format") or text_of(raw, "format") or "") for group in groups]
    sparsity = _sparsity(raw)
    if not described:
        return ("Sparse" if sparsity else "compressed"), None, None, sparsity
    labels = list(dict.fromkeys(label for label, _, _, _ in described))
    details = list(dict.fromkeys(text for _, _, _, text in described))
    if sparsity:
        details.append(sparsity)
    cache = _tensor(object_of(raw, "kv_cache_scheme"))
    if cache:
        details.append(f"KV cache {cache}")
    _, bits, group, _ = described[0]
    return " + ".join(labels), bits, group, "; ".join(details)


def _group(group: Mapping[str, Any], form: str) -> tuple[str, float | None, int | None, str]:
    weights, inputs = object_of(group, "weights"), object_of(group, "input_activations")
    bits = whole(weights, "num_bits")
    kind = text_of(weights, "type") or "int"
    size = weights.get("group_size")
    group_size = size if isinstance(size, int) and not isinstance(size, bool) else None
    label = _label(kind, bits, form)
    scheme = f"W{bits or '?'}A{whole(inputs, 'num_bits') or 16}"
    parts = [scheme, _strategy(weights, group_size), _symmetry(weights, kind)]
    if inputs:
        parts.append("dynamic activations" if inputs.get("dynamic") else "static activations")
    if weights.get("actorder"):
        parts.append("activation order")
    if form == "marlin-24":
        parts.append("2:4 sparse")
    return label, float(bits) if bits else None, group_size, ", ".join(part for part in parts if part)


def _label(kind: str, bits: int | None, form: str) -> str:
    if form.startswith("nvfp4"):
        return "NVFP4"
    if form.startswith("mxfp"):
        return f"MXFP{bits or ''}"
    return f"{'FP' if kind == 'float' else 'INT'}{bits or ''}"


def _strategy(weights: Mapping[str, Any], group_size: int | None) -> str:
    strategy = text_of(weights, "strategy")
    block = weights.get("block_structure")
    if strategy == "block" and isinstance(block, list) and len(block) == 2:
        return f"blocks {block[0]} × {block[1]}"
    if strategy in ("group", "tensor_group") or (strategy is None and group_size and group_size > 0):
        return f"group {group_size}"
    return {"channel": "per channel", "tensor": "per tensor", "token": "per token"}.get(strategy or "", "")


def _symmetry(weights: Mapping[str, Any], kind: str) -> str:
    return "" if kind == "float" else ("asymmetric" if weights.get("symmetric") is False else "symmetric")


def _tensor(scheme: Mapping[str, Any]) -> str:
    bits = whole(scheme, "num_bits")
    return f"{'FP' if text_of(scheme, 'type') == 'float' else 'INT'}{bits}" if bits else ""


def _sparsity(raw: Mapping[str, Any]) -> str:
    sparse = object_of(raw, "sparsity_config")
    form = text_of(sparse, "format") or ""
    if not sparse or form == "dense":
        return ""
    structure = text_of(sparse, "sparsity_structure") or form
    return f"{structure} sparse"


def modelopt(raw: Mapping[str, Any]) -> tuple[str, str, float | None, int | None, str]:
    """vLLM's method name, label, bits, group size and details of a ModelOpt configuration, old layout or new."""
    inner = object_of(raw, "quantization") or raw
    algorithm = (text_of(inner, "quant_algo") or text_of(raw, "quant_algo") or "").upper()
    cache = text_of(inner, "kv_cache_quant_algo") or ""
    group = whole(inner, "group_size")
    notes = f"KV cache {cache.upper()}" if cache and cache.lower() != "none" else ""
    if "NVFP4" in algorithm or text_of(raw, "quant_method") == "modelopt_fp4":
        text = ", ".join(part for part in ("ModelOpt", f"group {group or 16}", notes) if part)
        return "modelopt_fp4", "NVFP4", 4.0, group or 16, text
    if "MXFP8" in algorithm:
        return "modelopt_mxfp8", "MXFP8", 8.0, 32, ", ".join(part for part in ("ModelOpt", notes) if part)
    if "MIXED" in algorithm:
        return "modelopt_mixed", "mixed", None, None, ", ".join(part for part in ("ModelOpt", notes) if part)
    if "FP8" in algorithm or not algorithm:
        kind = {"FP8_PER_CHANNEL_PER_TOKEN": "per channel and token", "FP8_PB_WO": "blocks, weights only"}
        text = ", ".join(part for part in ("ModelOpt", kind.get(algorithm, "static"), notes) if part)
        return "modelopt", "FP8", 8.0, None, text
    bits = next((n for n in (4, 8) if f"W{n}" in algorithm or f"INT{n}" in algorithm), None)
    return "modelopt", algorithm, float(bits) if bits else None, group, "ModelOpt"
