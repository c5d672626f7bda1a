"""Rows of the parameter table on what one step holds, and on the memory behind it."""

from __future__ import annotations

from engine.parameters.spec import Applies, Kind, ParameterSpec

_LIVE = Applies.LIVE
_RESTART = Applies.RESTART

BATCHING = (
    ParameterSpec(
        name="max_num_seqs",
        kind=Kind.INT,
        group="Batching",
        applies=_LIVE,
        default=None,
        unit="requests",
        minimum=1,
        maximum=8192,
        step=1,
        optional=True,
        help="How many requests run at once. More raise throughput and make each token of each request slower; the "
        "value at load is the capacity, and costs buffers and CUDA graphs for that many.",
    ),
    ParameterSpec(
        name="max_num_batched_tokens",
        kind=Kind.INT,
        group="Batching",
        applies=_LIVE,
        default=None,
        unit="tokens",
        minimum=1,
        maximum=1_048_576,
        step=256,
        optional=True,
        help="How many tokens one step may compute. More shorten the wait for the first token of long prompts and "
        "make running requests stutter while prompts are read; the value at load is reserved as activation memory.",
    ),
    ParameterSpec(
        name="long_prefill_token_threshold",
        kind=Kind.INT,
        group="Batching",
        applies=_LIVE,
        default=0,
        unit="tokens",
        minimum=0,
        maximum=1_048_576,
        step=256,
        help="The most tokens of one prompt that a step takes while other requests wait; 0 sets no such limit. A small "
        "value lets short prompts pass a long one, which then takes longer itself. It is what took the place of "
        "max_num_partial_prefills.",
    ),
    ParameterSpec(
        name="long_prefill_token_threshold_adaptive",
        kind=Kind.BOOL,
        group="Batching",
        applies=_LIVE,
        default=False,
        help="Never cut a long prompt's piece below its fair share of a step: max_num_batched_tokens divided by the "
        "number of requests. Few requests then read long prompts faster; without a threshold it has no effect.",
    ),
    ParameterSpec(
        name="scheduling_policy",
        kind=Kind.CHOICE,
        group="Batching",
        applies=_LIVE,
        default="fcfs",
        choices=("fcfs", "priority"),
        help="Who runs first: in order of arrival (fcfs), or by each request's priority. With priorities a request of "
        "low rank can wait without end, and be preempted and recomputed.",
    ),
    ParameterSpec(
        name="watermark",
        kind=Kind.FLOAT,
        group="Batching",
        applies=_LIVE,
        default=0.0,
        minimum=0,
        maximum=0.99,
        step=0.01,
        help="The share of the KV cache that is kept free for requests that already run before another is admitted. "
        "Saves preemptions, and their recomputation, when memory is short; costs the room that stays empty.",
    ),
    ParameterSpec(
        name="scheduler_reserve_full_isl",
        kind=Kind.BOOL,
        group="Batching",
        applies=_LIVE,
        default=True,
        help="Admit a request only once its whole prompt fits the free KV cache, not just its first piece. Off, it "
        "starts earlier, and long prompts may push each other out when memory is short.",
    ),
    ParameterSpec(
        name="enable_chunked_prefill",
        kind=Kind.BOOL,
        group="Batching",
        applies=_RESTART,
        default=None,
        optional=True,
        help="Read long prompts in pieces beside the running requests. Off, a step must hold a whole prompt, so "
        "max_num_batched_tokens (and its memory) must reach max_model_len.",
    ),
    ParameterSpec(
        name="stream_interval",
        kind=Kind.INT,
        group="Batching",
        applies=_RESTART,
        default=1,
        unit="tokens",
        minimum=1,
        maximum=1024,
        help="How many tokens are collected before they are sent to a client. Larger values spare the processor at "
        "many streams and make the text arrive in bursts.",
    ),
)

