"""What a lesson is, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.lessons.stage import LessonStage


@dataclass(frozen=True, slots=True)
class LessonFigure:
    """One number that came out, with its unit, and what it is."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class LessonResult:
    """What a lesson found on this engine: numbers, and the sentence that they prove."""

    figures: tuple[LessonFigure, ...]
    conclusion: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """One idea: `idea` in two sentences, `act` what the lesson will do, `panel` where to look meanwhile (its key)."""

    key: str
    title: str
    idea: str
    act: str
    panel: str
    run: Callable[[LessonStage], Awaitable[LessonResult]]


class LessonPhase(StrEnum):
    """How far a lesson has come."""

    FRESH = "fresh"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LessonState:
    """How one lesson stands: what it does now, or what came of it, or why it did not come to an end."""

    phase: LessonPhase = LessonPhase.FRESH
    doing: str = ""
    result: LessonResult | None = None
    error: str = ""
