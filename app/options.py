"""The command line of the window."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from app.resources import resource

SAMPLE = resource("samples", "sample.kvdeck")
VARIANTS = ("awq", "gptq", "fp8", "int8")


@dataclass(frozen=True, slots=True)
class AnimationOptions:
    """The animation that a replay is to become: `path` says by its suffix what kind. `end_s` None: to the end.

    `panel` "" is the whole window, whose size in pixels is `size`.
    """

    path: Path
    panel: str = ""
    begin_s: float = 0.0
    end_s: float | None = None
    fps: int = 10
    speed: float = 1.0
    size: tuple[int, int] = (1280, 800)


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `address` and `token_file` are of a host that already runs; None starts one of our own.

    `replay` is a recording to show in place of an engine; the sample that comes with KVDeck where none was named.
    `second` is another one beside it, in step. `animation` makes a picture of it instead of a window, `export` writes
    its tables into that folder, as `export_format`.
    `report_start` is a file that gets the time of the first paint as JSON ("-" is standard output).
    """

    tour: bool = False
    tour_folder: Path = Path("tour")
    tour_variants: tuple[str, ...] = ("awq",)
    tour_models: tuple[Path, ...] = ()
    tour_streams: int = 16
    tour_keep: bool = False
    tour_limit_s: float = 1500.0
    theme: str | None = None
    address: str | None = None
    token_file: Path | None = None
    report_start: str | None = None
    replay: Path | None = None
    second: Path | None = None
    animation: AnimationOptions | None = None
    export: Path | None = None
    export_format: str = "csv"


_EPILOG = """\
in a terminal, without a window:
  kvdeck bench          measure an engine; keep a baseline, and tell by the exit status whether it got worse
  kvdeck lab            tune, sweep, compare two settings or a model's formats
                        (each has a --help)

examples:
  kvdeck --replay                                   the sample of a real run
  kvdeck --replay a.kvdeck b.kvdeck                 two recordings, in step
  kvdeck --replay a.kvdeck --animate cache.gif --panel cache
  kvdeck --address http://127.0.0.1:8000 --token-file key"""


def parse(arguments: list[str], version: str) -> Options:
    """Options from a command line; ends the program on --help, --version and mistakes."""
    parser = argparse.ArgumentParser(
        prog="kvdeck",
        usage="kvdeck [OPTIONS]\n       kvdeck bench [OPTIONS]\n       kvdeck lab JOB [OPTIONS]",
        description="A desktop control panel for vLLM. Without options it opens the window.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"KVDeck {version}")
    parser.add_argument("--theme", choices=("system", "dark", "light"), help="use this theme, this time only")
    parser.add_argument(
        "--address", metavar="URL", help="use an engine host that already runs, here or on another machine"
    )
    parser.add_argument("--token-file", metavar="FILE", type=Path, help="the file with that host's key")
    parser.add_argument("--tour", action="store_true", help="drive the window once through everything, then quit")
    parser.add_argument(
        "--tour-dir", metavar="FOLDER", type=Path, default=Path("tour"), help="where the tour writes (./tour)"
    )
    parser.add_argument(
        "--tour-variant",
        metavar="NAMES",
        type=_variants,
        default=("awq",),
        help=f"the starter's variants that the tour switches to, one after the other: of {', '.join(VARIANTS)} (awq)",
    )
    parser.add_argument(
        "--tour-model", metavar="FOLDER", type=Path, action="append", default=[],
        help="a checkpoint to drive in the starter's place; several: the first is loaded, then each switched to",
    )  # fmt: skip
    parser.add_argument(
        "--tour-streams", metavar="N", type=_streams, default=16, help="requests at once while a limit changes (16)"
    )
    parser.add_argument(
        "--tour-limit", metavar="SECONDS", type=float, default=1500.0, help="end the tour with what it has then (1500)"
    )
    parser.add_argument("--tour-keep", action="store_true", help="switches keep the old engine; at the end each wakes")
    parser.add_argument(
        "--replay", metavar="FILE", type=Path, nargs="*",
        help="replay a recording, without an engine (without FILE: the sample of a real run; with two: side by side)",
    )  # fmt: skip
    _add_outputs(parser)
    parser.add_argument("--report-start", metavar="FILE", help="write the time of the first paint as JSON, - prints it")
    found = parser.parse_args(arguments)
    if (found.address is None) != (found.token_file is None):
        parser.error("--address and --token-file belong together")
    replays = _replays(parser, found)
    return Options(
        tour=found.tour,
        tour_folder=found.tour_dir,
        tour_variants=found.tour_variant,
        tour_models=tuple(found.tour_model),
        tour_streams=found.tour_streams,
        tour_keep=found.tour_keep,
        tour_limit_s=found.tour_limit,
        theme=found.theme,
        address=found.address,
        token_file=found.token_file,
        report_start=found.report_start,
        replay=replays[0] if replays else None,
        second=replays[1] if len(replays) > 1 else None,
        animation=_animation(parser, found),
        export=found.export,
        export_format=found.format,
    )


def _variants(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in VARIANTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(VARIANTS)}")
    return names


def _streams(text: str) -> int:
    """Enough of them that a quarter is a limit worth the name."""
    if not text.isdecimal() or not 8 <= int(text) <= 4096:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of requests from 8 to 4096")
    return int(text)


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    """What a replay can become other than a window."""
    group = parser.add_argument_group("with --replay, without a window")
    group.add_argument("--animate", metavar="FILE", type=Path, help="make an animation: .gif, .png (APNG) or .webp")
    group.add_argument("--panel", default="", metavar="KEY", help="this panel alone: cache, timeline, gpu, ...")
    group.add_argument("--from", dest="begin", type=float, default=0.0, metavar="SECONDS", help="begin here (0)")
    group.add_argument("--to", dest="end", type=float, metavar="SECONDS", help="end here (the end)")
    group.add_argument("--fps", metavar="N", type=int, default=10, help="pictures a second (10)")
    group.add_argument("--speed", metavar="X", type=float, default=1.0, help="recorded seconds a second (1)")
    group.add_argument("--size", default="1280x800", metavar="WIDTHxHEIGHT", help="of the window (1280x800)")
    group.add_argument("--export", metavar="FOLDER", type=Path, help="write steps, requests, events, ... as tables")
    group.add_argument("--format", choices=("csv", "parquet"), default="csv", help="of the tables (csv)")


def _replays(parser: argparse.ArgumentParser, found: argparse.Namespace) -> list[Path]:
    outputs = [name for name in ("animate", "export") if getattr(found, name) is not None]
    if found.replay is None:
        if outputs:
            parser.error(f"--{outputs[0]} needs --replay")
        return []
    if found.tour or found.address is not None:
        parser.error("--replay shows a recording alone: leave --tour and --address out")
    if len(found.replay) > 2:
        parser.error("--replay shows one recording, or two side by side")
    if outputs and len(found.replay) > 1:
        parser.error(f"--{outputs[0]} takes one recording")
    return list(found.replay) or [SAMPLE]


def _animation(parser: argparse.ArgumentParser, found: argparse.Namespace) -> AnimationOptions | None:
    if found.animate is None:
        if found.panel or found.begin or found.end is not None:
            parser.error("--panel, --from and --to need --animate")
        return None
    width, _, height = found.size.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        parser.error("--size is WIDTHxHEIGHT, such as 1280x800")
    if found.fps < 1 or found.speed <= 0:
        parser.error("--fps and --speed are over 0")
    return AnimationOptions(
        found.animate, found.panel, found.begin, found.end, found.fps, found.speed, (int(width), int(height))
    )
