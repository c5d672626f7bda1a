"""The tuner against an exhaustive sweep of the same grid: how good its choice is, in which share of the time.

    python -m benchmarks.tuner (--checkpoint FOLDER [--small] | --address-file FILE) --folder DIR
        [--part tune|sweep|compare|all] [--clients 12] [--minutes 8] [--requests N] [--pairs 10]

`--small` takes only the tokenizer of the checkpoint, and a small Llama shape with random weights: some ten times as
many requests a second, so that a run of a few seconds has enough of them for a figure that is not luck. The targets
are made for the machine, and so that they can be kept: twice the median time to a first token, and 1.3 times the median
time a token, that the load sees when every client is admitted at once. (At 0.6 of its answer time and 0.8 of its time a
token the best of all points kept them for 16 % of its answers, and runs differed by 72 %: nothing can be found there.)
`--requests` is by default what fits into `--minutes`.

Then the tuner and the sweep search the same grid of live limits. The best of many noisy runs looks better than it is,
and the tuner's choice is one, too; so what counts is the last part, which measures the two winners against each other,
A B, B A, ..., and prints the ratio with its interval. Everything is kept in DIR: what was cut short goes on when it is
called again. Exit status 0: at least 95 % of the sweep's best in at most a fifth of its time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import sys
from pathlib import Path
from statistics import stdev, variance
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.shapes import LLAMA_8B, write_config
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

    from engine.bench.result import Figures
    from engine.tuner.outcome import Result
    from engine.tuner.spec import Setting, Spec

AXES = (
    Axis("max_num_seqs", (2, 4, 8, 16, 32)),
    Axis("max_num_batched_tokens", (128, 512, 2048)),
    Axis("long_prefill_token_threshold", (0, 64)),
)
TTFT_SHARE, TPOT_SHARE = 2.0, 1.3
GOAL_SCORE, GOAL_TIME = 0.95, 0.2
FEWEST, MOST = 72, 600  # requests of a whole run
CALIBRATION = 96  # requests
BEGIN_S = 1.5  # about what it takes to begin a run
SMALL = {
    **LLAMA_8B, "hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 8, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 49152, "rope_theta": 100000.0, "tie_word_embeddings": True,
}  # fmt: skip
SMALL_VALUES: Setting = {"load_format": "dummy", "enforce_eager": True}


class Bench:
    """One call; `folder` holds what earlier calls did."""

    def __init__(self, at: Target, folder: Path, options: argparse.Namespace) -> None:
        self._at = at
        self._folder = folder
        self._options = options
        self._state_path = folder / "state.json"
        self._state: dict[str, Any] = json.loads(self._state_path.read_text()) if self._state_path.exists() else {}

    async def load(self) -> Workload:
        """The load, with targets and a length made for this machine; measured once, then kept."""
        workload = Workload(
            arrival=ClosedLoop(self._options.clients), prompt=Uniform(64, 448), output=Fixed(12), requests=CALIBRATION
        )
        if "slos" not in self._state:
            found = [await self._figures(msgspec.structs.replace(workload, seed=seed)) for seed in (1, 2)][-1]
            assert found.tpot is not None
            assert found.ttft is not None
            targets = {"ttft_s": TTFT_SHARE * found.ttft.p50, "tpot_s": TPOT_SHARE * found.tpot.p50}
            self._keep(slos=targets, requests=self._options.requests or self._that_fit(found.requests_per_s))
        slos, requests = Slos(**self._state["slos"]), int(self._state["requests"])
        print(f"targets: first token within {slos.ttft_s:.2f} s, then {1000 * (slos.tpot_s or 0):.0f} ms a token; "
              f"{requests} requests a run")  # fmt: skip
        return msgspec.structs.replace(workload, slos=slos, requests=requests)

    async def _figures(self, workload: Workload) -> Figures:
        result = (await Runner(None).run(self._at, msgspec.structs.replace(workload, warm_up_requests=4))).result
        assert result is not None
        return result.figures

    def _that_fit(self, requests_per_s: float) -> int:
        """How many requests a run may have, so that all of it fits into the time; some settings are slow."""
        runs = num_points(AXES) * (1 + GOAL_TIME) + 2 * self._options.pairs
        seconds = (60 * self._options.minutes - BEGIN_S * runs) / runs / 1.4
        return int(min(MOST, max(FEWEST, seconds * requests_per_s)))

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
    values: Setting = {"cpu_kvcache_space_gib": 1.0, "max_num_seqs": 32, "max_num_batched_tokens": 2048}
    checkpoint = options.checkpoint.resolve()
    if options.small:
        checkpoint, values = write_config(options.folder / "small", SMALL, checkpoint), values | SMALL_VALUES
    async with own_host(checkpoint, values, print) as place:
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
    ratio, low, high = 1.0, 1.0, 1.0
    if ours.setting != best.setting:
        spec = ABSpec(workload=load, a=best.setting, b=ours.setting, blocks=pairs)
        compared = await bench.job("compare", spec)
        assert isinstance(compared, ABResult)
        first = compared.differences[0]
        print(first.sentence)
        ratio, low, high = first.ratio or 0.0, first.low or 0.0, first.high or math.inf
        _tell_noise(compared)
    seconds = [sum(trial.seconds for trial in result.trials) for result in (tuned, swept)]
    share = seconds[0] / seconds[1]
    in_sweep = next(trial for trial in swept.trials if trial.setting == ours.setting)
    print("\n".join(all_english(tuned.explanation)))
    good = None if best.figures is None else best.figures.good_share
    print(f"grid of {num_points(AXES)} points; sweep's best: {words_of(best.setting)}, {best.score:.3f} /s, "
          f"{good or 0.0:.0%} of its answers good")  # fmt: skip
    print(f"tuner's choice: {words_of(ours.setting)}; the sweep saw {in_sweep.score or 0.0:.3f} /s there")
    print(f"tuner {seconds[0]:.0f} s of {seconds[1]:.0f} s: {share:.3f} of the time (goal {GOAL_TIME})")
    print(f"tuner's choice against the sweep's best, interleaved: {ratio:.3f}, 95 % interval {low:.3f} to {high:.3f} "
          f"(goal {GOAL_SCORE})")  # fmt: skip
    return 0 if ratio >= GOAL_SCORE and share <= GOAL_TIME else 1


def _tell_noise(compared: ABResult) -> None:
    """What a whole run's figure is off by: its own noise, and what its requests and the hour add to both of a pair."""
    pairs = [(pair.a, pair.b) for pair in compared.pairs if pair.a and pair.b]
    if len(pairs) < 3:
        return
    logs = [(math.log(a), math.log(b)) for a, b in pairs]
    own = stdev(a - b for a, b in logs) / math.sqrt(2)
    shared = math.sqrt(max(0.0, variance((a + b) / 2 for a, b in logs) - own**2 / 2))
    print(f"noise of a whole run: {own:.1%} of its own, {shared:.1%} shared by both of a pair")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--checkpoint", type=Path)
    place.add_argument("--address-file", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--part", choices=("tune", "sweep", "compare", "all"), default="all")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--requests", type=int)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--pairs", type=int, default=10)
    return asyncio.run(_run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
