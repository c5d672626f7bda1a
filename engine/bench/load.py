"""The load process: `python -m engine.bench.load`. Commands come in on standard input, messages go out on standard
output, one JSON object a line (engine.bench.messages). The end of standard input stops it, and where its parent has
ended it ends soon after, though the server may keep it waiting.

By hand: `--workload FILE --address-file FILE` (the file that an engine host writes), or `--url URL` and `--token-file`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path

import msgspec

from engine.bench.load_run import LoadRun
from engine.bench.messages import Failed, Message, Pause, Resume, Start, Stop, Target
from engine.bench.workload import Workload
from engine.domain.errors import KVDeckError
from engine.page.parent_end import end_with

_LONGEST_LINE = 64 * 1024**2
_IN_ORDER_S = 0.5
_commands = msgspec.json.Decoder(Start | Pause | Resume | Stop)
_start_decoder = msgspec.json.Decoder(Start)


class Outlet:
    """Writes messages in a thread of its own, so that a reader that is slow does not hold up the measurement."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="messages", daemon=True)
        self._thread.start()

    def tell(self, message: Message) -> None:
        """Say it as soon as the reader takes it."""
        self._queue.put(msgspec.json.encode(message) + b"\n")

    def close(self) -> None:
        """Wait until everything is said."""
        self._queue.put(None)
        self._thread.join(30)

    def _write(self) -> None:
        out = sys.stdout.buffer
        while (line := self._queue.get()) is not None:
            try:
                out.write(line)
                out.flush()
            except OSError:  # the reader has gone; the end of standard input says so, too
                return


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    return reader


async def _obey(reader: asyncio.StreamReader, run: LoadRun) -> None:
    """Pass commands on; their end is a Stop."""
    while line := await reader.readline():
        run.obey(_commands.decode(line))
    run.obey(Stop())


async def _run(given: Start | None, outlet: Outlet) -> int:
    listening: asyncio.Task[None] | None = None
    try:
        reader = None if given is not None else await _standard_input()
        start = given if reader is None else await _first_command(reader)
        assert start is not None
        run = LoadRun(start, outlet.tell)
        if reader is not None:
            listening = asyncio.create_task(_obey(reader, run), name="commands")
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, run.obey, Stop())
        await run.carry_out()
    except KVDeckError as error:
        outlet.tell(Failed(error.kind, error.message, error.remedy, error.details))
        return 2
    except msgspec.MsgspecError as error:
        outlet.tell(Failed("workload_invalid", f"The load cannot be read: {error}.", "Correct it and try again."))
        return 2
    finally:
        if listening is not None:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
    return 0


async def _first_command(reader: asyncio.StreamReader) -> Start:
    return _start_decoder.decode(await reader.readline())


def _given(arguments: list[str]) -> Start | None:
    """A start from the command line; None where it comes on standard input."""
    parser = argparse.ArgumentParser(prog="python -m engine.bench.load", description=__doc__.split("\n\n")[0])
    parser.add_argument("--workload", type=Path, metavar="FILE", help="the workload as JSON")
    parser.add_argument("--address-file", type=Path, metavar="FILE", help="an engine host's address file")
    parser.add_argument("--url", help="a server's address")
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="the file with that server's key")
    parser.add_argument("--model", help="the model to ask (default: the server's first)")
    found = parser.parse_args(arguments)
    if found.workload is None:
        return None
    if (found.url is None) == (found.address_file is None):
        parser.error("--workload needs either --address-file or --url")
    try:
        workload = msgspec.json.decode(found.workload.read_bytes(), type=Workload)
        if found.address_file is not None:
            known = json.loads(found.address_file.read_text())
            url, token = str(known["address"]), str(known["token"])
        else:
            url, token = found.url, "" if found.token_file is None else found.token_file.read_text().strip()
    except (OSError, ValueError, KeyError, msgspec.MsgspecError) as error:
        parser.error(str(error))
    return Start(workload, Target(url, token, found.model))


def main() -> int:
    """Run one load; 0 when it was sent, 2 where it could not be."""
    given = _given(sys.argv[1:])
    if given is None:
        end_with(os.getppid(), 1, lambda: time.sleep(_IN_ORDER_S))
    outlet = Outlet()
    try:
        import uvloop

        factory = uvloop.new_event_loop
    except ImportError:  # it comes with the engine, and the window's machine may have none
        factory = asyncio.new_event_loop
    try:
        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(_run(given, outlet))
    finally:
        outlet.close()


if __name__ == "__main__":
    sys.exit(main())
