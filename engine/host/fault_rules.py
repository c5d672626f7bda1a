"""What vLLM says when a load fails, and what to make of it: one rule per message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.host import fault_findings as found
from engine.host import fault_memory as memory
from engine.host.fault_findings import Finding, Situation

if TYPE_CHECKING:
    from collections.abc import Callable

Rule = tuple[re.Pattern[str], "Callable[[re.Match[str], Situation], Finding]"]


def _rule(pattern: str, build: Callable[[re.Match[str], Situation], Finding]) -> Rule:
    return re.compile(pattern, re.DOTALL), build


def _plain(kind: str, message: str, remedy: str) -> Callable[[re.Match[str], Situation], Finding]:
    """A rule without numbers; {name} in the texts are the pattern's groups."""

    def build(match: re.Match[str], _situation: Situation) -> Finding:
        groups = {key: value or "" for key, value in match.groupdict().items()}
        return Finding(kind, message.format(**groups), remedy.format(**groups))

    return build


RULES: tuple[Rule, ...] = (
    _rule(
        r"max(?:imum)? seq(?:uence)? len(?:gth)? \((?P<len>\d+)\)[^(]*\((?P<needed>[\d.]+) GiB KV\s+cache is needed"
        r".*?available KV cache\s+memory \((?P<available>[\d.]+) GiB\)"
        r"(?:.*?estimated maximum model length is (?P<fits>\d+))?",
        memory.context_over_cache,
    ),
    _rule(
        r"(?:Available KV cache memory: (?P<there>-?[\d.]+) GiB.*?)?No available memory for the cache blocks",
        memory.no_cache_memory,
    ),
    _rule(
        r"\((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\) on startup is less than desired \w+ memory utilization "
        r"\([\d.]+, (?P<wanted>[\d.]+) GiB\)",
        memory.utilization_over_free,
    ),
    _rule(
        r"\((?P<free>[\d.]+)/[\d.]+ GiB\) on kv cache allocation is less than requested memory for kv "
        r"\((?P<wanted>[\d.]+)",
        memory.cpu_cache_over_free,
    ),
    _rule(
        r"out of memory occurred when warming up (?P<what>sampler|pooler) .{0,40}?(?P<requests>\d+) dummy requests",
        memory.warm_up_out_of_memory,
    ),
    _rule(
        r"CUDA out of memory\.(?: Tried to allocate (?P<tried>[\d.]+ \wiB))?"
        r"(?:.{0,80}?capacity of (?P<total>[\d.]+ \wiB) of which (?P<free>[\d.]+ \wiB) is free)?"
        r"|CUDA error: out of memory",
        memory.cuda_out_of_memory,
    ),
    _rule(
        r"DefaultCPUAllocator: (?:can't|not enough memory).{0,80}?allocate (?P<bytes>\d+) bytes"
        r"|\[Errno 12\] Cannot allocate memory|std::bad_alloc",
        memory.out_of_main_memory,
    ),
    _rule(
        r"Quantization method specified in the model config \((?P<own>[\w-]+)\) does not match the quantization method "
        r"specified in the `quantization` argument \((?P<asked>[\w-]+)\)",
        found.quantization_mismatch,
    ),
    _rule(
        r"User-specified max_model_len \((?P<wanted>\d+)\) is greater than the derived max_model_len "
        r"\([\w.]+=(?P<limit>[\d.]+)",
        found.context_over_model,
    ),
    _rule(
        r"torch\.(?P<dtype>\w+) is not supported for quantization method (?P<method>[\w-]+)\. "
        r"Supported dtypes: (?P<supported>\[[^\]]*\])",
        found.dtype_not_for_method,
    ),
    _rule(
        r"attention heads \((?P<heads>\d+)\) must be divisible by tensor parallel size \((?P<parts>\d+)\)",
        found.heads_not_divisible,
    ),
    _rule(
        r"max_num_batched_tokens \((?P<tokens>\d+)\) is smaller than max_model_len \((?P<len>\d+)\)",
        found.tokens_under_length,
    ),
    _rule(
        r"max_num_batched_tokens \((?P<tokens>\d+)\) must be greater than or equal to max_num_seqs \((?P<seqs>\d+)\)",
        found.tokens_under_seqs,
    ),
    _rule(
        r"No working C\+\+ compiler found|Failed to find C compiler|fatal error: Python\.h: No such file",
        found.compiler_missing,
    ),
    _rule(
        r"Model architectures? \[?'?(?P<arch>[\w, ']+?)'?\]? (?:are|is) not supported",
        _plain(
            "checkpoint_unsupported",
            "This release of vLLM does not know the architecture {arch}.",
            "Choose another checkpoint, or install a release of vLLM that knows it.",
        ),
    ),
    _rule(
        r"model type `(?P<type>[\w.-]+)` but Transformers does not recognize this architecture",
        _plain(
            "checkpoint_unsupported",
            "The model type {type} is not known to the installed libraries.",
            "Choose another checkpoint, or update the engine.",
        ),
    ),
    _rule(
        r"[Qq]uantization (?:method|scheme) ?(?P<method>[\w-]*) ?is not supported for the current GPU\."
        r" \w+ capability: (?P<needs>\d+)\.\s+Current capability: (?P<has>\d+)",
        _plain(
            "checkpoint_unsupported",
            "The quantization {method} needs a GPU of compute capability {needs}; this one has {has}.",
            "Choose AWQ, GPTQ or an unquantized checkpoint.",
        ),
    ),
    _rule(
        r"Unknown quantization method: (?P<method>[\w-]+)|quantization method (?P<m2>[\w-]+) is not supported\b",
        _plain(
            "checkpoint_unsupported",
            "vLLM has no quantization method {method}{m2}.",
            "Choose a checkpoint quantized with AWQ, GPTQ, FP8 or INT8.",
        ),
    ),
    _rule(
        r"(?P<method>[\w-]+) quantization is currently not supported in (?P<device>\w+)",
        _plain(
            "checkpoint_unsupported",
            "{method} does not run on this device ({device}).",
            "Choose a checkpoint with another quantization.",
        ),
    ),
    _rule(
        r"SafetensorError: (?P<why>[^\n]+)|HeaderTooLarge|InvalidHeaderDeserialization|MetadataIncompleteBuffer",
        _plain(
            "checkpoint_invalid",
            "A weight file is damaged or cut short. {why}",
            "Download the checkpoint again.",
        ),
    ),
    _rule(
        r"`trust_remote_code=True`|contains custom code which must be executed",
        _plain(
            "checkpoint_unsupported",
            "This checkpoint brings Python code of its own, which may only run with your consent.",
            "Allow remote code for this checkpoint if you trust where it comes from.",
        ),
    ),
    _rule(
        r"'_C' object has no attribute '(?P<kernel>\w+)'",
        _plain(
            "checkpoint_unsupported",
            "This build of vLLM has no kernel for the checkpoint on this processor ({kernel} is missing).",
            "Choose an unquantized or an INT8 checkpoint.",
        ),
    ),
    _rule(
        r"no kernel image is available for execution",
        _plain(
            "engine_failed",
            "The installed CUDA build of vLLM was not made for this GPU.",
            "Install a build of vLLM for this GPU's generation.",
        ),
    ),
    _rule(
        r"World size \((?P<world>\d+)\) is larger than the number of available GPUs \((?P<gpus>\d+)\)",
        _plain(
            "parameter_invalid",
            "{world} GPUs were asked for, and {gpus} are here.",
            "Lower tensor_parallel_size, pipeline_parallel_size or data_parallel_size.",
        ),
    ),
    _rule(
        r"CUDA driver version is insufficient|No CUDA GPUs are available|Found no NVIDIA driver",
        _plain(
            "engine_failed",
            "The NVIDIA driver does not answer, or is older than this build of vLLM needs.",
            "Update or restart the NVIDIA driver.",
        ),
    ),
    _rule(
        r"Insufficient space in /dev/shm for shared-memory allocation: (?P<needed>[\d.]+) MiB required, "
        r"(?P<free>[\d.]+) MiB free",
        _plain(
            "engine_failed",
            "vLLM needs {needed} MiB of /dev/shm for what its processes share; {free} MiB are free there.",
            "Give /dev/shm more room (a container: --shm-size=2g), or free some.",
        ),
    ),
    _rule(
        r"No space left on device",
        _plain("disk_full", "A disk is full.", "Free some space in the cache folder, /tmp and /dev/shm."),
    ),
    _rule(
        r"does not appear to have a file named (?P<file>[\w.-]+)|Can't load tokenizer|Couldn't instantiate the backend",
        _plain(
            "checkpoint_invalid",
            "The checkpoint's tokenizer or another file is missing or damaged. {file}",
            "Download the checkpoint again.",
        ),
    ),
)
