"""A checkpoint with code of its own, loaded through a real host: asked first, and refused where the user says no."""

from __future__ import annotations

import contextlib
import json
import struct
from typing import TYPE_CHECKING

import pytest

from app.bridge.asking_engine import AskingEngine
from engine.client.host_process import HostOptions
from engine.domain.errors import Cancelled
from engine.domain.lifecycle import HostStatus, LoadRequest, Phase

if TYPE_CHECKING:
    from pathlib import Path

    import qasync

CONFIG = {
    "architectures": ["OwnForCausalLM"],
    "model_type": "own",
    "auto_map": {"AutoModelForCausalLM": "modeling_own.OwnForCausalLM"},
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "num_key_value_heads": 1,
    "max_position_embeddings": 64,
    "torch_dtype": "bfloat16",
}


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    """A folder with weights of one small tensor and a model of its own."""
    folder = tmp_path / "own-model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (folder / "modeling_own.py").write_text("class OwnForCausalLM: ...\n", encoding="utf-8")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    header = json.dumps({"w": {"dtype": "BF16", "shape": [8], "data_offsets": [0, 16]}}).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(16))
    return str(folder)


async def _load(checkpoint: str, *, allows: bool) -> tuple[list[tuple[str, str]], Phase]:
    """What was asked, and the host's phase after the load was refused or taken."""
    asked: list[tuple[str, str]] = []

    async def answer(path: str, what: str) -> bool:
        asked.append((path, what))
        return allows

    engine = AskingEngine(HostOptions(port=0), answer)
    try:
        await engine.start()
        with contextlib.nullcontext() if allows else pytest.raises(Cancelled):
            await engine.load(LoadRequest(checkpoint))
        async with contextlib.aclosing(engine.events()) as events:
            status = await anext(events)
        assert isinstance(status, HostStatus)
        return asked, status.lifecycle.phase
    finally:
        await engine.close()


def test_code_of_a_checkpoint_is_asked_for_first(checkpoint: str, loop: qasync.QEventLoop) -> None:
    asked, phase = loop.run_until_complete(_load(checkpoint, allows=False))
    assert asked == [(checkpoint, "trust_remote_code")]
    assert phase is Phase.IDLE


def test_what_was_allowed_is_loaded(checkpoint: str, loop: qasync.QEventLoop) -> None:
    asked, phase = loop.run_until_complete(_load(checkpoint, allows=True))
    assert asked == [(checkpoint, "trust_remote_code")]
    assert phase is Phase.LOADING
