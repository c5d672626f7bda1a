"""Markdown as it grows: pieces of a text that arrived bit by bit are those of the whole text; nothing is fetched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.theme.tokens import DARK, LIGHT
from app.widgets.chat_highlight import highlighted
from app.widgets.chat_markdown import MarkdownSplitter, Segment

_BLOCKS = (
    "A paragraph with **bold** and `code`.\nSecond line.",
    "# Heading",
    "- one\n- two\n  - three",
    "1. first\n\n2. second",
    "```python\ndef f():\n    return 1\n```",
    "~~~\nplain\n~~~",
    "    indented code\n    more",
    "| a | b |\n|---|--:|\n| 1 | 2 |",
    "> quoted\n> text",
    "---",
    "Setext\n======",
    "word " * 200,
    "```\nunclosed",
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(_BLOCKS), min_size=1, max_size=6), st.lists(st.integers(1, 40), min_size=1, max_size=9))
def test_a_text_that_grows_is_cut_like_the_whole_text(blocks, steps):
    text = "\n\n".join(blocks)
    growing, place, number = MarkdownSplitter(), 0, 0
    while place < len(text):
        place += steps[number % len(steps)]
        number += 1
        segments = growing.split(text[:place])
    assert segments == MarkdownSplitter().split(text)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab \n`*_#->|[]()!<&0123.~=\\", max_size=200))
def test_no_text_breaks_it_and_none_is_lost(text):
    splitter = MarkdownSplitter()
    segments = splitter.split(text)
    for segment in segments:
        if not segment.is_code:
            splitter.html(segment, DARK)
    shown = "".join(segment.source for segment in segments)
    assert {letter for letter in shown if letter.isalnum()} <= set(text)
    bare = [letter for letter in text if letter.isalnum()]
    if not any(mark in text for mark in ("`", "~", "[", "    ")):
        assert [letter for letter in shown if letter.isalnum()] == bare


def test_only_the_last_pieces_change_while_a_long_text_grows():
    splitter, text, changed, before = MarkdownSplitter(), "", 0, []
    for number in range(300):
        text += f"Paragraph {number} with some words in it to make it longer than a line.\n\n"
        segments = splitter.split(text)
        changed += sum(1 for place, item in enumerate(segments) if place >= len(before) or before[place] != item)
        before = segments
    assert len(before) >= 7, "runs of text are cut at a size that is quick to draw"
    assert changed <= 2 * 300


def test_code_is_its_own_segment_with_its_language():
    segments = MarkdownSplitter().split("before\n\n```py title=x\na = 1\n```\n\nafter")
    assert segments == [Segment(False, "before\n\n"), Segment(True, "a = 1", "py"), Segment(False, "after")]


@pytest.mark.parametrize(
    "evil",
    [
        "<img src=x onerror=alert(1)>",
        "![x](http://example.org/x.png)",
        "[x](javascript:alert(1))",
        "[x](file:///etc/passwd)",
        "<script>1</script>",
    ],
)
def test_nothing_is_loaded_or_run(evil):
    splitter = MarkdownSplitter()
    segment = splitter.split(evil)[0]
    html = splitter.html(segment, DARK)
    assert "<img" not in html
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert 'href="file' not in html


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_code_is_coloured_from_the_theme_and_unknown_languages_are_plain(theme):
    coloured = highlighted('def f():\n    return "x"  # no', "python", theme)
    assert theme.accent in coloured
    assert theme.good in coloured
    assert highlighted("a < b", "no-such-language", theme) == "a &lt; b"
    assert highlighted("a < b", "", theme) == "a &lt; b"
