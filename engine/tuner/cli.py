"""`kvdeck lab`: search and compare in a terminal, without a window. Also `python -m engine.tuner`."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from engine.bench.cli_options import parse as parse_load
from engine.bench.cli_options import path
from engine.bench.place import find_host, own_host, read_address_file
from engine.bench.store import default_path
from engine.client.host_process import HostAddress, HostOptions
from engine.client.remote import RemoteEngine
from engine.domain.errors import KVDeckError
from engine.domain.whole_file import write_whole
from engine.parameters.values import spec_of
from engine.tuner.export import to_csv, to_json, to_markdown
from engine.tuner.jobs import JobStore, default_folder, new_job_id
from engine.tuner.messages import Begin, Broken, Ended, PairChanged, RowChanged, TrialChanged, Update
from engine.tuner.outcome import TrialState
from engine.tuner.presets import ALONE, AT_LOAD
from engine.tuner.program import run_job
from engine.tuner.saying import english
from engine.tuner.spec import ABSpec, Axis, ExperimentSpec, SpecInvalid, SweepSpec, TunerSpec, Variant, kind_of
from engine.tuner.words import number, words_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from engine.bench.cli_options import BenchOptions
    from engine.domain.lifecycle import ParameterValue
    from engine.tuner.messages import Message
    from engine.tuner.outcome import Result
    from engine.tuner.spec import Setting, Spec

DONE, FAILED, INTERRUPTED = 0, 2, 130

_EPILOG = """\
load and place   as for `kvdeck bench` (--address-file, --checkpoint, --clients, --requests, --slo, ...)
exit status      0 done, 2 it could not be done, 130 ended by Ctrl+C (what was in force before is put back)

examples
  kvdeck lab tune --axis max_num_seqs=4,8,16,32 --axis max_num_batched_tokens=512,2048 \\
      --checkpoint ~/models/SmolLM2 --clients 16 --requests 64 --output 32 --slo ttft=1s,tpot=80ms
  kvdeck lab ab --a max_num_seqs=8 --b max_num_seqs=32 --address-file host.json --clients 16 --requests 48
  kvdeck lab formats --variant BF16=~/m/SmolLM2 --variant AWQ=~/m/SmolLM2-AWQ --markdown table.md
  kvdeck lab jobs; kvdeck lab resume 261129-215446-fcfa73 --address-file host.json
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; its exit status."""
    parser = _parser()
    found, rest = parser.parse_known_args(sys.argv[1:] if arguments is None else list(arguments))
    try:
        if found.command == "jobs":
            return _list_jobs()
        if found.command in ("formats", "resume") and rest:
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        searches = found.command in ("tune", "sweep", "ab")
        load = parse_load(rest, f"kvdeck lab {found.command}") if searches else None
        if load is not None and (load.html or load.baseline or load.save_baseline):
            parser.error("--html, --baseline and --save-baseline belong to kvdeck bench")
        return asyncio.run(_run(found, load))
    except (KVDeckError, OSError, ValueError) as error:
        sys.stderr.write(f"kvdeck lab: {error}\n")
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kvdeck lab", description="Search for a better setting, or compare.", epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    out = argparse.ArgumentParser(add_help=False)
    for name in ("json", "csv", "markdown"):
        out.add_argument(f"--{name}", type=path, metavar="FILE", help=f"write the result as {name}")
    host = argparse.ArgumentParser(add_help=False)
    host.add_argument("--address-file", type=path, metavar="FILE", help="a running engine host's address file")
    axes = argparse.ArgumentParser(add_help=False)
    axes.add_argument("--axis", action="append", required=True, metavar="NAME=V1,V2,...", help="repeatable")
    axes.add_argument("--objective", metavar="FIGURE", help="goodput_per_s with SLOs, else tokens_out_per_s")
    axes.add_argument("--budget", type=float, metavar="S", help="end after so many seconds")
    tune = commands.add_parser("tune", parents=[axes, out], help="find the best point in few trials")
    tune.add_argument("--trials", type=int, metavar="N", help="a fifth of the grid, at least 6")
    tune.add_argument("--no-restarts", action="store_true", help="leave alone what needs a reload")
    sweep = commands.add_parser("sweep", parents=[axes, out], help="measure every point")
    sweep.add_argument("--repeats", type=int, default=1)
    compare = commands.add_parser("ab", parents=[out], help="two settings, interleaved")
    for side in ("a", "b"):
        compare.add_argument(f"--{side}", required=True, metavar="NAME=V[,NAME=V]")
    compare.add_argument("--pairs", type=int, default=6)
    compare.add_argument("--objective", metavar="FIGURE")
    compare.add_argument("--restarts", action="store_true", help="allow a reload between the runs")
    formats = commands.add_parser("formats", parents=[host, out], help="formats of one model, and transformers")
    formats.add_argument("--variant", action="append", required=True, metavar="LABEL=FOLDER", help="first: reference")
    formats.add_argument("--no-transformers", action="store_true")
    formats.add_argument("--perplexity", type=int, default=2048, metavar="TOKENS", help="0 leaves it out")
    formats.add_argument("--clients", type=int, default=16, help="of the load with many")
    formats.add_argument("--requests", type=int, default=32, help="of the load with many")
    formats.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="goes into every load; repeatable"
    )
    resume = commands.add_parser("resume", parents=[host, out], help="go on with a job that was cut short")
    resume.add_argument("job")
    commands.add_parser("jobs", help="list the jobs")
    return parser


async def _run(found: argparse.Namespace, load: BenchOptions | None) -> int:
    spec = _spec(found, load)
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
    if load is not None:  # a search needs an engine that is ready, which a new host has not
        yield find_host()
        return
    engine = RemoteEngine(HostOptions(port=0))
    try:
        await engine.start()
        yield HostAddress(0, engine.address, engine.token)
    finally:
        await engine.close()


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
    for target, text in ((found.json, to_json), (found.csv, to_csv), (found.markdown, to_markdown)):
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
