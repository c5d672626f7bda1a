"""The watch, on a real file system."""

import threading

import pytest

from engine.checkpoints.watch import LibraryWatch
from tests.patience import PATIENCE_S

from .conftest import write_checkpoint


@pytest.fixture
def watching(tmp_path):
    changed = threading.Event()
    watches = []

    def begin(*folders):
        watch = LibraryWatch(folders, changed.set)
        watches.append(watch)
        watch.start()
        return watch, changed

    yield begin
    for watch in watches:
        watch.stop()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("library-")]


def until(changed, act):
    """Repeat `act` until it is noticed: nobody says when the system has set up its watches."""
    for number in range(int(PATIENCE_S * 2)):
        act(number)
        if changed.wait(0.5):
            changed.clear()
            return True
    return False


def test_a_new_checkpoint_is_noticed(tmp_path, watching):
    _, changed = watching(tmp_path)
    assert until(changed, lambda number: write_checkpoint(tmp_path / f"m{number}"))


def test_a_folder_that_comes_later_is_watched_from_then_on(tmp_path, watching):
    later = tmp_path / "later"
    _, changed = watching(later)
    assert until(
        changed, lambda number: (tmp_path / f"x{number}").mkdir() or (number > 1 and later.mkdir(exist_ok=True))
    )
    assert until(changed, lambda number: write_checkpoint(later / f"m{number}"))


def test_it_stops_at_once_also_when_nothing_is_there(tmp_path, watching):
    watch, changed = watching(tmp_path / "never" / "there")
    watch.stop()
    write_checkpoint(tmp_path / "never" / "there" / "m")
    assert not changed.wait(0.3)
