"""Colours, type and icons: legible in both themes, one family, nothing left unfilled."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSpinBox

from app.preferences import FRAME_RATE, KEEP_GIB, KEEP_MOST, PORT, TEXT_SIZE, THEME, Preferences
from app.resources import resource
from app.theme.appearance import Appearance
from app.theme.fonts import TEXT_SIZES, type_scale
from app.theme.icons import pixmap
from app.theme.stylesheet import mixed, stylesheet
from app.theme.themes import Themes
from app.theme.tokens import DARK, LIGHT, Theme
from app.widgets.named_combo import NamedCombo
from engine.domain.sleepers import KeepPolicy

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

BOTH = pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
ICONS = sorted(path.stem for path in resource("icons").glob("*.svg"))


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@BOTH
@pytest.mark.parametrize("ink", ["text", "text_muted", "text_faint", "accent", "good", "warning", "error"])
@pytest.mark.parametrize("ground", ["window", "surface", "raised", "selection", "accent_soft", "edited"])
def test_text_stands_out_from_its_ground(theme: Theme, ink: str, ground: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 4.5


@BOTH
@pytest.mark.parametrize("ink", ["text", "text_muted", "text_faint", "accent", "good", "warning", "error"])
def test_text_stands_out_under_the_pointer(theme: Theme, ink: str) -> None:
    rule = re.search(r"QAbstractItemView::item:hover \{ background: (#\w+)", stylesheet(theme, type_scale(1.0, 10.0)))
    assert rule is not None
    assert rule[1] != theme.raised
    assert contrast(getattr(theme, ink), rule[1]) >= 4.5


@BOTH
def test_marks_stand_out_from_their_ground(theme: Theme) -> None:
    assert contrast(theme.accent_text, theme.accent) >= 4.5
    assert contrast(theme.text, theme.selection) >= 4.5
    assert contrast(theme.text, theme.edited) >= 4.5
    assert contrast(theme.text_muted, theme.selection) >= 4.5  # what stands small in a chosen row
    assert contrast(theme.text_muted, theme.edited) >= 4.5
    assert contrast(theme.text_faint, theme.edited) >= 4.5  # an edited row's unit
    assert contrast(theme.text, theme.accent_soft) >= 4.5
    assert contrast(theme.accent, theme.surface) >= 3.0  # the focus ring


@BOTH
@pytest.mark.parametrize("ground", ["window", "surface", "raised", "edited"])
def test_the_edge_of_a_field_stands_out_from_its_ground(theme: Theme, ground: str) -> None:
    assert contrast(theme.control, getattr(theme, ground)) >= 3.0  # WCAG's least for parts of controls


@BOTH
@pytest.mark.parametrize("field", [QLineEdit, QPlainTextEdit])
def test_what_an_empty_field_says_can_be_read(
    qtbot: QtBot, themes: Themes, theme: Theme, field: type[QLineEdit | QPlainTextEdit]
) -> None:
    themes.choose(theme.name)
    widget = field()
    qtbot.addWidget(widget)
    widget.show()
    hint = widget.palette().color(QPalette.ColorRole.PlaceholderText)
    assert hint.alpha() == 255  # Qt's own is the text's colour, half as strong: 3.1:1 on the light ground
    assert contrast(hint.name(), theme.window) >= 4.5


def test_a_number_keeps_off_its_arrows_in_both_directions(
    qapp: QApplication, qtbot: QtBot, preferences: Preferences
) -> None:
    """Qt mirrors where the arrows of a spin box stand, and no padding of a style sheet."""
    was = qapp.layoutDirection()
    try:
        for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
            qapp.setLayoutDirection(direction)
            Appearance(qapp, Themes(), preferences).apply()
            box = QSpinBox()
            qtbot.addWidget(box)
            box.resize(90, 26)
            box.show()
            room = box.lineEdit().geometry()
            free = (room.left(), box.width() - 1 - room.right())
            arrows = free[::-1] if direction is Qt.LayoutDirection.LeftToRight else free
            assert arrows[0] >= 17 > arrows[1], (direction, free)
    finally:
        qapp.setStyleSheet("")
        qapp.setLayoutDirection(was)


def test_the_list_of_a_choice_shows_its_longest_line(qtbot: QtBot, themes: Themes) -> None:
    box = NamedCombo()
    qtbot.addWidget(box)
    box.addItems([*"abcdefghijkl", "compressed-tensors"])
    box.resize(80, 26)
    box.show()
    box.showPopup()
    view = box.view()
    assert view.viewport().width() >= view.sizeHintForColumn(0)
    box.hidePopup()


@BOTH
def test_block_states_differ_by_lightness_alone(theme: Theme) -> None:
    order = [theme.block_free, theme.block_cached, theme.block_used, theme.block_shared]
    light = [luminance(colour) for colour in order]
    assert light == sorted(light, reverse=not theme.is_dark)
    assert all(contrast(a, b) >= 1.3 for a, b in pairwise(order))


@BOTH
def test_every_name_of_the_style_sheet_is_filled(qapp: QApplication, theme: Theme) -> None:
    text = stylesheet(theme, type_scale(1.0, 9.0))
    assert "$" not in text
    for url in re.findall(r"url\((.+?)\)", text):
        assert Path(url).exists()
    assert all(QColor(colour).isValid() for colour in re.findall(r"#[0-9a-fA-F]{6}\b", text))


def _inks(name: str) -> set[tuple[int, int, int]]:
    image = pixmap(name, "#ff0000", 32).toImage()
    pixels = (image.pixelColor(x, y) for x in range(32) for y in range(32))
    return {(colour.red(), colour.green(), colour.blue()) for colour in pixels if colour.alpha() > 250}


def test_icons_are_drawn_in_the_colour_asked_for(qapp: QApplication) -> None:
    for name in ICONS:
        tinted = "currentColor" in resource("icons", f"{name}.svg").read_text(encoding="utf-8")
        assert _inks(name) == {(255, 0, 0)} if tinted else _inks(name), name


def test_icons_are_one_family() -> None:
    heads = {path.read_text(encoding="utf-8").split(">")[0] for path in resource("icons").glob("*.svg")}
    tinted = {head for head in heads if "currentColor" in head}
    assert len(tinted) == 1


def test_a_theme_chosen_is_on_the_whole_application(
    qapp: QApplication, themes: Themes, preferences: Preferences
) -> None:
    seen: list[str] = []
    themes.changed.connect(lambda theme: seen.append(theme.name))
    preferences.set(THEME, "light")
    assert seen == ["light"]
    assert qapp.palette().window().color() == QColor(LIGHT.window)
    assert LIGHT.surface in qapp.styleSheet()
    preferences.set(THEME, "dark")
    assert qapp.palette().window().color() == QColor(DARK.window)


def test_text_size_scales_everything(qapp: QApplication, themes: Themes, preferences: Preferences) -> None:
    before = qapp.font().pointSizeF()
    preferences.set(TEXT_SIZE, 1.5)
    assert qapp.font().pointSizeF() == pytest.approx(before * 1.5, rel=0.02)
    preferences.set(TEXT_SIZE, 1.0)
    assert qapp.font().pointSizeF() == pytest.approx(before)


def test_preferences_survive_nonsense_in_the_file(settings: QSettings) -> None:
    for key, value in {THEME: "pink", TEXT_SIZE: "large", FRAME_RATE: "7", PORT: "80"}.items():
        settings.setValue(key, value)
    preferences = Preferences(settings)
    assert (preferences.theme, preferences.text_size, preferences.frame_rate, preferences.port) == (
        "system",
        1.0,
        60,
        8000,
    )


def test_no_more_models_wait_than_the_settings_offer(settings: QSettings) -> None:
    """A number of twenty digits in the file was more than Qt can write: the models that wait were not drawn."""
    preferences = Preferences(settings)
    for most, gib, policy in (
        ("99999999999999999999", "1e300", KeepPolicy()),
        ("-1", "-1", KeepPolicy()),
        ("32", "4096", KeepPolicy(most=32, most_bytes=1 << 42)),
    ):
        settings.setValue(KEEP_MOST, most)
        settings.setValue(KEEP_GIB, gib)
        assert preferences.keep == policy


def test_a_setting_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    folder.write_text("a file where the folder should be")
    settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
    preferences = Preferences(settings)
    told: list[str] = []
    preferences.not_saved.connect(told.append)
    preferences.set(THEME, "light")
    assert told == [settings.fileName()]
    assert preferences.theme == "light", "it holds for the session"
    folder.unlink()
    preferences.set(THEME, "dark")
    assert len(told) == 1, "it was saved this time"
    assert "theme=dark" in (folder / "window.ini").read_text()


def test_the_two_themes_name_the_same_things() -> None:
    assert asdict(DARK).keys() == asdict(LIGHT).keys()
    assert len(DARK.series) == len(LIGHT.series)
    assert mixed("#000000", "#ffffff", 0.5) == "#808080"
    assert 1.0 in TEXT_SIZES
