"""The scan on real folders: plain ones, Hugging Face caches, partial downloads, loops, damage, and its speed."""

import json
import os
import time
from pathlib import Path

import pytest

from engine.checkpoints.find import name_of
from engine.checkpoints.places import Place, all_places, hub_caches
from engine.checkpoints.scan import LibraryScanner
from engine.domain.checkpoint import VerdictKind

from .conftest import DENSE, LLAMA, write_checkpoint, write_tensors

COMMITS = ["1a2b3c4d" * 5, "9f8e7d6c" * 5]


def hub_repository(cache, name, commits=COMMITS[:1], main=0):
    """A repository as huggingface_hub lays it out: blobs, snapshots of links, refs."""
    folder = cache / ("models--" + name.replace("/", "--"))
    (folder / "blobs").mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(commits[main])
    (folder / "blobs" / "config").write_text(json.dumps(LLAMA))
    write_tensors(folder / "blobs" / "weights", DENSE)
    for commit in commits:
        snapshot = folder / "snapshots" / commit
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").symlink_to("../../blobs/config")
        (snapshot / "model.safetensors").symlink_to("../../blobs/weights")
    return folder


@pytest.fixture
def scanner(tmp_path):
    return LibraryScanner(tmp_path / "cache" / "library.json")


@pytest.fixture
def scan(scanner, cpu):
    def run(*folders, **more):
        return scanner.scan([Place(Path(folder), "folder") for folder in folders], cpu, **more)

    return run


def names(library):
    return [item.name for item in library.checkpoints]


def test_nested_folders_and_what_is_none(tmp_path, scan):
    write_checkpoint(tmp_path / "models" / "a" / "Tiny-1B")
    write_checkpoint(tmp_path / "models" / "Tiny-1B-AWQ", {"quantization_config": {"quant_method": "awq"}})
    write_checkpoint(tmp_path / "models" / "Tiny-1B-AWQ" / "original")
    write_checkpoint(tmp_path / "models" / ".hidden" / "Other")
    (tmp_path / "models" / "pipe" / "unet").mkdir(parents=True)
    (tmp_path / "models" / "pipe" / "model_index.json").write_text("{}")
    write_checkpoint(tmp_path / "models" / "pipe" / "unet")
    library = scan(tmp_path / "models", tmp_path / "absent")
    assert names(library) == ["Tiny-1B", "Tiny-1B-AWQ"]
    assert {item.family for item in library.checkpoints} == {"Tiny-1B"}
    assert library.searched == (str(tmp_path / "models"), str(tmp_path / "absent"))
    assert not library.scanning


def test_a_hub_cache_by_its_layout(tmp_path, scan):
    hub_repository(tmp_path / "hub", "org/Model-1B")
    hub_repository(tmp_path / "hub", "org/Two", COMMITS, main=1)
    (tmp_path / "hub" / "datasets--org--data" / "snapshots").mkdir(parents=True)
    library = scan(tmp_path / "hub")
    assert names(library) == ["org/Model-1B", "org/Two", "org/Two@1a2b3c4d"]
    assert all(item.source == "hub" and item.problem is None for item in library.checkpoints)
    assert library.checkpoints[0].weights_bytes == 2 * (256 * 64 + 128 * 64)


def test_a_user_may_add_the_folder_above_a_hub_cache(tmp_path, scan):
    hub_repository(tmp_path / "home" / "hub", "org/Model-1B")
    assert names(scan(tmp_path / "home")) == ["org/Model-1B"]


def test_partial_downloads_are_listed_as_such(tmp_path, scan):
    folder = hub_repository(tmp_path / "hub", "org/Half")
    (folder / "blobs" / "weights").unlink()
    (folder / "blobs" / "weights.incomplete").write_text("x")
    begun = tmp_path / "hub" / "models--org--Begun" / "blobs"
    begun.mkdir(parents=True)
    (begun / "a.incomplete").write_text("x")
    library = scan(tmp_path / "hub")
    begun_one, half = library.checkpoints
    assert begun_one.name == "org/Begun"
    assert "has not finished" in begun_one.problem
    assert "incomplete" in half.problem
    assert "still being downloaded" in half.problem
    assert half.verdict.kind is VerdictKind.REFUSED


def test_loops_and_second_ways_to_a_folder(tmp_path, scan):
    write_checkpoint(tmp_path / "models" / "a" / "Tiny-1B")
    (tmp_path / "models" / "a" / "loop").symlink_to(tmp_path / "models")
    (tmp_path / "models" / "b").symlink_to(tmp_path / "models" / "a")
    assert names(scan(tmp_path / "models")) == ["Tiny-1B"]


