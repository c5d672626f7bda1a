"""What a configuration says about attention: heads, windows, and which layers keep a KV cache at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.checkpoints.config_file import object_of, text_of, text_part, whole
from engine.domain.checkpoint import AttentionShape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ATTENTION = ("full_attention", "attention", "attn", "global_attention", "global", "*", "chunked_attention")
_SLIDING = ("sliding_attention", "sliding_window", "local_attention", "local", "swa")
_RECURRENT = ("linear_attention", "mamba", "mamba2", "recurrent", "conv", "linear", "m", "ssm", "rwkv", "kda")
_PURE_MAMBA = ("mamba", "mamba2", "falcon_mamba", "rwkv", "rwkv6", "rwkv7")
# Models in which each layer has attention and a Mamba head side by side.
_BOTH_IN_EACH_LAYER = ("falcon_h1", "hymba")


def attention_shape(config: Mapping[str, Any]) -> AttentionShape:
    """The shape of the language model's attention. Never raises: what the configuration does not say is None."""
    text = text_part(config)
    layers = whole(text, "num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers")
    heads = whole(text, "num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads")
    model_type = text_of(text, "model_type") or text_of(config, "model_type") or ""
    if model_type in _PURE_MAMBA or (not heads and whole(text, "state_size", "ssm_cfg")):
        return AttentionShape("Mamba", layers, None, None, None, kv_layers=0, state_bytes=_state_bytes(text, layers))
    if whole(text, "kv_lora_rank"):
        return _latent(text, layers, heads)
    kv_heads = _kv_heads(text, heads)
    head_dim = _head_dim(text, heads)
    kinds = _layer_kinds(text, layers, model_type)
    window = _window(text)
    sliding = _sliding_layers(text, layers, window, kinds, model_type)
    recurrent = sum(kind in _RECURRENT for kind in kinds)
    if recurrent or model_type in _BOTH_IN_EACH_LAYER:
        keeping = layers if model_type in _BOTH_IN_EACH_LAYER else sum(kind in _ATTENTION + _SLIDING for kind in kinds)
        state = _state_bytes(text, recurrent or layers)
        return AttentionShape("hybrid", layers, heads, kv_heads, head_dim, window, keeping, sliding, None, state)
    kind = _kind(heads, kv_heads)
    return AttentionShape(kind, layers, heads, kv_heads, head_dim, window if sliding else None, None, sliding)


def _kind(heads: int | None, kv_heads: int | None) -> str:
    if heads is None or kv_heads is None:
        return "unknown"
    if kv_heads == heads:
        return "MHA"
    return "MQA" if kv_heads == 1 else "GQA"


def _kv_heads(text: Mapping[str, Any], heads: int | None) -> int | None:
    found = whole(
        text, "num_key_value_heads", "n_head_kv", "num_kv_heads", "multi_query_group_num", "num_attention_groups"
    )
    if found is None:
        found = whole(object_of(text, "attn_config"), "kv_n_heads")
    if found is not None:
        falcon_old = text.get("multi_query") is True and text.get("new_decoder_architecture") is False
        return 1 if falcon_old else found
    return 1 if text.get("multi_query") is True and text.get("new_decoder_architecture") is not True else heads


def _head_dim(text: Mapping[str, Any], heads: int | None) -> int | None:
    found = whole(text, "head_dim", "hidden_size_per_head", "kv_channels", "attention_head_dim")
    hidden = whole(text, "hidden_size", "n_embd", "d_model", "dim")
    if found is not None or hidden is None or not heads:
        return found
    return hidden // heads or None


def _latent(text: Mapping[str, Any], layers: int | None, heads: int | None) -> AttentionShape:
    """Multi-head latent attention: one compressed vector and one rotary key per token and layer, for all heads."""
    stored = (whole(text, "kv_lora_rank") or 0) + (whole(text, "qk_rope_head_dim") or 0)
    kinds = _layer_kinds(text, layers, text_of(text, "model_type") or "")
    recurrent = sum(kind in _RECURRENT for kind in kinds)
    if recurrent and layers:
        state = _state_bytes(text, recurrent)
        return AttentionShape("hybrid", layers, heads, 1, stored, None, layers - recurrent, 0, stored, state)
    return AttentionShape("MLA", layers, heads, 1, stored, kv_elements_per_layer=stored)


