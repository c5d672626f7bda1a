"""Operations and bytes of a step against calculations by hand, the roof, and what the rules say and when not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.checkpoint import AttentionShape
from engine.domain.lifecycle import EngineFacts, LiveLimits
from engine.domain.request import RequestPhase, RequestRow
from engine.domain.roofline import Ceilings, ComputeShape, WeightPart
from engine.domain.telemetry import CacheSnapshot, Counters, StepSample
from engine.metrics.roofline import Bound, ModelCost, Part, Roof, model_cost, roof_of, work_of
from engine.metrics.roofline_advice import Finding, Rule, Situation, Variant, findings
from engine.metrics.roofline_contexts import Contexts, ContextWatch, Positions
from engine.metrics.roofline_window import RooflineWindow, Standing

if TYPE_CHECKING:
    from collections.abc import Sequence

MS = 1_000_000

# SmolLM2-135M: 30 layers, hidden 576, 9 heads of 64, 3 of keys and values, MLP 1536, vocabulary 49152, tied.
ATTENTION = AttentionShape("GQA", 30, 9, 3, 64)
LAYER = 576 * 576 * 2 + 576 * 192 * 2 + 3 * 576 * 1536 + 2 * 576
REST, EMBEDDING = 30 * LAYER + 576, 49152 * 576
SHAPE = ComputeShape(WeightPart(EMBEDDING), WeightPart(EMBEDDING), WeightPart(), WeightPart(REST), ATTENTION)


def facts(**changes: object) -> EngineFacts:
    base = EngineFacts(
        "0.32.0", "/m", "m", "cpu", "bfloat16", None, 8192, 16, 1000, 4, 512, False, "", (),
        {"kv_cache_dtype": "auto"},
    )  # fmt: skip
    return replace(base, **changes)  # type: ignore[arg-type]


def cost(shape: ComputeShape = SHAPE, *, unpacked: bool = False, **changes: object) -> ModelCost:
    found = model_cost(shape, facts(**changes), unpacked=unpacked)
    assert found is not None
    return found


def step(number: int, *, prefill: int = 0, decode: int = 0, ms: float = 10.0, waiting: int = 0) -> StepSample:
    running = decode + (1 if prefill else 0)
    return StepSample(number, number * 10 * MS, int(ms * MS), running, waiting, prefill, decode, 50, 0, 0, 4, 512)


def positions(begin: int, end: int, window: int | None) -> Positions:
    """Of the tokens at these places, by going through them: the one at place p sees p + 1 tokens."""
    seen = [place + 1 for place in range(begin, end)]
    return Positions(len(seen), sum(seen), sum(one if window is None else min(window, one) for one in seen))


def request(
    name: str, computed: int, *, prompt: int, tokens: int = 0, cached: int = 0, row: int = 0, preempted: int = 0
) -> RequestRow:
    tables = (np.zeros(0, np.int32),)
    phase = RequestPhase.DECODE if computed >= prompt else RequestPhase.PREFILL
    return RequestRow(row, name, phase, prompt, tokens or prompt, computed, cached, preempted, MS, tables)


def test_a_decode_step_by_hand() -> None:
    """Nine requests, each with 1,000 tokens before and its own: what is read and computed, counted on paper."""
    contexts = Contexts(decode=Positions(9, 9 * 1001, 9 * 1001))
    work = work_of(cost(), Part.DECODE, [step(1, decode=9)], contexts)
    assert work is not None
    assert work.weight_bytes == 2 * (REST + EMBEDDING) == 269_030_016
    token = 30 * 2 * 192 * 2  # layers x (keys and values) x 3 heads of 64 x 2 bytes
    assert work.kv_bytes == 9 * 1001 * token + 9 * token  # read, and the new tokens written
    assert work.flops == 9 * (2 * REST + 2 * EMBEDDING) + 9 * 1001 * 30 * 4 * 576
    assert work.bytes_per_s == pytest.approx(work.num_bytes / 0.010)
    assert work.intensity == pytest.approx(work.flops / work.num_bytes)
    assert work.context == 1001
    assert work.requests == 9


def test_a_prefill_step_by_hand() -> None:
    """A chunk of 256 tokens after 256 others of the same prompt."""
    contexts = Contexts(prefill=positions(256, 512, None), chunks=1, chunk_ends=512)
    work = work_of(cost(), Part.PREFILL, [step(1, prefill=256, ms=100)], contexts)
    assert work is not None
    token = 30 * 2 * 192 * 2
    assert work.kv_bytes == 512 * token + 256 * token
    pairs = sum(range(257, 513))
    assert work.flops == 256 * 2 * REST + 2 * EMBEDDING + pairs * 30 * 4 * 576
    assert work.intensity > 50  # the weights are used 256 times


def test_quantized_weights_are_read_as_they_are_stored_or_unpacked() -> None:
    packed = replace(SHAPE, rest=WeightPart(0, REST, REST // 2 + 8_000_000))
    assert cost(packed).step_bytes == REST // 2 + 8_000_000 + 2 * EMBEDDING
    assert cost(packed, unpacked=True).step_bytes == 2 * (REST + EMBEDDING)
    assert cost(packed).token_flops == 2 * REST
    assert cost(quantization="fp8").step_bytes == REST + 2 * EMBEDDING  # quantized by the engine at load
    assert cost(dtype="float32").step_bytes == 4 * (REST + EMBEDDING)


def test_what_multiplies_as_what() -> None:
    eight = replace(SHAPE, rest=WeightPart(0, REST, REST))
    assert cost().dtype == "bfloat16"
    assert cost(eight, quantization="fp8", device="cuda").dtype == "float8_e4m3fn"
    assert cost(eight, quantization="fp8", unpacked=True).dtype == "bfloat16"
    assert cost(eight, quantization="compressed-tensors").dtype == "int8"
    four = replace(SHAPE, rest=WeightPart(0, REST, REST // 2))
    assert cost(four, quantization="awq").dtype == "bfloat16"


def test_keys_and_values_of_one_byte() -> None:
    whole, half = cost(), cost(parameters={"kv_cache_dtype": "fp8_e4m3"})
    assert half.kv_bytes == whole.kv_bytes / 2


def test_a_sliding_window_bounds_what_is_read() -> None:
    shape = replace(SHAPE, attention=replace(ATTENTION, sliding_window=128, sliding_layers=20))
    found = cost(shape)
    assert (found.kv_bytes, found.kv_window_bytes) == (10 * 768, 20 * 768)
    contexts = Contexts(decode=Positions(1, 1000, 128))
    work = work_of(found, Part.DECODE, [step(1, decode=1)], contexts)
    assert work is not None
    assert work.kv_bytes == 1000 * 10 * 768 + 128 * 20 * 768 + 30 * 768


def test_experts_are_read_as_far_as_a_step_uses_them() -> None:
    shape = replace(SHAPE, experts=WeightPart(8_000), num_experts=8, experts_per_token=2)
    found = cost(shape)
    assert found.token_flops == 2 * (REST + 2_000)
    base = cost().step_bytes
    assert found.weight_bytes(1) == pytest.approx(base + 16_000 / 4)
    assert found.weight_bytes(2) == pytest.approx(base + 16_000 * (1 - 0.75**2))
    assert found.weight_bytes(1000) == pytest.approx(base + 16_000)


def test_unknown_stays_unknown() -> None:
    assert model_cost(replace(SHAPE, attention=AttentionShape("unknown", 30, None, None, None)), facts(),
                      unpacked=False) is None  # fmt: skip
    assert model_cost(SHAPE, facts(dtype="auto"), unpacked=False) is None
    decode = [step(1, decode=3)]
    assert work_of(cost(), Part.DECODE, decode, Contexts()) is None  # nobody saw how long the contexts were
    assert work_of(cost(), Part.DECODE, [step(1, decode=3, ms=0)], Contexts(decode=Positions(3, 9, 9))) is None


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 400), st.one_of(st.none(), st.integers(1, 200)))
def test_positions_sum_what_each_token_sees(cached: int, length: int, prompt: int, window: int | None) -> None:
    watch = ContextWatch(window)
    watch.take(())
    end = cached + length
    found = watch.take((request("a", end, prompt=prompt, tokens=end + 1, cached=cached),))
    turn = min(max(prompt, cached), end)
    assert found.prefill == positions(cached, turn, window)
    assert found.decode == positions(turn, end, window)
    assert (found.chunks, found.chunk_ends) == ((1, turn) if turn > cached else (0, 0))


def test_contexts_from_successive_pictures() -> None:
    watch = ContextWatch()
    assert watch.take((request("old", 900, prompt=100, tokens=901),)) == Contexts()  # what ran before is not of now
    first = watch.take((request("a", 64, prompt=100, cached=16),))
    assert first == Contexts(prefill=positions(16, 64, None), chunks=1, chunk_ends=64)
    second = watch.take((request("a", 103, prompt=100, tokens=104),))
    assert second.prefill == positions(64, 100, None)
    assert second.decode == positions(100, 103, None)
    assert second.chunk_ends == 100
    again = request("a", 20, prompt=100, tokens=104, preempted=1)
    assert watch.take((again,)).prefill == positions(0, 20, None)  # computed again: prefill up to where it was
    more = watch.take((request("a", 105, prompt=100, tokens=106, preempted=1),))
    assert more.prefill == positions(20, 104, None)
    assert more.decode == positions(104, 105, None)
    assert watch.take(()) == Contexts()


def snapshot(steps: Sequence[StepSample], requests: tuple[RequestRow, ...], at_ms: int) -> CacheSnapshot:
    counters = Counters(
        steps[-1].step, at_ms * MS, 1, 0, 40, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 4, 512,
    )  # fmt: skip
    empty = np.zeros(0, np.uint8)
    return CacheSnapshot(
        at_ms * MS, 51, 16, 1, counters, empty, empty.astype(np.uint16), empty.astype(np.uint32), requests, tuple(steps)
    )


def test_the_window_forgets_and_leaves_a_trail() -> None:
    window = RooflineWindow(cost(), seconds=1.0, trail=2)
    assert window.standing() is None
    window.take(snapshot([step(0, prefill=1)], (), 10))
    window.take(snapshot([step(1, prefill=50)], (request("a", 50, prompt=50),), 20))
    for second in range(1, 5):
        steps = [step(second * 100 + place, decode=1) for place in range(100)]
        row = request("a", 50 + 100 * second, prompt=50, tokens=51 + 100 * second)
        window.take(snapshot(steps, (row,), second * 1000 + 1000))
    found = window.standing()
    assert found is not None
    assert found.prefill is None  # over a second ago
    assert found.decode is not None
    assert found.mix is not None
    assert 95 <= found.decode.steps <= 101
    assert found.decode.context == pytest.approx(400.5, abs=60)
    assert len(found.trail) == 2


ROOF = Roof(10e9, 100e9, "bfloat16")


def test_the_roof_says_what_bounds() -> None:
    assert ROOF.ridge == 10
    decode = work_of(cost(), Part.DECODE, [step(1, decode=1, ms=30)], Contexts(decode=Positions(1, 10, 10)))
    assert decode is not None
    assert ROOF.best_s(decode) == pytest.approx(decode.num_bytes / 10e9)
    assert ROOF.bound(decode) is Bound.BANDWIDTH
    slow = replace(decode, seconds=1.0)
    assert ROOF.bound(slow) is Bound.NEITHER
    prefill = work_of(
        cost(), Part.PREFILL, [step(1, prefill=256, ms=900)],
        Contexts(prefill=positions(0, 256, None), chunks=1, chunk_ends=256),
    )  # fmt: skip
    assert prefill is not None
    assert ROOF.bound(prefill) is Bound.COMPUTE
    ceilings = Ceilings("k", "cpu", "c", 0.0, 10e9, 8e9, {"float32": 1e9})
    assert roof_of(ceilings, cost()) is None  # its dtype was not measured
    assert roof_of(replace(ceilings, flops_per_s={"bfloat16": 5e9}), cost(), 2) == Roof(20e9, 10e9, "bfloat16")


LIMITS = LiveLimits(1, 4, 8, 512, 2048)


def standing(*, ms: float = 30.0, decode: int = 4, waiting: float = 5.0, at_limit: float = 1.0) -> Standing:
    contexts = Contexts(decode=Positions(decode, decode * 200, decode * 200))
    work = work_of(cost(), Part.DECODE, [step(n, decode=decode, ms=ms) for n in range(1, 21)], contexts)
    return Standing(work, None, work, float(decode), waiting, at_limit, 0.0, 0)


def situation(**changes: object) -> Situation:
    counters = Counters(1, 1, 4, 5, 500, 100, 300, 99, 0, 0, 0, 0, 0, 0, 0, 4, 512)
    base = Situation(standing(), cost(), facts(), ROOF, LIMITS, counters)
    return replace(base, **changes)  # type: ignore[arg-type]


def said(now: Situation) -> dict[Rule, Finding]:
    return {finding.rule: finding for finding in findings(now)}


def test_who_waits_for_a_place_raises_max_num_seqs() -> None:
    found = said(situation())[Rule.RAISE_SEQS]
    assert (found.parameter, found.wanted) == ("max_num_seqs", 9)
    assert found.figures == {"limit": 4, "waiting": 5.0, "capacity": 8}


@pytest.mark.parametrize(
    "changes",
    [
        {"standing": standing(waiting=0.0)},
        {"standing": standing(at_limit=0.2)},
        {"roof": None},
        {"limits": None},
        {"counters": None},
        {"counters": Counters(1, 1, 4, 5, 2, 1, 800, 196, 0, 0, 0, 0, 0, 0, 0, 4, 512)},  # no room for one more
        {"roof": Roof(1e12, 1e9, "bfloat16")},  # the arithmetic is the limit
    ],
)
def test_no_advice_without_evidence(changes: dict[str, object]) -> None:
    assert Rule.RAISE_SEQS not in said(situation(**changes))


def test_smaller_weights_are_offered_where_nobody_waits() -> None:
    variants = (Variant("AWQ", "/awq", 60e6 + 2 * EMBEDDING), Variant("FP8", "/fp8", 107e6 + 2 * EMBEDDING))
    alone = situation(standing=standing(waiting=0.0, decode=1), variants=variants)
    found = said(alone)[Rule.SMALLER_WEIGHTS]
    assert found.checkpoint is not None
    assert found.checkpoint.name == "AWQ"
    assert Rule.SMALLER_WEIGHTS not in said(replace(alone, variants=()))
    assert Rule.SMALLER_WEIGHTS not in said(situation(variants=variants))  # a larger batch comes first


def test_a_slow_step_with_prompts_lowers_the_budget() -> None:
    now = standing(ms=10.0, waiting=0.0)
    contexts = Contexts(positions(0, 500, None), Positions(20, 4000, 4000), 5, 2500)
    mixed = work_of(cost(), Part.PREFILL, [step(n, prefill=400, decode=4, ms=90) for n in range(30, 35)], contexts)
    found = said(situation(standing=replace(now, prefill=mixed)))[Rule.LOWER_BUDGET]
    assert (found.parameter, found.wanted) == ("max_num_batched_tokens", 192)
    assert found.figures["mixed_s"] == pytest.approx(0.09)
    assert Rule.LOWER_BUDGET not in said(situation(standing=now))


def test_without_a_measurement_only_what_was_counted_is_said() -> None:
    found = findings(situation(roof=None))
    assert [one.rule for one in found] == [Rule.STANDS]
    assert found[0].bound is None
