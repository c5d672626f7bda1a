"""`python -m engine.tuner.program`: one job in a process of its own; JSON lines out, commands in (see messages)."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.bench.store import RunStore
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.errors import KVDeckError
from engine.tuner.context import JobBroken, JobContext
from engine.tuner.jobs import Closing, JobStore
from engine.tuner.messages import Begin, Broken, Cancel, Ended, JobState
from engine.tuner.spec import ABSpec, ExperimentSpec, SweepSpec, TunerSpec, check_spec, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.tuner.jobs import JobFile
    from engine.tuner.messages import Message
    from engine.tuner.outcome import Result

log = logging.getLogger(__name__)


async def run_job(begin: Begin, say: Callable[[Message], None]) -> None:
    """Carry out one job to its last message. Cancelling this task cancels the job, in good order."""
    try:
        file = await asyncio.to_thread(JobStore(Path(begin.jobs)).open_job, begin.job_id, begin.spec)
    except KVDeckError as error:
        say(Broken(error.kind, error.message, error.remedy, restored=True, resumable=False))
        return
    engine = RemoteEngine(HostAddress(0, begin.url, begin.token))
    store = RunStore(Path(begin.store))
    try:
        check_spec(file.past.spec)
        await asyncio.to_thread(store.open)
        await engine.start()
        result = await _carry_out(engine, store, file, begin.job_id, say)
        state = JobState.CANCELLED if result.cancelled else JobState.FINISHED
        await asyncio.to_thread(file.add, Closing(state, result))
        say(Ended(result))
    except JobBroken as error:
        say(Broken(error.cause.kind, error.message, error.remedy, restored=error.restored))
    except KVDeckError as error:  # nothing was changed yet
        if begin.spec is not None:
            await asyncio.to_thread(file.discard)
        say(Broken(error.kind, error.message, error.remedy, restored=True, resumable=False))
    finally:
        await engine.close()
        await asyncio.to_thread(store.close)
        file.close()


async def _carry_out(
    engine: RemoteEngine, store: RunStore, file: JobFile, job_id: str, say: Callable[[Message], None]
) -> Result:
    spec = file.past.spec
    context = JobContext(engine, store, file, job_id, kind_of(spec), say)
    match spec:
        case SweepSpec():
            from engine.tuner.sweep import sweep

            return await sweep(context, spec)
        case TunerSpec():
            from engine.tuner.tune import Tuner

            return await Tuner(context, spec).run()
        case ABSpec():
            from engine.tuner.ab import compare_ab

            return await compare_ab(context, spec)
        case ExperimentSpec():
            from engine.tuner.experiment import Experiment

            return await Experiment(context, spec).run()


async def _main() -> int:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    decoder = msgspec.json.Decoder(Begin | Cancel)
    begin = decoder.decode(await reader.readline())
    if not isinstance(begin, Begin):
        return 2
    work = asyncio.ensure_future(run_job(begin, _say))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, work.cancel)
    listening = asyncio.ensure_future(_listen(reader, decoder, work))
    try:
        await work
    except asyncio.CancelledError:
        log.warning("Cancelled before anything was changed")
    finally:
        listening.cancel()
    return 0


async def _listen(
    reader: asyncio.StreamReader, decoder: msgspec.json.Decoder[Begin | Cancel], work: asyncio.Future[None]
) -> None:
    """The end of standard input means the same as Cancel: whoever asked for the job has gone."""
    while line := await reader.readline():
        if isinstance(decoder.decode(line), Cancel):
            break
    work.cancel()


def _say(message: Message) -> None:
    try:
        sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Nobody listens any more; what was in force still has to be put back.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    sys.exit(asyncio.run(_main()))
