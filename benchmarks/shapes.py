"""Writes checkpoints of real size: an 8B-class Llama as BF16, AWQ, GPTQ or FP8.

`python -m benchmarks.shapes FOLDER METHOD TOKENIZER_FOLDER [--weights]`: config.json and the given tokenizer's files.
With load_format=dummy vLLM fills the model with random weights of the right size and layout, which is enough for speed,
VRAM and the KV cache. `--weights` adds a safetensors file of zeros, which takes no room on the disk: it is loaded as
any other checkpoint is, and its headers can be read before.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_GROUP = 128
QUANTIZATION: dict[str, dict[str, object] | None] = {
    "bf16": None,
    "awq": {
        "quant_method": "awq",
        "bits": 4,
        "group_size": _GROUP,
        "zero_point": True,
        "version": "gemm",
        "modules_to_not_convert": None,
    },
    "gptq": {
        "quant_method": "gptq",
        "bits": 4,
        "group_size": _GROUP,
        "desc_act": False,
        "sym": True,
        "checkpoint_format": "gptq",
        "pack_dtype": "int32",
        "damp_percent": 0.01,
        "true_sequential": True,
    },
    "fp8": {"quant_method": "fp8", "activation_scheme": "dynamic", "ignored_layers": ["lm_head"]},
}
LLAMA_8B = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_theta": 500000.0,
    "hidden_act": "silu",
    "attention_bias": False,
    "mlp_bias": False,
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "torch_dtype": "bfloat16",
    "use_cache": True,
}
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json")


def write_config(folder: Path, config: Mapping[str, object], tokenizer: Path) -> Path:
    """Write this configuration and the files of this checkpoint's tokenizer into `folder`; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    for name in TOKENIZER_FILES:
        if (tokenizer / name).exists():
            shutil.copyfile(tokenizer / name, folder / name)
    _name_all(folder / "tokenizer.json", config)
    return folder


def _name_all(path: Path, config: Mapping[str, object]) -> None:
    """Give each id of the model's vocabulary that the tokenizer has no token for a word of its own.

    Random weights answer with any id, and often with the same one again and again. One without a text is never done:
    the text's maker waits for the rest of the character, and goes over all of them again with each (0.2 ms a token
    after 1,500 of them, a hundred times what a word takes), which no trained model's answers ask of it.
    """
    wanted = config.get("vocab_size")
    if not isinstance(wanted, int) or not path.exists():
        return
    described = json.loads(path.read_text(encoding="utf-8"))
    model = described["model"]
    if model.get("type") != "BPE":
        return
    # An added token that is not in the vocabulary would have the next number after it.
    vocabulary = model["vocab"] | {token["content"]: token["id"] for token in described.get("added_tokens", [])}
    known = set(vocabulary.values())
    if len(known) < wanted:
        model["vocab"] = vocabulary | {f"Ġn{number}": number for number in range(wanted) if number not in known}
        path.write_text(json.dumps(described, ensure_ascii=False), encoding="utf-8")


def write_shape(folder: Path, method: str, tokenizer: Path) -> Path:
    """Write the 8B shape quantized by `method` into `folder`; returns it. `tokenizer` is any checkpoint's folder."""
    config: dict[str, object] = dict(LLAMA_8B)
    quantization = QUANTIZATION[method]
    if quantization is not None:
        config["quantization_config"] = quantization
    # vLLM's AWQ and GPTQ kernels compute in float16 or bfloat16; FP8 in bfloat16.
    return write_config(folder, config, tokenizer)


def write_zeros(folder: Path, method: str) -> Path:
    """Write the weights of the shape in `folder`: a true header, and zeros that the file system does not store."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, dtype, shape in _tensors(config, method):
        size = prod(shape) * _BYTES[dtype]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    raw = json.dumps(header).encode()
    raw += b" " * (-len(raw) % 8)
    path = folder / "model.safetensors"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(raw)) + raw)
        file.truncate(8 + len(raw) + end)
    return path


_BYTES = {"BF16": 2, "F16": 2, "F32": 4, "I32": 4, "F8_E4M3": 1}
_Tensor = tuple[str, str, list[int]]


def _tensors(config: dict[str, int], method: str) -> Iterator[_Tensor]:
    hidden, inner, head = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    rows, kept = config["num_attention_heads"] * head, config["num_key_value_heads"] * head
    plain = "F16" if method in ("awq", "gptq") else "BF16"
    yield "model.embed_tokens.weight", plain, [config["vocab_size"], hidden]
    yield "lm_head.weight", plain, [config["vocab_size"], hidden]
    yield "model.norm.weight", plain, [hidden]
    linear = {
        "self_attn.q_proj": (hidden, rows), "self_attn.k_proj": (hidden, kept), "self_attn.v_proj": (hidden, kept),
        "self_attn.o_proj": (rows, hidden), "mlp.gate_proj": (hidden, inner), "mlp.up_proj": (hidden, inner),
        "mlp.down_proj": (inner, hidden),
    }  # fmt: skip
    for layer in range(config["num_hidden_layers"]):
        lead = f"model.layers.{layer}."
        yield lead + "input_layernorm.weight", plain, [hidden]
        yield lead + "post_attention_layernorm.weight", plain, [hidden]
        for name, (taken, given) in linear.items():
            yield from _linear(lead + name, method, taken, given)


def _linear(name: str, method: str, taken: int, given: int) -> Iterator[_Tensor]:
    """The tensors of one linear layer, as repositories of each method have them."""
    if method in ("awq", "gptq"):
        groups = taken // _GROUP
        packed = [taken, given // 8] if method == "awq" else [taken // 8, given]
        yield f"{name}.qweight", "I32", packed
        yield f"{name}.qzeros", "I32", [groups, given // 8]
        yield f"{name}.scales", "F16", [groups, given]
        if method == "gptq":
            yield f"{name}.g_idx", "I32", [taken]
    elif method == "fp8":
        yield f"{name}.weight", "F8_E4M3", [given, taken]
        yield f"{name}.weight_scale", "F32", [1]
    else:
        yield f"{name}.weight", "BF16", [given, taken]


def main() -> int:
    words = [word for word in sys.argv[1:] if word != "--weights"]
    if len(words) != 3 or words[1] not in QUANTIZATION:
        print(__doc__)
        return 2
    folder = write_shape(Path(words[0]), words[1], Path(words[2]))
    if "--weights" in sys.argv:
        write_zeros(folder, words[1])
    print(folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
