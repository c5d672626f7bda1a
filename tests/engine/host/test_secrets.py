"""Under a real engine: who is told the token, and who may read what is written."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from engine.domain.paths import runtime_dir
from engine.host.launch import prepare_environment

if TYPE_CHECKING:
    from tests.engine.host.hosting import RunningHost


@pytest.mark.engine
def test_no_process_of_an_engine_is_told_the_token(engine_host: RunningHost) -> None:
    facts = engine_host.lifecycle.facts
    assert facts is not None
    body = {"model": facts.served_model_name, "prompt": "Hi", "max_tokens": 1}
    headers = {**engine_host.headers, "Content-Type": "application/json"}
    assert engine_host.ask("POST", "/v1/completions", body, headers).status == 200
    token = engine_host.token.encode()
    family = [engine_host.pid, *(process.pid for process in engine_host.family())]
    assert len(family) >= 3, "the host, the EngineCore and a worker"
    for pid in family:
        for name in ("cmdline", "environ"):
            assert token not in Path(f"/proc/{pid}/{name}").read_bytes(), (pid, name)
    assert token not in engine_host.log_path.read_bytes()


@pytest.mark.engine
def test_the_engines_sockets_are_in_a_private_folder(engine_host: RunningHost) -> None:
    """By the sockets: an engine's process title lies over its environment, which /proc no longer tells then."""
    facts = engine_host.lifecycle.facts
    assert facts is not None
    assert facts.page_path is not None
    page = Path(facts.page_path)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    bound = [Path(each.laddr) for each in psutil.Process(engine_host.pid).net_connections("unix") if each.laddr]
    folders = {path.parent for path in bound if path.parent.name.startswith(f"kvdeck-engine-{engine_host.pid}-")}
    assert len(folders) == 1, bound
    assert all(stat.S_IMODE(folder.stat().st_mode) == 0o700 for folder in folders)
    assert not [path for path in bound if path.parent == Path(tempfile.gettempdir())]


def test_an_engine_inherits_no_keys_of_other_programs() -> None:
    secrets = ("HF_TOKEN", "OPENAI_API_KEY", "VLLM_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_PASSWORD", "MY_APIKEY")
    kept = ("PATH", "TOKENIZERS_PARALLELISM", "KVDECK_TOKEN_FILE", "SSH_AUTH_SOCK", "VLLM_ATTENTION_BACKEND")
    environment = dict.fromkeys((*secrets, *kept), "x")
    prepare_environment(environment)
    assert not set(secrets) & set(environment)
    assert set(kept) <= set(environment)


_WRITES_EVERYTHING = """
import os, sys
from pathlib import Path
os.umask(0)
from engine.chat.store import ChatStore
from engine.domain import paths
from engine.domain.whole_file import write_whole
from engine.parameters.profile_store import ProfileStore
from engine.recording.recorder import Recorder
from engine.bench.store import RunStore
from tests.engine.recording.making import LIFECYCLE
store = ChatStore(paths.data_dir() / "chats.sqlite")
store.open()
ProfileStore(paths.config_dir() / "profiles").save("/m", {"max_num_seqs": 3})
recorder = Recorder(paths.data_dir() / "recordings" / "a.kvdeck", "test")
recorder.start()
recorder.take(LIFECYCLE)
recorder.stop()
runs = RunStore(paths.data_dir() / "runs.sqlite")
runs.open()
for folder in (paths.cache_dir(), paths.log_dir(), paths.runtime_dir()):
    assert folder.is_dir()
"""


def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    variables = {**os.environ, "KVDECK_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", _WRITES_EVERYTHING], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = list((tmp_path / "home").rglob("*"))
    assert {path.name for path in found} >= {"chats.sqlite", "runs.sqlite", "a.kvdeck", "config", "log", "run", "cache"}
    # What lies in a private folder is out of reach, whatever its own mode.
    for path in (tmp_path / "home", *(tmp_path / "home").iterdir(), *(tmp_path / "home" / "data").glob("*.sqlite")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@pytest.mark.parametrize("taken", ["link", "other"])
def test_a_runtime_folder_that_somebody_else_made_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: str
) -> None:
    for name in ("XDG_RUNTIME_DIR", "KVDECK_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = runtime_dir()
    folder.chmod(0o777)
    assert stat.S_IMODE(runtime_dir().stat().st_mode) == 0o700
    if taken == "link":
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        owner = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: owner + 1)
        folder.rename(tmp_path / f"kvdeck-{owner + 1}")
    with pytest.raises(PermissionError, match="belongs to another user"):
        runtime_dir()
