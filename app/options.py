"""The command line of the window."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from app.resources import resource

SAMPLE = resource("samples", "sample.kvdeck")


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `address` and `token_file` are of a host that already runs; None starts one of our own.

    `replay` is a recording to show in place of an engine; the sample that comes with KVDeck where none was named.
    `report_start` is a file that gets the time of the first paint as JSON ("-" is standard output).
    """

    tour: bool = False
    tour_folder: Path = Path("tour")
    tour_variant: str = "awq"
    theme: str | None = None
    address: str | None = None
    token_file: Path | None = None
    report_start: str | None = None
    replay: Path | None = None


def parse(arguments: list[str], version: str) -> Options:
    """Options from a command line; ends the program on --help, --version and mistakes."""
    parser = argparse.ArgumentParser(prog="kvdeck", description="A desktop control panel for vLLM.")
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
        choices=("awq", "gptq", "fp8", "int8"),
        default="awq",
        help="the starter model's variant that the tour switches to (awq)",
    )
    parser.add_argument(
        "--replay", metavar="FILE", type=Path, nargs="?", const=SAMPLE,
        help="replay a recording, without an engine (without FILE: the sample of a real run)",
    )  # fmt: skip
    parser.add_argument("--report-start", metavar="FILE", help="write the time of the first paint as JSON, - prints it")
    found = parser.parse_args(arguments)
    if (found.address is None) != (found.token_file is None):
        parser.error("--address and --token-file belong together")
    if found.replay is not None and (found.tour or found.address is not None):
        parser.error("--replay shows a recording alone: leave --tour and --address out")
    return Options(
        tour=found.tour,
        tour_folder=found.tour_dir,
        tour_variant=found.tour_variant,
        theme=found.theme,
        address=found.address,
        token_file=found.token_file,
        report_start=found.report_start,
        replay=found.replay,
    )
