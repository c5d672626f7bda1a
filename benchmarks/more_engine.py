"""Tensor parallelism, speculation by n-grams and by heads of the EAGLE kinds, an FP8 KV cache, LoRA adapters: on real
GPUs, once each.

`python -m benchmarks.more_engine --tokenizer FOLDER [--gpus 2] [--only PART,...] [--out DIR]`: a small Llama with
random weights (load_format dummy) and that checkpoint's tokenizer. Prints a line a check and writes more_engine.json;
exits 1 where one failed. Under three minutes on two H200.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.adapters import write_adapter, write_tiny
from benchmarks.heads import write_head, write_target
from benchmarks.shapes import LLAMA_8B, write_config
from engine.checkpoints.drafts import draft_fit
from engine.client.engine import ChatMessage, ChatOptions
from engine.client.host_process import HostOptions
from engine.client.remote import RemoteEngine
from engine.domain.lifecycle import HostStatus, Lifecycle, LoadRequest, Phase, ServingStats
from engine.domain.sleepers import Keep, KeepPolicy
from engine.gpu.nvml import Nvml
from engine.gpu.sampler import HardwareSampler
from engine.parameters.speculation import EAGLE, EAGLE3
from engine.tuner.apply import load, unload

if TYPE_CHECKING:
    from engine.domain.lifecycle import EngineFacts, ParameterValue, SpeculationStats

NGRAM = {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_min": 1, "prompt_lookup_max": 4}
# Eight heads on each of up to eight GPUs; vocabulary as wide as any tokenizer that may be given.
SMALL = {**LLAMA_8B, "num_hidden_layers": 8}
TINY = {
    "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 32, "vocab_size": 49152,
}  # fmt: skip
GENTLE: dict[str, ParameterValue] = {
    "load_format": "dummy", "enforce_eager": True, "max_model_len": 4096, "gpu_memory_utilization": 0.3,
}  # fmt: skip
PARTS = ("tensor", "ngram", "heads", "fp8", "lora")
_STATS_S = 15.0
_SLEEP_S = 60.0


class Report:
    """Checks as they come, kept for the file."""

    def __init__(self) -> None:
        self.checks: list[dict[str, Any]] = []
        self._began = time.monotonic()

    def check(self, name: str, *, passed: bool, **numbers: object) -> None:
        """Note and print one."""
        at_s = round(time.monotonic() - self._began, 1)
        self.checks.append({"name": name, "passed": passed, "at_s": at_s, **numbers})
        print(f"{'ok  ' if passed else 'FAIL'} {at_s:6.1f} s  {name}  {json.dumps(numbers, default=str)}", flush=True)


def write_small(folder: Path, tokenizer: Path, *, tiny: bool) -> Path:
    """The model's folder: a configuration, and that checkpoint's tokenizer."""
    return write_config(folder, {**SMALL, **TINY} if tiny else SMALL, tokenizer)


async def answer(engine: RemoteEngine, text: str, tokens: int = 64) -> int:
    """One answer; returns how many tokens it has."""
    count = 0
    options = ChatOptions(max_tokens=tokens, temperature=0.0, extra={"ignore_eos": True})
    async for delta in engine.chat([ChatMessage("user", text)], options):
        count = delta.completion_tokens or count
    return count


async def with_values(engine: RemoteEngine, folder: Path, **values: ParameterValue) -> EngineFacts:
    """Load the small model with these on top of the gentle ones."""
    return await load(engine, LoadRequest(str(folder), {**GENTLE, **values}))


async def tensor_parallel(engine: RemoteEngine, folder: Path, report: Report, gpus: int) -> None:
    """The last GPUs of the machine by UUID, so that taking the first ones would show."""
    nvml = Nvml()
    known = [gpu.uuid for gpu in nvml.describe_gpus()]
    links = [asdict(link) for link in nvml.read_links()]
    chosen = known[-gpus:][::-1]
    facts = await with_values(engine, folder, tensor_parallel_size=gpus, gpu_uuids=",".join(chosen))
    report.check("the engine reports the chosen GPUs", passed=list(facts.gpu_uuids) == chosen, gpus=facts.gpu_uuids)
    made = await answer(engine, "What is a KV cache?")
    report.check(f"tensor_parallel_size={gpus} answers", passed=made == 64, tokens=made, links=links)
    sampler = HardwareSampler(lambda _sample: None, nvml=nvml)
    sampler.set_engine_pids([each.pid for each in facts.processes])
    held = {gpu.uuid: gpu.ours_bytes for gpu in sampler.sample().gpus}
    used = {gpu.uuid: gpu.used_bytes for gpu in sampler.sample().gpus}
    # Inside a container NVML lists no processes: what is used on a GPU that nobody else has tells the same.
    taken = {uuid: used[uuid] if ours is None else ours for uuid, ours in held.items()}
    full = [uuid for uuid in known if (taken[uuid] or 0) > 10 << 30]
    report.check("memory is on the chosen GPUs and no others", passed=set(full) == set(chosen), held=held, used=used)
    nvml.close()


async def speculation(engine: RemoteEngine, folder: Path, report: Report) -> None:
    """Drafts are checked and counted, position by position."""
    await with_values(engine, folder, speculative_config=json.dumps(NGRAM))
    began = time.monotonic()
    made = await answer(engine, "one two three four five six seven " * 60, tokens=256)
    seconds = time.monotonic() - began
    found = await drafts_checked(engine)
    passed = found is not None and len(found.accepted_at) == NGRAM["num_speculative_tokens"]
    more = {"tokens": made, "seconds": round(seconds, 2), **_figures(found)}
    report.check("n-gram drafts are counted", passed=passed, **more)


async def heads(engine: RemoteEngine, place: Path, tokenizer: Path, report: Report) -> None:
    """A head of each EAGLE kind, made for a small model, found to fit it, loaded and agreed with now and then."""
    target = write_target(place / "target", tokenizer)
    for method in (EAGLE, EAGLE3):
        head = write_head(place / method, target, method)
        fit = draft_fit(target, head)
        report.check(f"{method}: the head is known for what it is", passed=(fit.method, fit.problem) == (method, None))
        config = {"method": method, "model": str(head), "num_speculative_tokens": 3}
        values: dict[str, ParameterValue] = {"load_format": "auto", "max_model_len": 1024}
        await with_values(engine, target, **values, speculative_config=json.dumps(config))
        made = await answer(engine, "What is a KV cache? " * 8, tokens=256)
        found = await drafts_checked(engine)
        passed = found is not None and len(found.accepted_at) == 3 and 0 < (found.acceptance or 0) <= 1
        report.check(f"{method}: drafts are counted and some accepted", passed=passed, tokens=made, **_figures(found))


async def drafts_checked(engine: RemoteEngine) -> SpeculationStats | None:
    """What the engine's own figures say of its drafts."""
    async with asyncio.timeout(_STATS_S):
        async for event in engine.events():
            if isinstance(event, ServingStats) and event.speculation is not None and event.speculation.drafts_total:
                return event.speculation
    return None


