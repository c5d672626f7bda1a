"""The second idea: memory comes in blocks, one at a time, from wherever one is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.lessons.lesson import Lesson, LessonFigure, LessonResult
from app.widgets import figures
from engine.domain.errors import EngineBusy

if TYPE_CHECKING:
    from app.lessons.stage import LessonStage
    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot

_LONGEST = 200  # tokens of answer, so that the lesson stays short
_SHOWN_BLOCKS = 8


def _tr(text: str) -> str:
    return QCoreApplication.translate("Lessons", text)


def paging() -> Lesson:
    """The lesson."""
    return Lesson(
        "paging",
        _tr("Paging"),
        _tr("The KV cache is cut into blocks of equal size. A request takes the next one only when its last is full, "
            "wherever one is free, and a table says where its tokens are."),
        _tr("Sends one request and follows its block table until it has grown by a block."),
        "cache",
        _run,
    )  # fmt: skip


async def _run(stage: LessonStage) -> LessonResult:
    facts = stage.facts
    size = facts.block_size
    longest = max(8, min(size + size // 8, _LONGEST, facts.max_model_len // 2))
    seen: list[RequestRow] = []
    sent: list[str] = []

    def look(snapshot: CacheSnapshot) -> None:
        row = stage.row(sent[0], snapshot) if sent else None
        if row is not None and len(row.block_table):
            stage.choose(row)
            seen.append(row)

    stage.watch(look)
    stage.say(_tr("One request runs. Its blocks are framed in the map; a block here holds {0} tokens.").format(
        figures.count(size)))  # fmt: skip
    answer = await stage.ask(stage.text(min(size + size // 2, facts.max_model_len // 4)), longest, sent=sent.append)
    if not seen:
        raise EngineBusy(
            _tr("The request was over before a picture of its blocks came."),
            remedy=_tr("Raise the frame rate in the settings, or take a larger model."),
        )
    first, last = seen[0], seen[-1]
    held = len(last.block_table) * size
    ids = ", ".join(str(block) for block in last.block_table[:_SHOWN_BLOCKS].tolist())
    more = len(last.block_table) - _SHOWN_BLOCKS
    total = answer.prompt_tokens + answer.tokens
    found = (
        LessonFigure(_tr("Blocks at its beginning and at its end"),
                     f"{figures.count(len(first.block_table))} → {figures.count(len(last.block_table))}"),
        LessonFigure(_tr("Where they are in the pool of {0}").format(figures.count(facts.num_blocks)),
                     ids + (f" + {more}" if more > 0 else "")),
        LessonFigure(_tr("Slots held for {0} tokens").format(figures.count(last.num_computed_tokens)),
                     figures.count(held)),
        LessonFigure(_tr("Slots that a reservation to max_model_len would hold"), figures.count(facts.max_model_len)),
    )  # fmt: skip
    return LessonResult(
        found,
        _tr("{0} tokens held {1} slots, so {2} were empty. Reserved to max_model_len as one piece, {3} of {4} would "
            "have been empty, and nobody else could have used them.").format(
            figures.count(last.num_computed_tokens), figures.count(held),
            figures.count(held - last.num_computed_tokens), figures.count(facts.max_model_len - total),
            figures.count(facts.max_model_len),
        ),
    )  # fmt: skip
