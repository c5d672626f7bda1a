"""One answer: its figures by their definitions, and each way in which it can end."""

from __future__ import annotations

import asyncio

import pytest

from engine.chat.session import AnswerStream
from engine.chat.transcript import Message, MessageState
from engine.client.engine import ChatDelta, ChatOptions
from engine.domain.errors import ContextTooLong, EngineCrashed
from tests.engine.chat.scripted import ScriptedAsk, until


def blank() -> Message:
    return Message("id", "chat", "q", "assistant", "", 0.0, "model")


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_figures_follow_their_definitions():
    clock = Clock()
    answer = AnswerStream(blank(), lambda: None, clock)

    async def deltas():
        yield ChatDelta("r", "")  # the role comes first, without text
        for number in range(5):
            clock.now = 100.5 + number * 0.25
            yield ChatDelta("r", "x")
        clock.now = 110.0
        yield ChatDelta("r", "", "stop", 412, 5, 384)

    message = await answer.run(deltas())
    figures = message.figures
    assert message.content == "xxxxx"
    assert message.state is MessageState.COMPLETE
    assert figures.ttft_s == pytest.approx(0.5)
    assert figures.tokens_per_s == pytest.approx(4 / 1.0), "(n - 1) / (last - first), without the first token's wait"
    assert figures.total_s == pytest.approx(1.5), "until the last token, not until the stream was closed"
    assert (figures.prompt_tokens, figures.cached_tokens, figures.completion_tokens) == (412, 384, 5)
    assert not figures.approximate


async def test_stop_keeps_what_came_and_closes_the_stream():
    ask = ScriptedAsk(gate=asyncio.Semaphore(2))
    answer = AnswerStream(blank(), lambda: None)
    running = asyncio.ensure_future(answer.run(ask((), ChatOptions(), request_id="7")))
    await until(lambda: answer.message.content == "Hello there")
    answer.stop()
    message = await running
    assert message.state is MessageState.STOPPED
    assert message.content == "Hello there"
    assert ask.closed == 1, "closing the iterator is what aborts the request in the engine"
    assert message.figures.approximate
    assert message.figures.completion_tokens == 2
    assert not answer.running


async def test_a_stopped_answer_is_counted_exactly_where_the_server_counts_as_it_goes():
    gate, clock = asyncio.Event(), Clock()
    answer = AnswerStream(blank(), lambda: None, clock)

    async def deltas():
        yield ChatDelta("r", "", None, 31, 0)
        for number in (1, 4):  # the second piece is of three tokens
            clock.now += 0.5
            yield ChatDelta("r", "x", None, 31, number)
        gate.set()
        await asyncio.Event().wait()

    running = asyncio.ensure_future(answer.run(deltas()))
    await gate.wait()
    answer.stop()
    figures = (await running).figures
    assert (figures.prompt_tokens, figures.completion_tokens, figures.approximate) == (31, 4, False)
    assert figures.tokens_per_s == pytest.approx(3 / 0.5)


async def test_stop_before_the_first_step_asks_for_nothing():
    ask = ScriptedAsk()
    answer = AnswerStream(blank(), lambda: None)
    answer.stop()
    message = await answer.run(ask((), ChatOptions()))
    assert message.state is MessageState.STOPPED
    assert message.content == ""


@pytest.mark.parametrize("failure", [EngineCrashed("It died.", remedy="Load again."), ContextTooLong("9 of 8.")])
async def test_a_failure_is_kept_with_what_came_before_it(failure):
    ask = ScriptedAsk(failure=failure, fail_at=2)
    message = await AnswerStream(blank(), lambda: None).run(ask((), ChatOptions()))
    assert message.state is MessageState.FAILED
    assert message.content == "Hello there"
    assert message.error is not None
    assert (message.error.kind, message.error.message) == (failure.kind, failure.message)


async def test_an_unforeseen_fault_does_not_lose_the_answer(caplog):
    ask = ScriptedAsk(failure=ValueError("bad byte"), fail_at=1)
    message = await AnswerStream(blank(), lambda: None).run(ask((), ChatOptions()))
    assert message.content == "Hello"
    assert message.error is not None
    assert "bad byte" in message.error.message
    assert "stream broke" in caplog.text


async def test_a_cancelled_task_is_marked_and_still_cancelled():
    ask = ScriptedAsk(gate=asyncio.Semaphore(1))
    answer = AnswerStream(blank(), lambda: None)
    running = asyncio.ensure_future(answer.run(ask((), ChatOptions())))
    await until(lambda: bool(answer.message.content))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert answer.message.state is MessageState.STOPPED
    assert answer.message.content == "Hello"
