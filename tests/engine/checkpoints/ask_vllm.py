"""A program: what vLLM's ModelConfig makes of checkpoint folders: paths on standard input, JSON on standard output."""

import json
import os
import sys

answer_to = os.dup(1)
os.dup2(2, 1)
os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

from vllm.config import ModelConfig, ParallelConfig  # noqa: E402


def ask(path):
    try:
        config = ModelConfig(model=path, skip_tokenizer_init=True, dtype="bfloat16")
    except Exception as error:  # noqa: BLE001 - the refusal is the answer
        return {"error": f"{type(error).__name__}: {error}"[:400]}
    return {
        "max_model_len": config.max_model_len,
        "kv_heads": config.get_num_kv_heads(ParallelConfig()),
        "head_size": config.get_head_size(),
        "quantization": config.quantization,
        "sliding_window": config.get_sliding_window(),
        "mla": config.use_mla,
    }


answers = [ask(path) for path in json.load(sys.stdin)]
with os.fdopen(answer_to, "w") as out:
    json.dump(answers, out)
