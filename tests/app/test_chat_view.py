"""The conversation on the screen: long ones stay quick, and the view follows only who wants to be led."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QApplication

from app.widgets.chat_body import ChatText, MessageBody
from app.widgets.chat_editor import GrowingEdit
from app.widgets.chat_lines import Line
from app.widgets.chat_view import ChatView
from engine.chat.transcript import Message, MessageState

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.theme.themes import Themes

_TEXT = "Some **words** and `code`.\n\n- one\n- two\n\n```python\nprint('x')\n```\n"


def lines(count: int) -> list[Line]:
    return [
        Line(Message(f"m{number}", "c", None, "assistant" if number % 2 else "user", f"{number}. {_TEXT}", 0.0))
        for number in range(count)
    ]


@pytest.fixture
def view(qtbot: QtBot, themes: Themes) -> ChatView:
    result = ChatView(themes)
    qtbot.addWidget(result)
    result.resize(400, 600)
    result.show()
    return result


def settle() -> None:
    for _ in range(5):
        QApplication.processEvents()


def test_a_long_chat_has_few_widgets_and_shows_its_end(view: ChatView):
    view.show_lines(lines(1000))
    settle()
    assert view.card("m999") is not None
    assert view.card("m900") is None
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0


def test_scrolling_up_brings_earlier_messages_and_keeps_the_place(view: ChatView, qtbot: QtBot):
    view.show_lines(lines(200))
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 600)
    settle()
    bar = view.verticalScrollBar()
    first = view._lines[view._first].message.id
    bar.setValue(bar.minimum() + 10)
    card = view.card(first)
    assert card is not None
    qtbot.waitUntil(lambda: view._first < 185 and not view._settling.isActive())
    settle()
    assert not view.following
    assert abs(card.y() - bar.value() + 10 - 8) <= 12, "what was on the screen is still where it was"
    for _ in range(20):
        bar.setValue(0)
        qtbot.waitUntil(lambda: not view._settling.isActive())
    assert len(view._cards) <= 60, "messages far below are widgets no longer"
    assert view.card("m199") is None
    view.follow()
    settle()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    assert view.card("m199") is not None
    assert view.following


def test_scrolling_down_again_brings_what_was_let_go(view: ChatView, qtbot: QtBot):
    view.show_lines(lines(120))
    settle()
    view.reveal("m10")
    qtbot.waitUntil(lambda: not view._settling.isActive())
    bar = view.verticalScrollBar()
    for _ in range(60):
        bar.setValue(bar.maximum())
        qtbot.waitUntil(lambda: not view._settling.isActive())
        if view.following:
            break
    assert view.card("m119") is not None


def test_growth_follows_only_at_the_end(view: ChatView):
    shown = lines(10)
    answer = replace(shown[-1].message, id="a", state=MessageState.STREAMING)
    view.show_lines([*shown, Line(answer)])
    settle()
    bar = view.verticalScrollBar()
    view.show_growth(replace(answer, content=answer.content + "\n\nmore\n\n" * 30))
    settle()
    assert bar.value() == bar.maximum()
    bar.setValue(bar.maximum() // 2)
    place = bar.value()
    view.show_growth(replace(answer, content=answer.content + "\n\nmore\n\n" * 60))
    settle()
    assert bar.value() == place, "who reads further up is left alone"


@pytest.mark.timed
def test_drawing_a_long_answer_costs_no_more_at_its_end_than_at_its_beginning(view: ChatView):
    answer = Message("a", "c", None, "assistant", "", 0.0, state=MessageState.STREAMING)
    view.show_lines([Line(answer)])
    text, costs = "", []
    for number in range(400):
        text += f"Sentence {number} of a long answer with *some* words in it, and a few more. " + "\n\n" * (
            number % 3 == 0
        )
        began = time.process_time()
        view.show_growth(replace(answer, content=text))
        costs.append(time.process_time() - began)
    assert len(text) > 25_000
    first, last = sorted(costs[50:100])[25], sorted(costs[-50:])[25]
    assert last < 4 * first, f"{first * 1e3:.2f} ms at first, {last * 1e3:.2f} ms at the end"
    assert last < 0.02, "a frame of 33 ms has room for it"


@pytest.mark.timed
def test_revealing_a_message_far_above_mounts_it(view: ChatView, qtbot: QtBot):
    view.show_lines(lines(300))
    settle()
    view.reveal("m20")
    settle()
    card = view.card("m20")
    assert card is not None
    assert len(view._cards) < 40
    qtbot.waitUntil(lambda: not card.visibleRegion().isEmpty())


def test_a_revealed_message_keeps_its_place_when_the_layout_comes_late(view: ChatView, qtbot: QtBot):
    view.show_lines(lines(300))
    settle()
    column = view._column
    column.setEnabled(False)  # as where the machine is busy: nothing is laid out
    view.reveal("m20")
    for _ in range(3):
        qtbot.wait(0)
        view._settle()
    assert len(view._cards) < 10, "what is not laid out says nothing of how much is needed"
    column.setEnabled(True)
    column.activate()
    card = view.card("m20")
    assert card is not None
    qtbot.waitUntil(lambda: card.y() > 0 and view.verticalScrollBar().value() == card.y() - 8)


def test_a_tall_view_of_short_messages_comes_to_rest(view: ChatView, qtbot: QtBot):
    view.resize(400, 2100)
    view.show_lines([replace(line, message=replace(line.message, content="ok")) for line in lines(400)])
    settle()
    view.reveal("m200")
    mounted: list[tuple[int, int]] = []
    for _ in range(60):
        qtbot.waitUntil(lambda: not view._settling.isActive())
        mounted.append((view._first, view._end))
        view._settle()
        if (view._first, view._end) == mounted[-1] and not view._settling.isActive():
            break
    assert len(mounted) == len(set(mounted)), "nothing is mounted and let go by turns"


def test_cards_stay_when_the_path_grows_and_versions_are_told(view: ChatView):
    shown = lines(6)
    view.show_lines(shown)
    card = view.card("m5")
    view.show_lines([*shown[:-1], replace(shown[-1], index=1, versions=3), *lines(8)[6:]])
    assert view.card("m5") is card
    assert card is not None
    assert card.versions is not None
    assert card.versions.place.text() == "2/3"
    assert card.versions.isVisibleTo(card)


def test_both_themes_redraw_what_is_shown(view: ChatView, themes: Themes):
    view.show_lines(lines(4))
    settle()
    themes.choose("dark")
    settle()
    dark = view.grab().toImage()
    themes.choose("light")
    settle()
    assert view.grab().toImage() != dark


def test_a_word_of_a_megabyte_does_not_hold_the_window(qtbot: QtBot, themes: Themes):
    """Broken between words alone, its layout took a minute."""
    anywhere, at_words = QTextOption.WrapMode.WrapAnywhere, QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
    field = GrowingEdit()
    qtbot.addWidget(field)
    QApplication.clipboard().setText("x" * 1_000_000)
    field.paste()
    assert field.wordWrapMode() is anywhere
    field.clear()
    QApplication.clipboard().setText("word " * 2000)
    field.paste()
    assert field.wordWrapMode() is at_words
    for markdown in (False, True):
        body = MessageBody(themes, markdown=markdown)
        qtbot.addWidget(body)
        for text, mode in (("x" * 100_000, anywhere), ("word " * 2000, at_words)):
            body.show_text(text)
            assert body.findChild(ChatText).document().defaultTextOption().wrapMode() is mode
