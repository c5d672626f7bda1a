"""German: nearly complete, compiled, with every placeholder kept, and really in the window."""

from __future__ import annotations

import importlib.util
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from app.resources import RESOURCES, resource
from app.translations import LANGUAGES, use_language

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

TS = resource("translations", "kvdeck_de.ts")
PLACEHOLDER = re.compile(r"\{[^}]*\}|%n")
COMPLETE = 0.95  # a text that is new may stand in English until the next round of translating


def script() -> Any:
    path = RESOURCES.parent / "packaging" / "translations.py"
    spec = importlib.util.spec_from_file_location("translations", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pairs() -> Iterator[tuple[str, str]]:
    for message in ET.parse(TS).getroot().iter("message"):
        source, target = message.find("source"), message.find("translation")
        assert source is not None
        assert target is not None
        forms = [form.text or "" for form in target.iter("numerusform")] or [target.text or ""]
        for form in forms:
            yield source.text or "", form


def test_translations_keep_every_placeholder() -> None:
    for source, target in pairs():
        if not target:
            continue
        wanted = PLACEHOLDER.findall(source)
        found = PLACEHOLDER.findall(target)
        assert sorted(found) == sorted(wanted) or (found == [] and wanted == ["%n"]), source


def test_german_is_nearly_complete_and_compiled(tmp_path: Path) -> None:
    module = script()
    fresh = tmp_path / TS.name
    fresh.write_bytes(TS.read_bytes())
    module.collect(fresh)
    texts = sum(1 for _ in ET.parse(fresh).getroot().iter("message"))
    assert len(module.untranslated(fresh)) <= texts * (1 - COMPLETE)
    compiled = tmp_path / "kvdeck_de.qm"
    module.compile_one(TS, compiled)
    assert compiled.read_bytes() == TS.with_suffix(".qm").read_bytes()


@pytest.fixture
def german(qapp: QApplication) -> Iterator[QLocale]:
    yield use_language(qapp, "de")
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.deleteLater()
    QLocale.setDefault(QLocale("en_US"))


def test_the_window_speaks_german(german: QLocale) -> None:
    assert german.language() is QLocale.Language.German
    assert QCoreApplication.translate("Panels", "Parameters") == "Parameter"
    assert QCoreApplication.translate("Stages", "weights") == "Gewichte"
    assert QCoreApplication.translate("NoticeBar", "%n more", "", 3) == "3 weitere"
    assert QLocale().toString(3204) == "3.204"


def test_every_language_offered_is_there() -> None:
    for code, _ in LANGUAGES:
        assert code == "en" or resource("translations", f"kvdeck_{code}.qm").exists()
