"""The roofline in words. Each sentence names the numbers that it rests on; decimal units, as bandwidths are sold in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from app.widgets import figures
from engine.metrics.roofline import Bound, Part, Roof, Work
from engine.metrics.roofline_advice import Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.domain.roofline import Ceilings

_THIN = "\u202f"
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Roofline", text)


def rate(value: float, unit: str, digits: int = 3) -> str:
    """A number of bytes or operations with a decimal prefix: "14.0 GB/s"."""
    for size, prefix in _PREFIXES:
        if value >= size:
            return f"{figures.significant(value / size, digits)}{_THIN}{prefix}{unit}"
    return f"{figures.significant(value, digits)}{_THIN}{unit}"


def part_name(part: Part) -> str:
    """A part as a heading."""
    return {Part.DECODE: _tr("Decode"), Part.PREFILL: _tr("Prefill"), Part.MIX: _tr("All steps")}[part]


def mark_name(part: Part) -> str:
    """A part as the name of a mark."""
    return {Part.DECODE: _tr("decode"), Part.PREFILL: _tr("prefill"), Part.MIX: _tr("all")}[part]


def roof_texts(roof: Roof) -> tuple[str, str, str]:
    """What stands along the slope, the flat part and the ridge."""
    return (
        _tr("memory {0}").format(rate(roof.bytes_per_s, "B/s")),
        _tr("{0} in {1}").format(rate(roof.flops_per_s, "FLOP/s"), roof.dtype),
        _tr("ridge {0}").format(figures.significant(roof.ridge)),
    )


def mark_text(work: Work, roof: Roof | None) -> str:
    """All numbers of one mark."""
    text = _tr("{0}: {1} FLOP/byte, {2}, {3}, {4} steps of {5}").format(
        part_name(work.part), figures.significant(work.intensity), rate(work.flops_per_s, "FLOP/s"),
        rate(work.bytes_per_s, "B/s"), figures.count(work.steps), figures.duration(work.step_s),
    )  # fmt: skip
    return text if roof is None else _tr("{0}, {1} of the roof").format(text, figures.percent(roof.share(work)))


def ceilings_text(ceilings: Ceilings | None) -> str:
    """What was measured, and when."""
    if ceilings is None:
        return _tr("What this device can do at most has not been measured.")
    moment = QDateTime.fromSecsSinceEpoch(int(ceilings.measured_unix_s))
    when = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
    text = _tr("{0}: {1} measured on {2}").format(ceilings.name, rate(ceilings.bytes_per_s, "B/s"), when)
    return _tr("{0}, while an engine was loaded").format(text) if ceilings.disturbed else text


def title(finding: Finding) -> str:
    """The heading of a finding."""
    if finding.rule is Rule.STANDS:
        names = {
            Bound.BANDWIDTH: _tr("{0}: bound by memory bandwidth"),
            Bound.COMPUTE: _tr("{0}: bound by arithmetic"),
            Bound.NEITHER: _tr("{0}: bound by neither"),
            None: "{0}",
        }
        return names[finding.bound].format(part_name(finding.part))
    return {
        Rule.OVER_ROOF: _tr("Faster than measured"),
        Rule.RAISE_SEQS: _tr("More requests at once"),
        Rule.RAISE_BUDGET: _tr("More tokens a step"),
        Rule.LOWER_BUDGET: _tr("Prompts hold up running answers"),
        Rule.SMALLER_KV: _tr("Smaller keys and values"),
        Rule.SMALLER_WEIGHTS: _tr("Smaller weights"),
        Rule.COMPILE: _tr("Fewer orders to the GPU"),
        Rule.PREEMPTED: _tr("The KV cache is too small"),
    }[finding.rule]


def sentence(finding: Finding) -> str:
    """What a finding says."""
    return _SENTENCES[finding.rule](finding)


def action(finding: Finding) -> str:
    """The button of a finding, empty where there is nothing to press."""
    if finding.checkpoint is not None:
        return _tr("Show {0} in Models").format(finding.checkpoint.name)
    if finding.parameter is None:
        return ""
    wanted = finding.wanted
    if isinstance(wanted, bool):
        wanted = _tr("on") if wanted else _tr("off")
    return f"{finding.parameter} → {figures.count(wanted) if isinstance(wanted, int) else wanted}"


def _stands(finding: Finding) -> str:
    work, roof = finding.work, finding.roof
    what = _decoding(work) if work.part is Part.DECODE else _filling(work)
    if roof is None:
        return _tr("{0}: {1} FLOP/byte, {2} and {3}.").format(
            what, figures.significant(work.intensity), rate(work.bytes_per_s, "B/s"), rate(work.flops_per_s, "FLOP/s")
        )
    if work.intensity > roof.ridge:
        reached, limit = rate(work.flops_per_s, "FLOP/s"), rate(roof.flops_per_s, "FLOP/s")
    else:
        reached, limit = rate(work.bytes_per_s, "B/s"), rate(roof.bytes_per_s, "B/s")
    text = _tr("{0}: {1} FLOP/byte, {2} of {3} measured ({4}).").format(
        what, figures.significant(work.intensity), reached, limit, figures.percent(roof.share(work))
    )
    return f"{text} {_because(work, roof)}"


def _decoding(work: Work) -> str:
    return _tr("{0} requests a step read {1} of weights and {2} of KV cache").format(
        figures.significant(work.requests, 2), _bytes(work.weight_bytes / work.steps),
        _bytes(work.kv_bytes / work.steps),
    )  # fmt: skip


def _filling(work: Work) -> str:
    text = _tr("{0} prompt tokens a step use {1} of weights, read once").format(
        figures.count(work.prefill_tokens / work.steps), _bytes(work.weight_bytes / work.steps)
    )
    if work.decode_tokens:
        text = _tr("{0} ({1} requests decode beside)").format(text, figures.significant(work.requests, 2))
    return text


def _because(work: Work, roof: Roof) -> str:
    match roof.bound(work):
        case Bound.BANDWIDTH:
            return _tr("Below the ridge at {0} FLOP/byte the memory's bandwidth is the limit.").format(
                figures.significant(roof.ridge)
            )
        case Bound.COMPUTE:
            return _tr("Above the ridge at {0} FLOP/byte arithmetic is the limit.").format(
                figures.significant(roof.ridge)
            )
        case Bound.NEITHER:
            return _tr(
                "A step takes {0} and would need {1} at the measured limits: most of it is the step's own cost "
                "(scheduling, launching, sampling, waiting for a core)."
            ).format(figures.duration(work.step_s), figures.duration(roof.best_s(work) / work.steps))


def _over_roof(finding: Finding) -> str:
    roof = finding.roof
    return _tr(
        "Decode reads {0}, and {1} was measured. Part of it comes from the processor's caches, or the measurement was "
        "disturbed: measure again while nothing else runs."
    ).format(rate(finding.work.bytes_per_s, "B/s"), rate(roof.bytes_per_s, "B/s") if roof else figures.UNKNOWN)


def _raise_seqs(finding: Finding) -> str:
    work, numbers = finding.work, finding.figures
    text = _tr(
        "As many requests run as max_num_seqs allows ({0}), and others wait ({1}). More in one step would read the "
        "same {2} of weights, {3} of what a step reads."
    ).format(
        figures.count(numbers["limit"]), figures.significant(numbers["waiting"], 2),
        _bytes(work.weight_bytes / work.steps), figures.percent(work.weight_bytes / work.num_bytes),
    )  # fmt: skip
    return f"{text} {_reload(finding)}".strip()


def _raise_budget(finding: Finding) -> str:
    work, numbers, roof = finding.work, finding.figures, finding.roof
    text = _tr(
        "Steps with prompts are full at {0} tokens, {1} requests wait, and they reach {2} of {3}: there is arithmetic "
        "left for longer chunks. Running answers would stutter more."
    ).format(
        figures.count(numbers["budget"]), figures.significant(numbers["waiting"], 2), rate(work.flops_per_s, "FLOP/s"),
        rate(roof.flops_per_s, "FLOP/s") if roof else figures.UNKNOWN,
    )  # fmt: skip
    return f"{text} {_reload(finding)}".strip()


def _lower_budget(finding: Finding) -> str:
    numbers = finding.figures
    return _tr(
        "A step with {0} prompt tokens takes {1}, one that only decodes {2}: {3} running answers wait that long for "
        "their next token. A smaller budget makes them steadier, and the wait for first tokens longer."
    ).format(
        figures.count(numbers["tokens"]), figures.duration(numbers["mixed_s"]), figures.duration(numbers["alone_s"]),
        figures.significant(finding.work.requests, 2),
    )  # fmt: skip


def _smaller_kv(finding: Finding) -> str:
    return _tr(
        "Of what a step reads {0} is KV cache and {1} weights. In FP8 the KV cache would be half of that, and hold "
        "twice the tokens; answers can change a little. In force after a reload."
    ).format(_bytes(finding.figures["kv"]), _bytes(finding.figures["weights"]))


def _smaller_weights(finding: Finding) -> str:
    name = finding.checkpoint.name if finding.checkpoint is not None else figures.UNKNOWN
    return _tr("Nobody waits for a larger batch, and a step reads {0} of weights; the {1} variant's are {2}.").format(
        _bytes(finding.figures["weights"]), name, _bytes(finding.figures["smaller"])
    )


def _compile(finding: Finding) -> str:
    return _tr(
        "A step takes {0} and would need {1} at the measured limits, and enforce_eager is on: each kernel is launched "
        "by itself. CUDA graphs launch them together. In force after a reload."
    ).format(figures.duration(finding.work.step_s), figures.duration(finding.figures["best_s"]))


def _preempted(finding: Finding) -> str:
    numbers = finding.figures
    return _tr(
        "Preemptions in the last seconds: {0}. With {1} running requests the blocks are {2} used, and what is "
        "preempted is computed again. Fewer at once would compute everything once; a larger KV cache would hold them "
        "all."
    ).format(
        figures.count(numbers["preemptions"]), figures.significant(numbers["running"], 2),
        figures.percent(numbers["usage"]),
    )  # fmt: skip


def _reload(finding: Finding) -> str:
    capacity, wanted = finding.figures.get("capacity"), finding.wanted
    if capacity is None or not isinstance(wanted, int) or wanted <= capacity:
        return ""
    return _tr("Its capacity is {0}: more needs a reload.").format(figures.count(capacity))


def _bytes(value: float) -> str:
    return rate(value, "B")


_SENTENCES: dict[Rule, Callable[[Finding], str]] = {
    Rule.STANDS: _stands,
    Rule.OVER_ROOF: _over_roof,
    Rule.RAISE_SEQS: _raise_seqs,
    Rule.RAISE_BUDGET: _raise_budget,
    Rule.LOWER_BUDGET: _lower_budget,
    Rule.SMALLER_KV: _smaller_kv,
    Rule.SMALLER_WEIGHTS: _smaller_weights,
    Rule.COMPILE: _compile,
    Rule.PREEMPTED: _preempted,
}
