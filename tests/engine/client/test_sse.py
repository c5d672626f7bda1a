"""The answer's bytes, cut anywhere, become the same deltas."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.client.sse import AnswerAssembler, SseDecoder
from engine.domain.errors import ContextTooLong, EngineBusy, EngineCrashed, EngineFailed, ParameterInvalid


def _event(**fields: object) -> str:
    return json.dumps({"id": "chatcmpl-1", **fields})


_ANSWER = [
    _event(choices=[{"delta": {"role": "assistant", "content": ""}}]),
    _event(choices=[{"delta": {"content": "Grüße, "}}]),
    _event(choices=[{"delta": {"content": "東京 🗼"}, "finish_reason": "stop"}]),
    _event(
        choices=[],
        usage={"prompt_tokens": 31, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 16}},
    ),
    "[DONE]",
]


def _bytes(events: list[str], ending: str) -> bytes:
    return "".join(f"data: {event}{ending}{ending}" for event in events).encode()


@given(cuts=st.lists(st.integers(0, 600), max_size=12), ending=st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_cut_gives_the_same_events(cuts: list[int], ending: str) -> None:
    content = _bytes(_ANSWER, ending) + b"\n"  # the LF tells the decoder that a last lone CR was no half of a CRLF
    decoder, got, start = SseDecoder(), [], 0
    for cut in [*sorted(min(cut, len(content)) for cut in cuts), len(content)]:
        got += decoder.feed(content[start:cut])
        start = cut
    assert got == _ANSWER


def test_comments_other_fields_and_joined_data_lines() -> None:
    decoder = SseDecoder()
    assert list(decoder.feed(b": ping\n\nevent: x\nid: 3\ndata: one\ndata:two\n\n")) == ["one\ntwo"]


def test_an_endless_event_is_refused() -> None:
    with pytest.raises(EngineFailed, match="16 MiB"):
        list(SseDecoder().feed(b"data: " + b"x" * (17 * 1024 * 1024)))


def test_last_delta_carries_reason_and_usage() -> None:
    answer = AnswerAssembler()
    deltas = [delta for data in _ANSWER if (delta := answer.take(data)) is not None]
    assert "".join(delta.text for delta in deltas) == "Grüße, 東京 🗼"
    assert [delta.finish_reason for delta in deltas] == [None, None, None, "stop"]
    last = deltas[-1]
    assert (last.prompt_tokens, last.completion_tokens, last.cached_tokens) == (31, 2, 16)
    assert last.request_id == "chatcmpl-1"
    assert answer.finished


def test_counts_come_with_every_piece_where_the_server_counts_as_it_goes() -> None:
    """vLLM's `continuous_usage_stats`: what was received is counted exactly, wherever the stream is cut."""
    answer = AnswerAssembler()
    pieces = [("Grüße", 2), (", ", 3), ("東", 6)]
    events = [_event(choices=[{"delta": {"role": "assistant"}}], usage={"prompt_tokens": 31, "completion_tokens": 0})]
    events += [
        _event(choices=[{"delta": {"content": text}}], usage={"prompt_tokens": 31, "completion_tokens": count})
        for text, count in pieces
    ]
    deltas = [delta for data in events if (delta := answer.take(data)) is not None]
    assert [(delta.text, delta.completion_tokens) for delta in deltas] == [("", 0), *pieces]
    assert {(delta.prompt_tokens, delta.cached_tokens, delta.finish_reason) for delta in deltas} == {(31, None, None)}
    last = [delta for data in _ANSWER[2:] if (delta := answer.take(data)) is not None][-1]
    assert (last.finish_reason, last.cached_tokens) == ("stop", 16), "a usage with choices is not the last one"


def test_reason_is_not_lost_without_usage() -> None:
    answer = AnswerAssembler()
    deltas = [delta for data in (*_ANSWER[:3], "[DONE]") if (delta := answer.take(data)) is not None]
    assert deltas[-1].finish_reason == "stop"
    assert deltas[-1].completion_tokens is None


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ('{"error": {"message": "EngineCore encountered an issue. See stack trace"}}', EngineCrashed),
        ('{"error": {"message": "This model\'s maximum context length is 64 tokens."}}', ContextTooLong),
        ('{"error": {"message": "The engine died while it was answering. Send"}}', EngineCrashed),
        ('{"error": {"message": "The model was unloaded.", "code": 503}}', EngineBusy),
        ('{"error": {"message": "temperature must be ...", "code": 400}}', ParameterInvalid),
        ('{"error": {"message": "something else"}}', EngineFailed),
        ("not json", EngineFailed),
        ("[1]", EngineFailed),
    ],
)
def test_error_events_raise(data: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        AnswerAssembler().take(data)
