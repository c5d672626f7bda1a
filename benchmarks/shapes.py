"""Writes checkpoints of real size without weights: an 8B-class Llama as BF16, AWQ, GPTQ or FP8, for load_format=dummy.

`python -m benchmarks.shapes FOLDER METHOD TOKENIZER_FOLDER`: config.json and the given tokenizer's files. vLLM fills
the model with random weights of the right size and layout, which is enough for speed, VRAM and the KV cache.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

QUANTIZATION: dict[str, dict[str, object] | None] = {
    "bf16": None,
    "awq": {
        "quant_method": "awq",
        "bits": 4,
        "group_size": 128,
        "zero_point": True,
        "version": "gemm",
        "modules_to_not_convert": None,
    },
    "gptq": {
        "quant_method": "gptq",
        "bits": 4,
        "group_size": 128,
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


def write_shape(folder: Path, method: str, tokenizer: Path) -> Path:
    """Write the 8B shape quantized by `method` into `folder`; returns it. `tokenizer` is any checkpoint's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    config: dict[str, object] = dict(LLAMA_8B)
    quantization = QUANTIZATION[method]
    if quantization is not None:
        config["quantization_config"] = quantization
    # vLLM's AWQ and GPTQ kernels compute in float16 or bfloat16; FP8 in bfloat16.
    (folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    for name in TOKENIZER_FILES:
        if (tokenizer / name).exists():
            shutil.copyfile(tokenizer / name, folder / name)
    return folder


def main() -> int:
    if len(sys.argv) != 4 or sys.argv[2] not in QUANTIZATION:
        print(__doc__)
        return 2
    print(write_shape(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
