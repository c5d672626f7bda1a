"""Builds the starter model's variants one after the other; each is there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import torch

from engine.checkpoints.starter_folders import build_lock, folder_bytes, free_bytes, ready_facts
from engine.checkpoints.starter_recipe import fingerprint, texts
from engine.domain.errors import DiskFull, EngineBusy
from engine.quantize.assemble import assemble
from engine.quantize.checkpoint import Model
from engine.quantize.layers import LayerQuantizer
from engine.quantize.partial import CHECKPOINT, Partial
from engine.quantize.quality import Quality, compare, log_probabilities, sequences
from engine.quantize.report import Report
from engine.quantize.source import GgufModel, find_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from torch import Tensor

    from engine.checkpoints.starter_recipe import Recipe, VariantRecipe

# Shares of a variant's time: what comes after the layers (or conversion), as progress is shown.
_BUILT, _ASSEMBLED = 0.82, 0.87
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_RESERVE_BYTES = 16 << 20  # what a build leaves free: file system bookkeeping, and the user's other programs


class Builder:
    """Builds variants of `recipe` into `destination`, telling `emit` about it.

    Raises DiskFull (before or during; what is finished stays), CheckpointInvalid (no source), EngineBusy (another
    build runs in that folder). A variant over its quality bound is reported as failed and not shipped.
    """

    def __init__(self, recipe: Recipe, destination: Path, emit: Callable[[dict[str, Any]], None]) -> None:
        self._recipe = recipe
        self._destination = destination
        self._emit = emit
        self._reference: tuple[Tensor, Tensor] | None = None

    def build(self, keys: Sequence[str]) -> bool:
        """Build these variants (all when empty), the source first; returns whether all of them are whole now."""
        torch.manual_seed(self._recipe.seed)
        wanted = self._in_order(keys)
        with self._disk_errors(wanted[0]), build_lock(self._destination) as mine:
            if not mine:
                raise EngineBusy(
                    f"Another build of the starter model is running in {self._destination}.",
                    remedy="Wait until it has ended, or cancel it.",
                )
            return self._build_all(wanted)

    def _in_order(self, keys: Sequence[str]) -> list[VariantRecipe]:
        chosen = {self._recipe.variant(key).key for key in keys} or {item.key for item in self._recipe.variants}
        source = self._recipe.variants[0].key  # every other variant is made from it
        return [variant for variant in self._recipe.variants if variant.key in chosen | {source}]

    def _build_all(self, wanted: list[VariantRecipe]) -> bool:
        missing = [item for item in wanted if ready_facts(self._recipe, self._destination, item.key) is None]
        report = Report(missing, self._destination, self._emit)
        whole = True
        try:
            for variant in wanted:
                if variant in missing:
                    whole &= self._build_one(variant, report)
                else:
                    facts = ready_facts(self._recipe, self._destination, variant.key) or {}
                    self._emit(self._already(variant, facts))
        finally:
            report.close()
        return whole

    def _already(self, variant: VariantRecipe, facts: dict[str, Any]) -> dict[str, Any]:
        path = str(self._recipe.folder(self._destination, variant.key))
        return {"event": "ready", "variant": variant.key, "path": path, "quality": facts.get("quality"), "elapsed_s": 0}

    def _build_one(self, variant: VariantRecipe, report: Report) -> bool:
        self._check_space(variant)
        with self._disk_errors(variant):
            folder = self._recipe.partial_folder(self._destination, variant.key)
            partial = Partial(folder, fingerprint(self._recipe, variant.key))
            tensors, files = self._make(variant, partial, report)
            report.at("Writing files", _BUILT)
            checkpoint = partial.checkpoint_folder()
            facts = assemble(checkpoint, tensors, files, recipe=self._recipe, key=variant.key)
            quality = self._measure(variant, checkpoint, report)
            if quality is not None and variant.max_kl is not None and quality.kl > variant.max_kl:
                reason = _too_far(variant, quality)
                partial.fail(reason)
                report.failed(variant, reason)
                return False
            facts.write(None if quality is None else asdict(quality))
            final = self._recipe.folder(self._destination, variant.key)
            partial.publish(final)
            report.ready(variant, final, None if quality is None else asdict(quality))
            return True

    def _make(
        self, variant: VariantRecipe, partial: Partial, report: Report
    ) -> tuple[dict[str, Tensor], dict[str, str]]:
        """The variant's tensors, and the texts of its other files."""
        if variant.key == "bf16":
            report.begin(variant, 0.0)
            report.at("Checking the source", 0.02)
            path = find_source(self._recipe.source)
            report.at("Reading the source", 0.05)
            gguf = GgufModel(path, self._recipe.layers)
            report.at("Unpacking weights", 0.3)
            return gguf.tensors(), gguf.text_files()
        quantizer = LayerQuantizer(self._recipe, self._recipe.folder(self._destination, "bf16"), variant.key, partial)
        report.begin(variant, quantizer.done_share * _BUILT)
        for done, count in quantizer.run():
            report.at(f"Layer {done} of {count}", _BUILT * done / count)
        return quantizer.tensors(), quantizer.files()

    def _measure(self, variant: VariantRecipe, checkpoint: Path, report: Report) -> Quality | None:
        """Compare what was written with bf16; the source's own perplexity is measured too."""
        report.at("Measuring quality", _ASSEMBLED)
        if variant.key == "bf16":
            self._reference = None
            reference, tokens = self._reference_of(checkpoint, lambda share: self._tick(report, share))
            return compare(reference, reference, tokens)
        reference, tokens = self._reference_of(
            self._recipe.folder(self._destination, "bf16"), lambda share: self._tick(report, share / 2)
        )
        other = log_probabilities(
            Model(checkpoint, variant.key), tokens, lambda share: self._tick(report, 0.5 + share / 2)
        )
        return compare(reference, other, tokens)

    @staticmethod
    def _tick(report: Report, share: float) -> None:
        report.at("Measuring quality", _ASSEMBLED + (1 - _ASSEMBLED) * share)

    def _reference_of(self, folder: Path, tick: Callable[[float], None]) -> tuple[Tensor, Tensor]:
        if self._reference is None:
            model = Model(folder, "bf16")
            tokenizer = model.tokenizer()
            recipe, held_out = self._recipe, texts("held_out")
            length, limit = recipe.held_out_sequence, recipe.held_out_tokens
            tokens = sequences(held_out, lambda text: tokenizer.encode(text).ids, length, limit)
            self._reference = log_probabilities(model, tokens, tick), tokens
        return self._reference

    def _check_space(self, variant: VariantRecipe) -> None:
        partial = self._recipe.partial_folder(self._destination, variant.key)
        present = folder_bytes(partial) - folder_bytes(partial / CHECKPOINT)
        needed = variant.size_bytes + max(0, variant.scratch_bytes - present) + _RESERVE_BYTES
        free = free_bytes(self._destination)
        if free < needed:
            raise _disk_full(self._destination, variant, needed, free)

    @contextlib.contextmanager
    def _disk_errors(self, variant: VariantRecipe) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno not in _NO_SPACE:
                raise
            # The assembled files are of no use to the next build, unlike the finished layers: give their room back.
            with contextlib.suppress(OSError):
                Partial.discard_checkpoint(self._recipe.partial_folder(self._destination, variant.key))
            needed = variant.size_bytes + variant.scratch_bytes + _RESERVE_BYTES
            raise _disk_full(self._destination, variant, needed, free_bytes(self._destination)) from error


def _disk_full(destination: Path, variant: VariantRecipe, needed: int, free: int) -> DiskFull:
    return DiskFull(
        f"The {variant.label} variant of the starter model needs {needed / 1e6:.0f} MB in {destination}, "
        f"{free / 1e6:.0f} MB are free.",
        remedy=f"Free {max(needed - free, 0) / 1e6:.0f} MB there and build again; what is finished is kept.",
        details=f"needed_bytes={needed} free_bytes={free}",
    )


def _too_far(variant: VariantRecipe, quality: Quality) -> dict[str, str]:
    return {
        "kind": "checkpoint_invalid",
        "message": f"The {variant.label} variant is too far from the original: a divergence (KL) of {quality.kl:.3f}, "
        f"where {variant.max_kl:.3f} is the most that is shipped.",
        "remedy": "Build it again; if that fails too, report it with the log.",
    }
