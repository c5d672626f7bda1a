"""Which GPUs an engine gets: as they are chosen, or as CUDA shows them."""

from __future__ import annotations

import pytest

from engine.parameters.gpu_choice import used_gpus, visible_gpus

_ALL = ("GPU-aa11", "GPU-ab22", "GPU-cc33")


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (None, _ALL),
        ("", ()),
        ("2,0", ("GPU-cc33", "GPU-aa11")),
        (" 1 ", ("GPU-ab22",)),
        ("GPU-ab,GPU-c", ("GPU-ab22", "GPU-cc33")),
        ("1,7,0", ("GPU-ab22",)),
        ("-1,0", ()),
        ("MIG-5,0", ()),
        ("1,,0", ("GPU-ab22",)),
        ("00,02", ("GPU-aa11", "GPU-cc33")),
        ("²,0", ()),
        ("9" * 5000, ()),
        ("GPU-a,1", ()),
        ("1,0,1", ()),
        ("1,GPU-ab", ()),
    ],
)
def test_what_cuda_shows(shown: str | None, found: tuple[str, ...]) -> None:
    assert visible_gpus(shown, _ALL) == found


def test_an_engine_gets_what_is_chosen_or_the_first_ones() -> None:
    assert used_gpus({}, _ALL) == ("GPU-aa11",)
    assert used_gpus({"tensor_parallel_size": 2}, _ALL) == ("GPU-aa11", "GPU-ab22")
    assert used_gpus({"tensor_parallel_size": 2, "pipeline_parallel_size": 2}, _ALL) == _ALL
    assert used_gpus({"gpu_uuids": "GPU-cc33"}, _ALL) == ("GPU-cc33",)
    assert used_gpus({}, ()) == ()
