"""A host that cannot write where it has to says so in one line, and does not begin."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from engine.domain.errors import KVDeckError
from engine.host.__main__ import EXIT_CANNOT_START
from engine.host.places import require_places
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path


def test_places_that_can_be_written_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path / "home"))
    require_places(None)
    require_places(tmp_path / "address.json")


def test_the_folder_or_the_file_that_cannot_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path / "home"))
    for wrong in (tmp_path, tmp_path / "nothing" / "a.json", tmp_path / "file" / "a.json"):
        with pytest.raises(KVDeckError, match="The address file") as refused:
            require_places(wrong)
        assert str(wrong) in refused.value.message
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path / "file"))
    with pytest.raises(KVDeckError, match="KVDeck cannot write its folder"):
        require_places(None)


def test_the_host_ends_with_one_line_and_its_own_status(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "engine.host", "--port", "0", "--address-file", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert ended.returncode == EXIT_CANNOT_START
    (line,) = ended.stderr.splitlines()
    assert json.loads(line)["error"]["remedy"]
