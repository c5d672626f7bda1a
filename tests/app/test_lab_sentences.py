"""What the lab says is worded by the window: every kind that the engine knows, in German too."""

from __future__ import annotations

import string

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from app.resources import resource
from app.widgets import lab_sentences
from app.widgets.lab_sentences import difference_text, sentence
from engine.tuner.interval import difference_of
from engine.tuner.saying import (
    COMPARED,
    TEMPLATES,
    ChangeValue,
    FigureValue,
    Saying,
    SecondsValue,
    SettingValue,
    ShareValue,
    TimesValue,
    english,
    saying,
)

_VALUES = {
    "setting": SettingValue({"max_num_seqs": 8}),
    "score": FigureValue("goodput_per_s", 1.25),
    "ttft": FigureValue("ttft.p50", 0.25),
    "change": ChangeValue(-0.125),
    "share": ShareValue(0.25),
    "seconds": SecondsValue(12.0),
    "ratios": TimesValue(dict.fromkeys(COMPARED, 0.5)),
    "deviation": 0.25,
}


def _example(kind: str) -> Saying:
    gaps = [name for _, name, _, _ in string.Formatter().parse(TEMPLATES[kind]) if name]
    return saying(kind, **{name: _VALUES.get(name, 3) for name in gaps})


def test_the_window_words_what_the_engine_says() -> None:
    assert lab_sentences.TEMPLATES == TEMPLATES
    assert lab_sentences.COMPARED == COMPARED


@pytest.mark.parametrize("kind", TEMPLATES)
def test_every_kind_has_words_in_both(kind: str, qapp: QCoreApplication) -> None:
    said = _example(kind)
    for text in (english(said), sentence(said)):
        assert text
        assert "{" not in text


def test_it_is_german_in_a_german_window(qapp: QCoreApplication) -> None:
    translator = QTranslator()
    assert translator.load(str(resource("translations") / "kvdeck_de.qm"))
    before = QLocale()
    qapp.installTranslator(translator)
    QLocale.setDefault(QLocale(QLocale.Language.German))
    try:
        for kind in TEMPLATES:
            if kind not in ("score", "error", "sweep_at"):  # no words of their own
                assert sentence(_example(kind)) != english(_example(kind))
        assert "1,25" in sentence(_example("score_against"))
        found = difference_of("goodput_per_s", (1.0, 1.1, 0.9), (2.0, 2.1, 2.2), 0.95)
        assert "gegen" in difference_text(found, 0.95)
    finally:
        qapp.removeTranslator(translator)
        QLocale.setDefault(before)


def test_what_a_newer_kvdeck_wrote_is_named() -> None:
    assert sentence(Saying("unheard_of")) == "unheard_of"
    assert sentence(None) == ""
