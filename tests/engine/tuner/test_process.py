"""A lab process from the outside, where it is closed while somebody still hears it: what a closing window does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.bench.workload import Workload
from engine.tuner.messages import Broken, Message
from engine.tuner.process import LabProcess
from engine.tuner.spec import Axis, SweepSpec

if TYPE_CHECKING:
    from pathlib import Path

_SPEC = SweepSpec(workload=Workload(requests=4), axes=(Axis("max_num_seqs", (1, 2)),))
_PROGRAM = """#!/bin/sh
read -r begin
echo '{}'
cat > /dev/null
echo 'putting back' >&2
exit 3
"""


async def test_it_is_closed_while_somebody_hears_it(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(_PROGRAM)
    program.chmod(0o700)
    process = LabProcess(
        "http://127.0.0.1:9", "t", store=tmp_path / "runs.sqlite", jobs=tmp_path / "lab", python=str(program)
    )
    await process.start(_SPEC)
    heard: list[Message] = []

    async def hear() -> None:
        heard.extend([message async for message in process.messages()])

    hearing = asyncio.create_task(hear())
    await asyncio.sleep(0)
    await asyncio.gather(process.close(), process.close(), hearing)
    assert not process.running
    assert isinstance(heard[-1], Broken)
    assert "ended with 3" in heard[-1].message
