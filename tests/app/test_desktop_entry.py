"""`make install` and `make uninstall` in a home of their own, and the command they bring."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from app.options import Options
from app.working_folder import go_home

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "desktop.py"
APP_ID = "io.github.kvdeck.KVDeck"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def desktop(action: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the script as make does."""
    variables = {name: value for name, value in os.environ.items() if name != "XDG_DATA_HOME"} | {"HOME": str(home)}
    command = [sys.executable, str(SCRIPT), action]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


def test_installed_it_runs_from_anywhere_and_uninstalled_nothing_is_left(home: Path, tmp_path: Path) -> None:
    assert desktop("install", home).returncode == 0
    entry = home / ".local/share/applications" / f"{APP_ID}.desktop"
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(entry.read_text(encoding="utf-8"))
    command = Path(parser["Desktop Entry"]["TryExec"])
    assert parser["Desktop Entry"]["Exec"].strip('"') == str(command)
    if shutil.which("desktop-file-validate"):
        assert subprocess.run(["desktop-file-validate", str(entry)], check=False).returncode == 0
    _look_at_metainfo(home / ".local/share/metainfo" / f"{APP_ID}.metainfo.xml")
    elsewhere = tmp_path / "game"
    for package in ("app", "engine"):  # which Python would find first if it looked where it is called from
        (elsewhere / package).mkdir(parents=True)
        (elsewhere / package / "__init__.py").write_text("raise SystemExit('not this one')\n")
    told = subprocess.run([str(command), "--version"], cwd=elsewhere, capture_output=True, text=True, check=False)
    assert told.stdout.startswith("KVDeck "), told.stderr
    assert "removed" in desktop("uninstall", home).stdout
    assert list(home.iterdir()) == []
    assert "Nothing was installed" in desktop("uninstall", home).stdout


def _look_at_metainfo(path: Path) -> None:
    """What a software centre shows: valid, and in both languages."""
    if shutil.which("appstreamcli"):
        told = subprocess.run(
            ["appstreamcli", "validate", "--no-net", str(path)], capture_output=True, text=True, check=False
        )
        assert told.returncode == 0, told.stdout
    root = ET.parse(path).getroot()
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    of_releases = set(root.iterfind("releases//*"))
    for tag in ("summary", "p", "li"):
        said = [element for element in root.iter(tag) if element not in of_releases]
        assert len([one for one in said if one.get(lang) == "de"]) == len([one for one in said if not one.get(lang)])


def test_what_others_have_installed_stays(home: Path) -> None:
    foreign = home / ".local/bin/kvdeck"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("#!/bin/sh\necho another program\n")
    refused = desktop("install", home)
    assert refused.returncode == 1
    assert "another program" in refused.stderr
    foreign.rename(foreign.with_name("other"))
    icons = home / ".local/share/icons/hicolor/index.theme"
    icons.parent.mkdir(parents=True)
    icons.write_text("[Icon Theme]\n")
    assert desktop("install", home).returncode == 0
    assert desktop("uninstall", home).returncode == 0
    left = sorted(path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())
    assert [path for path in left if not path.endswith(".cache")] == [
        ".local/bin/other", ".local/share/icons/hicolor/index.theme",
    ]  # fmt: skip


def test_paths_on_the_command_line_are_those_of_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = go_home(Options(replay=Path("a.kvdeck"), report_start="b.json"))
    assert Path.cwd() == SCRIPT.parents[1]
    assert (options.replay, options.report_start) == (tmp_path / "a.kvdeck", str(tmp_path / "b.json"))
    assert options.tour_folder == tmp_path / "tour"
    assert go_home(Options(report_start="-")).report_start == "-"
