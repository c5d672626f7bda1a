"""A lab process from the outside, where it is closed while somebody still hears it: what a closing window does."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

import pytest

from engine.bench.workload import Workload
from engine.tuner.messages import Broken, Message
from engine.tuner.process import LabProcess
from engine.tuner.spec import Axis, SweepSpec
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

_SPEC = SweepSpec(workload=Workload(requests=4), axes=(Axis("max_num_seqs", (1, 2)),))
_PROGRAM = """#!/bin/sh
read -r begin
cat > /dev/null
sleep 0.3
echo done > "$0.done"
exit 3
"""


@pytest.fixture
def process(tmp_path: Path) -> LabProcess:
    """A program in the lab's place, which takes a moment to put back what was in force."""
    program = tmp_path / "program"
    program.write_text(_PROGRAM)
    program.chmod(0o700)
    return LabProcess(
        "http://127.0.0.1:9", "t", store=tmp_path / "runs.sqlite", jobs=tmp_path / "lab", python=str(program)
    )


async def test_it_is_closed_while_somebody_hears_it(process: LabProcess) -> None:
    await process.start(_SPEC)
    hearing = asyncio.create_task(_all_of(process))
    await asyncio.sleep(0)
    await asyncio.gather(process.close(), process.close())
    heard = await hearing
    assert not process.running
    assert isinstance(heard[-1], Broken)
    assert "ended with 3" in heard[-1].message


async def test_a_signal_that_ended_it_is_named(process: LabProcess, tmp_path: Path) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\nexec cat > /dev/null\n")  # no child of its own that outlives it
    await process.start(_SPEC)
    hearing = asyncio.create_task(_all_of(process))
    await asyncio.sleep(0)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    (broken,) = await hearing
    assert isinstance(broken, Broken)
    assert broken.message == "The lab process ended with SIGKILL."
    await process.close()


async def test_it_is_left_to_itself_while_somebody_hears_it(process: LabProcess, tmp_path: Path) -> None:
    await process.start(_SPEC)
    hearing = asyncio.create_task(_all_of(process))
    await asyncio.sleep(0)
    leaving = asyncio.create_task(process.close())
    await asyncio.sleep(0)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    hearing.cancel()
    await asyncio.gather(hearing, return_exceptions=True)
    async with asyncio.timeout(PATIENCE_S):
        while process.running:  # noqa: ASYNC110 - nobody waits for it; but Python complains of one that it saw no end of
            await asyncio.sleep(0.02)
    assert (tmp_path / "program.done").exists()


async def _all_of(process: LabProcess) -> list[Message]:
    return [message async for message in process.messages()]
