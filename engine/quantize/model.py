"""A Llama forward pass in plain torch, one decoder layer at a time, so that calibration can look between the layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import torch
import torch.nn.functional as F  # noqa: N812 - the name that every torch program uses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

# The linear layers of a decoder layer, grouped by the activations that they share as their input.
GROUPS: dict[str, tuple[str, ...]] = {
    "attention_in": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "attention_out": ("self_attn.o_proj",),
    "mlp_in": ("mlp.gate_proj", "mlp.up_proj"),
    "mlp_out": ("mlp.down_proj",),
}
LINEARS: tuple[str, ...] = tuple(name for names in GROUPS.values() for name in names)
NORMS: tuple[str, ...] = ("input_layernorm", "post_attention_layernorm")


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """The sizes of a Llama model; names as in its config.json, without the prefixes."""

    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    rope_theta: float
    norm_epsilon: float

    @classmethod
    def from_config(cls, config: Mapping[str, object]) -> LlamaShape:
        """Read a config.json, as transformers 4 or 5 writes it."""
        rope = config.get("rope_parameters")
        theta = rope.get("rope_theta") if isinstance(rope, dict) else config.get("rope_theta", 10000.0)
        hidden, heads = _int(config, "hidden_size"), _int(config, "num_attention_heads")
        return cls(
            hidden=hidden,
            intermediate=_int(config, "intermediate_size"),
            layers=_int(config, "num_hidden_layers"),
            heads=heads,
            kv_heads=_int(config, "num_key_value_heads"),
            head_dim=_int(config, "head_dim") if config.get("head_dim") else hidden // heads,
            vocabulary=_int(config, "vocab_size"),
            rope_theta=float(str(theta)),
            norm_epsilon=float(str(config["rms_norm_eps"])),
        )


def _int(config: Mapping[str, object], name: str) -> int:
    return int(str(config[name]))


class Observer(Protocol):
    """Told the input [sequences, tokens, width] of each group of linear layers; `group` is a key of GROUPS."""

    def __call__(self, group: str, inputs: Tensor) -> None: ...


class ActivationRounding(Protocol):
    """What a linear layer's kernel does to its input before it multiplies (8-bit activations); same shape back."""

    def __call__(self, inputs: Tensor) -> Tensor: ...


@dataclass(slots=True)
class DecoderLayer:
    """One decoder layer's dense float32 weights: `linears` [out, in] by the names of LINEARS, `norms` [hidden]."""

    shape: LlamaShape
    linears: dict[str, Tensor]
    norms: dict[str, Tensor]
    activations: ActivationRounding | None = None

    def __call__(self, hidden: Tensor, rotation: tuple[Tensor, Tensor], observe: Observer | None = None) -> Tensor:
        """Return the layer's output for `hidden` [sequences, tokens, hidden]; causal, positions from 0."""
        normed = rms_norm(hidden, self.norms["input_layernorm"], self.shape.norm_epsilon)
        hidden = hidden + self._attention(normed, rotation, observe)
        normed = rms_norm(hidden, self.norms["post_attention_layernorm"], self.shape.norm_epsilon)
        return hidden + self._mlp(normed, observe)

    def _attention(self, inputs: Tensor, rotation: tuple[Tensor, Tensor], observe: Observer | None) -> Tensor:
        sequences, tokens, _ = inputs.shape
        shape = self.shape
        inputs = self._enter("attention_in", inputs, observe)
        query = self._project("self_attn.q_proj", inputs).view(sequences, tokens, shape.heads, shape.head_dim)
        key = self._project("self_attn.k_proj", inputs).view(sequences, tokens, shape.kv_heads, shape.head_dim)
        value = self._project("self_attn.v_proj", inputs).view(sequences, tokens, shape.kv_heads, shape.head_dim)
        mixed = F.scaled_dot_product_attention(
            rotate(query.transpose(1, 2), rotation),
            rotate(key.transpose(1, 2), rotation),
            value.transpose(1, 2),
            is_causal=True,
            enable_gqa=True,
        )
        mixed = mixed.transpose(1, 2).reshape(sequences, tokens, shape.heads * shape.head_dim)
        return self._project("self_attn.o_proj", self._enter("attention_out", mixed, observe))

    def _mlp(self, inputs: Tensor, observe: Observer | None) -> Tensor:
        inputs = self._enter("mlp_in", inputs, observe)
        gated = F.silu(self._project("mlp.gate_proj", inputs)) * self._project("mlp.up_proj", inputs)
        return self._project("mlp.down_proj", self._enter("mlp_out", gated, observe))

    def _enter(self, group: str, inputs: Tensor, observe: Observer | None) -> Tensor:
        if observe is not None:
            observe(group, inputs)
        return inputs if self.activations is None else self.activations(inputs)

    def _project(self, name: str, inputs: Tensor) -> Tensor:
        return F.linear(inputs, self.linears[name])


def rms_norm(hidden: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    """Root-mean-square normalization over the last dimension."""
    return F.rms_norm(hidden, (hidden.shape[-1],), weight, epsilon)


def rotation_table(shape: LlamaShape, tokens: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the rotary embedding for positions 0 to tokens-1, each [tokens, head_dim]."""
    exponents = torch.arange(0, shape.head_dim, 2, dtype=torch.float32) / shape.head_dim
    angles = torch.outer(torch.arange(tokens, dtype=torch.float32), shape.rope_theta**-exponents)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotate(states: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Apply the rotary embedding to `states` [sequences, heads, tokens, head_dim], halves paired as in Llama."""
    cosine, sine = rotation
    first, second = states.chunk(2, dim=-1)
    return states * cosine + torch.cat((-second, first), dim=-1) * sine
