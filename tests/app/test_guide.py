"""The guide in the window: all of its sections, its links and pictures, a search."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt, QUrl

from app.dialogs.guide import GuideDialog
from app.resources import GUIDE

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def guide(qtbot: QtBot) -> GuideDialog:
    """The dialog, shown."""
    dialog = GuideDialog(GUIDE)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_it_lists_every_section_and_goes_there(guide: GuideDialog) -> None:
    wanted = re.findall(r"^## (.+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [guide.sections.item(row).text() for row in range(guide.sections.count())] == wanted
    guide.sections.setCurrentRow(4)
    top = guide.text.cursorForPosition(guide.text.viewport().rect().topLeft()).block()
    near = [top.text(), top.next().text()]
    assert wanted[4] in near, "the heading stands at the top"


def test_what_it_links_to_and_shows_is_there() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("http") or (GUIDE.parent / target).exists(), target


def test_links_open_in_it(guide: GuideDialog) -> None:
    guide.text.anchorClicked.emit(QUrl("recording-format.md"))
    assert "record" in guide.text.toPlainText().lower()
    assert guide.windowTitle() == "User guide"


def test_nothing_is_wider_than_the_text(guide: GuideDialog) -> None:
    assert guide.text.horizontalScrollBar().maximum() == 0


def test_a_search_finds_and_says_when_it_does_not(guide: GuideDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(guide.search, "prefix")
    assert guide.text.textCursor().selectedText().lower() == "prefix"
    first = guide.text.textCursor().position()
    qtbot.keyClick(guide.search, Qt.Key.Key_Return)
    assert guide.text.textCursor().position() != first
    guide.search.setText("no such words in it")
    assert guide.search.property("invalid") is True
    guide.search.clear()
    assert guide.search.property("invalid") is False
