"""One process that has imported vLLM, for all tests that ask it something: the import takes ten seconds on two cores.

Each question is answered in a fork of it, so that what it sets (variables, patches, vLLM's registries) ends with it.
`VllmChild.ask("package.module:function", argument)` calls the function there; argument and answer are JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, BinaryIO

_PROJECT = Path(__file__).resolve().parent.parent


class VllmChild:
    """The process, started with the first question. Every question blocks until it is answered."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, function: str, argument: Any = None, variables: dict[str, str] | None = None) -> Any:
        """`function(argument)` in a process with vLLM; `variables` are set in its environment. Fails with what it
        printed where it raises."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        question = {"function": function, "argument": argument, "variables": variables or {}}
        process.stdin.write(json.dumps(question, default=str).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, f"the process with vLLM has ended while it was asked for {function}"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            with self._process as process:
                assert process.stdin is not None
                process.stdin.close()
                process.wait(20)

    def _start(self) -> subprocess.Popen[bytes]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "KVDECK_"))}
        # Told that the hub is offline, vLLM looks its default model up in the hub's cache at once and fails; asked
        # nothing but its arguments, it never goes there.
        kept.pop("HF_HUB_OFFLINE", None)
        variables = {**kept, "VLLM_LOGGING_LEVEL": "ERROR", "PYTHONPATH": str(_PROJECT)}
        command = [sys.executable, "-m", "tests.vllm_child"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables)
        return self._process


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    try:
        os.environ.update(question["variables"])
        module, _, name = question["function"].partition(":")
        return {"value": getattr(importlib.import_module(module), name)(question["argument"])}
    except BaseException:  # noqa: BLE001 - whatever it is, the test shows it
        return {"error": traceback.format_exc()}


def _in_a_fork(question: dict[str, Any]) -> bytes:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as out:
            out.write(json.dumps(_answer(question), default=str).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as source:
        told = source.read()
    _, status = os.waitpid(pid, 0)
    return told or json.dumps({"error": f"the question's process ended with status {status}"}).encode()


def main() -> int:
    """Answer one JSON line after the other, until there are no more."""
    answers: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what vLLM prints is no answer
    import vllm  # noqa: F401 - what all of this is for

    for line in sys.stdin.buffer:
        answers.write(_in_a_fork(json.loads(line)) + b"\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
