"""The first idea: a request has two phases, and they have nothing in common but the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.lessons.lesson import Lesson, LessonFigure, LessonResult
from app.widgets import figures

if TYPE_CHECKING:
    from app.lessons.stage import LessonStage

_PROMPT, _ANSWER = 900, 48


def _tr(text: str) -> str:
    return QCoreApplication.translate("Lessons", text)


def two_phases() -> Lesson:
    """The lesson."""
    return Lesson(
        "phases",
        _tr("Two phases"),
        _tr("A prompt is read all at once: that is prefill, and arithmetic limits it. The answer comes a token a step: "
            "that is decode, and each step reads all weights from memory for it."),
        _tr("Sends one long prompt and lets the model answer with 48 tokens."),
        "timeline",
        _run,
    )  # fmt: skip


async def _run(stage: LessonStage) -> LessonResult:
    length = max(64, min(_PROMPT, stage.facts.max_model_len // 2 - _ANSWER))
    stage.say(_tr("Sending a prompt of about {0} tokens. Watch its lane: one long bar, then many short steps.").format(
        figures.count(length)))  # fmt: skip
    stage.steps.clear()
    answer = await stage.ask(stage.text(length), _ANSWER)
    await stage.settle()
    read = max(1, answer.prompt_tokens - answer.cached_tokens)
    made = max(1, answer.tokens - 1)  # the prefill brings the first
    decode_s = max(1e-9, answer.seconds - answer.first_s)
    prefill_rate, decode_rate = read / max(1e-9, answer.first_s), made / decode_s
    filling = sum(step.prefill_tokens > 0 for step in stage.steps)
    found = (
        LessonFigure(
            _tr("Prefill: {0} tokens, steps: {1}, {2}").format(
                figures.count(read), figures.count(filling), figures.duration(answer.first_s)
            ),
            figures.per_second(prefill_rate, _tr("tokens")),
        ),
        LessonFigure(
            _tr("Decode: {0} tokens, steps: {1}, {2}").format(
                figures.count(made), figures.count(len(stage.steps) - filling), figures.duration(decode_s)
            ),
            figures.per_second(decode_rate, _tr("tokens")),
        ),
        LessonFigure(_tr("A token of the prompt against one of the answer"), f"{prefill_rate / decode_rate:.0f} : 1"),
    )
    return LessonResult(
        found,
        _tr("A token of the prompt took {0}, one of the answer {1}: read together, all tokens of a step use the "
            "weights that are read for one.").format(
            figures.duration(1 / prefill_rate), figures.duration(1 / decode_rate)
        ),
    )  # fmt: skip
