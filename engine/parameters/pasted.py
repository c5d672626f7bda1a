"""The vLLM command inside of what a user pastes: a script, a line with nohup and a redirection, a comment above it."""

from __future__ import annotations

import re
import shlex

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_ENDS = ";|&\n()"
_CONTAINERS = ("docker", "podman", "nerdctl")


def command_in(text: str) -> str | None:
    """The first command of `text` that starts vLLM or a container, without what stands around it; None where there is
    none. Variables that the text sets itself are filled in."""
    variables: dict[str, str] = {}
    for piece in _commands(text):
        try:
            words = shlex.split(piece)
        except ValueError:
            return None
        set_here = [word for word in words if _ASSIGNMENT.match(word)]
        start = _start(words)
        if start is None:
            variables |= dict(word.split("=", 1) for word in set_here)
            continue
        before = [word for word in words[:start] if _ASSIGNMENT.match(word)]
        known = [f"{name}={value}" for name, value in variables.items() if name.startswith(("VLLM_", "CUDA_"))]
        filled = [words[start].rpartition("/")[2], *(_filled(word, variables) for word in words[start + 1 :])]
        return shlex.join(filled if words[start] in _CONTAINERS else [*known, *before, *filled])
    return None


def _start(words: list[str]) -> int | None:
    """Where the program's own name stands, after sudo, nohup, uv run and their like."""
    for index, word in enumerate(words):
        rest = words[index + 1 :]
        if word.rpartition("/")[2] == "vllm" and rest[:1] == ["serve"]:
            return index
        if word.rpartition("/")[2].startswith("python") and rest[:1] == ["-m"] and rest[1:2] and "vllm" in rest[1]:
            return index
        if word in _CONTAINERS and "run" in rest[:2]:
            return index
    return None


def _filled(word: str, variables: dict[str, str]) -> str:
    return _VARIABLE.sub(lambda match: variables.get(match[1] or match[2], match[0]), word)


def _commands(text: str) -> list[str]:
    """`text` cut where a shell ends a command, without comments and redirections; what is quoted stays whole."""
    text = text.replace("\\\r\n", " ").replace("\\\n", " ").replace("\r\n", "\n")
    found, quote, position = [""], "", 0
    while position < len(text):
        letter = text[position]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and (position == 0 or text[position - 1].isspace()):
            position = _end_of_line(text, position)
            continue
        elif letter in "<>":
            found[-1] = re.sub(r"(?<=\s)\d$", "", found[-1])
            position = _after_redirection(text, position)
            continue
        elif letter in _ENDS:
            found.append("")
            position += 1
            continue
        if letter == "\\" and quote != "'" and position + 1 < len(text):
            found[-1] += letter
            position += 1
        found[-1] += text[position]
        position += 1
    return found


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _after_redirection(text: str, position: int) -> int:
    match = re.compile(r"[<>]+[&|]?[ \t]*[^\s;|&()]*").match(text, position)
    return match.end() if match else position + 1
