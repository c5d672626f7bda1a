"""Samples and records for tests."""

from __future__ import annotations

import random
from array import array

from engine.bench.result import EngineSetup, RunRecord, RunResult, RunState, Window
from engine.bench.sample import Outcome, Sample
from engine.bench.tally import figures_of
from engine.bench.workload import CLASSIC


def sample(number: int = 0, **changes: object) -> Sample:
    """A successful request of five tokens: sent at 1 s after `number`, first token 0.2 s later, then every 0.05 s."""
    sent = float(changes.pop("sent_s", 1.0 + number))  # type: ignore[arg-type]
    ttft = float(changes.pop("ttft_s", 0.2))  # type: ignore[arg-type]
    gaps = changes.pop("gaps_s", [0.05, 0.05, 0.05, 0.05])
    last = sent + ttft + sum(gaps)  # type: ignore[call-overload]
    values = {
        "number": number, "request_id": f"r{number}", "outcome": Outcome.SUCCESSFUL, "due_s": sent, "sent_s": sent,
        "ended_s": last, "first_token_s": sent + ttft, "last_token_s": last, "prompt_tokens": 10,
        "output_tokens": len(gaps) + 1, "cached_tokens": 4, "gaps": array("f", gaps).tobytes(),  # type: ignore[arg-type]
    }  # fmt: skip
    return Sample(**{**values, **changes})  # type: ignore[arg-type]


def samples(count: int, mean_ttft_s: float, seed: int = 0) -> list[Sample]:
    """Requests with random latencies around a mean."""
    dice = random.Random(seed)
    return [
        sample(
            number, sent_s=number * 0.1, ttft_s=dice.gauss(mean_ttft_s, mean_ttft_s / 5),
            gaps_s=[abs(dice.gauss(0.02, 0.004)) for _ in range(12)],
        )
        for number in range(count)
    ]  # fmt: skip


def windows(count: int, tokens: int, seed: int = 0) -> tuple[Window, ...]:
    """One second each, about so many tokens."""
    dice = random.Random(seed)
    return tuple(
        Window(float(at), 1.0, 4, 4, 0, 0, 40, max(0, round(dice.gauss(tokens, tokens / 10))), 4, good=3)
        for at in range(count)
    )


def record(run_id: str = "one", **changes: object) -> RunRecord:
    """A finished run of 20 requests."""
    found = samples(20, 0.2)
    values = {
        "id": run_id, "title": f"Run {run_id}", "created_unix_s": 1_700_000_000.0, "workload": CLASSIC,
        "setup": EngineSetup(model="Tiny", checkpoint="/models/Tiny", quantization="AWQ", max_num_seqs=16,
                             parameters={"max_num_seqs": 16, "enforce_eager": True}),
        "state": RunState.FINISHED, "url": "http://127.0.0.1:8000",
        "result": RunResult(figures_of(found), windows(20, 50), 123, False),
    }  # fmt: skip
    return RunRecord(**{**values, **changes})  # type: ignore[arg-type]
