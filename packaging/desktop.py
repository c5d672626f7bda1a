"""Puts KVDeck into this user's desktop, and takes it away: `python packaging/desktop.py install|uninstall`.

Standard library alone. Writes only under XDG_DATA_HOME and ~/.local/bin, and keeps a list of what it wrote, so that
uninstall removes exactly that. Settings, chats and models stay; `uninstall` says where they are.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APP_ID = "io.github.kvdeck.KVDeck"
SIGN = "# Written by KVDeck's `make install`; `make uninstall` removes it."
# -P: the folder it is called from stays out of Python's search, whatever is in it.
RUNNER = f"""#!/bin/sh
{SIGN}
exec '{{python}}' -P -m app "$@"
"""
# What the desktop's own tools write beside an entry and an icon, and nothing else of.
CACHES = ("mimeinfo.cache", "icon-theme.cache")


def data_home() -> Path:
    """Where this user's desktop entries and icons live."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def runner_path() -> Path:
    """The command `kvdeck`."""
    return Path.home() / ".local" / "bin" / "kvdeck"


def targets() -> dict[str, Path]:
    """Every file that is put in place, by what it is."""
    share = data_home()
    return {
        "runner": runner_path(),
        "entry": share / "applications" / f"{APP_ID}.desktop",
        "icon": share / "icons" / "hicolor" / "scalable" / "apps" / f"{APP_ID}.svg",
        "metainfo": share / "metainfo" / f"{APP_ID}.metainfo.xml",
    }


def quoted(path: Path) -> str:
    """A path as the desktop entry's Exec key wants it: quoted, with its own escapes."""
    text = str(path)
    for character in ("\\", '"', "`", "$"):
        text = text.replace(character, "\\" + character)
    return f'"{text.replace("%", "%%")}"'


def install(python: Path) -> None:
    """Write the four files; says each one."""
    files = targets()
    if files["runner"].exists() and not is_ours(files["runner"]):
        raise SystemExit(f"{files['runner']} is another program's. Move it away, then run make install again.")
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    shell_python = str(python).replace("'", "'\\''")
    files["runner"].write_text(RUNNER.format(python=shell_python), encoding="utf-8")
    files["runner"].chmod(0o755)
    entry = (ROOT / "packaging" / f"{APP_ID}.desktop").read_text(encoding="utf-8")
    entry = entry.replace("@EXEC@", quoted(files["runner"])).replace("@TRYEXEC@", str(files["runner"]))
    files["entry"].write_text(entry, encoding="utf-8")
    shutil.copyfile(ROOT / "resources" / "icons" / "kvdeck.svg", files["icon"])
    shutil.copyfile(ROOT / "packaging" / f"{APP_ID}.metainfo.xml", files["metainfo"])
    refresh()
    for name, path in files.items():
        print(f"{name:9} {path}")
    if str(files["runner"].parent) not in os.environ.get("PATH", "").split(os.pathsep):
        print(f"Add {files['runner'].parent} to PATH to start it as `kvdeck`.")


def uninstall() -> None:
    """Remove what install wrote, and the folders that are empty then; nothing else."""
    files = targets()
    removed = [path for name, path in files.items() if path.exists() and (name != "runner" or is_ours(path))]
    for path in removed:
        path.unlink()
        print(f"removed   {path}")
    refresh()
    if removed:
        for path in files.values():
            remove_empty_folders(path.parent)
    print("Nothing was installed." if not removed else "Settings, chats and models were left in place.")


def is_ours(runner: Path) -> bool:
    """Whether `make install` wrote this command."""
    return SIGN in runner.read_text(encoding="utf-8", errors="replace")


def remove_empty_folders(folder: Path) -> None:
    """Remove `folder` and its parents as far as nothing is in them (but a cache of nothing), up to the home folder."""
    while folder not in (Path.home(), folder.parent):
        held = list(folder.iterdir()) if folder.is_dir() else []
        if any(path.name not in CACHES for path in held):
            return
        for cache in held:
            cache.unlink()
        if folder.is_dir():
            folder.rmdir()
        folder = folder.parent


def refresh() -> None:
    """Tell the desktop, where its tools exist; without them it finds the files at its next start."""
    share = data_home()
    for command in (
        ["update-desktop-database", "-q", str(share / "applications")],
        ["gtk-update-icon-cache", "-q", "-t", str(share / "icons" / "hicolor")],
    ):
        if shutil.which(command[0]):
            subprocess.run(command, check=False, capture_output=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Put KVDeck into this user's desktop, or take it away.")
    parser.add_argument("action", choices=("install", "uninstall"))
    if parser.parse_args().action == "install":
        install(Path(sys.executable))
    else:
        uninstall()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
