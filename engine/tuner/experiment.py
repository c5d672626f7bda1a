"""Formats of one model against each other, and against plain transformers: one table, measured on this machine."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

import msgspec

from engine.bench.messages import Target
from engine.bench.setup import is_local
from engine.domain.errors import EngineBusy, HostUnreachable, KVDeckError
from engine.domain.lifecycle import LoadRequest, Phase
from engine.parameters.values import deviations
from engine.tuner.apply import load, unload
from engine.tuner.baseline import BaselineProcess
from engine.tuner.jobs import RowLine
from engine.tuner.measure import Measurer
from engine.tuner.messages import RowChanged
from engine.tuner.outcome import ExperimentResult, Row, ratio_to
from engine.tuner.perplexity import perplexity
from engine.tuner.saying import COMPARED, TimesValue, saying
from engine.tuner.weigh import disk_bytes, gpu_bytes, memory_bytes

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from engine.bench.result import Figures
    from engine.bench.workload import Workload
    from engine.domain.lifecycle import EngineFacts
    from engine.tuner.context import JobContext
    from engine.tuner.saying import Saying
    from engine.tuner.spec import ExperimentSpec, Variant

_TRANSFORMERS = "transformers"
_OF_A_MODEL = ("quantization", "load_format", "dtype", "max_model_len", "speculative_config", "kv_cache_dtype")


class Experiment:
    """One experiment. `run` once."""

    def __init__(self, context: JobContext, spec: ExperimentSpec) -> None:
        self._context = context
        self._spec = spec
        self._measurer = Measurer(context.engine, context.store, context.hear)
        self._rows = {row.key: row for row in _empty_rows(spec)}
        self._rows |= {row.key: row for row in context.file.past.rows if row.key in self._rows}

    async def run(self) -> ExperimentResult:
        """Carry it out. Raises JobBroken; cancelled, it hands back the lines that are done."""
        await self._context.remember_before()
        cancelled, restored = await self._context.carry_out(self._all(), done=self._done)
        rows = tuple(self._rows.values())
        before = self._context.before.request
        return ExperimentResult(
            rows=rows,
            before=None if before is None else before.checkpoint,
            restored=restored,
            seconds=self._context.elapsed_s,
            cancelled=cancelled,
            explanation=explain(rows),
        )

    def _done(self) -> int:
        return sum(row.state in ("done", "failed") for row in self._rows.values())

    async def _all(self) -> None:
        for row in self._rows.values():
            self._context.say(RowChanged(row))
        for variant in self._spec.variants:
            if self._rows[variant.key].state not in ("done", "failed"):
                await self._one(variant.key, self._variant(variant))
        if _TRANSFORMERS in self._rows and self._rows[_TRANSFORMERS].state not in ("done", "failed"):
            await self._one(_TRANSFORMERS, self._transformers())

    async def _one(self, key: str, work: Coroutine[object, object, None]) -> None:
        """One line: what it cannot do is told in it, and the others go on."""
        self._change(key, state="running", error="")
        try:
            await work
        except (HostUnreachable, EngineBusy):
            raise
        except KVDeckError as error:
            self._change(key, state="failed", error=f"{error.message} {error.remedy}".strip())
        else:
            self._change(key, state="done")
        await asyncio.to_thread(self._context.file.add, RowLine(self._rows[key]))

    async def _variant(self, variant: Variant) -> None:
        key, engine = variant.key, self._context.engine
        self._say("loading", saying("loading", label=variant.label))
        facts = await load(engine, LoadRequest(variant.checkpoint, deviations(self._parameters(variant))))
        await self._weigh(key, facts)
        await self._speeds(key, variant.label, Target(engine.address, engine.token))
        if self._spec.perplexity_tokens:
            self._say("scoring", saying("scoring", label=variant.label))
            value, count = await perplexity(
                engine.address, engine.token, self._spec.perplexity_tokens, facts.max_model_len, lambda _share: None
            )
            self._change(key, perplexity=value, perplexity_tokens=count)

    def _parameters(self, variant: Variant) -> dict[str, bool | int | float | str | None]:
        """What the engine was loaded with before, but for what belongs to that model, with the experiment's on top."""
        before = self._context.before.request
        kept = {} if before is None else {n: v for n, v in before.parameters.items() if n not in _OF_A_MODEL}
        return {**kept, **self._spec.parameters, **variant.parameters}

    async def _weigh(self, key: str, facts: EngineFacts) -> None:
        engine = self._context.engine
        status = await engine.status()
        here = is_local(engine.address)
        pids = [process.pid for process in facts.processes]
        self._change(
            key,
            quantization=facts.quantization,
            disk_bytes=await asyncio.to_thread(disk_bytes, facts.checkpoint) if here else None,
            weights_bytes=facts.weights_bytes,
            memory_bytes=await asyncio.to_thread(memory_bytes, pids) if here else None,
            gpu_bytes=await asyncio.to_thread(gpu_bytes, facts.gpu_uuids) if here else None,
            capacity_tokens=max(0, facts.num_blocks - 1) * facts.block_size,  # block 0 holds nothing
            load_s=status.lifecycle.elapsed_s,
            notes=facts.notes,
        )

    async def _speeds(self, key: str, label: str, target: Target) -> None:
        spec = self._spec
        if spec.alone is not None:
            self._say("measuring", saying("one_client", label=label))
            found = await self._measured(key, spec.alone, f"{label}, alone", target)
            self._change(
                key,
                alone_tokens_per_s=found.tokens_out_per_s,
                alone_ttft_p50_s=None if found.ttft is None else found.ttft.p50,
                alone_tpot_p50_s=None if found.tpot is None else found.tpot.p50,
            )
        if spec.at_load is not None:
            self._say("measuring", saying("many_clients", label=label))
            found = await self._measured(key, spec.at_load, f"{label}, at load", target)
            self._change(
                key,
                load_tokens_per_s=found.tokens_out_per_s,
                load_ttft_p95_s=None if found.ttft is None else found.ttft.p95,
                load_tpot_p50_s=None if found.tpot is None else found.tpot.p50,
            )

    async def _measured(self, key: str, workload: Workload, title: str, target: Target) -> Figures:
        found = await self._measurer.measure(
            workload, "tokens_out_per_s", title=title, origin="experiment", group=self._context.job_id, target=target
        )
        self._change(key, run_ids=(*self._rows[key].run_ids, found.run_id))
        if found.figures is None or not found.figures.successful:
            raise KVDeckError("No request of the load succeeded.", remedy="Look at the run.")
        return found.figures

    async def _transformers(self) -> None:
        variants = {variant.key: variant for variant in self._spec.variants}
        variant = variants[self._spec.transformers_variant or self._spec.variants[0].key]
        if not is_local(self._context.engine.address):
            raise KVDeckError("The engine is on another machine.", remedy="Run the comparison there.")
        if (await self._context.engine.status()).lifecycle.phase is Phase.READY:
            self._say("loading", saying("ending_engine"))
            await unload(self._context.engine)
        self._say("loading", saying("transformers_loads", label=variant.label))
        async with BaselineProcess(variant.checkpoint) as at:
            self._change(
                _TRANSFORMERS,
                disk_bytes=await asyncio.to_thread(disk_bytes, variant.checkpoint),
                weights_bytes=at.weights_bytes,
                memory_bytes=await asyncio.to_thread(memory_bytes, [at.pid]),
                gpu_bytes=at.gpu_bytes,
                load_s=at.load_s,
                notes=(f"Plain transformers with {variant.label}, on {at.device}, one request at a time.",),
            )
            await self._speeds(_TRANSFORMERS, "transformers", Target(at.address, at.token))

    def _change(self, key: str, **changes: object) -> None:
        self._rows[key] = msgspec.structs.replace(self._rows[key], **changes)
        self._context.say(RowChanged(self._rows[key]))

    def _say(self, step: str, said: Saying) -> None:
        done, total = self._done(), len(self._rows)
        elapsed = self._context.elapsed_s
        left = elapsed / done * (total - done) if done else None
        self._context.update(step, said, done=done, total=total, left_s=left)  # type: ignore[arg-type]


