"""How wide a step's tensors are, from config.json: what the memory of activations is estimated from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.checkpoints.config_file import text_part, whole
from engine.domain.checkpoint import StepWidths

if TYPE_CHECKING:
    from collections.abc import Mapping

_EXPERT_WIDTHS = ("moe_intermediate_size", "expert_intermediate_size")
_PER_TOKEN = ("num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_k", "top_k_experts")


def step_widths(config: Mapping[str, Any]) -> StepWidths | None:
    """The widths; None where the configuration does not tell the hidden size and the vocabulary."""
    text = text_part(config)
    hidden = whole(text, "hidden_size", "n_embd", "d_model")
    vocabulary = whole(text, "vocab_size")
    if hidden is None or vocabulary is None:
        return None
    inner = whole(text, "intermediate_size", "n_inner", "ffn_dim") or 4 * hidden
    chosen = whole(text, *_PER_TOKEN)
    if chosen is not None:  # the experts of one token stand beside each other
        inner = max(inner, chosen * (whole(text, *_EXPERT_WIDTHS) or inner))
    return StepWidths(hidden, inner, vocabulary)
