"""The third idea: what begins alike is computed once and held once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.lessons.lesson import Lesson, LessonFigure, LessonResult
from app.widgets import figures

if TYPE_CHECKING:
    from app.lessons.stage import LessonStage
    from engine.domain.telemetry import CacheSnapshot

_ANSWER = 16


def _tr(text: str) -> str:
    return QCoreApplication.translate("Lessons", text)


def sharing() -> Lesson:
    """The lesson."""
    return Lesson(
        "sharing",
        _tr("Sharing"),
        _tr("Prompts that begin alike have the same keys and values there. The prefix cache keeps such blocks, and any "
            "request with the same beginning points its table at them."),
        _tr("Sends a long system prompt, then three more questions with the same one, then one that differs in its "
            "first word."),
        "cache",
        _run,
    )  # fmt: skip


async def _run(stage: LessonStage) -> LessonResult:
    facts = stage.facts
    length = max(64, min(max(4 * facts.block_size, 500), facts.max_model_len // 2))
    system = stage.text(length)
    most = [0]

    def look(snapshot: CacheSnapshot) -> None:
        most[0] = max(most[0], snapshot.counters.num_shared)

    stage.watch(look)
    stage.say(_tr("The first request: its system prompt of about {0} tokens is new to the cache.").format(
        figures.count(length)))  # fmt: skip
    first = await stage.ask("What is the book's colour?", _ANSWER, system=system)
    stage.say(_tr("The same system prompt again: its blocks are there already."))
    again = await stage.ask("What is the coat's colour?", _ANSWER, system=system)
    stage.say(_tr("Two more of them at once. Watch shared blocks light up."))
    pair = [stage.ask(one, _ANSWER, system=system) for one in ("Who keeps the keys?", "When is the bell rung?")]
    followers = [again, *await stage.ask_together(pair)]
    stage.say(_tr("The same text once more, with another first word."))
    other = await stage.ask("What is the book's colour?", _ANSWER, system=f"Yes. {system}")
    await stage.settle()
    cached = sum(one.cached_tokens for one in followers) / len(followers)
    found = (
        LessonFigure(_tr("First: {0} prompt tokens, from the cache").format(figures.count(first.prompt_tokens)),
                     figures.count(first.cached_tokens)),
        LessonFigure(_tr("The three after it: from the cache, each"), figures.count(cached)),
        LessonFigure(_tr("With another first word: from the cache"), figures.count(other.cached_tokens)),
        LessonFigure(_tr("Wait for the first token, first and second"),
                     f"{figures.duration(first.first_s)} → {figures.duration(again.first_s)}"),
        LessonFigure(_tr("Most blocks that several requests held at once"), figures.count(most[0])),
    )  # fmt: skip
    if facts.parameters.get("enable_prefix_caching") is False:
        text = _tr("enable_prefix_caching is off in this engine: {0} tokens came from the cache, and every prompt was "
                   "computed anew.").format(figures.count(cached))  # fmt: skip
    else:
        text = _tr("{0} of {1} prompt tokens needed no computing. One other word at the very beginning left {2}: a "
                   "block is only the same if all before it is.").format(
            figures.count(cached), figures.count(followers[0].prompt_tokens), figures.count(other.cached_tokens)
        )  # fmt: skip
    return LessonResult(found, text)
