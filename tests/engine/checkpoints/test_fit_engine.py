"""The fit estimate against what a real engine reports after its load."""

import pytest

from engine.checkpoints.describe import describe
from engine.checkpoints.fit import fit_cache, loaded_weights_bytes
from engine.checkpoints.machine import read_machine
from engine.checkpoints.verdict import judge
from engine.parameters.values import merge

pytestmark = [pytest.mark.engine, pytest.mark.slow]


def test_the_prediction_stands_within_five_percent_of_the_real_engine(engine_host, starter_checkpoint):
    facts = engine_host.status().lifecycle.facts
    machine = read_machine(None)
    checkpoint = judge(describe(starter_checkpoint), machine)
    values = merge(facts.parameters, device=facts.device) | {"dtype": facts.dtype, "block_size": facts.block_size}
    assert facts.kv_cache_bytes is not None
    fit = fit_cache(checkpoint, values, machine, facts.kv_cache_bytes)
    assert fit.max_model_len == facts.max_model_len
    assert fit.num_blocks == pytest.approx(facts.num_blocks, rel=0.05)
    assert fit.tokens == pytest.approx(facts.num_blocks * facts.block_size, rel=0.05)
    if facts.weights_bytes is not None:
        assert loaded_weights_bytes(checkpoint, values, machine) == pytest.approx(facts.weights_bytes, rel=0.05)
