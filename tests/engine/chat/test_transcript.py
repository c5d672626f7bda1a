"""The tree of messages: versions beside each other, the path through the chosen ones, and what a model is sent."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.chat.transcript import Message, Transcript, request_messages, title_of

if TYPE_CHECKING:
    from engine.chat.transcript import Role


def message(ident: str, parent: str | None, role: Role = "user", content: str | None = None) -> Message:
    return Message(ident, "chat", parent, role, ident if content is None else content, 0.0)


def branched() -> Transcript:
    """q1 - a1 | a2 - q2, and an edited question r1 beside q1 with its answer b1."""
    transcript = Transcript()
    for item in (
        message("q1", None),
        message("a1", "q1", "assistant"),
        message("a2", "q1", "assistant"),
        message("q2", "a2"),
        message("r1", None),
        message("b1", "r1", "assistant"),
    ):
        transcript.put(item)
    return transcript


def ids(transcript: Transcript) -> list[str]:
    return [item.id for item in transcript.path()]


def test_the_newest_version_is_shown_and_choosing_an_older_one_brings_what_followed_it():
    transcript = branched()
    assert ids(transcript) == ["r1", "b1"]
    transcript.choose("q1")
    assert ids(transcript) == ["q1", "a2", "q2"]
    transcript.choose("a1")
    assert ids(transcript) == ["q1", "a1"]
    transcript.choose("r1")
    transcript.choose("q1")
    assert ids(transcript) == ["q1", "a1"], "each place remembers its version"


def test_versions_are_the_siblings_in_order():
    transcript = branched()
    assert transcript.versions("a2") == ("a1", "a2")
    assert transcript.versions("q1") == ("q1", "r1")
    assert transcript.versions("q2") == ("q2",)


def test_a_removed_version_takes_what_follows_and_comes_back_whole():
    transcript = branched()
    transcript.choose("q1")
    removed = transcript.remove("q1")
    assert {item.id for item in removed} == {"q1", "a1", "a2", "q2"}
    assert ids(transcript) == ["r1", "b1"]
    for item in removed:
        transcript.put(item)
    assert {item.id for item in transcript.all()} == {"q1", "a1", "a2", "q2", "r1", "b1"}
    assert ids(transcript)[0] == "q1"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=25))
def test_a_transcript_read_from_its_messages_and_choices_is_the_same(steps):
    transcript = Transcript()
    known: list[str | None] = [None]
    for number, (place, choose) in enumerate(steps):
        parent = known[place % len(known)]
        transcript.put(message(f"m{number}", parent))
        known.append(f"m{number}")
        picked = known[1 + place % (len(known) - 1)]
        if choose and picked is not None:
            transcript.choose(picked)
    again = Transcript(transcript.all(), transcript.chosen())
    assert ids(again) == ids(transcript)
    path = transcript.path()
    for before, after in itertools.pairwise(path):
        assert after.parent_id == before.id


def test_a_model_is_sent_the_system_prompt_and_alternating_roles():
    path = (
        message("q1", None, "user", "one"),
        message("a1", "q1", "assistant", ""),
        message("q2", "a1", "user", "two"),
        message("a2", "q2", "assistant", "half an ans"),
        message("q3", "a2", "user", "three"),
    )
    sent = request_messages(path, "Be brief.")
    assert [(item.role, item.content) for item in sent] == [
        ("system", "Be brief."),
        ("user", "one\n\ntwo"),
        ("assistant", "half an ans"),
        ("user", "three"),
    ]
    assert request_messages(path[:1], "  ")[0].role == "user", "an empty system prompt is none"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("What is a KV cache?", "What is a KV cache?"),
        ("\n\n  first line \nsecond", "first line"),
        ("", ""),
        ("word " * 30, " ".join(["word"] * 12) + "…"),
        ("x" * 100, "x" * 60 + "…"),
    ],
)
def test_titles(text, title):
    assert title_of(text) == title