def _empty_rows(spec: ExperimentSpec) -> list[Row]:
    rows = [
        Row(key=one.key, label=one.label, checkpoint=one.checkpoint, is_reference=at == 0)
        for at, one in enumerate(spec.variants)
    ]
    if spec.transformers and (spec.alone is not None or spec.at_load is not None):
        rows.append(Row(key=_TRANSFORMERS, label="transformers", is_transformers=True))
    return rows


def explain(rows: tuple[Row, ...]) -> tuple[Saying, ...]:
    """What the table says: each line against the reference."""
    reference = next((row for row in rows if row.is_reference and row.state == "done"), None)
    failed = [row for row in rows if row.state == "failed"]
    told = [saying("not_measured", label=row.label, message=row.error) for row in failed]
    if reference is None:
        return tuple(told)
    done = [row for row in rows if row.state == "done" and not row.is_reference]
    return (*told, *(_against(row, reference) for row in done))


def _against(row: Row, reference: Row) -> Saying:
    ratios = {field: ratio_to(row, reference, field) for field in COMPARED}
    known = {field: ratio for field, ratio in ratios.items() if ratio is not None and math.isfinite(ratio)}
    if not known:
        return saying("against_nothing", label=row.label, reference=reference.label)
    return saying("against", label=row.label, reference=reference.label, ratios=TimesValue(known))
