"""Rows of the parameter table on how the model is run, and on how many devices."""

from __future__ import annotations

from engine.parameters.spec import Applies, Kind, ParameterSpec

_RESTART = Applies.RESTART

EXECUTION = (
    ParameterSpec(
        name="dtype",
        kind=Kind.CHOICE,
        group="Execution",
        applies=_RESTART,
        default="auto",
        choices=("auto", "bfloat16", "float16", "float32"),
        help="The number format of weights and activations; auto follows the checkpoint. float32 doubles the memory, "
        "and is the fastest on a CPU without bfloat16 arithmetic.",
    ),
    ParameterSpec(
        name="quantization",
        kind=Kind.CHOICE,
        group="Execution",
        applies=_RESTART,
        default=None,
        choices=(
            "awq",
            "awq_marlin",
            "gptq",
            "gptq_marlin",
            "fp8",
            "compressed-tensors",
            "modelopt",
            "modelopt_fp4",
            "mxfp4",
            "experts_int8",
            "torchao",
        ),
        optional=True,
        help="How the weights are quantized; empty reads it from the checkpoint, and lets vLLM choose the fastest "
        "kernel. Naming one here can only get in the way, but for fp8 on full-precision weights.",
    ),
    ParameterSpec(
        name="load_format",
        kind=Kind.CHOICE,
        group="Execution",
        applies=_RESTART,
        default="auto",
        choices=(
            "auto",
            "safetensors",
            "pt",
            "npcache",
            "dummy",
            "fastsafetensors",
            "runai_streamer",
            "mistral",
            "sharded_state",
            "tensorizer",
        ),
        help="How weights come from disk. dummy invents random ones, for sizes and speed without a download; pt reads "
        "pickles, which can run code.",
    ),
    ParameterSpec(
        name="enforce_eager",
        kind=Kind.BOOL,
        group="Execution",
        applies=_RESTART,
        default=None,
        optional=True,
        help="Run without torch.compile and CUDA graphs: a load is faster by up to a minute, each token slower. Empty "
        "compiles on a GPU and does not on the CPU, where compiling takes minutes.",
    ),
    ParameterSpec(
        name="async_scheduling",
        kind=Kind.BOOL,
        group="Execution",
        applies=_RESTART,
        default=None,
        optional=True,
        device="cuda",
        help="Plan the next step while the GPU computes this one (in place of disable_async_output_proc in old "
        "guides). Faster; empty lets vLLM switch it off where a feature rules it out.",
    ),
    ParameterSpec(
        name="speculative_config",
        kind=Kind.TEXT,
        group="Execution",
        applies=_RESTART,
        default=None,
        optional=True,
        help='Speculative decoding as JSON, for example {"method": "ngram", "num_speculative_tokens": 4, '
        '"prompt_lookup_max": 4}. Faster where the answer repeats the prompt, slower where drafts are refused.',
    ),
    ParameterSpec(
        name="seed",
        kind=Kind.INT,
        group="Execution",
        applies=_RESTART,
        default=0,
        minimum=0,
        maximum=4_294_967_295,
        help="The seed of random sampling where a request brings none. Costs nothing; answers repeat only if the "
        "batches repeat too.",
    ),
    ParameterSpec(
        name="max_logprobs",
        kind=Kind.INT,
        group="Execution",
        applies=_RESTART,
        default=20,
        minimum=0,
        maximum=1_000_000,
        help="The most log-probabilities a request may ask for per token. Each asked for costs time and traffic; "
        "very many can run out of memory.",
    ),
)

LORA_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""The ranks that vLLM reserves room for; an adapter may have any rank up to the one that was chosen."""

ADAPTERS = (
    ParameterSpec(
        name="enable_lora",
        kind=Kind.BOOL,
        group="Adapters",
        applies=_RESTART,
        default=False,
        help="Let LoRA adapters be loaded and unloaded while the engine runs. Costs memory for max_loras adapters of "
        "max_lora_rank, and some speed in every step, also for requests without one.",
    ),
    ParameterSpec(
        name="max_loras",
        kind=Kind.INT,
        group="Adapters",
        applies=_RESTART,
        default=1,
        unit="adapters",
        minimum=1,
        maximum=1024,
        help="How many different adapters the requests of one step may use; requests with another one wait. Each "
        "costs memory of its size at max_lora_rank, whether used or not.",
    ),
    ParameterSpec(
        name="max_cpu_loras",
        kind=Kind.INT,
        group="Adapters",
        applies=_RESTART,
        default=None,
        unit="adapters",
        minimum=1,
        maximum=4096,
        optional=True,
        help="How many adapters are kept ready in main memory; empty keeps max_loras. A loaded one beyond it is read "
        "from disk again when a request asks for it.",
    ),
    ParameterSpec(
        name="max_lora_rank",
        kind=Kind.INT,
        group="Adapters",
        applies=_RESTART,
        default=16,
        minimum=1,
        maximum=512,
        help="The highest rank of an adapter that can be loaded: 1, 8, 16, 32, 64, 128, 256, 320 or 512. Every "
        "adapter takes up the room of this rank, and computes with it.",
    ),
)

PARALLEL = (
    ParameterSpec(
        name="gpu_uuids",
        kind=Kind.TEXT,
        group="Parallel",
        applies=_RESTART,
        default=None,
        optional=True,
        device="cuda",
        help="The GPUs that this engine may use, by UUID, in the order of its ranks; empty takes the first ones. "
        "Others stay untouched: only this engine's processes are told (CUDA_VISIBLE_DEVICES).",
    ),
    ParameterSpec(
        name="tensor_parallel_size",
        kind=Kind.INT,
        group="Parallel",
        applies=_RESTART,
        default=1,
        unit="devices",
        minimum=1,
        maximum=64,
        help="Split every layer over this many GPUs. Divides weights and KV cache among them and costs a transfer "
        "between them in every layer; must divide the model's attention heads.",
    ),
    ParameterSpec(
        name="pipeline_parallel_size",
        kind=Kind.INT,
        group="Parallel",
        applies=_RESTART,
        default=1,
        unit="devices",
        minimum=1,
        maximum=64,
        help="Give each of this many GPUs a part of the layers. Needs little traffic between them, and leaves them "
        "idle in turns unless many requests run.",
    ),
    ParameterSpec(
        name="data_parallel_size",
        kind=Kind.INT,
        group="Parallel",
        applies=_RESTART,
        default=1,
        unit="engines",
        minimum=1,
        maximum=64,
        help="Run this many copies of the engine and share requests among them. Each copy holds all weights and a KV "
        "cache of its own.",
    ),
    ParameterSpec(
        name="enable_expert_parallel",
        kind=Kind.BOOL,
        group="Parallel",
        applies=_RESTART,
        default=False,
        device="cuda",
        help="Give each GPU whole experts of a mixture-of-experts model instead of a slice of each. Less traffic, and "
        "uneven load where some experts are asked more often.",
    ),
    ParameterSpec(
        name="distributed_executor_backend",
        kind=Kind.CHOICE,
        group="Parallel",
        applies=_RESTART,
        default=None,
        choices=("mp", "ray", "uni"),
        optional=True,
        help="What starts and connects the workers: processes on this machine (mp), Ray for several machines, or none "
        "(uni). Empty lets vLLM choose; Ray has to be installed apart.",
    ),
)
