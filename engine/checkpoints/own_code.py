"""What of a checkpoint would run as a program: a consent holds for exactly that, and for nothing put there later."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from engine.checkpoints.folder import look

REMOTE_CODE, PICKLE = "trust_remote_code", "allow_pickle"

# They name the classes to import ("auto_map"), so they decide what runs as much as the code does.
_CHOOSERS = ("config.json", "tokenizer_config.json", "processor_config.json", "preprocessor_config.json")
_MOST_FILES = 2000
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class OwnCode:
    """The files that would run, by their names in the folder, and a digest that any change of them changes.

    Python code goes in by its content; pickles by size and time of change, since they have gigabytes.
    """

    files: tuple[str, ...]
    digest: str


def own_code(path: str, what: str) -> OwnCode:
    """What `path` would run under the consent `what` (REMOTE_CODE or PICKLE). Blocks; never raises."""
    return _pickles(Path(path)) if what == PICKLE else _python(Path(path))


def _pickles(folder: Path) -> OwnCode:
    facts = look(folder)
    digest = hashlib.sha256()
    for name in facts.pickles:
        digest.update(f"{name}\0{facts.files[name].size}\0{facts.files[name].mtime_ns}\n".encode(errors="replace"))
    return OwnCode(facts.pickles, digest.hexdigest())


def _python(folder: Path) -> OwnCode:
    code = sorted(path for path in folder.rglob("*.py") if path.is_file())[:_MOST_FILES]
    digest, left = hashlib.sha256(), _MOST_BYTES
    for path in (*code, *(folder / name for name in _CHOOSERS)):
        try:
            status = path.stat()
            content = path.read_bytes() if path.is_file() and status.st_size <= left else b""
            left -= len(content)
            # What is too much to read is known by its size and time, like a pickle.
            known = content or f"{status.st_size}\0{status.st_mtime_ns}".encode()
        except OSError as error:
            known = f"unreadable: {error.errno}".encode()
        name = str(path.relative_to(folder)).encode(errors="replace")
        digest.update(name + b"\0" + hashlib.sha256(known).digest())
    return OwnCode(tuple(str(path.relative_to(folder)) for path in code), digest.hexdigest())
