"""How far a variant has moved from the model that it was made of, measured on text that no calibration has seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - the name that every torch program uses

from engine.quantize.model import rms_norm, rotation_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor

    from engine.quantize.checkpoint import Model


@dataclass(frozen=True, slots=True)
class Quality:
    """Against bf16 on the held-out text: mean Kullback-Leibler divergence (nats a token), share of tokens where the
    likeliest next token is the same, and the variant's own perplexity. `tokens` were compared.
    """

    kl: float
    top1: float
    perplexity: float
    tokens: int


def log_probabilities(model: Model, tokens: Tensor, tick: Callable[[float], None]) -> Tensor:
    """Log-probabilities [sequences, length, vocabulary] of every next token; `tick` is told the share done."""
    with torch.inference_mode():
        rotation = rotation_table(model.shape, tokens.shape[1])
        embedding = model.embedding()
        hidden = embedding[tokens]
        for index in range(model.shape.layers):
            hidden = model.layer(index)(hidden, rotation)
            tick((index + 1) / (model.shape.layers + 1))
        hidden = rms_norm(hidden, model.final_norm(), model.shape.norm_epsilon)
        result = F.log_softmax(hidden @ embedding.t(), dim=-1)
        tick(1.0)
        return result


def compare(reference: Tensor, other: Tensor, tokens: Tensor) -> Quality:
    """Compare the log-probabilities of two models on `tokens` [sequences, length]."""
    divergence, agreed, surprise = 0.0, 0, 0.0
    for ours, theirs, text in zip(reference, other, tokens, strict=True):  # by sequence, to keep the peak memory low
        divergence += float((ours.exp() * (ours - theirs)).sum())
        agreed += int((ours.argmax(dim=-1) == theirs.argmax(dim=-1)).sum())
        surprise -= float(theirs[:-1].gather(-1, text[1:, None]).sum())
    predicted = tokens.shape[0] * (tokens.shape[1] - 1)
    return Quality(
        kl=divergence / tokens.numel(),
        top1=agreed / tokens.numel(),
        perplexity=math.exp(surprise / predicted),
        tokens=tokens.numel(),
    )


def sequences(
    texts: Iterable[str], encode: Callable[[str], list[int]], length: int, limit: int | None = None
) -> Tensor:
    """The texts' tokens one after another, cut into sequences [n, length]; what is left over is dropped."""
    flat = [token for text in texts for token in encode(text)][:limit]
    whole = len(flat) // length
    return torch.tensor(flat[: whole * length]).view(whole, length)
