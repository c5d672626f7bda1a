"""Lengths in tokens from a distribution: the same for the same seed and place."""

from __future__ import annotations

import numpy as np

from engine.bench.workload import Fixed, FromData, Lengths, LogNormal, Normal, Uniform


def draw_length(lengths: Lengths, seed: int, kind: str, conversation: int, turn: int, data: int | None) -> int:
    """One length, at least 1. `kind` keeps prompts and outputs apart; `data` is what the data set says, if it does."""
    if isinstance(lengths, Fixed):
        return max(1, lengths.tokens)
    if isinstance(lengths, FromData):
        return max(1, min(lengths.most, 128 if data is None else data))
    random = np.random.default_rng((seed, *kind.encode(), conversation, turn))
    if isinstance(lengths, Uniform):
        return max(1, int(random.integers(lengths.least, lengths.most, endpoint=True)))
    if isinstance(lengths, Normal):
        drawn = random.normal(lengths.mean, lengths.deviation)
    else:
        assert isinstance(lengths, LogNormal)
        drawn = lengths.median * np.exp(random.normal(0.0, lengths.sigma))
    return max(1, round(float(np.clip(drawn, lengths.least, lengths.most))))
