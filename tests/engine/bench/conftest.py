"""What the load tests share: a target, a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.bench.messages import Target
from engine.bench.store import RunStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.engine.host.hosting import RunningHost


@pytest.fixture
def target(engine_host: RunningHost) -> Target:
    """The session's engine."""
    return Target(engine_host.url, engine_host.token)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    """An open file of runs."""
    opened = RunStore(tmp_path / "runs.sqlite")
    opened.open()
    yield opened
    opened.close()