def _window(text: Mapping[str, Any]) -> int | None:
    if text.get("use_sliding_window") is False:
        return None
    return whole(text, "sliding_window", "sliding_window_size", "local_attention_window", "attention_window_size")


def _layer_kinds(text: Mapping[str, Any], layers: int | None, model_type: str) -> tuple[str, ...]:
    """The kind of each layer in lower case, empty where all are alike."""
    for key in ("layer_types", "layers_block_type", "block_types", "layer_kinds"):
        named = text.get(key)
        if isinstance(named, list) and named and all(isinstance(item, str) for item in named):
            kinds = [item.lower() for item in named]
            if key == "block_types" and layers:  # RecurrentGemma gives one period of the pattern
                kinds = (kinds * (layers // len(kinds) + 1))[:layers]
            return tuple("hybrid" if kind == "hybrid" else kind for kind in _zamba(kinds))
    pattern = text_of(text, "hybrid_override_pattern")
    if pattern:
        return tuple({"m": "mamba", "*": "attention"}.get(letter, "mlp") for letter in pattern.lower())
    if not layers or layers > 10_000:
        return ()
    return _by_period(text, layers, model_type)


def _zamba(kinds: Sequence[str]) -> list[str]:
    """Zamba's "hybrid" layers are a Mamba layer with shared attention before it: counted as attention."""
    return ["attention" if kind == "hybrid" else kind for kind in kinds]


def _by_period(text: Mapping[str, Any], layers: int, model_type: str) -> tuple[str, ...]:
    indices = text.get("attn_layer_indices")
    if isinstance(indices, list):
        return tuple("attention" if index in indices else "mamba" for index in range(layers))
    period, offset = whole(text, "attn_layer_period"), text.get("attn_layer_offset", 0)
    if period and isinstance(offset, int):
        return tuple("attention" if index % period == offset else "mamba" for index in range(layers))
    interval = whole(text, "full_attention_interval")
    if interval:
        return tuple("full_attention" if (index + 1) % interval == 0 else "linear_attention" for index in range(layers))
    linear = object_of(text, "linear_attn_config")
    full = linear.get("full_attn_layers")
    if isinstance(full, list):  # Kimi Linear counts layers from 1
        return tuple("full_attention" if index + 1 in full else "linear_attention" for index in range(layers))
    every = whole(text, "sliding_window_pattern")
    if every is None and model_type == "gemma2":
        every = 2
    if every is None and model_type in ("gemma3_text", "gemma3"):
        every = 6
    if every and every > 1:
        return tuple("full_attention" if (index + 1) % every == 0 else "sliding_attention" for index in range(layers))
    return ()


def _sliding_layers(
    text: Mapping[str, Any], layers: int | None, window: int | None, kinds: Sequence[str], model_type: str
) -> int:
    if window is None or not layers:
        return 0
    if kinds:
        return sum(kind in _SLIDING for kind in kinds)
    first = text.get("max_window_layers")
    if model_type.startswith("qwen2") and isinstance(first, int):
        return max(0, layers - first)
    return layers


def _state_bytes(text: Mapping[str, Any], layers: int | None) -> int | None:
    """Bytes of one request's recurrent state over `layers` Mamba layers, at two bytes an element."""
    state = whole(text, "mamba_d_state", "state_size", "ssm_state_size", "d_state", "mamba_state_dim")
    kernel = whole(text, "mamba_d_conv", "conv_kernel", "d_conv")
    hidden = whole(text, "hidden_size", "d_model")
    if not state or not kernel or not hidden or not layers:
        return None
    heads = whole(text, "mamba_n_heads", "mamba_num_heads", "n_mamba_heads")
    dimension = whole(text, "mamba_d_head", "mamba_head_dim")
    inner = whole(text, "mamba_d_ssm", "intermediate_size" if heads is None else "mamba_d_ssm")
    if heads and dimension:
        inner = heads * dimension
    inner = inner or hidden * (whole(text, "mamba_expand", "expand") or 2)
    groups = whole(text, "mamba_n_groups", "n_groups") or 1
    conv = inner + (2 * groups * state if heads else 0)
    return layers * 2 * (conv * (kernel - 1) + inner * state)
