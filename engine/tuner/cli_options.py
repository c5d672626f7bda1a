"""What `kvdeck lab` is asked on the command line."""

from __future__ import annotations

import argparse

from engine.bench.cli_options import path

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
_KINDS = {"json": "JSON", "csv": "CSV", "markdown": "Markdown", "report": "one HTML file with pictures"}


def make_parser() -> argparse.ArgumentParser:
    """The program's own options; those of the load and its place are engine.bench.cli_options'."""
    parser = argparse.ArgumentParser(
        prog="kvdeck lab", description="Search for a better setting, or compare.", epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    out = argparse.ArgumentParser(add_help=False)
    for name in ("json", "csv", "markdown", "report"):
        out.add_argument(f"--{name}", type=path, metavar="FILE", help=f"write the result as {_KINDS[name]}")
    host = argparse.ArgumentParser(add_help=False)
    host.add_argument("--address-file", type=path, metavar="FILE", help="a running engine host's address file")
    axes = argparse.ArgumentParser(add_help=False)
    axes.add_argument("--axis", action="append", required=True, metavar="NAME=V1,V2,...", help="repeatable")
    axes.add_argument("--objective", metavar="FIGURE", help="goodput_per_s with SLOs, else tokens_out_per_s")
    axes.add_argument("--budget", type=float, metavar="S", help="end after so many seconds")
    tune = commands.add_parser("tune", parents=[axes, out], help="find the best point in few trials")
    tune.add_argument("--trials", type=int, metavar="N", help="work in whole runs: a fifth of the grid, at least 6")
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
