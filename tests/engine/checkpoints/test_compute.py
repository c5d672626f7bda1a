"""How a step uses a checkpoint's weights: from real headers, written here."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

from engine.checkpoints.compute import read_compute
from engine.domain.roofline import WeightPart

if TYPE_CHECKING:
    from pathlib import Path

_BYTES = {"BF16": 2, "F16": 2, "F32": 4, "I32": 4, "F8_E4M3": 1}
_BASE = {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 32, "head_dim": 8}


def write(folder: Path, tensors: dict[str, tuple[str, list[int]]], **config: object) -> Path:
    """A checkpoint whose tensors are all zero."""
    header, offset = {}, 0
    for name, (dtype, shape) in tensors.items():
        size = _BYTES[dtype]
        for length in shape:
            size *= length
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    raw = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw + bytes(offset))
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", **_BASE, **config}), encoding="utf-8")
    return folder


def test_dense_and_tied(tmp_path: Path) -> None:
    shape = read_compute(
        write(
            tmp_path,
            {"model.embed_tokens.weight": ("BF16", [100, 32]), "model.layers.0.mlp.up_proj.weight": ("F32", [64, 32])},
            tie_word_embeddings=True,
        )
    )
    assert shape is not None
    assert shape.output == shape.embedding == WeightPart(3200)
    assert shape.rest == WeightPart(2048)
    assert shape.rest.bytes_in_memory(2.0) == 4096  # float32 on disk, turned into the engine's two bytes


def test_packed_weights_count_their_scales(tmp_path: Path) -> None:
    shape = read_compute(
        write(
            tmp_path,
            {
                "model.embed_tokens.weight": ("BF16", [100, 32]),
                "lm_head.weight": ("BF16", [100, 32]),
                "model.layers.0.mlp.up_proj.qweight": ("I32", [32, 8]),
                "model.layers.0.mlp.up_proj.qzeros": ("I32", [1, 8]),
                "model.layers.0.mlp.up_proj.scales": ("F16", [1, 64]),
                "model.layers.0.input_layernorm.weight": ("BF16", [32]),
            },
            quantization_config={"quant_method": "awq", "bits": 4, "group_size": 32},
        )
    )
    assert shape is not None
    assert shape.rest == WeightPart(32, 2048, 1024 + 32 + 128)
    assert shape.rest.bytes_in_memory(2.0) == 64 + 1184
    assert shape.rest.bytes_in_memory(2.0, unpacked=True) == 2 * (32 + 2048)
    assert shape.output == WeightPart(3200)


def test_experts_need_to_be_numbered(tmp_path: Path) -> None:
    tensors: dict[str, tuple[str, list[int]]] = {
        "model.embed_tokens.weight": ("BF16", [10, 32]),
        "model.layers.0.mlp.gate.weight": ("BF16", [8, 32]),
        "model.layers.0.mlp.experts.0.up_proj.weight": ("BF16", [16, 32]),
        "model.layers.0.mlp.shared_experts.up_proj.weight": ("BF16", [16, 32]),
        "vision_tower.encoder.weight": ("BF16", [99, 99]),
    }
    assert read_compute(write(tmp_path, tensors)) is None
    shape = read_compute(write(tmp_path, tensors, num_experts=8, num_experts_per_tok=2))
    assert shape is not None
    assert (shape.experts, shape.rest) == (WeightPart(512), WeightPart(256 + 512))
    assert (shape.num_experts, shape.experts_per_token) == (8, 2)


def test_what_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    assert read_compute(tmp_path / "absent") is None
    assert read_compute(tmp_path) is None
    (tmp_path / "config.json").write_text("{", encoding="utf-8")
    assert read_compute(tmp_path) is None
    write(tmp_path, {"model.embed_tokens.weight": ("BF16", [10, 32])})
    (tmp_path / "model.safetensors").write_bytes(b"short")
    assert read_compute(tmp_path) is None
