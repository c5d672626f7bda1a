"""`kvdeck lab`: search and compare in a terminal, without a window. Also `python -m engine.tuner`."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from engine.bench.cli_options import load_options, path
from engine.bench.place import find_host, own_host, read_address_file
from engine.bench.store import default_path
from engine.client.host_process import HostAddress, HostOptions
from engine.client.remote import RemoteEngine
from engine.domain.errors import HostUnreachable, KVDeckError
from engine.domain.whole_file import write_whole
from engine.parameters.values import spec_of
from engine.tuner.cli_options import make_parser
from engine.tuner.export import to_csv, to_json, to_markdown
from engine.tuner.jobs import JobStore, default_folder, new_job_id
from engine.tuner.messages import Begin, Broken, Ended, PairChanged, RowChanged, TrialChanged, Update
from engine.tuner.outcome import TrialState
from engine.tuner.presets import ALONE, AT_LOAD
from engine.tuner.program import run_job
from engine.tuner.report import to_html
from engine.tuner.saying import english
from engine.tuner.spec import (
    ABSpec,
    Axis,
    ExperimentSpec,
    SpecInvalid,
    SweepSpec,
    TunerSpec,
    Variant,
    check_spec,
    kind_of,
)
from engine.tuner.words import number, words_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Sequence

    from engine.bench.cli_options import BenchOptions
    from engine.domain.lifecycle import ParameterValue
    from engine.tuner.messages import Message
    from engine.tuner.outcome import Result
    from engine.tuner.spec import Setting, Spec

DONE, FAILED, INTERRUPTED = 0, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; its exit status."""
    found = make_parser().parse_args(sys.argv[1:] if arguments is None else list(arguments))
    try:
        if found.command == "jobs":
            return _list_jobs()
        load = load_options(found.parser, found) if found.command in ("tune", "sweep", "ab") else None
        return asyncio.run(_run(found, load))
    except (KVDeckError, OSError, ValueError) as error:
        sys.stderr.write(f"kvdeck lab: {error}\n")
        return FAILED


async def _run(found: argparse.Namespace, load: BenchOptions | None) -> int:
    spec = _spec(found, load)
    if spec is not None:
        check_spec(spec)
    job_id = found.job if spec is None else new_job_id()
    async with _place(found, load) as at:
        teller = _Teller()
        begin = Begin(at.url, at.token, str(default_path()), str(default_folder()), job_id, spec)
        work = asyncio.ensure_future(run_job(begin, teller.say))
        loop = asyncio.get_running_loop()
        for sign in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(sign, work.cancel)
        await work
    return _report(found, teller, job_id)


@asynccontextmanager
async def _place(found: argparse.Namespace, load: BenchOptions | None) -> AsyncIterator[HostAddress]:
    """The host that was named; else the one that runs for a search, and one of our own for a comparison of formats."""
    if load is not None and load.checkpoint is not None:
        values = dict(_assignment(text) for text in load.settings)
        async with own_host(load.checkpoint.resolve(), values, _tell) as place:
            yield HostAddress(0, place.target.url, place.target.token)
        return
    address_file = load.address_file if load is not None else found.address_file
    if address_file is not None:
        yield read_address_file(address_file)
        return
    if load is not None and load.address is not None:
        token = "" if load.token_file is None else load.token_file.read_text(encoding="utf-8").strip()
        yield HostAddress(0, load.address, token)
        return
    if load is not None or not _can_begin_empty(found):  # it needs an engine that is ready, which a new host has not
        yield _running_host()
        return
    engine = RemoteEngine(HostOptions(port=0))
    try:
        await engine.start()
        yield HostAddress(0, engine.address, engine.token)
    finally:
        await engine.close()


def _can_begin_empty(found: argparse.Namespace) -> bool:
    """Whether a host without a model will do: a comparison of formats loads each itself. Raises JobUnreadable."""
    return found.command != "resume" or isinstance(JobStore(default_folder()).job(found.job).spec, ExperimentSpec)


def _running_host() -> HostAddress:
    try:
        host = find_host()
    except HostUnreachable as error:
        raise HostUnreachable(
            error.message, remedy="Say which with --address-file, and load the model that the search is about first."
        ) from error
    _tell(f"On the engine host that runs at {host.url}.")
    return host


