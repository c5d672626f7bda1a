"""Adapters on disk: what each is, and what is wrong with those that cannot be loaded."""

import json

import pytest

from benchmarks.adapters import HEAD, HEADS, HIDDEN, KEYS, LAYERS, write_adapter
from engine.checkpoints.adapters import adapter_problem, find_adapters, read_adapter
from engine.checkpoints.places import Place


@pytest.fixture
def base(tmp_path):
    """A model's folder, as far as an adapter is held against it."""
    folder = tmp_path / "base"
    folder.mkdir()
    config = {"hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_key_value_heads": KEYS, "head_dim": HEAD}
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": LAYERS}))
    return folder


def test_a_whole_adapter_says_what_it_holds_and_fits_its_model(tmp_path, base):
    found = read_adapter(write_adapter(tmp_path / "polite", rank=4))
    assert (found.name, found.base, found.rank, found.targets) == ("polite", "tiny", 4, ("q_proj", "v_proj"))
    assert found.size_bytes == (tmp_path / "polite" / "adapter_model.safetensors").stat().st_size
    assert found.problem is None
    assert adapter_problem(found, base, 16) is None
    assert "rank is 4" in adapter_problem(found, base, 1)


WRONG = {
    "DoRA": {"use_dora": True},
    "of the kind IA3": {"peft_type": "IA3"},
    "modules_to_save": {"modules_to_save": ["lm_head"]},
    "biases": {"bias": "all"},
    "weights have 8": {"r": 2},
}


@pytest.mark.parametrize(("words", "config"), WRONG.items())
def test_what_vllm_does_not_load_is_said(tmp_path, words, config):
    assert words in read_adapter(write_adapter(tmp_path / "a", **config)).problem


def test_damaged_files_are_said(tmp_path):
    folder = write_adapter(tmp_path / "a")
    weights = folder / "adapter_model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-10])
    assert "cut short" in read_adapter(folder).problem
    weights.write_bytes(whole[:4])
    assert read_adapter(folder).problem
    weights.rename(folder / "adapter_model.bin")
    assert "pickle" in read_adapter(folder).problem
    (folder / "adapter_model.bin").unlink()
    assert "no adapter_model.safetensors" in read_adapter(folder).problem
    (folder / "adapter_config.json").write_text("{")
    assert "adapter_config.json" in read_adapter(folder).problem


def test_another_models_adapter_is_told_by_its_widths_and_layers(tmp_path, base):
    wide = read_adapter(write_adapter(tmp_path / "wide", hidden=256))
    assert "q_proj has width 256, this model's 128" in adapter_problem(wide, base, 16)
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 1}))
    deep = read_adapter(write_adapter(tmp_path / "deep"))
    assert "layer 1; this model has the layers 0 to 0" in adapter_problem(deep, base, 16)


def test_adapters_are_found_below_a_folder_once_each(tmp_path):
    write_adapter(tmp_path / "b" / "polite")
    write_adapter(tmp_path / "a" / "deep" / "sql")
    (tmp_path / "link").symlink_to(tmp_path / "b")
    places = [Place(tmp_path, "folder"), Place(tmp_path / "b", "folder")]
    assert [each.name for each in find_adapters(places)] == ["polite", "sql"]
    assert find_adapters(places, cancelled=lambda: True) == ()
