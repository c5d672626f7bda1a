"""Runs the benchmarks: `python -m benchmarks [NAME ...]`; without a name it lists them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def names() -> dict[str, str]:
    """Each benchmark by name, with the first line of its docstring."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not path.name.startswith("_") and 'if __name__ == "__main__"' in source:
            found[path.stem] = source.split('"""')[1].strip().splitlines()[0]
    return found


def main() -> int:
    known = names()
    wanted = sys.argv[1:]
    unknown = [name for name in wanted if name not in known]
    if not wanted or unknown:
        for name, line in known.items():
            print(f"{name:20} {line}")
        return 2 if unknown else 0
    return max(subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode for name in wanted)


if __name__ == "__main__":
    raise SystemExit(main())
