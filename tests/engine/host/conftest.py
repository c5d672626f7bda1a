"""A host without an engine, for what needs none."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engine.host.hosting import RunningHost, pages, start_host

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def bare_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHost]:
    """A host in which nothing was ever loaded."""
    host = start_host(tmp_path_factory.mktemp("bare-host"))
    yield host
    assert host.stop() == 0
    assert pages(host.home) == []
    assert list(Path(tempfile.gettempdir()).glob(f"kvdeck-engine-{host.pid}-*")) == []
