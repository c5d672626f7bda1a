"""The short form of `make fuzz`: a few of each kind, always the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.soak.fuzz import examiners, fuzz

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", ["checkpoints", "pages", "recordings", "settings", "frames"])
def test_hostile_input_is_read_or_refused_in_a_sentence(kind: str, tmp_path: Path) -> None:
    strategy, examine = examiners(tmp_path)[kind]
    assert fuzz(strategy, examine, 20, None) >= 10
