"""The presets are data: they must fit the table, and do what their names say."""

import pytest

from engine.parameters.preset import presets
from engine.parameters.rules import Surroundings
from engine.parameters.values import require_valid


@pytest.mark.parametrize("device", ["", "cpu", "cuda"])
@pytest.mark.parametrize("name", ["defaults", "throughput", "latency"])
def test_presets_are_valid(name, device):
    around = Surroundings(device, 1, 8192, 9, 16 << 30)
    require_valid(presets()[name].values(device), around)
    assert presets()[name].sentence.endswith(".")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_throughput_is_wide_and_latency_narrow(device):
    wide, narrow = presets()["throughput"].values(device), presets()["latency"].values(device)
    for row in ("max_num_seqs", "max_num_batched_tokens"):
        assert wide[row] >= 4 * narrow[row]
    assert presets()["defaults"].values(device) == {}


def test_they_say_what_became_of_older_arguments():
    for name in ("throughput", "latency"):
        notes = " ".join(presets()[name].notes)
        assert "swap_space" in notes
        assert "disable_async_output_proc" in notes