MEMORY = (
    ParameterSpec(
        name="gpu_memory_utilization",
        kind=Kind.FLOAT,
        group="Memory",
        applies=_RESTART,
        default=0.92,
        minimum=0.01,
        maximum=1.0,
        step=0.01,
        help="The share of a GPU's memory that this engine may fill: what weights and activations leave of it becomes "
        "KV cache, whether needed or not. Too high, and graph capture or another program runs out of memory.",
    ),
    ParameterSpec(
        name="cpu_kvcache_space_gib",
        kind=Kind.FLOAT,
        group="Memory",
        applies=_RESTART,
        default=2.0,
        unit="GiB",
        minimum=0.125,
        maximum=4096,
        step=0.5,
        device="cpu",
        help="Main memory reserved for the KV cache of an engine on the CPU. It is taken at load, whether requests "
        "need it or not; kv_cache_memory_bytes goes over it.",
    ),
    ParameterSpec(
        name="kv_cache_memory_bytes",
        kind=Kind.INT,
        group="Memory",
        applies=_RESTART,
        default=None,
        unit="bytes",
        minimum=1 << 20,
        maximum=1 << 44,
        optional=True,
        help="The exact size of the KV cache on each GPU, in place of what gpu_memory_utilization would leave. vLLM "
        "then no longer checks that the rest fits.",
    ),
    ParameterSpec(
        name="max_model_len",
        kind=Kind.INT,
        group="Memory",
        applies=_RESTART,
        default=None,
        unit="tokens",
        minimum=1,
        maximum=16_777_216,
        step=1024,
        optional=True,
        help="The longest request, prompt and answer together; empty takes the model's own context. The KV cache must "
        "hold at least one request of this length, or the load fails.",
    ),
    ParameterSpec(
        name="cpu_offload_gb",
        kind=Kind.FLOAT,
        group="Memory",
        applies=_RESTART,
        default=0.0,
        unit="GiB",
        minimum=0,
        maximum=4096,
        step=1,
        device="cuda",
        help="Weights kept in main memory for each GPU and fetched over the bus in every step. Makes a model fit that "
        "does not, and slows each token by the time that the transfer takes.",
    ),
    ParameterSpec(
        name="enable_sleep_mode",
        kind=Kind.BOOL,
        group="Memory",
        applies=_RESTART,
        default=False,
        device="cuda",
        help="Allow the engine to be put to sleep, its weights in main memory and its VRAM free, and woken in a "
        "fraction of a load. Costs main memory of the weights' size while asleep.",
    ),
)

CACHE = (
    ParameterSpec(
        name="enable_prefix_caching",
        kind=Kind.BOOL,
        group="Cache",
        applies=_RESTART,
        default=None,
        optional=True,
        help="Reuse the KV cache of a prompt's beginning that was computed before. Costs a hash per block and nothing "
        "else; answers do not change.",
    ),
    ParameterSpec(
        name="block_size",
        kind=Kind.INT,
        group="Cache",
        applies=_RESTART,
        default=None,
        unit="tokens",
        minimum=16,
        maximum=256,
        step=16,
        optional=True,
        help="Tokens in one block of the KV cache. Small blocks waste fewer slots and share shorter prefixes; large "
        "ones cost less bookkeeping. On the CPU it must be a multiple of 32.",
    ),
    ParameterSpec(
        name="kv_cache_dtype",
        kind=Kind.CHOICE,
        group="Cache",
        applies=_RESTART,
        default="auto",
        choices=("auto", "float16", "bfloat16", "fp8", "fp8_e4m3", "fp8_e5m2"),
        help="How a cached key or value is stored; auto follows the model. FP8 holds twice the tokens in the same "
        "memory at a small loss of precision, and needs kernels that not every device has.",
    ),
    ParameterSpec(
        name="kv_offloading_size",
        kind=Kind.FLOAT,
        group="Cache",
        applies=_RESTART,
        default=None,
        unit="GiB",
        minimum=0.125,
        maximum=16_384,
        step=1,
        optional=True,
        device="cuda",
        help="Main memory for blocks that leave the GPU's KV cache, to be fetched instead of recomputed (what "
        "swap_space was for in old guides). Costs that much pinned memory, and bus traffic.",
    ),
    ParameterSpec(
        name="kv_offloading_backend",
        kind=Kind.CHOICE,
        group="Cache",
        applies=_RESTART,
        default="native",
        choices=("native", "lmcache"),
        device="cuda",
        help="What moves blocks to main memory once kv_offloading_size is set: vLLM itself, or LMCache, which has to "
        "be installed apart.",
    ),
    ParameterSpec(
        name="num_gpu_blocks_override",
        kind=Kind.INT,
        group="Cache",
        applies=_RESTART,
        default=None,
        unit="blocks",
        minimum=2,
        maximum=16_777_216,
        optional=True,
        help="A fixed number of KV-cache blocks, whatever the memory would hold. For experiments with preemption; "
        "more than fit end in an out-of-memory error.",
    ),
)
