"""Two settings on the same load, interleaved A B, B A, A B, ...: drift of the machine hits both alike."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from engine.bench.definitions import value_of
from engine.tuner.apply import apply_setting, in_force, needs_reload
from engine.tuner.interval import difference_of
from engine.tuner.jobs import PairLine
from engine.tuner.measure import Measurer
from engine.tuner.messages import PairChanged
from engine.tuner.outcome import ABResult, Difference, Pair
from engine.tuner.saying import SettingValue, saying
from engine.tuner.spec import SpecInvalid, objective_of
from engine.tuner.words import words_of

if TYPE_CHECKING:
    from engine.bench.result import Figures
    from engine.tuner.context import JobContext
    from engine.tuner.spec import ABSpec, Setting

_ALSO = (
    "tokens_out_per_s", "requests_per_s", "goodput_per_s", "ttft.p50", "ttft.p95", "tpot.p50", "itl.p95", "e2e.p95",
)  # fmt: skip


async def compare_ab(context: JobContext, spec: ABSpec) -> ABResult:
    """Carry out an A/B. Raises JobBroken, SpecInvalid; cancelled, it hands back the pairs that are done."""
    await context.remember_before()
    status = await context.engine.status()
    names = list(dict.fromkeys((*spec.a, *spec.b)))
    present = in_force(status)
    reload_names = {name for setting in (spec.a, spec.b) for name in needs_reload(setting, status)}
    if reload_names and not spec.restarts:
        raise SpecInvalid(
            f"{', '.join(sorted(reload_names))} cannot be changed while the engine runs.",
            remedy="Allow reloads between the runs, or compare live parameters.",
        )
    comparison = _Comparison(
        context,
        spec,
        {name: spec.a.get(name, present.get(name)) for name in names},
        {name: spec.b.get(name, present.get(name)) for name in names},
    )
    cancelled, restored = await context.carry_out(comparison.run(), done=lambda: len(comparison.pairs))
    return ABResult(
        objective=objective_of(spec),
        a=spec.a,
        b=spec.b,
        pairs=tuple(comparison.pairs),
        differences=await asyncio.to_thread(comparison.differences),
        confidence=spec.confidence,
        before=context.before.live,
        restored=restored,
        seconds=context.elapsed_s,
        cancelled=cancelled,
    )


class _Comparison:
    def __init__(self, context: JobContext, spec: ABSpec, a: Setting, b: Setting) -> None:
        self._context = context
        self._spec = spec
        self._settings = {"a": a, "b": b}
        self._measurer = Measurer(context.engine, context.store, context.hear)
        self.pairs: list[Pair] = list(context.file.past.pairs)

    async def run(self) -> None:
        """The pairs that are still to be done; their order alternates."""
        times: list[float] = []
        while len(self.pairs) < self._spec.blocks:
            number = len(self.pairs)
            order = "ab" if number % 2 == 0 else "ba"
            began = self._context.elapsed_s
            runs: dict[str, tuple[str, float | None]] = {}
            for side in order:
                left = None if not times else (self._spec.blocks - number) * sum(times) / len(times)
                self._say(side, number, left)
                runs[side] = await self._measure(side, number)
            times.append(self._context.elapsed_s - began)
            (run_a, a), (run_b, b) = runs["a"], runs["b"]
            pair = Pair(order=order, a=a, b=b, run_a=run_a, run_b=run_b)
            self.pairs.append(pair)
            await asyncio.to_thread(self._context.file.add, PairLine(pair))
            self._context.say(PairChanged(number, pair))

    def differences(self) -> tuple[Difference, ...]:
        """Every figure's difference, the objective's first. Reads the runs: call it in a thread."""
        objective = objective_of(self._spec)
        figures = {run: self._figures(run) for pair in self.pairs for run in (pair.run_a, pair.run_b)}
        keys = (objective, *(key for key in _ALSO if key != objective))
        found = []
        for key in keys:
            a = [_value(figures[pair.run_a], key) for pair in self.pairs]
            b = [_value(figures[pair.run_b], key) for pair in self.pairs]
            if key == objective or any(value is not None for value in a):
                found.append(difference_of(key, a, b, self._spec.confidence))
        return tuple(found)

    async def _measure(self, side: str, number: int) -> tuple[str, float | None]:
        await apply_setting(self._context.engine, self._settings[side], by=self._context.by)
        spec = self._spec
        found = await self._measurer.measure(
            msgspec.structs.replace(spec.workload, seed=spec.workload.seed + number),
            objective_of(spec),
            title=f"{side.upper()}: {words_of(self._settings[side])}",
            origin="ab",
            group=self._context.job_id,
        )
        return found.run_id, found.score

    def _figures(self, run_id: str) -> Figures | None:
        result = self._context.store.run(run_id).result
        return None if result is None else result.figures

    def _say(self, side: str, number: int, left_s: float | None) -> None:
        self._context.update(
            "measuring",
            saying(
                "pair_at", number=number + 1, total=self._spec.blocks, side=side.upper(),
                setting=SettingValue(self._settings[side]),
            ),
            done=number,
            total=self._spec.blocks,
            left_s=left_s,
        )


def _value(figures: Figures | None, key: str) -> float | None:
    return None if figures is None else value_of(figures, key)
