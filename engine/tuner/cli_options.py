"""What `kvdeck lab` is asked on the command line."""

from __future__ import annotations

import argparse

from engine.bench.cli_options import LOAD_WORDS, add_load, path, seconds

_EPILOG = """\
each job has a --help of its own: kvdeck lab tune --help
exit status      0 done, 2 it could not be done, 130 ended by Ctrl+C (what was in force before is put back)

examples
  kvdeck lab tune --axis max_num_seqs=4,8,16,32 --axis max_num_batched_tokens=512,2048 \\
      --checkpoint ~/models/SmolLM2 --clients 16 --requests 64 --output 32 --slo ttft=1s,tpot=80ms
  kvdeck lab ab --a max_num_seqs=8 --b max_num_seqs=32 --address-file host.json --clients 16 --requests 48
  kvdeck lab formats --variant BF16=~/m/SmolLM2 --variant AWQ=~/m/SmolLM2-AWQ --markdown table.md
  kvdeck lab jobs; kvdeck lab resume 261129-215446-fcfa73 --address-file host.json
"""
_LOAD_EPILOG = f"""\
where to send    --address and --token-file, or --address-file of a running engine host, or --checkpoint FOLDER
                 [--set NAME=VALUE ...] to start one for this job; with none of them the one that runs now
{LOAD_WORDS}
"""
_KINDS = {"json": "JSON", "csv": "CSV", "markdown": "Markdown", "report": "one HTML file with pictures"}
_FIGURE = "the figure to improve (goodput_per_s with --slo, else tokens_out_per_s)"


def make_parser() -> argparse.ArgumentParser:
    """The program's options; those of the load and its place are engine.bench.cli_options'."""
    parser = argparse.ArgumentParser(
        prog="kvdeck lab", description="Search for a better setting, or compare.", epilog=_EPILOG,
        usage="kvdeck lab JOB [OPTIONS]", formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    jobs = parser.add_subparsers(dest="command", required=True, title="jobs", metavar="JOB", prog="kvdeck lab")
    _add_searches(jobs)
    _add_ab(jobs)
    _add_formats(jobs)
    resume = jobs.add_parser(
        "resume", help="go on with a job that was cut short", usage="kvdeck lab resume JOB [OPTIONS]"
    )
    resume.add_argument("job", metavar="JOB", help="its id, as in `kvdeck lab jobs`")
    _add_host(resume)
    _add_results(resume)
    jobs.add_parser("jobs", help="list the jobs")
    return parser


def _add_searches(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    tune = _add_job(jobs, "tune", "--axis NAME=V1,V2,...", "find the best point in few trials")
    sweep = _add_job(jobs, "sweep", "--axis NAME=V1,V2,...", "measure every point")
    for job in (tune, sweep):
        group = job.add_argument_group("the search")
        group.add_argument(
            "--axis", action="append", required=True, metavar="NAME=V1,V2,...",
            help="a parameter and the values to try; repeatable, each one more makes the grid larger",
        )  # fmt: skip
        group.add_argument("--objective", metavar="FIGURE", help=_FIGURE)
        group.add_argument("--budget", type=seconds, metavar="S", help="end after S seconds (also 30m)")
        if job is tune:
            group.add_argument(
                "--trials", type=int, metavar="N", help="work in whole runs (a fifth of the grid, at least 6)"
            )
            group.add_argument("--no-restarts", action="store_true", help="leave alone what needs a reload")
        else:
            group.add_argument("--repeats", type=int, default=1, metavar="N", help="measure each point N times (1)")
        add_load(job)
        _add_results(job)


def _add_ab(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    job = _add_job(jobs, "ab", "--a NAME=V --b NAME=V", "two settings on the same requests, in turns")
    group = job.add_argument_group("the comparison")
    for side, which in (("a", "one"), ("b", "the other")):
        group.add_argument(f"--{side}", required=True, metavar="NAME=V[,NAME=V]", help=f"{which} setting")
    group.add_argument("--pairs", type=int, default=6, metavar="N", help="a run of each, N times (6)")
    group.add_argument("--objective", metavar="FIGURE", help=_FIGURE)
    group.add_argument("--restarts", action="store_true", help="allow a reload between the runs")
    add_load(job)
    _add_results(job)


def _add_formats(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    job = jobs.add_parser(
        "formats", help="formats of one model, and transformers",
        usage="kvdeck lab formats --variant LABEL=FOLDER [OPTIONS]",
        description="Load each format of a model in turn, plain transformers last: size, capacity, speed, perplexity.",
    )  # fmt: skip
    group = job.add_argument_group("the comparison")
    group.add_argument(
        "--variant", action="append", required=True, metavar="LABEL=FOLDER",
        help="a name and a checkpoint; repeatable, the others are compared with the first",
    )  # fmt: skip
    group.add_argument("--no-transformers", action="store_true", help="leave plain transformers out")
    group.add_argument(
        "--perplexity", type=int, default=2048, metavar="N", help="over N tokens (2048), 0 leaves it out"
    )
    group.add_argument("--clients", type=int, default=16, metavar="N", help="of the load with many (16)")
    group.add_argument("--requests", type=int, default=32, metavar="N", help="of the load with many (32)")
    group.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="goes into every load; repeatable"
    )
    _add_host(job)
    _add_results(job)


def _add_job(
    jobs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, needs: str, words: str
) -> argparse.ArgumentParser:
    """One that sends a load that the user describes."""
    job = jobs.add_parser(
        name, help=words, description=f"{words[0].upper()}{words[1:]}.", usage=f"kvdeck lab {name} {needs} [OPTIONS]",
        epilog=_LOAD_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    job.set_defaults(parser=job)
    return job


def _add_host(job: argparse.ArgumentParser) -> None:
    job.add_argument("--address-file", type=path, metavar="FILE", help="the address file of an engine host that runs")


def _add_results(job: argparse.ArgumentParser) -> None:
    group = job.add_argument_group("results")
    for name, kind in _KINDS.items():
        group.add_argument(f"--{name}", type=path, metavar="FILE", help=f"write the result as {kind}")
