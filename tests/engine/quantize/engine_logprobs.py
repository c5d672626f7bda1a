"""A program for test_unpack: loads checkpoints with the real engine and prints what it gives the prompt's tokens.

`python engine_logprobs.py avx2|native FOLDER...` reads a JSON list of token ids from standard input. "avx2" makes vLLM
load the library that it loads on processors without AVX-512, which has no four-bit kernels.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

os.environ |= {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_LOGGING_LEVEL": "WARNING"}


def main() -> None:
    """Load each folder in turn and print one JSON line for it."""
    import torch

    library, *folders = sys.argv[1:]
    if library == "avx2":
        torch.cpu._is_avx512_supported = lambda: False
        torch.cpu._is_avx512_bf16_supported = lambda: False
        torch.cpu._is_amx_tile_supported = lambda: False
    tokens = json.load(sys.stdin)
    for folder in folders:
        print("RESULT " + json.dumps(_measure(folder, tokens)), flush=True)


def _measure(folder: str, tokens: list[int]) -> dict[str, Any]:
    import torch
    from vllm import LLM, SamplingParams
    from vllm.distributed import cleanup_dist_env_and_memory

    llm = LLM(model=folder, dtype="float32", max_model_len=512, enforce_eager=True, max_num_seqs=4)
    sampling = SamplingParams(max_tokens=1, temperature=0, prompt_logprobs=1)
    output = llm.generate({"prompt_token_ids": tokens}, sampling, use_tqdm=False)[0]
    given = [position[token].logprob for token, position in zip(tokens[1:], output.prompt_logprobs[1:], strict=True)]
    layer = llm.llm_engine.model_executor.driver_worker.worker.model_runner.model.model.layers[0].mlp.down_proj
    kernel = [
        type(value).__name__
        for owner in (layer.quant_method, getattr(layer, "scheme", None))
        for value in (getattr(owner, "kernel", None), getattr(owner, "fp8_linear", None))
        if value is not None
    ]
    has_kernel = hasattr(torch.ops._C, "cpu_gemm_wna16")
    del llm, layer
    cleanup_dist_env_and_memory()
    return {"folder": folder, "logprobs": given, "kernel": kernel, "has_four_bit_kernel": has_kernel}


if __name__ == "__main__":
    main()
