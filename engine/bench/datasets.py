"""Data sets as conversations: what users said, how long the answers were, and when it was sent, where they tell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.bench.workload import Dataset, RecordedLog, ShareGpt, Synthetic, UserJsonl, WorkloadInvalid
from engine.domain.errors import RecordingInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence

_HUMAN = {"human", "user"}
_ANSWER = {"gpt", "assistant", "chatgpt", "bing", "bard"}


@dataclass(frozen=True, slots=True)
class Turn:
    """What is sent once. None: not in the data. `text` None is made up, `prompt_tokens` long, of which the first
    `shared_tokens` are the same in every request (what a recording says came from the prefix cache). `messages` is a
    whole conversation to send as it is; `answer` a text as long as the output is to be, `output_tokens` its number.
    """

    text: str | None = None
    messages: tuple[dict[str, Any], ...] | None = None
    prompt_tokens: int | None = None
    shared_tokens: int = 0
    output_tokens: int | None = None
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns that follow each other; `at_s` is when the first was sent, from the log's beginning."""

    turns: tuple[Turn, ...]
    at_s: float | None = None


def read_dataset(dataset: Dataset) -> Sequence[Conversation]:
    """The conversations of a data set; one for Synthetic, which says only how many turns there are.

    Blocks on the disk. Raises WorkloadInvalid with the file and the line.
    """
    if isinstance(dataset, Synthetic):
        return (Conversation((Turn(),) * dataset.turns),)
    path = Path(dataset.path).expanduser()
    try:
        if isinstance(dataset, ShareGpt):
            found = _sharegpt(path, dataset.turns)
        elif isinstance(dataset, UserJsonl):
            found = _jsonl(path, recorded=False)
        else:
            found = _recorded(path, dataset)
    except OSError as error:
        raise WorkloadInvalid(f"{path} cannot be read: {error.strerror}.", remedy="Choose another file.") from error
    except UnicodeDecodeError as error:
        raise WorkloadInvalid(f"{path} is not UTF-8 text.", remedy="Choose another file.") from error
    if not found:
        raise WorkloadInvalid(f"{path} holds nothing to send.", remedy="Choose another file.")
    return found


def _sharegpt(path: Path, turns: int) -> list[Conversation]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise WorkloadInvalid(f"{path} is no JSON: {error}.", remedy="Choose a ShareGPT file.") from error
    if not isinstance(content, list):
        raise WorkloadInvalid(f"{path} is no list of conversations.", remedy="Choose a ShareGPT file.")
    found = [_sharegpt_turns(entry, turns) for entry in content if isinstance(entry, dict)]
    return [Conversation(kept) for kept in found if kept]


def _sharegpt_turns(entry: dict[str, Any], most: int) -> tuple[Turn, ...]:
    """Questions that have an answer, in order."""
    spoken = entry.get("conversations") or entry.get("messages") or []
    kept: list[Turn] = []
    question: str | None = None
    for message in spoken if isinstance(spoken, list) else []:
        if not isinstance(message, dict):
            continue
        who = str(message.get("from") or message.get("role"))
        said = str(message.get("value") or message.get("content") or "")
        if who in _HUMAN:
            question = said
        elif who in _ANSWER and question and said:
            kept.append(Turn(text=question, answer=said))
            question = None
        if len(kept) == most:
            break
    return tuple(kept)


def _jsonl(path: Path, *, recorded: bool) -> list[Conversation]:
    found = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                found.append(_line(path, number, line, recorded=recorded))
    return found


def _line(path: Path, number: int, line: str, *, recorded: bool) -> Conversation:
    try:
        entry = json.loads(line)
        turn = _turn(entry)
        at = float(entry["at_s"]) if recorded else None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise WorkloadInvalid(f"{path}, line {number}: {missing}.", remedy="Correct the file.") from error
    if turn.text is None and turn.messages is None and turn.prompt_tokens is None:
        raise WorkloadInvalid(
            f'{path}, line {number}: there is neither "prompt" nor "messages"'
            + (' nor "prompt_tokens".' if recorded else "."),
            remedy="Correct the file.",
        )
    return Conversation((turn,), at)


def _turn(entry: dict[str, Any]) -> Turn:
    given = entry.get("messages")
    messages = None if given is None else tuple({"role": str(one["role"]), "content": one["content"]} for one in given)
    output = entry.get("output_tokens", entry.get("max_tokens"))
    return Turn(
        text=None if entry.get("prompt") is None else str(entry["prompt"]),
        messages=messages,
        prompt_tokens=None if entry.get("prompt_tokens") is None else int(entry["prompt_tokens"]),
        shared_tokens=int(entry.get("cached_tokens") or 0),
        output_tokens=None if output is None else int(output),
    )


def _recorded(path: Path, dataset: RecordedLog) -> list[Conversation]:
    assert isinstance(dataset, RecordedLog)
    found = _kvdeck(path) if path.suffix == ".kvdeck" else _jsonl(path, recorded=True)
    found.sort(key=lambda conversation: conversation.at_s or 0.0)
    begin = (found[0].at_s or 0.0) if found else 0.0
    return [Conversation(item.turns, (item.at_s or 0.0) - begin) for item in found]


def _kvdeck(path: Path) -> list[Conversation]:
    """The requests of a recording: when they came, how long they were, what came from the cache; it has no texts."""
    from engine.recording.export import timeline_of
    from engine.recording.reader import RecordingReader

    try:
        reader = RecordingReader(path)
        try:
            timeline = timeline_of(reader)
        finally:
            reader.close()
    except RecordingInvalid as error:
        raise WorkloadInvalid(error.message, remedy=error.remedy) from error
    found = []
    for lane in (*timeline.finished, *timeline.live):
        turn = Turn(
            prompt_tokens=max(1, lane.num_prompt_tokens),
            shared_tokens=min(lane.num_cached_tokens, lane.num_prompt_tokens),
            output_tokens=max(1, lane.output_tokens),
        )
        found.append(Conversation((turn,), lane.arrival_ns / 1e9))
    return found
