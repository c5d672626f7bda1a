"""How checkpoints are described in words and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

from app.widgets.figures import UNKNOWN, count, gib, percent, significant
from app.wording.engine import worded
from engine.domain.lifecycle import Stage

if TYPE_CHECKING:
    from app.tables.models import Family, Variant
    from engine.domain.lifecycle import EngineFacts, Lifecycle

_MIB = 1024**2
_GIB = 1024**3
_THIN = "\u202f"


def size_text(size_bytes: int | None) -> str:
    """Bytes as MiB below one GiB, as GiB from there on."""
    if size_bytes is None or size_bytes >= _GIB:
        return gib(size_bytes)
    return f"{significant(size_bytes / _MIB)}{_THIN}MiB"


def parameters_text(parameters: int | None) -> str:
    """A count of parameters as people say it: 135 M, 7.62 B."""
    if parameters is None:
        return UNKNOWN
    for limit, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if parameters >= limit:
            return f"{significant(parameters / limit)}{_THIN}{letter}"
    return count(parameters)


def length_text(tokens: int | None) -> str:
    """A length in tokens, short: 8k for 8,192, 32k, 1M; the exact number where it is no round one."""
    if tokens is None:
        return UNKNOWN
    for unit, letter in ((1 << 20, "M"), (1 << 10, "k")):
        if tokens >= unit and tokens % unit == 0:
            return f"{QLocale().toString(tokens // unit)}{letter}"
    return count(tokens)


def family_text(family: Family) -> str:
    """The line under a family's name."""
    parts = [_tr("{} parameters").format(parameters_text(family.parameters))]
    parts.append(_tr("{} context").format(length_text(family.max_context)))
    if family.model_type:
        parts.append(family.model_type)
    return " · ".join(parts)


def variant_text(variant: Variant) -> str:
    """What a chip stands for, in one line: size, scheme, and what has to be known before it is loaded."""
    checkpoint = variant.checkpoint
    parts = [size_text(checkpoint.size_bytes)]
    if checkpoint.quantization.details:
        parts.append(checkpoint.quantization.details)
    if not checkpoint.has_chat_template and not variant.refusal:
        parts.append(_tr("no chat template: it completes text, it cannot chat"))
    if checkpoint.needs_remote_code:
        parts.append(_tr("brings Python code of its own"))
    if checkpoint.pickled_files:
        parts.append(_tr("weights are pickles, which can run code"))
    return f"{variant.label}: " + " · ".join(parts)


def verdict_text(variant: Variant) -> str:
    """Why it cannot be loaded, or what happens at load; "" where there is nothing to say."""
    if variant.refusal:
        return variant.refusal
    if variant.unpacked:
        usual = _tr("This CPU has no kernel for it: weights are unpacked at load.")
        return worded(variant.checkpoint.verdict.reason) or usual
    return worded(variant.checkpoint.verdict.reason)


def notes_text(facts: EngineFacts, variant: Variant) -> str:
    """What has to be known about the running engine, one sentence a line, beside what `verdict_text` says already."""
    told = variant.checkpoint.verdict.reason
    return "\n".join(worded(note) for note in facts.notes if note != told)


def fits_text(facts: EngineFacts) -> str:
    """How many requests of full length the running engine's KV cache holds at once."""
    usable = (facts.num_blocks - 1) * facts.block_size  # block 0 is the null block
    if facts.max_model_len <= 0 or usable <= 0:
        return ""
    times = significant(usable / facts.max_model_len, 2 if usable < 10 * facts.max_model_len else 3)
    return _tr("KV cache fits {times} × {length} tokens").format(times=times, length=length_text(facts.max_model_len))


def load_share(lifecycle: Lifecycle) -> float | None:
    """How far the present load is, 0 to 1, from what its stages took last time; None where nothing is known."""
    expected = [stage.expected_s for stage in lifecycle.stages]
    if not expected or any(seconds is None for seconds in expected):
        return lifecycle.stages[-1].progress if lifecycle.stages else None
    total = sum(seconds for seconds in expected if seconds is not None)
    return min(0.99, (lifecycle.elapsed_s or 0.0) / total) if total > 0 else None


def stage_text(lifecycle: Lifecycle) -> str:
    """The stage that a load is in, with the engine's own progress where it reports any."""
    running = [stage for stage in lifecycle.stages if stage.ended_s is None]
    if not running:
        return _tr("starting")
    names = {
        Stage.TO_SLEEP: _tr("putting the other one to sleep"),
        Stage.WAKING: _tr("waking"),
        Stage.STARTING: _tr("starting"),
        Stage.WEIGHTS: _tr("reading weights"),
        Stage.COMPILING: _tr("compiling"),
        Stage.PROFILING: _tr("profiling memory"),
        Stage.GRAPHS: _tr("capturing graphs"),
        Stage.KV_CACHE: _tr("making the KV cache"),
        Stage.FIRST_TOKEN: _tr("first token"),
        Stage.READY: _tr("ready"),
    }
    stage = running[-1]
    progress = f" {percent(stage.progress)}" if stage.progress is not None else ""
    return names[stage.stage] + progress


def _tr(text: str) -> str:
    return QCoreApplication.translate("ModelWords", text)
