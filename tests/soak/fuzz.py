"""Hostile input of every kind that KVDeck reads: `python -m tests.soak.fuzz --examples 10000`.

What is examined may be read or refused by an error of ours with a sentence; anything else, and anything that takes
seconds, is a finding.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import secrets
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.checkpoints.own_code import PICKLE, REMOTE_CODE, own_code
from engine.checkpoints.preflight import preflight
from engine.client.connection import _decode
from engine.client.sse import AnswerAssembler, SseDecoder
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import HostStatus, Lifecycle, LiveLimits, LoadRequest, LogRecord, ServingStats
from engine.page.layout import Change, Field, PageGeometry
from engine.page.reader import PageReader
from engine.page.writer import PageWriter
from engine.parameters.interchange import import_text
from engine.parameters.profile_store import ProfileStore
from tests.engine.checkpoints import test_fuzz as checkpoints
from tests.engine.recording.making import make
from tests.engine.recording.test_damage import read_all

if TYPE_CHECKING:
    from collections.abc import Callable

_SLOW_S = 5.0
_GEOMETRY = PageGeometry(300, 16, (16, 16), 6, ring_steps=16, table_entries=256)


def _examine_checkpoint(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        for file, raw in files.items():
            (Path(name) / file).write_bytes(raw)
        checkpoints.examine(Path(name))
        for what in (REMOTE_CODE, PICKLE):
            assert own_code(name, what) == own_code(name, what)
        for machine in checkpoints.MACHINES:
            with contextlib.suppress(KVDeckError):
                preflight(LoadRequest(name, {"load_format": "dummy"}), machine)


# Damage of a sound file: bytes replaced, put in, taken out, the end cut off.
DAMAGE = st.lists(
    st.tuples(
        st.sampled_from(("replace", "insert", "remove", "cut")),
        st.floats(0, 1, exclude_max=True) | st.floats(0, 0.01),
        st.binary(min_size=1, max_size=12) | st.sampled_from([b"\xff" * 8, b"\0" * 8, b"\x7f" + b"\xff" * 7]),
    ),
    min_size=1,
    max_size=5,
)


def _damaged(content: bytes, damage: list[tuple[str, float, bytes]]) -> bytes:
    data = bytearray(content)
    for kind, share, piece in damage:
        place = int(share * len(data))
        if kind == "replace":
            data[place : place + len(piece)] = piece
        elif kind == "insert":
            data[place:place] = piece
        elif kind == "remove":
            del data[place : place + len(piece)]
        elif place > 0:
            del data[place:]
    return bytes(data)


def _sound_page(folder: Path) -> bytes:
    writer = PageWriter(folder / "sound", _GEOMETRY)
    for step in range(1, 5):
        writer.begin()
        writer.views.counters[Field.STEP] = step
        writer.views.states[:] = step % 4
        writer.commit(*Change)
    content = writer.path.read_bytes()
    writer.close()
    return content


def _page_examiner(folder: Path) -> Callable[[list[tuple[str, float, bytes]]], None]:
    sound, path = _sound_page(folder), folder / "damaged"

    def examine(damage: list[tuple[str, float, bytes]]) -> None:
        path.write_bytes(_damaged(sound, damage))
        with contextlib.suppress(KVDeckError):
            reader = PageReader(path)
            try:
                for _ in range(2):
                    reader.snapshot()
                    reader.steps_since(0)
                    reader.events_since(0)
                _ = reader.writer_alive, reader.removed
            finally:
                reader.close()

    return examine


def _recording_examiner(folder: Path) -> Callable[[list[tuple[str, float, bytes]]], None]:
    sound, path = make(folder, seconds=1).path.read_bytes(), folder / "damaged.kvdeck"

    def examine(damage: list[tuple[str, float, bytes]]) -> None:
        path.write_bytes(_damaged(sound, damage))
        with contextlib.suppress(KVDeckError):
            read_all(path)

    return examine


_WORDS = st.text(max_size=12) | st.sampled_from(
    ["", "true", "NaN", "inf", "-1", "@Invalid()", "@ByteArray(\\x0)", "1e999"]
)
_LINES = st.lists(
    st.sampled_from(["[view]", "[server]", "[consent]", "[%General]", "[library]", "[[x]]", "= ", "\\"])
    | st.tuples(
        st.sampled_from(["theme", "port", "text_size", "frame_rate", "language", "kept", "folders", "reduced_motion"]),
        _WORDS,
    ).map("=".join)
    | _WORDS,
    max_size=12,
).map("\n".join)
_TOML = st.lists(
    st.tuples(
        st.sampled_from(["max_num_seqs", "dtype", "enforce_eager", "unknown", "profiles.a", '"a b"']), _WORDS
    ).map(" = ".join)
    | st.sampled_from(["[parameters]", "[profiles.x]", "[", "x = 1", "max_num_seqs = 4", 'dtype = "auto"'])
    | _WORDS,
    max_size=10,
).map("\n".join)
_COMMANDS = st.lists(
    st.sampled_from(
        ["vllm", "serve", "docker", "run", "--max-num-seqs", "4", "-v", "a:b", "=", "--", "\\\n", "'", '"', "$X"]
    )
    | _WORDS,
    max_size=12,
).map(" ".join)
SETTINGS = st.tuples(_LINES | st.binary(max_size=80), _TOML, _COMMANDS | _TOML)


def _settings_examiner(folder: Path) -> Callable[[tuple[str | bytes, str, str]], None]:
    from PySide6.QtCore import QSettings

    from app.preferences import Preferences

    ini, store = folder / "window.ini", ProfileStore(folder / "profiles")
    profile = store.path_of("/m/x")
    profile.parent.mkdir()
    names = [name for name, value in vars(Preferences).items() if isinstance(value, property)]

    def examine(content: tuple[str | bytes, str, str]) -> None:
        window, saved, text = content
        ini.write_bytes(window if isinstance(window, bytes) else window.encode("utf-8", "surrogatepass"))
        preferences = Preferences(QSettings(str(ini), QSettings.Format.IniFormat))
        for name in names:
            getattr(preferences, name)
        assert isinstance(preferences.consents.kept(), tuple)
        profile.write_bytes(saved.encode("utf-8", "surrogatepass"))
        store.names("/m/x")
        with contextlib.suppress(KVDeckError):
            store.load("/m/x")
        with contextlib.suppress(KVDeckError):
            import_text(text)
        for aside in profile.parent.iterdir():  # damaged files are set aside, which 10,000 times is many
            aside.unlink()

    return examine


@dataclass(frozen=True, slots=True)
class Deep:
    """The same piece so many times: nothing to print when something is found."""

    piece: str
    times: int


_TYPED = st.one_of(
    *(
        st.tuples(st.just(topic), st.from_type(kind))
        for topic, kind in (
            ("status", HostStatus),
            ("lifecycle", Lifecycle),
            ("limits", LiveLimits),
            ("log", LogRecord),
            ("serving", ServingStats),
        )
    )
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_TOPICS = st.sampled_from(["status", "lifecycle", "limits", "log", "serving", "later", ""])
_DEEP = st.sampled_from(["[", '{"a":', '{"topic":"status","value":[']).map(lambda each: Deep(each, 50_000))
FRAMES = st.tuples(_TYPED | st.tuples(_TOPICS, _JSON) | _DEEP | st.text(max_size=60), DAMAGE | st.none())


def _frame_text(content: object, damage: list[tuple[str, float, bytes]] | None) -> str:
    import msgspec

    if isinstance(content, str):
        text = content
    elif isinstance(content, Deep):
        text = content.piece * content.times
    else:
        topic, value = content  # type: ignore[misc]
        try:
            text = msgspec.json.encode({"topic": topic, "value": value}).decode()
        except (msgspec.MsgspecError, ValueError, OverflowError):
            text = json.dumps({"topic": topic, "value": str(value)})
    return text if damage is None else _damaged(text.encode("utf-8", "replace"), damage).decode("utf-8", "replace")


def _examine_frame(example: tuple[object, Any]) -> None:
    text = _frame_text(*example)
    with contextlib.suppress(KVDeckError):
        _decode(text)
    decoder, answer = SseDecoder(), AnswerAssembler()
    with contextlib.suppress(KVDeckError):
        for data in decoder.feed(b"data: " + text.encode("utf-8", "replace") + b"\n\n"):
            answer.take(data)


def examiners(folder: Path) -> dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], None]]]:
    """Each kind of input: what is made of it, and what looks at it. `folder` is theirs."""
    for name in ("pages", "recordings", "settings"):
        (folder / name).mkdir()
    return {
        "checkpoints": (checkpoints.FOLDERS, _examine_checkpoint),
        "pages": (DAMAGE, _page_examiner(folder / "pages")),
        "recordings": (DAMAGE, _recording_examiner(folder / "recordings")),
        "settings": (SETTINGS, _settings_examiner(folder / "settings")),
        "frames": (FRAMES, _examine_frame),
    }


def fuzz(strategy: st.SearchStrategy[Any], examine: Callable[[Any], None], examples: int, seed: int | None) -> int:
    """Examine so many; returns how many it were. `seed` None: always the same ones. Raises what it finds."""
    count = 0

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=seed is None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )
    @given(strategy)
    def run(example: Any) -> None:
        nonlocal count
        count += 1
        began = time.process_time()  # what others leave of a busy machine is not the input's doing
        examine(example)
        assert time.process_time() - began < _SLOW_S, "it took too long"

    (run if seed is None else hypothesis.seed(seed)(run))()
    return count


def main(arguments: list[str]) -> int:
    """Fuzz each kind and say how many were examined; 1 where one found something."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.fuzz", description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000, help="of each kind (10,000)")
    parser.add_argument("--kind", action="append", help="only this one")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 31), help="what examples are made from")
    options = parser.parse_args(arguments)
    found = 0
    with tempfile.TemporaryDirectory(prefix="kvdeck-fuzz-") as folder:
        for kind, (strategy, examine) in examiners(Path(folder)).items():
            if options.kind and kind not in options.kind:
                continue
            began = time.monotonic()
            try:
                count = fuzz(strategy, examine, options.examples, options.seed)
            except Exception:  # noqa: BLE001 - whatever it is, it is what was looked for
                traceback.print_exc()
                found += 1
                continue
            print(f"{kind}: {count} in {time.monotonic() - began:.0f} s, seed {options.seed}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