def test_a_pipe_in_place_of_a_file_does_not_block(tmp_path, scan):
    folder = tmp_path / "models" / "odd"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "config.json")
    os.mkfifo(folder / "model.safetensors")
    assert names(scan(tmp_path / "models")) == []


def test_what_changed_is_read_again_and_nothing_else(tmp_path, scanner, cpu, monkeypatch):
    for name in ("A", "B"):
        write_checkpoint(tmp_path / "models" / name)
    place = [Place(tmp_path / "models", "folder")]
    scanner.scan(place, cpu)
    import engine.checkpoints.scan as module

    described = []
    real = module.describe
    monkeypatch.setattr(module, "describe", lambda path, **more: described.append(path.name) or real(path, **more))
    fresh = LibraryScanner(scanner._cache_file)
    assert names(fresh.scan(place, cpu)) == ["A", "B"]
    assert described == []
    os.truncate(tmp_path / "models" / "B" / "model.safetensors", 100)
    assert "ends inside" in fresh.scan(place, cpu).checkpoints[1].problem
    assert described == ["B"]
    write_checkpoint(tmp_path / "models" / "C")
    assert names(fresh.scan(place, cpu)) == ["A", "B", "C"]
    assert described == ["B", "C"]


@pytest.mark.parametrize(
    "text", [b"", b"{", b'{"format": 1, "entries": {"a": 3}}', b'{"format": 99, "entries": {}}', b"\xff"]
)
def test_a_damaged_cache_costs_a_full_scan_and_nothing_else(tmp_path, scan, scanner, text):
    write_checkpoint(tmp_path / "models" / "A")
    scanner._cache_file.parent.mkdir()
    scanner._cache_file.write_bytes(text)
    assert names(scan(tmp_path / "models")) == ["A"]


def test_a_scan_can_be_cancelled_and_tells_its_progress(tmp_path, scan):
    for number in range(120):
        write_checkpoint(tmp_path / "models" / f"M{number:03}")
    steps = []
    assert len(scan(tmp_path / "models", progress=steps.append).checkpoints) == 120
    assert [(len(step.checkpoints), step.scanning) for step in steps] == [(50, True), (100, True)]
    asked = iter(range(1000))
    library = scan(tmp_path / "models", cancelled=lambda: next(asked) > 20)
    assert 0 < len(library.checkpoints) < 120


def test_ten_thousand_files_in_two_seconds(tmp_path, scanner, cpu):
    config = json.dumps(LLAMA).encode()
    write_tensors(tmp_path / "w", {f"model.layers.{n}.mlp.up_proj.weight": ("bfloat16", [4, 4]) for n in range(200)})
    weights = (tmp_path / "w").read_bytes()
    for number in range(500):
        folder = tmp_path / "models" / f"org{number % 20}" / f"Model-{number}B-AWQ"
        folder.mkdir(parents=True)
        (folder / "config.json").write_bytes(config)
        (folder / "model.safetensors").write_bytes(weights)
        for extra in range(18):
            (folder / f"part-{extra}.txt").write_bytes(b"")
    place = [Place(tmp_path / "models", "folder")]

    def spent(one):
        start = time.process_time()
        assert len(one.scan(place, cpu).checkpoints) == 500
        return time.process_time() - start

    assert spent(scanner) < 2.0
    assert spent(LibraryScanner(scanner._cache_file)) < 0.7


def test_hub_caches_of_every_variable(tmp_path):
    homes = {name: tmp_path / name for name in ("a", "b", "c")}
    for folder in (homes["a"], homes["b"] / "hub", homes["c"] / "huggingface" / "hub"):
        folder.mkdir(parents=True)
    env = {"HOME": str(tmp_path), "HF_HUB_CACHE": str(homes["a"]), "HF_HOME": str(homes["b"])}
    env["XDG_CACHE_HOME"] = str(homes["c"])
    assert hub_caches(env) == (homes["a"], homes["b"] / "hub", homes["c"] / "huggingface" / "hub")
    assert hub_caches({"HOME": str(tmp_path / "none")}) == ()


def test_places_are_named_once(tmp_path, monkeypatch):
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path / "kv"))
    (tmp_path / "hub").mkdir()
    env = {"HOME": str(tmp_path), "HF_HUB_CACHE": str(tmp_path / "hub")}
    places = all_places([tmp_path / "hub", tmp_path / "mine", tmp_path / "mine"], env)
    assert [(place.path.name, place.source) for place in places] == [
        ("starter", "starter"),
        ("hub", "hub"),
        ("mine", "folder"),
    ]


def test_names():
    assert name_of("/c/models--org--Model-1B/snapshots/" + COMMITS[0]) == "org/Model-1B"
    assert name_of("/models/Tiny") == "Tiny"
    assert name_of("/models/a.Q4.gguf") == "a.Q4"
