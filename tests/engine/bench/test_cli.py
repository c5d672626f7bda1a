"""`kvdeck bench` and `kvdeck lab`: their command lines, and the program itself against the real engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from engine.bench.cli_options import lengths, parse, seconds
from engine.bench.regression import load_baseline
from engine.bench.result import RunState
from engine.bench.setup import asked_parameters
from engine.bench.store import RunStore
from engine.bench.terminal import aligned
from engine.bench.workload import (
    CLASSIC,
    Bursts,
    ClosedLoop,
    Fixed,
    FromData,
    LogNormal,
    Normal,
    OpenLoop,
    Ramp,
    ShareGpt,
    Slos,
    Uniform,
    Workload,
)
from engine.tuner.cli import main as lab
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from tests.engine.host.hosting import RunningHost

ROOT = Path(__file__).parents[3]
TO = ["--address", "http://127.0.0.1:1"]
LOAD = ["--clients", "2"]


def wanted(*words: str) -> Workload:
    found = parse([*TO, *words]).workload
    assert found is not None
    return found


def test_lengths_and_times() -> None:
    assert [lengths(text) for text in ("128", "16-256", "normal:100:20", "lognormal:64:0.5", "data")] == [
        Fixed(128), Uniform(16, 256), Normal(100, 20), LogNormal(64, 0.5), FromData()
    ]  # fmt: skip
    assert [seconds(text) for text in ("20", "300ms", "5s", "2m", "1h")] == [20, 0.3, 5, 120, 3600]


def test_loads_from_words(tmp_path: Path) -> None:
    assert wanted("--preset", "classic") == CLASSIC
    assert wanted("--clients", "3").arrival == ClosedLoop(3)
    assert wanted("--clients", "3").requests == 100
    assert wanted("--rate", "4", "--burstiness", "0.5", "--clients", "9").arrival == OpenLoop(4, 0.5, 9)
    assert wanted("--bursts", "8:2s").arrival == Bursts(8, 2.0)
    assert wanted("--ramp", "1:9:1m").arrival == Ramp(1, 9, 60)
    timed = wanted("--duration", "2m", "--slo", "ttft=300ms,tpot=50ms,e2e=5s", "--stop-at-eos", "--seed", "4")
    assert (timed.duration_s, timed.requests, timed.ignore_eos, timed.seed) == (120, None, False, 4)
    assert timed.slos == Slos(0.3, 0.05, 5.0)
    data = wanted("--data", f"sharegpt:{tmp_path}/x.json", "--turns", "3", "--output", "data")
    assert data.dataset == ShareGpt(f"{tmp_path}/x.json", 3)
    file = tmp_path / "load.json"
    file.write_bytes(msgspec.json.encode(CLASSIC))
    assert wanted("--workload", str(file), "--requests", "7") == msgspec.structs.replace(CLASSIC, requests=7)


@pytest.mark.parametrize(
    "words",
    [
        [], TO, [*TO, "--rate", "1", "--ramp", "1:2:3"], [*TO, "--slo", "x=1s"],
        [*TO, "--data", "csv:x"], [*TO, "--checkpoint", "y", "--clients", "1"], [*TO, "--clients", "1", "--set", "a=b"],
        [*TO, "--clients", "1", "--tolerance", "no"], [*TO, "--prompt", "x"], [*TO, "--workload", "/nowhere.json"],
    ],
)  # fmt: skip
def test_mistakes_end_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(words)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["tune", "--axis", "max_num_seqs=1,2"], ["tune", "--clients", "2"], ["ab", "--a", "max_num_seqs=1", *LOAD],
        ["sweep", "--axis", "max_num_seqs=1,2", *LOAD, "--html", "x.html"], ["formats", *LOAD], ["resume"],
        ["sweep", "--axis", "max_num_seqs=1,2", *LOAD, "--address", "http://x", "--checkpoint", "y"],
    ],
)  # fmt: skip
def test_mistakes_of_the_lab_end_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        lab(words)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize("job", ["tune", "sweep", "ab"])
def test_a_search_names_the_options_of_its_load(job: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        lab([job, "--help"])
    said = capsys.readouterr().out
    assert all(option in said for option in ("--clients N", "--slo NAME", "--checkpoint FOLDER", "16-256", "--report"))


def test_columns_line_up() -> None:
    assert aligned([("a", "1"), ("long", "22")]) == ["a      1", "long  22"]


def test_no_qt_and_no_vllm_is_imported() -> None:
    code = (
        "import sys; sys.argv = ['kvdeck', 'bench', '--help']\n"
        "from app.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "assert not {'PySide6', 'torch', 'vllm', 'pyqtgraph'} & set(sys.modules), sorted(sys.modules)\n"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    assert "--save-baseline" in done.stdout


def bench(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "app", "bench", *words]
    environment = {**os.environ, "KVDECK_HOME": str(home)}
    environment.pop("DISPLAY", None)
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=250, check=False
    )


@pytest.fixture
def key(engine_host: RunningHost, tmp_path: Path) -> list[str]:
    file = tmp_path / "key"
    file.write_text(engine_host.token + "\n")
    return ["--address", engine_host.url, "--token-file", str(file)]


@pytest.mark.engine
def test_a_baseline_is_repeated_and_judged(engine_host: RunningHost, key: list[str], tmp_path: Path) -> None:
    limits = engine_host.status().limits
    assert limits is not None
    base, result = tmp_path / "base.json", tmp_path / "result.json"
    names = {"--csv": "s.csv", "--html": "r.html", "--markdown": "r.md"}
    files = [word for option, name in names.items() for word in (option, str(tmp_path / name))]
    load = ["--clients", "2", "--requests", "4", "--prompt", "8", "--output", "4", "--title", "Base", "--tag", "ci"]
    done = bench(tmp_path, *key, *load, "--save-baseline", str(base), "--json", str(result), *files)
    assert done.returncode == 0, done.stderr
    assert "TTFT" in done.stdout
    assert all((tmp_path / name).stat().st_size > 200 for name in ("s.csv", "r.html", "r.md"))
    told = json.loads(result.read_text())
    assert told["exit_status"] == 0
    kept = load_baseline(base)
    assert kept.setup.max_num_seqs == limits.max_num_seqs
    assert kept.setup.cpu
    assert kept.setup.quantization == "BF16"
    store = RunStore(tmp_path / "data" / "runs.sqlite")
    store.open()
    (run,) = store.runs()
    assert (run.title, run.tags, run.state) == ("Base", ("ci",), RunState.FINISHED)
    assert len(store.samples(run.id)) == 4
    store.close()
    done = bench(tmp_path, *key, "--baseline", str(base), "--tolerance", "100000%", "--no-save", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "Within" in done.stdout
    faster = msgspec.json.decode(base.read_bytes())
    faster["run"]["result"]["figures"]["ttft"]["p95"] /= 1e6
    base.write_bytes(msgspec.json.encode(faster))
    done = bench(tmp_path, *key, "--baseline", str(base), "--tolerance", "100000%", "--no-save", "--json", "-")
    assert done.returncode == 1
    assert [row["figure"] for row in json.loads(done.stdout)["regressions"]] == ["ttft.p95"]
    assert "TTFT p95" in done.stderr


@pytest.mark.engine
def test_ctrl_c_ends_cleanly(key: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "bench", *key, "--clients", "2", "--requests", "2", "--output", "4000"]
    environment = {**os.environ, "KVDECK_HOME": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        while line := running.stderr.readline():
            if line.startswith(("running", "finishing")):
                break
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=200)
    assert running.returncode == 130
    assert "2 incomplete" in out


def test_what_cannot_be_done_is_2(tmp_path: Path, unused_tcp_port: int) -> None:
    result = tmp_path / "r.json"
    done = bench(tmp_path, "--address", f"http://127.0.0.1:{unused_tcp_port}", "--clients", "1", "--json", str(result))
    assert done.returncode == 2
    assert "Nothing answers" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(result.read_text())["error"]["kind"] == "host_unreachable"
    done = bench(tmp_path, "--baseline", str(tmp_path / "none.json"))
    assert done.returncode == 2
    done = bench(tmp_path, "--clients", "1")
    assert done.returncode == 2
    assert "No engine host runs" in done.stderr


@pytest.mark.engine
def test_a_setup_can_be_asked_for_again(engine_host: RunningHost) -> None:
    from engine.bench.setup import setup_of

    status = engine_host.status()
    assert status.limits is not None
    setup = setup_of(status, engine_host.url)
    asked = asked_parameters(setup)
    assert asked["max_num_seqs"] == status.limits.max_num_seqs
    assert asked["cpu_kvcache_space_gib"] == 1.0
    assert "kv_cache_memory_bytes" not in asked
    assert setup.weights_bytes
    assert setup.cores
