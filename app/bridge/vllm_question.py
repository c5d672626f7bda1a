"""Asking the installed vLLM what it supports: once an installation, in a program that ends when the window does."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys

from engine.domain.paths import cache_dir

log = logging.getLogger(__name__)

_POLL_S = 0.2
# Nice, so that it does not take the cores from the engine's own start; a session of its own, so that the program and
# the one that it starts in turn can be ended together, by itself where the window was killed.
_PROGRAM = (
    "import os, sys; os.nice(10)\n"
    "from pathlib import Path\n"
    "from engine.page.parent_end import end_with\n"
    "end_with(int(sys.argv[2]), 1, lambda: os.killpg(0, 9))\n"
    "from engine.checkpoints.installed_vllm import InstalledVllm\n"
    "InstalledVllm(Path(sys.argv[1])).refresh()\n"
)


class VllmQuestion:
    """`ask_once` takes half a minute the first time after an installation, and nothing ever after."""

    def __init__(self) -> None:
        self._asked = False

    async def ask_once(self) -> bool:
        """Make sure that the answers are kept; True if they are new. What went wrong is logged, and asked no more."""
        if self._asked:
            return False
        self._asked = True
        if not await asyncio.to_thread(_is_needed):
            return False
        try:
            process = _start()
        except OSError as error:
            log.warning("vLLM could not be asked what it supports: %s", error)
            return False
        try:
            while process.poll() is None:  # noqa: ASYNC110 - a process has no event to wait on
                await asyncio.sleep(_POLL_S)
        finally:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if process.returncode != 0:
            log.warning("vLLM could not be asked what it supports; see %s.", cache_dir() / "vllm-facts.log")
            return False
        return True


def _start() -> subprocess.Popen[bytes]:
    with (cache_dir() / "vllm-facts.log").open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(cache_dir()), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _is_needed() -> bool:
    from engine.checkpoints.installed_vllm import InstalledVllm, installed_version

    return installed_version() is not None and InstalledVllm(cache_dir()).known() is None
