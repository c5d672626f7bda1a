"""The command line of `kvdeck bench`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.bench.regression import Tolerance, parse_tolerance
from engine.bench.workload import (
    CLASSIC,
    Arrival,
    AsRecorded,
    Bursts,
    ClosedLoop,
    Dataset,
    Fixed,
    FromData,
    Lengths,
    LogNormal,
    Normal,
    OpenLoop,
    Ramp,
    RecordedLog,
    ShareGpt,
    Slos,
    Synthetic,
    Uniform,
    UserJsonl,
    Workload,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

LOAD_WORDS = """\
lengths          128 | 16-256 | normal:128:32 | lognormal:128:0.6 | data
data             synthetic | sharegpt:FILE | jsonl:FILE | log:FILE (JSONL or *.kvdeck)"""
EPILOG = f"""\
where to send    --address and --token-file (any OpenAI-compatible server), or --address-file of a running engine host,
                 or --checkpoint FOLDER [--set NAME=VALUE ...] to start one for this run; with none of them the one
                 that runs now (KVDeck's window has one), or with --baseline one started as the baseline's was
{LOAD_WORDS}
exit status      0 done, 1 beyond a baseline's tolerance, 2 it could not be done, 130 ended by Ctrl+C

examples
  kvdeck bench --checkpoint ~/models/SmolLM2 --clients 50 --system-prompt 1024 --requests 200
  kvdeck bench --address http://127.0.0.1:8000 --token-file key --rate 4 --duration 60 --slo ttft=300ms,tpot=50ms
  kvdeck bench --checkpoint ~/models/SmolLM2 --preset classic --save-baseline base.json
  kvdeck bench --baseline base.json --tolerance 10%,ttft.p95=25% --json result.json
"""


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What was asked for. `workload` None repeats the baseline's. Files None: not written; Path("-") is standard
    output for `json`.
    """

    workload: Workload | None
    address: str | None = None
    token_file: Path | None = None
    address_file: Path | None = None
    checkpoint: Path | None = None
    settings: tuple[str, ...] = ()
    model: str | None = None
    tokenizer: str | None = None
    baseline: Path | None = None
    save_baseline: Path | None = None
    tolerance: Tolerance = Tolerance()  # noqa: RUF009 - frozen
    json: Path | None = None
    csv: Path | None = None
    markdown: Path | None = None
    html: Path | None = None
    title: str = ""
    tags: tuple[str, ...] = ()
    keep: bool = True
    quiet: bool = False


def parse(arguments: Sequence[str]) -> BenchOptions:
    """Options from a command line; ends the program with 2 where it cannot be understood."""
    parser = _parser()
    found = parser.parse_args(arguments)
    load = load_options(parser, found, or_baseline=found.baseline is not None)
    try:
        tolerance = parse_tolerance(found.tolerance)
    except ValueError as error:
        parser.error(str(error))
    return replace(
        load, model=found.model, tokenizer=None if found.tokenizer is None else str(found.tokenizer),
        baseline=found.baseline, save_baseline=found.save_baseline, tolerance=tolerance, json=found.json,
        csv=found.csv, markdown=found.markdown, html=found.html, title=found.title, tags=tuple(found.tag),
        keep=not found.no_save, quiet=found.quiet,
    )  # fmt: skip


def load_options(
    parser: argparse.ArgumentParser, found: argparse.Namespace, *, or_baseline: bool = False
) -> BenchOptions:
    """The load and its place from the options of `add_load`; no load where a baseline's will do."""
    places = [found.address is not None, found.address_file is not None, found.checkpoint is not None]
    if sum(places) > 1:
        parser.error("--address, --address-file and --checkpoint exclude each other")
    if found.set and found.checkpoint is None:
        parser.error("--set needs --checkpoint")
    try:
        workload = _workload(found, or_baseline=or_baseline)
    except (ValueError, OSError, msgspec.MsgspecError) as error:
        parser.error(str(error))
    return BenchOptions(
        workload=workload, address=found.address, token_file=found.token_file, address_file=found.address_file,
        checkpoint=found.checkpoint, settings=tuple(found.set),
    )  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kvdeck bench", description="Measure an engine: send a load, print the figures, keep the run.",
        usage="kvdeck bench [OPTIONS]", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    places = add_load(parser)
    places.add_argument("--model", metavar="NAME", help="the model to ask for (the server's first)")
    places.add_argument("--tokenizer", type=path, metavar="FOLDER", help="where the server has no /tokenize")
    _add_results(parser.add_argument_group("results"))
    return parser


def add_load(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Where to send a load, and what; the group of the first."""
    places = parser.add_argument_group("where to send")
    _add_places(places)
    _add_load(parser.add_argument_group("the load"))
    return places


def _add_places(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--address", metavar="URL", help="a running server")
    group.add_argument("--token-file", type=path, metavar="FILE", help="the file with that server's key")
    group.add_argument("--address-file", type=path, metavar="FILE", help="a running engine host's address file")
    group.add_argument("--checkpoint", type=path, metavar="FOLDER", help="load this in an engine host for the run")
    group.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter for that load; repeatable"
    )


def _add_load(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--workload", type=path, metavar="FILE", help="the load as JSON; options below override it")
    group.add_argument("--preset", choices=("classic",), help="classic: 50 clients with one long system prompt")
    group.add_argument("--clients", type=int, metavar="N", help="closed loop: N at once")
    group.add_argument("--rate", type=float, metavar="R", help="open loop: R requests a second on average")
    group.add_argument("--burstiness", type=float, metavar="B", help="with --rate: 1 is Poisson, less is burstier")
    group.add_argument("--bursts", metavar="N:S", help="N requests in one moment, every S seconds")
    group.add_argument("--ramp", metavar="A:B:S", help="from A to B requests a second within S seconds")
    group.add_argument("--as-recorded", action="store_true", help="at the times of the log")
    group.add_argument("--requests", type=int, metavar="N", help="end after N requests")
    group.add_argument("--duration", type=seconds, metavar="S", help="end after S seconds (also 5m)")
    group.add_argument("--warm-up", type=int, metavar="N", help="requests before, which count nowhere")
    group.add_argument("--system-prompt", type=int, metavar="N", help="one shared system prompt of N tokens")
    group.add_argument("--prompt", type=lengths, metavar="LENGTH", help="prompt lengths in tokens")
    group.add_argument("--output", type=lengths, metavar="LENGTH", help="answer lengths in tokens")
    group.add_argument("--data", metavar="KIND[:FILE]", help="where prompts come from")
    group.add_argument("--turns", type=int, metavar="N", help="turns of a conversation")
    group.add_argument("--route", choices=("chat", "completions"), help="which of the two (chat)")
    group.add_argument("--stop-at-eos", action="store_true", help="let the model end its answers")
    group.add_argument("--most-per-second", type=float, metavar="R", help="never send faster")
    group.add_argument("--seed", type=int, metavar="N", help="the same N, the same requests (0)")
    group.add_argument("--slo", metavar="NAME=TIME,...", help="ttft, tpot and e2e, as ttft=300ms,tpot=50ms,e2e=5s")


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--baseline", type=path, metavar="FILE", help="repeat this baseline and compare with it")
    group.add_argument("--tolerance", default="10%", metavar="SHARE", help="how much worse a figure may be (10%%)")
    group.add_argument("--save-baseline", type=path, metavar="FILE", help="write this run as a baseline")
    group.add_argument("--json", type=path, metavar="FILE", help="write run and comparison as JSON (- prints it)")
    group.add_argument("--csv", type=path, metavar="FILE", help="write one line a request")
    group.add_argument("--markdown", type=path, metavar="FILE", help="write a Markdown document")
    group.add_argument("--html", type=path, metavar="FILE", help="write a report with pictures")
    group.add_argument("--title", default="", help="what to call the run")
    group.add_argument("--tag", action="append", default=[], metavar="TAG", help="a tag for the run; repeatable")
    group.add_argument("--no-save", action="store_true", help="do not keep the run in KVDeck's list")
    group.add_argument("--quiet", action="store_true", help="no live line")


def path(text: str) -> Path:
    """A path as it was meant, wherever the program works; "-" stays what it is."""
    return Path("-") if text == "-" else Path(text).expanduser().absolute()


def seconds(text: str) -> float:
    """ "20", "300ms", "5s" or "2m" in seconds."""
    for ending, factor in (("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)):
        if text.endswith(ending):
            return float(text.removesuffix(ending)) * factor
    return float(text)


def lengths(text: str) -> Lengths:
    """A distribution of lengths as EPILOG says. Raises ValueError."""
    kind, *numbers = text.split(":")
    if text == "data":
        return FromData()
    if kind == "normal" and len(numbers) == 2:
        return Normal(float(numbers[0]), float(numbers[1]))
    if kind == "lognormal" and len(numbers) == 2:
        return LogNormal(float(numbers[0]), float(numbers[1]))
    least, dash, most = text.partition("-")
    return Uniform(int(least), int(most)) if dash else Fixed(int(text))


def _workload(found: argparse.Namespace, *, or_baseline: bool) -> Workload | None:
    """The load that was asked for, None where a baseline's will do and nothing was. Raises ValueError, OSError."""
    given = {
        "requests": found.requests, "duration_s": found.duration, "warm_up_requests": found.warm_up,
        "system_prompt_tokens": found.system_prompt, "prompt": found.prompt, "output": found.output,
        "route": found.route, "most_per_s": found.most_per_second, "seed": found.seed,
        "ignore_eos": False if found.stop_at_eos else None, "arrival": _arrival(found),
        "dataset": _dataset(found.data, found.turns), "slos": None if found.slo is None else _slos(found.slo),
    }  # fmt: skip
    changes = {name: value for name, value in given.items() if value is not None}
    if found.workload is not None:
        base = _absolute(msgspec.json.decode(found.workload.read_bytes(), type=Workload))
    elif found.preset is not None:
        base = CLASSIC
    elif not changes:
        if not or_baseline:
            raise ValueError("say what to send: --preset classic, --workload FILE, or options of the load")
        return None
    else:
        base = Workload(requests=None if found.duration is not None or found.requests is not None else 100)
    return msgspec.structs.replace(base, **changes)


def _absolute(workload: Workload) -> Workload:
    """With the data's path as it was meant: the program works in another folder."""
    dataset = workload.dataset
    if isinstance(dataset, Synthetic) or not dataset.path:
        return workload
    place = msgspec.structs.replace(dataset, path=str(path(dataset.path)))
    return msgspec.structs.replace(workload, dataset=place)


def _arrival(found: argparse.Namespace) -> Arrival | None:
    chosen: list[Arrival] = []
    if found.clients is not None and found.rate is None and not found.bursts and not found.ramp:
        chosen.append(ClosedLoop(found.clients))
    limit = found.clients  # with an open loop, --clients is the most at once
    if found.rate is not None:
        chosen.append(OpenLoop(found.rate, 1.0 if found.burstiness is None else found.burstiness, limit))
    if found.bursts is not None:
        size, every = found.bursts.split(":")
        chosen.append(Bursts(int(size), seconds(every), limit))
    if found.ramp is not None:
        begin, end, over = found.ramp.split(":")
        chosen.append(Ramp(float(begin), float(end), seconds(over), limit))
    if found.as_recorded:
        chosen.append(AsRecorded())
    if len(chosen) > 1:
        raise ValueError("--rate, --bursts, --ramp, --as-recorded (and --clients alone) exclude each other")
    return chosen[0] if chosen else None


def _dataset(text: str | None, turns: int | None) -> Dataset | None:
    if text is None:
        return None if turns is None else Synthetic(turns)
    kind, _, file = text.partition(":")
    if kind == "synthetic":
        return Synthetic(turns or 1)
    place = str(path(file)) if file else ""
    known: dict[str, Dataset] = {
        "sharegpt": ShareGpt(place, turns or 1), "jsonl": UserJsonl(place), "log": RecordedLog(place)
    }  # fmt: skip
    if kind not in known:
        raise ValueError(f"there is no kind of data called {kind!r}")
    return known[kind]


def _slos(text: str) -> Slos:
    values: dict[str, float] = {}
    for part in text.split(","):
        name, _, time = part.partition("=")
        if name.strip() not in ("ttft", "tpot", "e2e"):
            raise ValueError(f"there is no SLO called {name!r}: ttft, tpot and e2e are")
        values[f"{name.strip()}_s"] = seconds(time.strip())
    return Slos(**values)