def _figures(found: SpeculationStats | None) -> dict[str, Any]:
    if found is None:
        return {}
    return {"stats": asdict(found) | {"acceptance": found.acceptance, "length": found.mean_length}}


async def fp8_cache(engine: RemoteEngine, folder: Path, report: Report, *, tiny: bool) -> None:
    """The same memory holds twice the tokens."""
    size: dict[str, ParameterValue] = {"kv_cache_memory_bytes": 256 << 20 if tiny else 4 << 30}
    plain = await with_values(engine, folder, **size)
    small = await with_values(engine, folder, **size, kv_cache_dtype="fp8")
    made = await answer(engine, "What is a KV cache?")
    ratio = small.num_blocks * small.block_size / (plain.num_blocks * plain.block_size)
    report.check("an FP8 KV cache holds twice the tokens", passed=1.9 < ratio < 2.1 and made == 64, ratio=ratio)


async def adapters(engine: RemoteEngine, place: Path, tokenizer: Path, report: Report) -> None:
    """An adapter changes answers while it is loaded, also after its engine has slept, and no longer."""
    folder, adapter = write_tiny(place / "lora", tokenizer), write_adapter(place / "polite")
    values: dict[str, ParameterValue] = {"load_format": "auto", "max_model_len": 1024, "enable_prefix_caching": False}
    values |= {"enable_lora": True, "max_loras": 2, "max_lora_rank": 16}
    request = LoadRequest(str(folder), {**GENTLE, **values})
    await engine.keep(KeepPolicy(Keep.ON, most_bytes=1 << 40))
    await load(engine, request)
    plain = await text_of(engine, folder.name)
    await engine.load_adapter(str(adapter))
    changed = await text_of(engine, adapter.name)
    passed = changed != plain and await text_of(engine, folder.name) == plain
    report.check("an adapter changes the answers that name it, and no others", passed=passed)
    await engine.sleep()
    await asleep(engine)
    await load(engine, request)
    warm = (await engine.sleepers()).last_switch
    passed = warm is not None and await text_of(engine, adapter.name) == changed
    passed = passed and await text_of(engine, folder.name) == plain
    report.check("it is there after a sleep", passed=passed, woken=warm)
    left = await engine.unload_adapter(adapter.name)
    passed = not left.loaded and await text_of(engine, folder.name) == plain
    report.check("unloaded, it has left nothing behind", passed=passed)
    await engine.keep(KeepPolicy(Keep.OFF))


