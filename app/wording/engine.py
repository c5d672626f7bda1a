"""A sentence of the engine's in the user's language."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from PySide6.QtCore import QCoreApplication

from app.wording.checkpoints import CHECKPOINTS
from app.wording.faults import FAULTS
from app.wording.files import FILES
from app.wording.host import HOST
from app.wording.lab import LAB
from app.wording.parameters import PARAMETERS
from app.wording.sleepers import SLEEPERS

_PLACE = re.compile(r"\{(\w+)\}")
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_TABLES = (FAULTS, CHECKPOINTS, PARAMETERS, HOST, FILES, SLEEPERS, LAB)
_SHORT = 12  # letters
_DEEPEST = 4  # sentences within sentences: "X cannot run here. Y does not know Z."
_SAMPLE = "Start the engine again."


def worded(text: str) -> str:
    """What the engine said, in the user's language; as it is where the form of the sentence is not known here.

    Several sentences in a row are worded one by one where they have no form together. Cheap when asked again.
    """
    if not text or not _is_translated():
        return text
    return _worded(QCoreApplication.translate("Engine", _SAMPLE), text, _DEEPEST)


def forms() -> tuple[str, ...]:
    """All known forms, the one with most fixed text first: it is the most exact one that fits."""
    found = {str(form) for table in _TABLES for form in table}
    return tuple(sorted(found, key=lambda form: (-len(_PLACE.sub("", form)), form)))


def form_of(text: str) -> str | None:
    """The most exact form that a sentence has, or None."""
    return next((form for form, pattern in _patterns() if pattern.fullmatch(text)), None)


def _is_translated() -> bool:
    return QCoreApplication.translate("Engine", _SAMPLE) != _SAMPLE


@lru_cache(maxsize=2048)
def _worded(language: str, text: str, depth: int) -> str:
    """`language` is a sample of the present one: what was worded in another must not be taken from the cache."""
    for form, pattern in _patterns():
        match = pattern.fullmatch(text)
        if match is not None:
            inner = {key: _part(language, value, depth) for key, value in match.groupdict().items()}
            return _filled(QCoreApplication.translate("Engine", form), inner)
    sentences = _SENTENCE_END.split(text)
    if len(sentences) < 2:
        return text
    return " ".join(_worded(language, each, depth) for each in sentences)


def _part(language: str, text: str, depth: int) -> str:
    """What stands in a form's place: a name or a number as it is, or a sentence of its own."""
    return text if depth <= 0 or not text else _worded(language, text, depth - 1)


def _filled(form: str, parts: dict[str, str]) -> str:
    """The form with its places filled. Not str.format: names of files and models may hold braces."""
    return _PLACE.sub(lambda place: parts.get(place[1], place[0]), form).strip()


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((form, _pattern(form)) for form in forms())


def _pattern(form: str) -> re.Pattern[str]:
    """A form of few words of its own ("Lower {name}.") takes one word in its places: other sentences begin so, too."""
    is_short = form.endswith(".") and len(_PLACE.sub("", form)) < _SHORT
    what = r"\S*?" if is_short else ".*?"
    pieces: list[str] = []
    end = 0
    for place in _PLACE.finditer(form):
        pieces += [re.escape(form[end : place.start()]), f"(?P<{place[1]}>{what})"]
        end = place.end()
    return re.compile("".join([*pieces, re.escape(form[end:])]), re.DOTALL)
