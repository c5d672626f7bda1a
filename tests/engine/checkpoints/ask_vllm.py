"""What vLLM's ModelConfig makes of checkpoint folders: called in a process with vLLM (tests/vllm_child.py)."""

from typing import Any


def configurations(paths: list[str]) -> list[dict[str, Any]]:
    """vLLM's reading of each folder, or its refusal."""
    return [_ask(path) for path in paths]


def _ask(path: str) -> dict[str, Any]:
    from vllm.config import ModelConfig, ParallelConfig

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
