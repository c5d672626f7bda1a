"""The tuner against an exhaustive sweep of the same grid: how good its choice is, in which share of the time.

    python -m benchmarks.tuner (--checkpoint FOLDER | --address-file FILE) --folder DIR
        [--part tune|sweep|compare|all] [--requests 24] [--clients 12] [--pairs 4]

The targets are made for the machine: a few times what one client alone sees. Then the tuner and the sweep search the
same grid of live limits, and the two winners are measured against each other, interleaved, because the best of many
noisy runs looks better than it is. Everything is kept in DIR: what was cut short goes on when it is called again.
Exit status 0: at least 95 % of the sweep's best in at most a fifth of its time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.bench.messages import Target
from engine.bench.place import own_host, read_address_file
from engine.bench.runner import Runner
from engine.bench.workload import ClosedLoop, Fixed, Slos, Uniform, Workload
from engine.tuner.jobs import JobStore
from engine.tuner.messages import Broken, Ended, TrialChanged, Update
from engine.tuner.outcome import ABResult, SearchResult, TrialState
from engine.tuner.process import LabProcess
from engine.tuner.saying import all_english, english
from engine.tuner.spec import ABSpec, Axis, SweepSpec, TunerSpec, num_points
from engine.tuner.words import words_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from engine.tuner.outcome import Result
    from engine.tuner.spec import Spec

AXES = (
    Axis("max_num_seqs", (2, 4, 8, 16, 32)),
    Axis("max_num_batched_tokens", (128, 512, 2048)),
    Axis("long_prefill_token_threshold", (0, 64)),
)
TTFT_TIMES, TPOT_TIMES = 8.0, 3.0
GOAL_SCORE, GOAL_TIME = 0.95, 0.2


class Bench:
    """One call; `folder` holds what earlier calls did."""

    def __init__(self, at: Target, folder: Path, options: argparse.Namespace) -> None:
        self._at = at
        self._folder = folder
        self._options = options
        self._state_path = folder / "state.json"
        self._state: dict[str, Any] = json.loads(self._state_path.read_text()) if self._state_path.exists() else {}

    async def load(self) -> Workload:
        """The load with targets made for this machine; measured once, then kept."""
        workload = Workload(
            arrival=ClosedLoop(self._options.clients), prompt=Uniform(64, 448), output=Fixed(12),
            requests=self._options.requests,
        )  # fmt: skip
        if "slos" not in self._state:
            alone = msgspec.structs.replace(workload, arrival=ClosedLoop(1), requests=5, warm_up_requests=2)
            result = (await Runner(None).run(self._at, alone)).result
            assert result is not None
            assert result.figures.ttft is not None
            assert result.figures.tpot is not None
            ttft, tpot = TTFT_TIMES * result.figures.ttft.p50, TPOT_TIMES * result.figures.tpot.p50
            self._keep(slos={"ttft_s": ttft, "tpot_s": tpot})
        slos = Slos(**self._state["slos"])
        print(f"targets: first token within {slos.ttft_s:.2f} s, then {1000 * (slos.tpot_s or 0):.0f} ms a token")
        return msgspec.structs.replace(workload, slos=slos)

    async def job(self, name: str, spec: Spec) -> Result:
        """Begin a job, go on with it, or read what it came to."""
        jobs = JobStore(self._folder / "lab")
        job_id = self._state.get(name)
        lab = LabProcess(self._at.url, self._at.token, store=self._folder / "runs.sqlite", jobs=self._folder / "lab")
        if job_id is not None:
            known = jobs.job(job_id)
            if known.result is not None and not known.result.cancelled:
                return known.result
            await lab.resume(job_id)
        else:
            self._keep(**{name: await lab.start(spec)})
        try:
            return await _ended(lab)
        finally:
            await lab.close()

    def _keep(self, **values: Any) -> None:
        self._state |= values
        self._state_path.write_text(json.dumps(self._state))


async def _ended(lab: LabProcess) -> Result:
    async for message in lab.messages():
        if isinstance(message, Update):
            print(f"  {message.elapsed_s:6.1f} s  {english(message.saying)}", flush=True)
        elif isinstance(message, TrialChanged) and message.trial.state is not TrialState.RUNNING:
            print(f"            {english(message.trial.outcome)}", flush=True)
        elif isinstance(message, Ended):
            return message.result
        elif isinstance(message, Broken):
            raise SystemExit(f"{message.message} {message.remedy}")
    raise SystemExit("the lab process said nothing at the end")


@contextlib.asynccontextmanager
async def _place(options: argparse.Namespace) -> AsyncIterator[Target]:
    if options.address_file is not None:
        found = read_address_file(options.address_file)
        yield Target(found.url, found.token)
        return
    values = {"cpu_kvcache_space_gib": 1.0, "max_num_seqs": 32, "max_num_batched_tokens": 2048}
    async with own_host(options.checkpoint.resolve(), values, print) as place:
        yield Target(place.target.url, place.target.token)


async def _run(options: argparse.Namespace) -> int:
    options.folder.mkdir(parents=True, exist_ok=True)
    async with _place(options) as at:
        bench = Bench(at, options.folder, options)
        load = await bench.load()
        tuned = await bench.job("tuner", TunerSpec(workload=load, axes=AXES))
        if options.part == "tune":
            return 0
        swept = await bench.job("sweep", SweepSpec(workload=load, axes=AXES))
        if options.part == "sweep":
            return 0
        assert isinstance(tuned, SearchResult)
        assert isinstance(swept, SearchResult)
        return await _compare(bench, load, tuned, swept, options.pairs)


async def _compare(bench: Bench, load: Workload, tuned: SearchResult, swept: SearchResult, pairs: int) -> int:
    assert tuned.best is not None
    assert swept.best is not None
    ours, best = tuned.trial(tuned.best), swept.trial(swept.best)
    ratio = 1.0
    if ours.setting != best.setting:
        spec = ABSpec(workload=load, a=best.setting, b=ours.setting, blocks=pairs)
        compared = await bench.job("compare", spec)
        assert isinstance(compared, ABResult)
        first = compared.differences[0]
        print(first.sentence)
        ratio = first.ratio or 0.0
    seconds = [sum(trial.seconds for trial in result.trials) for result in (tuned, swept)]
    share = seconds[0] / seconds[1]
    in_sweep = next(trial for trial in swept.trials if trial.setting == ours.setting)
    print("\n".join(all_english(tuned.explanation)))
    print(f"grid of {num_points(AXES)} points; sweep's best: {words_of(best.setting)}, {best.score:.3f} /s")
    print(f"tuner's choice: {words_of(ours.setting)}; the sweep saw {in_sweep.score or 0.0:.3f} /s there")
    print(f"tuner {seconds[0]:.0f} s of {seconds[1]:.0f} s: {share:.3f} of the time (goal {GOAL_TIME})")
    print(f"tuner's choice against the sweep's best, interleaved: {ratio:.3f} (goal {GOAL_SCORE})")
    return 0 if ratio >= GOAL_SCORE and share <= GOAL_TIME else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--checkpoint", type=Path)
    place.add_argument("--address-file", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--part", choices=("tune", "sweep", "compare", "all"), default="all")
    parser.add_argument("--requests", type=int, default=24)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=4)
    return asyncio.run(_run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
