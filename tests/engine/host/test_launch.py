"""What a load becomes for vLLM: its name and its dtype, from vLLM's own configuration, on a CPU without AVX-512."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.engine, pytest.mark.slow]

AWQ = {"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True, "version": "gemm"}
# A process of its own: the unpacking of weights is taught to vLLM once, for the whole process.
PLAN = """
import json, os, sys
from engine.domain.lifecycle import LoadRequest
from engine.host import launch
from engine.host.cpu_defaults import CpuTraits
from engine.host.vllm_names import import_vllm
answer_to = os.dup(1)
os.dup2(2, 1)
shell = dict(os.environ)
launch.prepare_environment(os.environ)
launch.read_traits = lambda: CpuTraits(bf16=False, cores=(0, 1), free_bytes=16 << 30)  # AVX2 alone
launcher = launch.Launcher(import_vllm(), shell)
told = []
for checkpoint in sys.argv[1:]:
    for parameters in ({}, {"dtype": "bfloat16"}):
        plan = launcher.plan(LoadRequest(checkpoint, parameters))
        told.append([plan.served_model_name, str(plan.config.model_config.dtype), plan.values["dtype"]])
os.write(answer_to, json.dumps(told).encode())
"""


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


def test_names_and_dtypes(starter_checkpoint: Path, tmp_path: Path) -> None:
    """KVDECK_FORCE_UNPACK makes any machine one without a four-bit kernel."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    hub = link(starter_checkpoint, tmp_path / "models--org--Tiny-1B" / "snapshots" / commit)
    awq = link(starter_checkpoint, tmp_path / "Tiny-AWQ", quantization_config=AWQ)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "KVDECK_"))}
    variables = {**kept, "KVDECK_FORCE_UNPACK": "1", "HF_HUB_OFFLINE": "1", "KVDECK_HOME": str(tmp_path)}
    command = [sys.executable, "-c", PLAN, str(hub), str(awq)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert json.loads(done.stdout) == [
        ["org/Tiny-1B", "torch.float32", "float32"],
        ["org/Tiny-1B", "torch.bfloat16", "bfloat16"],
        ["Tiny-AWQ", "torch.float32", "float32"],
        ["Tiny-AWQ", "torch.bfloat16", "bfloat16"],
    ]
