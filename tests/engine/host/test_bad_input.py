"""Checkpoints and parameters that cannot work are refused before any load, with cause and remedy."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engine.host.hosting import RunningHost

pytestmark = pytest.mark.engine


def _without_config(folder: Path) -> None:
    (folder / "config.json").unlink()


def _truncated_config(folder: Path) -> None:
    text = (folder / "config.json").read_text()
    (folder / "config.json").write_text(text[: len(text) // 2])


def _short_weights(folder: Path) -> None:
    weights = folder / "model.safetensors"
    data = weights.read_bytes()[: 3 << 20]
    weights.unlink()
    weights.write_bytes(data)


def _pickles(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"PK\x03\x04")


def _remote_code(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "architectures": ["OwnForCausalLM"], "auto_map": {"AutoConfig": "own.OwnConfig"}}
    (folder / "config.json").write_text(json.dumps(config))


def _no_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize(
    ("damage", "kind", "says"),
    [
        (shutil.rmtree, "checkpoint_invalid", "does not exist"),
        (_without_config, "checkpoint_invalid", "config.json is missing"),
        (_truncated_config, "checkpoint_invalid", "config.json ends too early"),
        (_short_weights, "checkpoint_invalid", "model.safetensors is cut short"),
        (_no_weights, "checkpoint_invalid", "no weights"),
        (_pickles, "checkpoint_unsupported", "pickles"),
        (_remote_code, "checkpoint_unsupported", "code"),
    ],
)
def test_a_checkpoint_that_cannot_load_is_refused(
    bare_host: RunningHost,
    starter_checkpoint: Path,
    tmp_path: Path,
    damage: Callable[[Any], None],
    kind: str,
    says: str,
) -> None:
    folder = tmp_path / "Damaged"
    folder.mkdir()
    for file in starter_checkpoint.iterdir():
        if file.suffix == ".json":
            shutil.copy(file, folder)
        elif file.is_file():
            (folder / file.name).symlink_to(file)
    damage(folder)
    answer = bare_host.load(folder)
    assert answer.status == 422
    error = answer.value["error"]
    assert error["kind"] == kind
    assert says in error["message"]
    assert error["remedy"]
    assert bare_host.lifecycle.phase is Phase.IDLE


@pytest.mark.parametrize(
    ("parameters", "kind", "says"),
    [
        ({"max_model_len": 100_000}, "context_too_long", "8,192"),
        ({"max_num_seqs": 0}, "parameter_invalid", "max_num_seqs cannot be 0"),
        ({"enforce_eager": "yes"}, "parameter_invalid", "enforce_eager is on or off"),
        ({"swap_space": 4}, "parameter_invalid", "no parameter named 'swap_space'"),
        ({"dtype": "int3"}, "parameter_invalid", "dtype cannot be 'int3'"),
        ({"speculative_config": "{"}, "parameter_invalid", "speculative_config"),
    ],
)
def test_parameters_that_cannot_work_are_refused(
    bare_host: RunningHost, starter_checkpoint: Path, parameters: dict[str, Any], kind: str, says: str
) -> None:
    answer = bare_host.load(starter_checkpoint, parameters)
    assert answer.status == 422
    assert answer.value["error"]["kind"] == kind
    assert says in answer.value["error"]["message"]
    assert answer.value["error"]["remedy"]
    assert bare_host.lifecycle.phase is Phase.IDLE
