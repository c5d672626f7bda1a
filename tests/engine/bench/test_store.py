"""Runs in a real SQLite file."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from engine.bench.database import RunsUnavailable
from engine.bench.result import Annotation, RunState
from engine.bench.store import RunFilter, RunGone, RunStore, default_path
from tests.engine.bench.making import record, sample, samples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    opened = RunStore(tmp_path / "runs.sqlite")
    opened.open()
    yield opened
    opened.close()


def test_a_run_comes_back_as_it_was(store: RunStore) -> None:
    note = Annotation(1.5, "max_num_seqs 16 → 4", {"max_num_seqs": 4})
    kept = record(notes="n", tags=("a", "b"), annotations=(note,))
    store.save(kept)
    assert store.run("one") == kept
    listed = store.runs()
    assert [run.id for run in listed] == ["one"]
    assert listed[0].result is not None
    assert listed[0].result.windows == ()
    assert store.path is not None
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_samples_come_back_as_they_were(store: RunStore) -> None:
    store.save(record())
    found = samples(30, 0.2)
    store.add_samples("one", found[:10])
    store.add_samples("one", found[10:])
    assert store.samples("one") == tuple(found)
    assert store.samples("one", gaps=False)[3] == msgspec.structs.replace(found[3], gaps=b"")


def test_a_run_from_beginning_to_end(store: RunStore) -> None:
    whole = record()
    store.save(msgspec.structs.replace(whole, state=RunState.RUNNING, result=None))
    store.annotate("one", Annotation(0.5, "first"))
    store.set_notes("one", "written while it ran")
    store.finish("one", RunState.FINISHED, whole.result)
    store.annotate("one", Annotation(0.9, "second"))
    now = store.run("one")
    assert (now.state, now.result, now.notes) == (RunState.FINISHED, whole.result, "written while it ran")
    assert [note.text for note in now.annotations] == ["first", "second"]


def test_filters(store: RunStore) -> None:
    store.save(record("a", created_unix_s=1.0, tags=("nightly",), origin="sweep", group="g1"))
    store.save(record("b", created_unix_s=2.0, title="Über alles", baseline=True))
    store.save(record("c", created_unix_s=3.0, state=RunState.FAILED, result=None, error="no", notes="burst 100%"))

    def ids(**wanted: object) -> list[str]:
        return [run.id for run in store.runs(RunFilter(**wanted))]  # type: ignore[arg-type]

    assert ids() == ["c", "b", "a"]
    assert ids(limit=2) == ["c", "b"]
    assert ids(text="NIGHTLY") == ["a"]
    assert ids(text="100%") == ["c"]
    assert ids(text="tiny awq") == ["c", "b", "a"]
    assert ids(tags=("nightly",)) == ["a"]
    assert ids(origin="sweep") == ids(group="g1") == ["a"]
    assert ids(baseline=True) == ["b"]
    assert ids(state=RunState.FAILED) == ["c"]
    assert ids(checkpoint="/models/Other") == []
    assert store.tags() == ("nightly",)


def test_delete_can_be_undone_and_is_final_later(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(record("a"))
    store.save(record("b"))
    store.add_samples("a", [sample(0)])
    store.delete(["a"])
    assert [run.id for run in store.runs()] == ["b"]
    with pytest.raises(RunGone):
        store.run("a")
    store.restore(["a"])
    assert len(store.samples("a")) == 1
    store.delete(["a"])
    store.close()
    monkeypatch.setattr("engine.bench.store._UNDO_S", -1.0)
    store.open()
    store.restore(["a"])
    assert [run.id for run in store.runs()] == ["b"]
    assert store.samples("a") == ()


def test_changes_of_a_run_that_is_gone(store: RunStore) -> None:
    for change in (
        lambda: store.set_title("x", "t"),
        lambda: store.finish("x", RunState.FAILED, None),
        lambda: store.annotate("x", Annotation(0.0, "t")),
        lambda: store.add_samples("x", [sample(0)]),
    ):
        with pytest.raises(RunGone):
            change()


def test_another_process_sees_it_and_is_seen(store: RunStore) -> None:
    other = RunStore(store.path)
    other.open()
    before = store.version()
    other.save(record("elsewhere"))
    assert store.version() != before
    assert [run.id for run in store.runs()] == ["elsewhere"]
    other.close()


def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.write_bytes(b"this is no database, and long enough to be looked at as one" * 100)
    store = RunStore(path)
    store.open()
    assert store.notice is not None
    assert list(tmp_path.glob("runs.damaged-*"))
    assert store.runs() == ()
    store.close()


def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.commit()
    database.close()
    before = path.read_bytes()
    with pytest.raises(RunsUnavailable, match="newer"):
        RunStore(path).open()
    assert path.read_bytes() == before


def test_a_run_whose_program_died_has_stopped(store: RunStore) -> None:
    assert store.path is not None
    unfinished = record("mine", state=RunState.RUNNING, result=None)
    store.save(unfinished)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    store.save(msgspec.structs.replace(unfinished, id="orphan"))
    store.add_samples("orphan", samples(5, 0.2))
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE run SET owner = ? WHERE id = 'orphan'", (dead.pid,))
    database.close()
    other = RunStore(store.path)
    other.open()
    assert other.run("mine").state is RunState.RUNNING
    orphan = other.run("orphan")
    assert orphan.state is RunState.STOPPED
    assert orphan.result is not None
    assert orphan.result.figures.successful == 5
    other.close()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    with pytest.raises(RunsUnavailable):
        RunStore(tmp_path / "x").runs()


def test_where_runs_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path))
    assert default_path().parent == tmp_path / "data"


def test_of_a_long_run_a_part_is_read_over_the_whole_of_it(store: RunStore) -> None:
    store.save(record("long"))
    store.add_samples("long", [sample(number) for number in range(25)])
    assert store.count_samples("long") == 25
    assert [one.number for one in store.samples("long", most=10)] == [0, 3, 6, 9, 12, 15, 18, 21, 24]
    assert len(store.samples("long", most=25)) == 25
