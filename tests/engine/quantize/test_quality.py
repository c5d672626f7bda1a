"""The quality of what is shipped, and that the forward pass that measures it is the model's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from engine.checkpoints.starter_recipe import texts
from engine.quantize.checkpoint import Model
from engine.quantize.compensation import round_with_compensation
from engine.quantize.grid import best_grid, group_grams
from engine.quantize.quality import compare, log_probabilities
from tests.engine.quantize.conftest import facts_of

if TYPE_CHECKING:
    from pathlib import Path

    from engine.checkpoints.starter_recipe import Recipe


def test_the_shipped_awq_variant_is_close_to_the_original(full_build: Path, recipe: Recipe) -> None:
    facts = facts_of(recipe.folder(full_build, "awq"))
    quality = facts["quality"]
    assert isinstance(quality, dict)
    assert 0.01 < quality["kl"] < 0.12
    assert quality["top1"] > 0.8
    source = facts_of(recipe.folder(full_build, "bf16"))["quality"]
    assert isinstance(source, dict)
    assert source["kl"] == 0
    assert source["top1"] == 1
    assert 5 < source["perplexity"] < 40
    assert quality["perplexity"] < source["perplexity"] * 1.15
    assert quality["tokens"] == 900


def test_what_kvdeck_json_says_of_awq_can_be_measured_again(full_build: Path, recipe: Recipe) -> None:
    """On the first 120 tokens of the 900."""
    source = Model(recipe.folder(full_build, "bf16"), "bf16")
    tokenizer = source.tokenizer()
    flat = [token for text in texts("held_out") for token in tokenizer.encode(text).ids]
    tokens = torch.tensor([flat[:120]])
    reference = log_probabilities(source, tokens, lambda _share: None)
    other = log_probabilities(Model(recipe.folder(full_build, "awq"), "awq"), tokens, lambda _share: None)
    quality = compare(reference, other, tokens)
    assert 0.01 < quality.kl < 0.2
    assert quality.top1 > 0.75


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of transformers' own imports
def test_the_forward_pass_is_that_of_transformers(short_build: Path, recipe: Recipe) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = recipe.folder(short_build, "bf16")
    theirs = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    ids = tokenizer.apply_chat_template(
        [{"role": "user", "content": "In 1945, 12 people met.\n\n3 left."}], add_generation_prompt=True, tokenize=False
    )
    tokens = torch.tensor([tokenizer.encode(ids)])
    own = Model(folder, "bf16")
    assert own.tokenizer().encode(ids).ids == tokens[0].tolist()
    with torch.inference_mode():
        expected = theirs(tokens).logits.log_softmax(dim=-1)
    torch.testing.assert_close(log_probabilities(own, tokens, lambda _share: None), expected, rtol=1e-3, atol=2e-3)


def test_compare_is_zero_for_the_same_and_rises_with_the_distance() -> None:
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn((2, 10, 50), generator=generator)
    tokens = torch.randint(0, 50, (2, 10), generator=generator)
    reference = logits.log_softmax(dim=-1)
    same = compare(reference, reference, tokens)
    assert same.kl == pytest.approx(0, abs=1e-6)
    assert same.top1 == 1
    assert same.tokens == 20
    near = compare(reference, (logits + 0.1 * torch.randn((2, 10, 50), generator=generator)).log_softmax(-1), tokens)
    far = compare(reference, (logits + torch.randn((2, 10, 50), generator=generator)).log_softmax(-1), tokens)
    assert 0 < near.kl < far.kl


def test_rounding_with_compensation_beats_the_nearest_level() -> None:
    """On inputs whose channels go together, as activations do."""
    generator = torch.Generator().manual_seed(2)
    mixed = torch.randn((4000, 24), generator=generator) @ torch.randn((24, 96), generator=generator)
    inputs = mixed + 0.3 * torch.randn((4000, 96), generator=generator)
    gram = inputs.t() @ inputs / 4000
    weight = torch.randn((32, 96), generator=generator)
    for zero_point in (True, False):
        levels, grid = round_with_compensation(weight, gram, 32, zero_point=zero_point)
        grouped = weight.unflatten(1, (-1, 32))
        assert float(levels.min()) >= 0
        assert float(levels.max()) <= 15
        ours = grid.values(levels.unflatten(1, (-1, 32))).flatten(1) - weight
        plain = best_grid(grouped, group_grams(gram, 32), zero_point=zero_point).nearest(grouped).flatten(1) - weight
        assert _power(ours, gram) < 0.6 * _power(plain, gram)


def _power(error: torch.Tensor, gram: torch.Tensor) -> float:
    return float(((error @ gram) * error).sum())
