"""Drives vLLM's real scheduler and block pool without a model: a runner that answers with made-up tokens.

Also used by benchmarks/probe_cost.py. `Traffic` is random but seeded; it is what a busy, unruly day looks like.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import warnings
import zlib
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

BLOCK = 16
_TINY_LLAMA = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 1000,
    "max_position_embeddings": 32768, "torch_dtype": "bfloat16",
}  # fmt: skip


def import_vllm() -> None:
    """Import what the drivers use. torch and its friends warn of their own deprecations while they are imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in (
            "vllm.engine.arg_utils",
            "vllm.v1.core.sched.async_scheduler",
            "vllm.v1.engine.core",
            "vllm.v1.structured_output",
        ):
            importlib.import_module(name)


def engine_config(folder: Path, *, max_num_seqs: int = 16, budget: int = 256, max_model_len: int = 2048) -> Any:
    """A vLLM configuration for a model that is only a config.json."""
    import_vllm()
    from vllm.engine.arg_utils import AsyncEngineArgs

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(_TINY_LLAMA))
    arguments = AsyncEngineArgs(
        model=str(folder),
        skip_tokenizer_init=True,
        max_num_seqs=max_num_seqs,
        max_num_batched_tokens=budget,
        max_model_len=max_model_len,
        block_size=BLOCK,
        enable_prefix_caching=True,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return arguments.create_engine_config()


def _full(block: int) -> Any:
    import torch
    from vllm.v1.kv_cache_interface import FullAttentionSpec

    return FullAttentionSpec(block_size=block, num_kv_heads=2, head_size=16, dtype=torch.bfloat16)


def _sliding(block: int, window: int) -> Any:
    import torch
    from vllm.v1.kv_cache_interface import SlidingWindowSpec

    return SlidingWindowSpec(
        block_size=block, num_kv_heads=2, head_size=16, dtype=torch.bfloat16, sliding_window=window
    )


def _mamba(block: int) -> Any:
    import torch
    from vllm.v1.kv_cache_interface import MambaSpec

    return MambaSpec(block_size=block, shapes=((2, 256),), dtypes=(torch.float32,), mamba_cache_mode="align")


def make_probed(
    config: Any, num_blocks: int, *, kind: str = "full", async_scheduling: bool = False, factory: Any = None
) -> Any:
    """A scheduler over a pool of this size. `kind` is "full", "sliding", "mamba" or "partial" (two groups each).

    In "partial" a block is four times what the prefix cache hashes, so that a hit can end inside a block.
    """
    from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash
    from vllm.v1.kv_cache_interface import KVCacheConfig, KVCacheGroupSpec
    from vllm.v1.structured_output import StructuredOutputManager

    from engine.probe.scheduler import make_scheduler

    block = 4 * BLOCK if kind == "partial" else BLOCK
    groups = [KVCacheGroupSpec(["full"], _full(block))]
    if kind == "sliding":
        groups.append(KVCacheGroupSpec(["sliding"], _sliding(BLOCK, 8 * BLOCK)))
    if kind in ("mamba", "partial"):
        groups.append(KVCacheGroupSpec(["mamba"], _mamba(block)))
    config.cache_config.num_gpu_blocks = num_blocks
    config.scheduler_config.async_scheduling = async_scheduling
    config.scheduler_config.long_prefill_token_threshold = 0  # an earlier test may have changed them live
    config.scheduler_config.policy = "fcfs"
    config.cache_config.mamba_cache_mode = "align" if kind in ("mamba", "partial") else "none"
    config.cache_config.block_size = block
    init_none_hash(_hash)
    scheduler = (factory or make_scheduler)(
        vllm_config=config,
        kv_cache_config=KVCacheConfig(num_blocks=num_blocks, kv_cache_tensors=[], kv_cache_groups=groups),
        structured_output_manager=StructuredOutputManager(config),
        log_stats=True,
        block_size=block,
        hash_block_size=BLOCK,
    )
    scheduler.hasher_for_tests = get_request_block_hasher(BLOCK, _hash)
    return scheduler


def _hash(value: Any) -> bytes:
    from vllm.utils.hashing import sha256

    return bytes(sha256(value))


class Runner:
    """EngineCore's loop around a scheduler: synchronous, or with one step in flight as under async scheduling.

    The token at a position depends on the request and the position alone, so an answer shows whether any token was
    lost, doubled or taken from the wrong step.
    """

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self._depth = 2 if scheduler.scheduler_config.async_scheduling else 1
        self._in_flight: deque[tuple[Any, dict[str, int]]] = deque()
        self._tables: dict[str, Any] = {}  # what vLLM's first model runner keeps of each request
        self.steps = 0
        self.answers: dict[str, list[int]] = {}
        self.finished: dict[str, Any] = {}
        self.sessions: set[str] = set()  # requests that finish part by part

    def step(self) -> None:
        """One round of EngineCore: schedule where there is work, then take the oldest step's outputs."""
        requests = self.scheduler.requests
        if self.scheduler.has_requests():
            output = self.scheduler.schedule()
            self.steps += 1
            positions = {
                request_id: requests[request_id].num_computed_tokens
                for request_id in output.num_scheduled_tokens
                if not requests[request_id].is_prefill_chunk
            }
            self.scheduler.get_grammar_bitmask(output)
            self._keep_tables(output)
            self._in_flight.append((output, positions))
            if len(self._in_flight) < self._depth and output.total_num_scheduled_tokens:
                return
        if self._in_flight:
            self._update()

    def drain(self) -> None:
        """Run until nothing is left."""
        while self.scheduler.has_requests() or self._in_flight:
            self.step()

    def _keep_tables(self, output: Any) -> None:
        """As a worker in the scheduler's own process does: it takes the output's lists and goes on to fill them."""
        for request_id in output.finished_req_ids:
            self._tables.pop(request_id, None)
        for new in output.scheduled_new_reqs:
            self._tables[new.req_id] = new.block_ids
        cached = output.scheduled_cached_reqs
        for request_id, growth in zip(cached.req_ids, cached.new_block_ids, strict=True):
            if request_id in cached.resumed_req_ids:
                self._tables[request_id] = growth
            elif growth is not None:
                for table, more in zip(self._tables[request_id], growth, strict=True):
                    table.extend(more)

    def _update(self) -> None:
        from vllm.v1.outputs import ModelRunnerOutput

        output, positions = self._in_flight.popleft()
        ids = list(output.num_scheduled_tokens)
        tokens = [[token_at(one, positions[one])] if one in positions else [] for one in ids]
        result = ModelRunnerOutput(
            req_ids=ids, req_id_to_index={one: i for i, one in enumerate(ids)}, sampled_token_ids=tokens
        )
        for outputs in self.scheduler.update_from_output(output, result).values():
            for one in outputs.outputs:
                self.answers.setdefault(one.request_id, []).extend(one.new_token_ids)
                if one.finish_reason is not None:
                    assert one.request_id not in self.finished or one.request_id in self.sessions
                    self.finished[one.request_id] = one.finish_reason


def token_at(request_id: str, position: int) -> int:
    """What the made-up model says at this position of this request."""
    return zlib.crc32(f"{request_id}@{position}".encode()) % 1000


class Traffic:
    """Random requests over a few long shared prefixes."""

    def __init__(self, scheduler: Any, seed: int, *, longest: int = 400, prefixes: int = 6) -> None:
        self.scheduler = scheduler
        self.random = random.Random(seed)
        self._longest = longest
        self._prefixes = [
            [self.random.randrange(1000) for _ in range(self.random.randrange(BLOCK, longest))] for _ in range(prefixes)
        ]
        self.sent = 0
        self.expected: dict[str, list[int]] = {}

    def request(self, prompt: list[int] | None = None, max_tokens: int | None = None, priority: int = 0) -> Any:
        """One request, not yet added."""
        from vllm.sampling_params import SamplingParams
        from vllm.v1.request import Request

        if prompt is None:
            shared = self.random.choice(self._prefixes)
            prompt = shared[: self.random.randrange(1, len(shared))] if self.random.random() < 0.2 else list(shared)
            prompt += [self.random.randrange(1000) for _ in range(self.random.randrange(1, 40))]
        length = max_tokens or self.random.randrange(1, 60)
        parameters = SamplingParams(max_tokens=length, ignore_eos=True, temperature=0.0)
        self.sent += 1
        request_id = f"request-{self.sent}"
        self.expected[request_id] = [token_at(request_id, len(prompt) + i) for i in range(length)]
        return Request(
            request_id=request_id,
            prompt_token_ids=prompt,
            sampling_params=parameters,
            pooling_params=None,
            priority=priority,
            block_hasher=self.scheduler.hasher_for_tests,
        )

    def add(self, count: int = 1, **options: Any) -> None:
        """Add requests."""
        for _ in range(count):
            self.scheduler.add_request(self.request(**options))

    def abort(self, count: int = 1) -> None:
        """Abort random live requests."""
        from vllm.v1.request import RequestStatus

        for request_id in self.random.sample(sorted(self.scheduler.requests), min(count, len(self.scheduler.requests))):
            self.scheduler.finish_requests(request_id, RequestStatus.FINISHED_ABORTED)
