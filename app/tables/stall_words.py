"""A stall in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from app.tables.requests import short_id
from engine.metrics.stalls import Stall, StallCause


def stall_words(stall: Stall) -> str:
    """What stalled, for how long, and why, as far as that is known."""
    return _long_step(stall) if stall.median_ns is not None else _nothing_scheduled(stall)


def _nothing_scheduled(stall: Stall) -> str:
    tr = QCoreApplication.translate
    if stall.ongoing:
        text = tr("Stalls", "nothing is scheduled any more while requests wait: {0}, for {1} so far")
    else:
        text = tr("Stalls", "nothing was scheduled while requests waited: {0}, for {1}")
    first = short_id(stall.request_id) if stall.request_id is not None else tr("Stalls", "a request")
    reasons = {
        StallCause.NEVER_FITS: tr("Stalls", "{0} is first and can never fit"),
        StallCause.NO_ROOM: tr("Stalls", "no free blocks for {0}, which is first"),
        StallCause.NOT_SCHEDULED: tr("Stalls", "first is {0}, and the scheduler does not say why"),
    }
    told = text.format(_count(stall.waiting), _time(stall.duration_ns))
    return f"{told}; {reasons[stall.cause].format(first)}" if stall.cause in reasons else told


def _long_step(stall: Stall) -> str:
    tr = QCoreApplication.translate
    median = stall.median_ns or 1
    longest = _time(stall.longest_ns or stall.duration_ns), _times((stall.longest_ns or stall.duration_ns) / median)
    if stall.steps > 1:
        text = tr("Stalls", "{0} steps took {1}, the longest {2}, {3} times the median of {4}").format(
            _count(stall.steps), _time(stall.duration_ns), *longest, _time(median)
        )
    else:
        text = tr("Stalls", "took {0}, {1} times the median of {2}").format(*longest, _time(median))
    tokens, usual = _count(stall.tokens), _count(stall.median_tokens)
    reasons = {
        StallCause.PREFILL: tr("Stalls", "{0} tokens were computed, prefill most of all; the median of a step is {1}"),
        StallCause.PREEMPTION: tr("Stalls", "requests were preempted meanwhile"),
        StallCause.OUTSIDE: tr("Stalls", "the scheduler saw no reason ({0} tokens): the model or the machine was slow"),
    }
    told = f"{text}; {reasons[stall.cause].format(tokens, usual)}" if stall.cause in reasons else text
    if stall.request_ids:
        names = ", ".join(short_id(one) for one in stall.request_ids[:3])
        told += "; " + tr("Stalls", "admitted: {0}").format(names + (", …" if len(stall.request_ids) > 3 else ""))
    return told


def _count(number: int | None) -> str:
    return "—" if number is None else QLocale().toString(number)


def _times(ratio: float) -> str:
    return QLocale().toString(ratio, "f", 0 if ratio >= 10 else 1)


def _time(ns: int) -> str:
    if ns < 1_000_000_000:
        return f"{QLocale().toString(ns / 1e6, 'f', 0)}\u202fms"
    return f"{QLocale().toString(ns / 1e9, 'f', 1)}\u202fs"
