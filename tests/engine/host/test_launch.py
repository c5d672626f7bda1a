"""What a load becomes for vLLM: its name and its dtype, from vLLM's own configuration, on a CPU without AVX-512."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.lifecycle import LoadRequest
from engine.host import launch
from engine.host.cpu_defaults import CpuTraits
from engine.host.vllm_names import import_vllm

if TYPE_CHECKING:
    from pathlib import Path

    from tests.vllm_child import VllmChild

pytestmark = pytest.mark.slow

AWQ = {"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True, "version": "gemm"}


def plans(checkpoints: list[str]) -> list[list[str]]:
    """For each checkpoint, with no parameters and with bfloat16 asked for: the served name, vLLM's dtype and ours.

    Called in a process of its own: the unpacking of weights is taught to vLLM once, for the whole process.
    """
    shell = dict(os.environ)
    launch.prepare_environment(os.environ)
    launch.read_traits = lambda: CpuTraits(bf16=False, cores=(0, 1), free_bytes=16 << 30)  # AVX2 alone
    launcher = launch.Launcher(import_vllm(), shell)
    told = []
    for checkpoint in checkpoints:
        for parameters in ({}, {"dtype": "bfloat16"}):
            plan = launcher.plan(LoadRequest(checkpoint, dict(parameters)))
            told.append([plan.served_model_name, str(plan.config.model_config.dtype), str(plan.values["dtype"])])
    return told


def link(source: Path, target: Path, **config: Any) -> Path:
    """A checkpoint with the files of another one, and this in its configuration."""
    target.mkdir(parents=True)
    for file in source.iterdir():
        (target / file.name).symlink_to(file)
    if config:
        (target / "config.json").unlink()
        own = json.loads((source / "config.json").read_text(encoding="utf-8")) | config
        (target / "config.json").write_text(json.dumps(own), encoding="utf-8")
    return target


def test_names_and_dtypes(starter_checkpoint: Path, tmp_path: Path, vllm_child: VllmChild) -> None:
    """KVDECK_FORCE_UNPACK makes any machine one without a four-bit kernel."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    hub = link(starter_checkpoint, tmp_path / "models--org--Tiny-1B" / "snapshots" / commit)
    awq = link(starter_checkpoint, tmp_path / "Tiny-AWQ", quantization_config=AWQ)
    variables = {"KVDECK_FORCE_UNPACK": "1", "HF_HUB_OFFLINE": "1", "KVDECK_HOME": str(tmp_path)}
    told = vllm_child.ask("tests.engine.host.test_launch:plans", [str(hub), str(awq)], variables)
    assert told == [
        ["org/Tiny-1B", "torch.float32", "float32"],
        ["org/Tiny-1B", "torch.bfloat16", "bfloat16"],
        ["Tiny-AWQ", "torch.float32", "float32"],
        ["Tiny-AWQ", "torch.bfloat16", "bfloat16"],
    ]
