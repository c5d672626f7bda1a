"""Requests of a workload as bodies to send: the same for the same seed, made one by one as they are needed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from engine.bench.lengths import draw_length
from engine.bench.workload import FromData, ShareGpt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.bench.datasets import Conversation, Turn
    from engine.bench.vocabulary import Vocabulary
    from engine.bench.workload import Workload

Messages = tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """One request, ready to send. `said` is its own part, which a later turn has to repeat."""

    path: str
    body: bytes
    wanted_tokens: int
    said: Messages


class RequestSource:
    """Makes the requests of a workload for a model. `conversations` come from `read_dataset`."""

    def __init__(
        self, workload: Workload, model: str, vocabulary: Vocabulary, conversations: Sequence[Conversation]
    ) -> None:
        self._workload = workload
        self._model = model
        self._vocabulary = vocabulary
        self._conversations = conversations
        self._order = list(range(len(conversations)))
        if isinstance(workload.dataset, ShareGpt):  # a file's beginning is seldom like the rest of it
            random.Random(workload.seed).shuffle(self._order)  # noqa: S311 - a load, no secret
        self._system = workload.system_prompt or (
            vocabulary.text(workload.system_prompt_tokens, f"{workload.seed} system").strip()
        )
        self._completions = workload.route == "completions"

    @property
    def recorded_times(self) -> list[float]:
        """When the requests of a log were sent, in seconds from its beginning."""
        return [conversation.at_s or 0.0 for conversation in self._conversations]

    @property
    def length(self) -> int:
        """How many conversations the data have; they begin again after the last."""
        return len(self._conversations)

    def turns(self, conversation: int) -> int:
        """How many requests follow each other in this conversation."""
        return len(self._of(conversation).turns)

    async def plan(self, conversation: int, turn: int, past: Messages = ()) -> Planned:
        """The request at this place; `past` is what was said before in the conversation, answers included."""
        data = self._of(conversation).turns[turn]
        said = data.messages or ({"role": "user", "content": self._text(data, conversation, turn)},)
        length = await self._output_length(data, conversation, turn)
        system: Messages = ({"role": "system", "content": self._system},) if self._system else ()
        if data.messages and data.messages[0].get("role") == "system":
            system = ()
        messages = (*system, *past, *said)
        body: dict[str, Any] = {"model": self._model}
        if self._completions:
            body["prompt"] = "\n".join(str(message["content"]) for message in messages)
        else:
            body["messages"] = messages
        body |= {"max_tokens": length, "stream": True, "stream_options": {"include_usage": True}}
        if self._workload.temperature is not None:
            body["temperature"] = self._workload.temperature
        if self._workload.ignore_eos:
            body["ignore_eos"] = True
        body |= self._workload.extra
        path = "/v1/completions" if self._completions else "/v1/chat/completions"
        return Planned(path, msgspec.json.encode(body), length, said)

    def _of(self, conversation: int) -> Conversation:
        return self._conversations[self._order[conversation % len(self._order)]]

    def _text(self, data: Turn, conversation: int, turn: int) -> str:
        if data.text is not None:
            return data.text
        workload = self._workload
        given = data.prompt_tokens
        if given is not None and not isinstance(workload.prompt, FromData):
            given = None
        drawn = given or draw_length(workload.prompt, workload.seed, "prompt", conversation, turn, data.prompt_tokens)
        shared = min(data.shared_tokens, drawn) if isinstance(workload.prompt, FromData) else 0
        common = self._vocabulary.text(shared, f"{workload.seed} shared") if shared else ""
        own = self._vocabulary.text(drawn - shared, f"{workload.seed} {conversation} {turn}")
        return (common + own).strip()

    async def _output_length(self, data: Turn, conversation: int, turn: int) -> int:
        workload, known = self._workload, data.output_tokens
        if known is None and data.answer is not None and isinstance(workload.output, FromData):
            known = await self._vocabulary.counter.count(data.answer)
        return draw_length(workload.output, workload.seed, "output", conversation, turn, known)


def answered(planned: Planned, answer: str) -> Messages:
    """What a turn adds to the past of its conversation."""
    return (*planned.said, {"role": "assistant", "content": answer})