def _spec(found: argparse.Namespace, load: BenchOptions | None) -> Spec | None:
    """What is to be done; None to resume. Raises SpecInvalid, ParameterInvalid."""
    if found.command == "resume":
        return None
    if found.command == "formats":
        return _formats(found)
    assert load is not None
    if load.workload is None:
        raise SpecInvalid("There is no load.", remedy="Say what to send, as for kvdeck bench.")
    workload = load.workload
    if found.command == "ab":
        return ABSpec(
            workload=workload, a=_setting(found.a), b=_setting(found.b), blocks=found.pairs, objective=found.objective,
            restarts=found.restarts,
        )  # fmt: skip
    axes = tuple(map(_axis, found.axis))
    if found.command == "sweep":
        return SweepSpec(
            workload=workload, axes=axes, repeats=found.repeats, objective=found.objective, budget_s=found.budget
        )
    return TunerSpec(
        workload=workload, axes=axes, objective=found.objective, most_trials=found.trials, budget_s=found.budget,
        restarts=not found.no_restarts,
    )  # fmt: skip


def _formats(found: argparse.Namespace) -> ExperimentSpec:
    variants = []
    for text in found.variant:
        label, _, folder = text.partition("=")
        if not folder:
            raise SpecInvalid(f"{text!r} is not LABEL=FOLDER.", remedy="Write for example AWQ=~/models/SmolLM2-AWQ.")
        variants.append(Variant(key=label.lower(), label=label, checkpoint=str(path(folder).resolve())))
    arrival = msgspec.structs.replace(AT_LOAD.arrival, clients=found.clients)
    return ExperimentSpec(
        variants=tuple(variants),
        alone=ALONE,
        at_load=msgspec.structs.replace(
            AT_LOAD, name=f"{found.clients} clients", arrival=arrival, requests=found.requests
        ),
        parameters=dict(map(_assignment, found.set)),
        perplexity_tokens=found.perplexity,
        transformers=not found.no_transformers,
    )


class _Teller:
    """Prints what happens, a line each; keeps the last word."""

    def __init__(self) -> None:
        self.result: Result | None = None
        self.broken: Broken | None = None

    def say(self, message: Message) -> None:
        """One message of the job."""
        match message:
            case Update():
                left = "" if message.left_s is None else f"  (about {message.left_s:.0f} s left)"
                _tell(f"{english(message.saying)}{left}")
            case TrialChanged(trial) if trial.state is not TrialState.RUNNING:
                _tell(f"  trial {trial.number}, {words_of(trial.setting)}: {english(trial.outcome)}")
            case PairChanged(at, pair):
                shown = [_UNKNOWN if value is None else number(value) for value in (pair.a, pair.b)]
                _tell(f"  pair {at + 1}: A {shown[0]}, B {shown[1]}")
            case RowChanged(row) if row.state in ("done", "failed"):
                _tell(f"  {row.label}: {row.error or 'done'}")
            case Ended(result):
                self.result = result
            case Broken():
                self.broken = message


_UNKNOWN = "—"


def _report(found: argparse.Namespace, teller: _Teller, job_id: str) -> int:
    if teller.broken is not None:
        broken = teller.broken
        sys.stderr.write(f"kvdeck lab: {broken.message} {broken.remedy}\n")
        if broken.resumable:
            sys.stderr.write(f"Go on with: kvdeck lab resume {job_id}\n")
        return FAILED
    result = teller.result
    if result is None:
        return INTERRUPTED
    files = ((found.json, to_json), (found.csv, to_csv), (found.markdown, to_markdown), (found.report, to_html))
    for target, text in files:
        if target is not None:
            write_whole(target, text(result).encode())
    sys.stdout.write("\n" + to_markdown(result))
    if not result.restored:
        sys.stderr.write("What was in force before could not be put back.\n")
        return FAILED
    return INTERRUPTED if result.cancelled else DONE


def _list_jobs() -> int:
    jobs = JobStore(default_folder()).jobs()
    if not jobs:
        sys.stderr.write("There are no jobs yet.\n")
    for job in jobs:
        busy = f", process {job.running_pid} works on it" if job.running_pid else ""
        sys.stdout.write(f"{job.id}  {kind_of(job.spec):10}  {job.state.value}{busy}, {job.done} done\n")
    return DONE


def _axis(text: str) -> Axis:
    name, _, values = text.partition("=")
    return Axis(name, tuple(_value(name, value) for value in values.split(",")))


def _setting(text: str) -> Setting:
    return dict(_assignment(part) for part in text.split(","))


def _assignment(text: str) -> tuple[str, ParameterValue]:
    name, equals, value = text.partition("=")
    if not equals:
        raise SpecInvalid(f"{text!r} is not NAME=VALUE.", remedy="Write for example max_num_seqs=8.")
    return name, _value(name, value)


def _value(name: str, text: str) -> ParameterValue:
    """A value in its parameter's type. Raises ParameterInvalid."""
    try:
        parsed = msgspec.json.decode(text)
    except msgspec.MsgspecError:
        parsed = text
    simple = isinstance(parsed, bool | int | float) or parsed is None
    return spec_of(name).check(parsed if simple else text)


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
