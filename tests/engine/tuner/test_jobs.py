"""Jobs on disk: begun, continued, torn, locked, listed."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from engine.bench.workload import Workload
from engine.tuner import cli
from engine.tuner.jobs import (
    Closing,
    Found,
    JobBusy,
    JobStore,
    JobUnreadable,
    TrialLine,
    default_folder,
    new_job_id,
)
from engine.tuner.messages import JobState
from engine.tuner.outcome import SearchResult, Trial, TrialState
from engine.tuner.spec import Axis, SweepSpec

if TYPE_CHECKING:
    from pathlib import Path

_SPEC = SweepSpec(workload=Workload(requests=4), axes=(Axis("max_num_seqs", (1, 2)),))


def _trial(number: int, state: TrialState = TrialState.MEASURED) -> Trial:
    return Trial(number=number, setting={"max_num_seqs": number}, state=state, score=1.5)


def test_a_job_that_was_cut_short_goes_on_where_it_was(tmp_path: Path) -> None:
    store, job = JobStore(tmp_path / "lab"), new_job_id()
    file = store.open_job(job, _SPEC)
    file.add(Found(live={"max_num_seqs": 8}))
    file.add(TrialLine(_trial(1, TrialState.RUNNING)))
    file.add(TrialLine(_trial(1)))
    file.close()
    path = tmp_path / "lab" / f"{job}.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    with path.open("ab") as torn:
        torn.write(b'{"line":"trial","trial":{"numb')
    file = store.open_job(job, None)
    assert file.past.spec == _SPEC
    assert file.past.before == Found(live={"max_num_seqs": 8})
    assert file.past.trials == (_trial(1),)
    file.add(TrialLine(_trial(2)))
    file.add(Closing(JobState.FINISHED, SearchResult(objective="goodput_per_s", trials=(_trial(1), _trial(2)))))
    file.close()
    (listed,) = store.jobs()
    assert (listed.id, listed.state, listed.done, listed.running_pid) == (job, JobState.FINISHED, 2, None)
    assert listed.result == store.job(job).result


def test_two_processes_do_not_work_on_one_job(tmp_path: Path) -> None:
    store, job = JobStore(tmp_path), new_job_id()
    store.open_job(job, _SPEC).close()
    program = (
        "import sys, pathlib; from engine.tuner.jobs import JobStore;"
        "file = JobStore(pathlib.Path(sys.argv[1])).open_job(sys.argv[2], None); print('held', flush=True);"
        "sys.stdin.read(); file.close()"
    )
    command = [sys.executable, "-c", program, str(tmp_path), job]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert store.job(job).running_pid == holder.pid
        with pytest.raises(JobBusy):
            store.open_job(job, None)
        with pytest.raises(JobBusy):
            store.delete(job)
        holder.kill()
    assert store.job(job).running_pid is None, "the lock goes with the process"
    store.open_job(job, None).close()
    store.delete(job)
    assert store.jobs() == ()


def test_opening_keeps_the_lock_while_the_file_is_read(tmp_path: Path) -> None:
    store, job = JobStore(tmp_path), new_job_id()
    store.open_job(job, _SPEC).close()
    file = store.open_job(job, None)
    program = (
        "import sys, pathlib; from engine.tuner.jobs import JobStore;"
        "print(JobStore(pathlib.Path(sys.argv[1])).job(sys.argv[2]).running_pid)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), job], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(os.getpid())
    file.close()


@pytest.mark.parametrize("name", ["", "../escape", "a/b", "gone"])
def test_names_that_are_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(JobUnreadable):
        JobStore(tmp_path).open_job(name, None)


def test_damage_is_passed_over_in_the_list(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b"\x00not json\n")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    store = JobStore(tmp_path)
    assert store.jobs() == ()
    with pytest.raises(JobUnreadable):
        store.open_job("bad", None)


def test_a_search_is_resumed_where_an_engine_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path))
    job = JobStore(default_folder()).open_job("cut", _SPEC)
    job.close()
    assert cli.main(["resume", "cut"]) == cli.FAILED
    said = capsys.readouterr().err
    assert "No engine host runs now" in said
    assert "--address-file" in said
    assert cli.main(["resume", "gone"]) == cli.FAILED
    assert "There is no job gone" in capsys.readouterr().err
