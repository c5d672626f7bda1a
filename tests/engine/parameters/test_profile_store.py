"""Saved parameters: real files, damaged ones, files of another release, a full disk."""

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from engine.domain.errors import DiskFull, KVDeckError, ParameterInvalid
from engine.parameters.profile_store import ProfileStore
from engine.parameters.values import deviations

from .test_values import any_values


@pytest.fixture
def store(tmp_path):
    return ProfileStore(tmp_path / "profiles")


def test_deviations_only_and_back(store):
    store.save("/m/a", {"max_num_seqs": 8, "seed": 0, "cpu_kvcache_space_gib": 1.5})
    text = store.path_of("/m/a").read_text()
    assert "max_num_seqs = 8" in text
    assert "seed" not in text
    assert store.load("/m/a").values == {"max_num_seqs": 8, "cpu_kvcache_space_gib": 1.5}
    assert store.load("/m/b").values == {}
    assert oct(store.path_of("/m/a").stat().st_mode & 0o077) == "0o0"


def test_named_profiles_stand_beside_the_saved_one(store):
    store.save("/m/a", {"seed": 1})
    store.save("/m/a", {"seed": 2}, name="for coding")
    assert store.names("/m/a") == ("for coding",)
    assert store.load("/m/a").values == {"seed": 1}
    assert store.load("/m/a", "for coding").values == {"seed": 2}
    store.forget("/m/a")
    assert store.load("/m/a").values == {}
    store.forget("/m/a", "for coding")
    assert not store.path_of("/m/a").exists()
    assert list(store.path_of("/m/a").parent.iterdir()) == []


def test_folders_of_one_name_do_not_share_a_file(store):
    assert store.path_of("/a/model") != store.path_of("/b/model")
    assert store.path_of("/a/../..").parent == store.path_of("/a/model").parent


@pytest.mark.parametrize(
    "damage", [b"values = [", b"\xff\xfe\x00", b"[values]\nseed = 1\nseed = 2\n", b"[[values]]\n[values]"]
)
def test_a_damaged_file_is_set_aside_and_said(store, damage):
    path = store.path_of("/m/a")
    path.parent.mkdir()
    path.write_bytes(damage)
    saved = store.load("/m/a")
    assert saved.values == {}
    assert "damaged" in saved.notes[0]
    aside = path.with_suffix(".damaged-1")
    assert aside.read_bytes() == damage
    store.save("/m/a", {"seed": 3})
    assert store.load("/m/a").values == {"seed": 3}
    assert aside.read_bytes() == damage


def test_unknown_names_and_bad_values_cost_only_themselves_and_stay_in_the_file(store):
    store.save("/m/a", {"seed": 1})
    path = store.path_of("/m/a")
    path.write_text(path.read_text() + "# mine\nfuture_knob = 3\nmax_num_seqs = -5\ndtype = 1979-05-27\n")
    saved = store.load("/m/a")
    assert saved.values == {"seed": 1}
    assert len(saved.notes) == 3
    store.save("/m/a", {"seed": 2})
    assert "# mine" in path.read_text()
    assert "future_knob = 3" in path.read_text()


def test_bad_values_are_not_saved(store):
    with pytest.raises(ParameterInvalid):
        store.save("/m/a", {"max_num_seqs": 0})
    assert not store.path_of("/m/a").exists()


def test_a_full_disk_leaves_the_old_file(store, monkeypatch):
    store.save("/m/a", {"seed": 1})

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull):
        store.save("/m/a", {"seed": 2})
    monkeypatch.undo()
    assert store.load("/m/a").values == {"seed": 1}
    assert len(list(store.path_of("/m/a").parent.iterdir())) == 1


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(KVDeckError, match="could not be written"):
        ProfileStore(tmp_path / "file" / "profiles").save("/m/a", {"seed": 2})


@settings(deadline=None)
@given(any_values)
def test_any_good_values_survive_the_file(values):
    with tempfile.TemporaryDirectory() as folder:
        store = ProfileStore(Path(folder))
        store.save("/m/a", values)
        assert store.load("/m/a").values == deviations(values)
