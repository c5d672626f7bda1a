"""The fourth idea: requests enter and leave the running batch at every step."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.lessons.lesson import Lesson, LessonFigure, LessonResult
from app.widgets import figures
from engine.domain.errors import EngineBusy

if TYPE_CHECKING:
    from app.lessons.stage import Answer, LessonStage

_REQUESTS = 4
_SHORTEST, _LONGER_BY = 16, 8


def _tr(text: str) -> str:
    return QCoreApplication.translate("Lessons", text)


def batching() -> Lesson:
    """The lesson."""
    return Lesson(
        "batching",
        _tr("Continuous batching"),
        _tr("Every step computes one token for each running request; who is done leaves, and who waits enters, at the "
            "very next step. The weights are read once for all of them."),
        _tr("Sends four requests with max_num_seqs at 1, then the same four together, and puts the limit back."),
        "timeline",
        _run,
    )  # fmt: skip


async def _run(stage: LessonStage) -> LessonResult:
    before = stage.limits.max_num_seqs
    if before < 2:
        raise EngineBusy(
            _tr("max_num_seqs is 1: this engine runs one request at a time."),
            remedy=_tr("Raise it in Parameters, then begin the lesson again."),
        )
    if stage.strangers:
        raise EngineBusy(
            _tr("Other requests are in the engine ({0}), and the lesson would hold them up.").format(stage.strangers),
            remedy=_tr("Begin it when they are done."),
        )
    count = min(_REQUESTS, before)
    stage.say(_tr("max_num_seqs is 1 for a moment: {0} requests run one after the other.").format(count))
    async with stage.limited(1):
        alone, alone_s, alone_steps = await _burst(stage, count)
    stage.say(_tr("The limit is {0} again: the same {1} requests run together.").format(figures.count(before), count))
    together, together_s, together_steps = await _burst(stage, count)
    tokens = sum(one.tokens for one in together)
    slow, fast = sum(one.tokens for one in alone) / alone_s, tokens / together_s
    found = (
        LessonFigure(_tr("One after the other: {0} steps, {1}").format(
            figures.count(alone_steps), figures.duration(alone_s)), figures.per_second(slow, _tr("tokens"))),
        LessonFigure(_tr("Together: {0} steps, {1}").format(
            figures.count(together_steps), figures.duration(together_s)), figures.per_second(fast, _tr("tokens"))),
        LessonFigure(_tr("Mean wait for the first token"),
                     f"{figures.duration(_mean_first(alone))} → {figures.duration(_mean_first(together))}"),
        LessonFigure(_tr("max_num_seqs now"), figures.count(stage.limits.max_num_seqs)),
    )  # fmt: skip
    return LessonResult(
        found,
        _tr("The same {0} tokens took {1} steps instead of {2}, and {3} times as many came a second.").format(
            figures.count(tokens), figures.count(together_steps), figures.count(alone_steps),
            figures.significant(fast / slow, 2),
        ),
    )  # fmt: skip


async def _burst(stage: LessonStage, count: int) -> tuple[list[Answer], float, int]:
    """Requests of different lengths at once: their answers, the seconds they took, and the engine's steps."""
    stage.steps.clear()
    begin = time.monotonic()
    answers = await stage.ask_together(
        [stage.ask(stage.text(48), _SHORTEST + _LONGER_BY * place) for place in range(count)]
    )
    seconds = time.monotonic() - begin
    await stage.settle()
    return answers, seconds, len(stage.steps)


def _mean_first(answers: list[Answer]) -> float:
    return sum(one.first_s for one in answers) / len(answers)
