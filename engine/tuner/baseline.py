"""The transformers baseline as a child process: start it, know where it answers, leave nothing of it behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from asyncio.subprocess import Process

_START_S = 600.0
_POLL_S = 0.1
_END_S = 10.0
_WORDS_KEPT = 4096


class BaselineFailed(KVDeckError):
    """transformers could not load the checkpoint."""

    kind = "baseline_failed"


class BaselineAddress(msgspec.Struct, frozen=True):
    """Where it answers, and what it took: seconds until then, bytes of weights."""

    pid: int
    address: str
    token: str
    load_s: float
    weights_bytes: int
    device: str
    gpu_bytes: int | None = None


class BaselineProcess:
    """One `python -m engine.baseline`. Use it as an asynchronous context manager."""

    def __init__(self, checkpoint: str, python: str = sys.executable) -> None:
        self._checkpoint = checkpoint
        self._python = python
        self._process: Process | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="kvdeck-baseline-")

    async def __aenter__(self) -> BaselineAddress:
        """Start it and wait until it answers. Raises BaselineFailed with its last words."""
        address_file = Path(self._folder.name) / "address.json"
        try:
            self._process = await asyncio.create_subprocess_exec(
                self._python, "-m", "engine.baseline", "--checkpoint", self._checkpoint,
                "--address-file", str(address_file), "--parent-pid", str(os.getpid()),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
            return await self._answers(address_file)
        except BaseException:
            await self.__aexit__()
            raise

    async def __aexit__(self, *_: object) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), _END_S)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        self._folder.cleanup()

    async def _answers(self, address_file: Path) -> BaselineAddress:
        assert self._process is not None
        assert self._process.stderr is not None
        words = asyncio.ensure_future(_last_words(self._process.stderr))
        try:
            async with asyncio.timeout(_START_S):
                while not await asyncio.to_thread(address_file.exists):
                    if words.done():
                        raise BaselineFailed(
                            f"transformers could not load {self._checkpoint}: {words.result()}",
                            remedy="Choose a full-precision checkpoint that transformers knows.",
                        )
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            words.cancel()
            raise BaselineFailed("transformers did not answer in time.", remedy="Try again.") from error
        return msgspec.json.decode(await asyncio.to_thread(address_file.read_bytes), type=BaselineAddress)


async def _last_words(stream: asyncio.StreamReader) -> str:
    """Read to the end, so that it never waits for us, and keep the last line."""
    kept = b""
    while piece := await stream.read(4096):
        kept = (kept + piece)[-_WORDS_KEPT:]
    lines = kept.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it ended without a word"
