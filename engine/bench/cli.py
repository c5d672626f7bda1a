"""`kvdeck bench`: one run in a terminal, kept, exported, compared with a baseline. Also `python -m engine.bench`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.bench import export, report, terminal
from engine.bench.checks import require_valid
from engine.bench.cli_options import BenchOptions, parse
from engine.bench.place import Place, find_host, own_host, read_address_file, running_server
from engine.bench.regression import BaselineInvalid, load_baseline, regressions, save_baseline
from engine.bench.result import RunRecord, RunState
from engine.bench.runner import Runner
from engine.bench.setup import asked_parameters, differences, setup_of
from engine.bench.store import RunStore, default_path
from engine.client.host_process import HostAddress
from engine.domain.errors import KVDeckError, ParameterInvalid
from engine.domain.whole_file import write_whole
from engine.parameters.values import spec_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from engine.bench.regression import Regression
    from engine.bench.workload import Workload
    from engine.domain.lifecycle import ParameterValue

DONE, REGRESSED, FAILED, INTERRUPTED = 0, 1, 2, 130
_STDOUT = Path("-")


class _Report(msgspec.Struct, omit_defaults=True):
    """What --json writes."""

    exit_status: int
    run: RunRecord | None = None
    baseline: RunRecord | None = None
    regressions: list[dict[str, object]] | None = None
    error: dict[str, str] | None = None


class Bench:
    """One call of the program. `line` shows how it goes."""

    def __init__(self, options: BenchOptions, line: terminal.LiveLine) -> None:
        self._options = options
        self._line = line
        self._runner = Runner()
        self._main: asyncio.Task[RunRecord] | None = None
        self._interrupted = False

    async def run(self) -> int:
        """Measure and report; the exit status. Raises KVDeckError, OSError."""
        options = self._options
        baseline = None if options.baseline is None else load_baseline(options.baseline)
        workload = options.workload or (None if baseline is None else baseline.workload)
        assert workload is not None
        require_valid(workload)
        with _opened_store(keep=options.keep) as store:
            if store.notice:
                self._line.say(store.notice)
            self._runner = Runner(store)
            self._main = asyncio.create_task(self._measure(workload, baseline), name="run")
            with self._interrupts():
                try:
                    record = await self._main
                except asyncio.CancelledError:
                    self._line.say("Ended.")
                    return INTERRUPTED
                finally:
                    self._line.clear()
            return await asyncio.to_thread(self._report, store, record, baseline)

    async def _measure(self, workload: Workload, baseline: RunRecord | None) -> RunRecord:
        options = self._options
        async with self._place(baseline) as place:
            setup = await asyncio.to_thread(setup_of, place.status, place.target.url)
            if baseline is not None:
                for name, before, now in differences(baseline.setup, setup):
                    self._line.say(f"Not as in the baseline: {name} was {before}, is {now}.")
            title = options.title or (baseline.title if baseline is not None else "")
            return await self._runner.run(
                place.target, workload, setup=setup, title=title, tags=options.tags, on_message=self._line.take,
                origin="run" if baseline is None else "baseline",
            )  # fmt: skip

    @asynccontextmanager
    async def _place(self, baseline: RunRecord | None) -> AsyncIterator[Place]:
        """The server that was named, or an engine host of our own with the checkpoint named or the baseline's."""
        options = self._options
        if options.checkpoint is None and (baseline is None or self._named):
            yield await running_server(self._address(), options.model, options.tokenizer)
            return
        values: dict[str, ParameterValue] = {} if baseline is None else asked_parameters(baseline.setup)
        values |= dict(map(_assignment, options.settings))
        checkpoint = options.checkpoint
        if checkpoint is None:
            if baseline is None or baseline.setup.checkpoint is None:
                raise BaselineInvalid(
                    "The baseline does not say which checkpoint it measured.", remedy="Give --address or --checkpoint."
                )
            checkpoint = Path(baseline.setup.checkpoint)
        async with own_host(checkpoint.resolve(), values, self._line.say) as place:
            yield place

    @property
    def _named(self) -> bool:
        return self._options.address is not None or self._options.address_file is not None

    def _address(self) -> HostAddress:
        options = self._options
        if options.address_file is not None:
            return read_address_file(options.address_file)
        if options.address is None:
            return find_host()
        token = "" if options.token_file is None else options.token_file.read_text(encoding="utf-8").strip()
        return HostAddress(0, options.address, token)

    def _report(self, store: RunStore, record: RunRecord, baseline: RunRecord | None) -> int:
        """Print and write everything; the exit status."""
        options = self._options
        out = sys.stderr if options.json == _STDOUT else sys.stdout
        out.write(terminal.result_table(record) + "\n")
        self._write_files(store, record)
        status = INTERRUPTED if self._interrupted or record.state is RunState.STOPPED else DONE
        found: tuple[Regression, ...] = ()
        if baseline is not None and status == DONE:
            assert record.result is not None
            assert baseline.result is not None
            found = regressions(baseline.result.figures, record.result.figures, options.tolerance)
            status = REGRESSED if found else DONE
            out.write("\n" + (terminal.regression_table(found) if found else "Within the baseline's tolerance.") + "\n")
        elif record.result is not None and not record.result.figures.successful and status == DONE:
            status = FAILED
        if options.save_baseline is not None and status == DONE:
            save_baseline(options.save_baseline, record)
            out.write(f"\nBaseline written to {options.save_baseline}.\n")
        if options.json is not None:
            rows = None if baseline is None else [_plain(row) for row in found]
            write_json(options.json, _Report(status, record, baseline, rows))
        return status

    def _write_files(self, store: RunStore, record: RunRecord) -> None:
        options = self._options
        if options.csv is not None or options.html is not None:
            samples = store.samples(record.id)
            if options.csv is not None:
                write_whole(options.csv, export.samples_csv(samples).encode())
            if options.html is not None:
                write_whole(options.html, report.run_report(record, samples).encode())
        if options.markdown is not None:
            write_whole(options.markdown, export.run_markdown(record).encode())

    @contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Ctrl+C stops the load and reports what there is; a second one gives up at once. So does a kill."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupt)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def _interrupt(self) -> None:
        if self._runner.running and not self._interrupted:
            self._stopping = asyncio.ensure_future(self._runner.stop())
            self._line.say("Stopping; once more to give up at once.")
        elif self._main is not None:
            self._main.cancel()
        self._interrupted = True


