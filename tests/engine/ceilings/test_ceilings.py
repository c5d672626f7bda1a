"""The measurement as a program: it really measures this CPU; it can be cancelled, fail, and be repeated."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import pytest

from engine.domain.errors import EngineBusy
from engine.domain.roofline import Ceilings
from engine.gpu.ceilings_file import CeilingsFolder
from engine.gpu.ceilings_run import CeilingsRun, MeasureFailed
from engine.gpu.processor import cpu_key, cpu_name, engine_threads

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path))
    return tmp_path


async def test_this_cpu_is_measured_and_kept() -> None:
    run = CeilingsRun()
    seen = [place async for place in run.run("cpu", disturbed=True)]
    assert [share for share, _ in seen] == sorted(share for share, _ in seen)
    assert seen[0] == (0.0, "copy")
    assert {"read", "bfloat16", "float32"} <= {step for _, step in seen}
    found = CeilingsFolder().read(cpu_key())
    assert found is not None
    assert (found.name, found.threads, found.disturbed) == (cpu_name(), engine_threads(), True)
    # Whatever the machine: more than a floppy disk, less than a supercomputer.
    assert 1e8 < found.bytes_per_s < 1e13
    assert 1e8 < found.flops_per_s["float32"] < 1e14
    assert not run.running


async def test_a_measurement_can_be_cancelled_and_there_is_one_at_a_time() -> None:
    run = CeilingsRun()
    count = 0
    async for _ in run.run("cpu"):
        count += 1
        if count == 1:
            with pytest.raises(EngineBusy):
                await anext(run.run("cpu"))
            run.cancel()
    assert count >= 1
    assert not run.running
    assert CeilingsFolder().read(cpu_key()) is None


async def test_closing_the_iterator_ends_the_program() -> None:
    run = CeilingsRun()
    async with contextlib.aclosing(run.run("cpu")) as places:  # type: ignore[type-var]
        await anext(places)
        program = run._program
    assert program is not None
    assert not program.running
    await asyncio.sleep(0)
    assert not run.running


async def test_a_gpu_that_is_not_there_is_said() -> None:
    run = CeilingsRun()
    with pytest.raises(MeasureFailed, match="GPU-none"):
        async for _ in run.run("GPU-none"):
            pass


async def test_an_environment_without_torch_is_said(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'torch'\" >&2\nexit 1\n")
    python.chmod(0o700)
    with pytest.raises(MeasureFailed, match=r"not installed.*torch"):
        async for _ in CeilingsRun(str(python)).run("cpu"):
            pass


def test_what_is_kept_is_checked(home: Path) -> None:
    folder = CeilingsFolder(home)
    good = Ceilings("GPU-1", "cuda", "H200", 1.0, 4e12, 4.1e12, {"bfloat16": 7e14})
    folder.write(good)
    assert folder.read("GPU-1") == good
    assert good.bytes_per_s == 4.1e12
    path = next(home.glob("*.json"))
    whole = path.read_bytes()
    for content in (b"{}", b"[1", whole.replace(b"GPU-1", b"GPU-2"), whole.replace(b'_s":4', b'_s":-4', 1)):
        path.write_bytes(content)
        assert folder.read("GPU-1") is None
    assert folder.read("GPU-3") is None
