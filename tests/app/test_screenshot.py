"""`python -m app.screenshot`: pictures of the real window, those of panels behind tabs with what is in them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

from app.panels.registry import PANELS
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path


def test_each_panel_is_drawn_as_if_it_were_in_front(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app.screenshot", "--size", "1280x800", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    pictures = {path.stem: QImage(str(path)) for path in tmp_path.glob("*.png")}
    assert sorted(pictures) == sorted(["window", *(panel.key for panel in PANELS)])
    assert (pictures["window"].width(), pictures["window"].height()) == (1280, 800)
    for name, picture in pictures.items():
        assert picture.width() * picture.height() > 60_000, f"{name} has not the size that it has in the window"
        assert _colours(picture) > 40, f"{name} is empty: even a line of text has more shades"
    assert pictures["lab"].width() > 900, "it has the whole width beside the models"


def _colours(picture: QImage) -> int:
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    return len(np.unique(np.frombuffer(image.constBits(), np.uint32)))