def write_json(path: Path, value: object) -> None:
    """Indented JSON into a file, or to standard output for "-"."""
    content = msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
    if path == _STDOUT:
        sys.stdout.write(content.decode())
        sys.stdout.flush()
    else:
        write_whole(path, content)


@contextmanager
def _opened_store(*, keep: bool) -> Iterator[RunStore]:
    """This user's runs, or a file that goes away: samples are needed for the exports."""
    with contextlib.ExitStack() as stack:
        path = default_path() if keep else Path(stack.enter_context(tempfile.TemporaryDirectory())) / "runs.sqlite"
        store = RunStore(path)
        store.open()
        stack.callback(store.close)
        yield store


def _assignment(text: str) -> tuple[str, ParameterValue]:
    """ "name=value" with the value in the parameter's type. Raises ParameterInvalid."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ParameterInvalid(f"{text!r} is not NAME=VALUE.", remedy="Write for example max_model_len=4096.")
    try:
        parsed = msgspec.json.decode(value)
    except msgspec.MsgspecError:
        parsed = value
    simple = isinstance(parsed, bool | int | float) or parsed is None
    return name, spec_of(name).check(parsed if simple else value)


def _plain(row: Regression) -> dict[str, object]:
    return {"figure": row.key, "baseline": row.baseline, "now": row.now, "change": row.change, "allowed": row.allowed}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; its exit status."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    # Programs are started by name, and Python looks for those in the working folder first.
    os.chdir(Path(__file__).resolve().parents[2])
    line = terminal.LiveLine(quiet=options.quiet)
    try:
        return asyncio.run(Bench(options, line).run())
    except (KVDeckError, OSError) as error:
        line.clear()
        sys.stderr.write(f"kvdeck bench: {error}\n")
        if options.json is not None:
            kind = error.kind if isinstance(error, KVDeckError) else "error"
            write_json(options.json, _Report(FAILED, error={"kind": kind, "message": str(error)}))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