async def asleep(engine: RemoteEngine) -> None:
    """Wait until the engine has come to rest."""
    async with asyncio.timeout(_SLEEP_S):
        async for event in engine.events():
            state = event.lifecycle if isinstance(event, HostStatus) else event
            if isinstance(state, Lifecycle) and state.phase is Phase.ASLEEP:
                return


async def text_of(engine: RemoteEngine, model: str) -> str:
    """What this model, or the adapter of this name, says to a long prompt, greedily."""
    options = ChatOptions(max_tokens=48, temperature=0.0, extra={"ignore_eos": True, "model": model})
    question = [ChatMessage("user", "What is a KV cache? " * 20)]
    return "".join([delta.text async for delta in engine.chat(question, options)])


async def run(options: argparse.Namespace) -> int:
    """All checks in turn; the exit status."""
    report, only = Report(), options.only
    engine = RemoteEngine(HostOptions(port=0))
    with tempfile.TemporaryDirectory() as place:
        folder = write_small(Path(place) / "small", options.tokenizer, tiny=options.tiny)
        try:
            await engine.start()
            if options.gpus > 1 and "tensor" in only:
                await tensor_parallel(engine, folder, report, options.gpus)
            if "ngram" in only:
                await speculation(engine, folder, report)
            if "heads" in only:
                await heads(engine, Path(place), options.tokenizer, report)
            if "fp8" in only:
                await fp8_cache(engine, folder, report, tiny=options.tiny)
            if "lora" in only:
                await adapters(engine, Path(place), options.tokenizer, report)
            await unload(engine)
        finally:
            await engine.close()
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / "more_engine.json").write_text(json.dumps(report.checks, indent=1, default=str))
    return 0 if report.checks and all(each["passed"] for each in report.checks) else 1


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", type=Path, required=True, help="any checkpoint's folder")
    parser.add_argument("--gpus", type=int, default=2, help="GPUs for the tensor-parallel part (1 leaves it out)")
    parser.add_argument("--only", type=lambda text: text.split(","), default=PARTS, help=f"of {','.join(PARTS)}")
    parser.add_argument("--tiny", action="store_true", help="a tiny model, to try this on a CPU (with --gpus 1)")
    parser.add_argument("--out", type=Path, default=Path())
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
