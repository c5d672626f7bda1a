"""The root cause out of vLLM's own words (messages as its releases 0.26 to 0.33 write them)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.errors import ContextTooLong
from engine.domain.lifecycle import EngineProcess, LogRecord
from engine.host.engine_run import FirstTokenFailed
from engine.host.fault_findings import Situation
from engine.host.faults import failure_of_death, failure_of_load
from engine.host.journal import Journal
from engine.host.processes import Death

LOGS = Path(__file__).parent / "logs"
GENERIC = RuntimeError("Engine core initialization failed. See root cause above. Failed core proc(s): {}")


def records_of(text: str) -> tuple[LogRecord, ...]:
    """A log as the host keeps it."""
    journal = Journal()
    for line in text.splitlines():
        journal.write(line)
    return journal.after(0)


def in_core(message: str) -> tuple[LogRecord, ...]:
    """The log of an EngineCore that `message` ended."""
    prefix = "(EngineCore pid=7) ERROR 11-29 18:35:12 [core.py:1510] "
    lines = [
        "EngineCore failed to start.",
        "Traceback (most recent call last):",
        '  File "/x.py", line 1, in y',
        message,
    ]
    return records_of("\n".join(prefix + line for line in lines))


KV_026 = (
    "ValueError: To serve at least one request with the models's max seq len (8192), (0.18 GiB "
    "KV cache is needed, which "
    "is larger than the available KV cache memory (0.12 GiB). Based on the available memory, "
    "the estimated maximum model "
    "length is 5760. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` "
    "when initializing the engine."
)


def test_sizes_that_vllm_rounds_to_nothing_are_left_out() -> None:
    message = KV_026.replace("0.18 GiB", "0.0 GiB").replace("0.12 GiB", "0.0 GiB")
    failure = failure_of_load(GENERIC, in_core(message), Situation({}, "cpu"))
    assert failure.message == "One request of 8192 tokens is more than the KV cache holds: 5760 tokens fit."
    assert not any("GiB" in number for number in failure.numbers)


@pytest.mark.parametrize("spelling", ["models's max seq len", "model's max seq len"])
def test_what_fits_the_kv_cache_is_said_and_offered(spelling: str) -> None:
    message = KV_026.replace("models's max seq len", spelling)
    failure = failure_of_load(GENERIC, in_core(message), Situation({}, "cpu"))
    assert failure.kind == "context_too_long"
    assert "8192 tokens" in failure.message
    assert "5760 tokens fit" in failure.message
    assert "fits: 5760 tokens" in failure.numbers
    parameters = [action.parameters for action in failure.actions]
    assert parameters == [{"max_model_len": 5760}, {"cpu_kvcache_space_gib": 0.25}]
    assert failure.log_tail


def test_on_a_gpu_the_share_of_memory_is_offered() -> None:
    failure = failure_of_load(GENERIC, in_core(KV_026), Situation({"gpu_memory_utilization": 0.8}, "cuda"))
    assert failure.actions[1].parameters == {"gpu_memory_utilization": 0.84}
    none = failure_of_load(GENERIC, in_core(KV_026), Situation({"gpu_memory_utilization": 0.98}, "cuda"))
    assert [action.parameters for action in none.actions] == [{"max_model_len": 5760}]


@pytest.mark.parametrize(
    ("message", "device", "kind", "says", "parameters"),
    [
        (
            (
                "ValueError: Free memory on device cuda:0 (3.11/23.64 GiB) on startup is less than desired GPU memory "
                "utilization (0.92, 21.75 GiB). Decrease GPU memory utilization or reduce GPU memory used by others."
            ),
            "cuda",
            "out_of_memory",
            "3.11 of 23.64 GiB are free",
            [{"gpu_memory_utilization": 0.12}],
        ),
        (
            (
                "ValueError: Available memory on node 0 (1.5/9.21 GiB) on kv cache allocation is less than "
                "requested memory "
                "for kv (4.0 GiB). Decrease --kv-cache-memory-bytes, VLLM_CPU_KVCACHE_SPACE, or reduce CPU memory used."
            ),
            "cpu",
            "out_of_memory",
            "1.5 GiB are free",
            [{"cpu_kvcache_space_gib": 1.0}],
        ),
        (
            (
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total "
                "capacity of 23.64 "
                "GiB of which 1.2 GiB is free."
            ),
            "cuda",
            "out_of_memory",
            "1.96 GiB",
            [{"gpu_memory_utilization": 0.87}, {"enforce_eager": True}],
        ),
        (
            "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`",
            "cuda",
            "out_of_memory",
            "no memory for the KV cache",
            [{"gpu_memory_utilization": 0.96}, {"max_num_batched_tokens": 2048}, {"enforce_eager": True}],
        ),
        (
            (
                "safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, "
                "file not fully covered"
            ),
            "cuda",
            "checkpoint_invalid",
            "cut short",
            [],
        ),
        (
            "AttributeError: '_OpNamespace' '_C' object has no attribute 'cpu_gemm_wna16'",
            "cpu",
            "checkpoint_unsupported",
            "cpu_gemm_wna16",
            [],
        ),
        (
            "torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++ compiler found in config.cpp.cxx",
            "cpu",
            "engine_failed",
            "compiler",
            [{"enforce_eager": True}],
        ),
        ("OSError: [Errno 28] No space left on device", "cpu", "disk_full", "disk is full", []),
        (
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
            "cuda",
            "engine_failed",
            "was not made for this GPU",
            [],
        ),
    ],
)
def test_causes_in_the_log_of_a_child(
    message: str, device: str, kind: str, says: str, parameters: list[dict[str, object]]
) -> None:
    failure = failure_of_load(GENERIC, in_core(message), Situation({}, device))
    assert failure.kind == kind
    assert says in failure.message
    assert failure.remedy
    assert [action.parameters for action in failure.actions] == parameters


@pytest.mark.parametrize(
    ("message", "kind", "says", "parameters"),
    [
        (
            (
                "RuntimeError: Insufficient space in /dev/shm for shared-memory allocation: 160 MiB required, 1 MiB "
                "free. Increase /dev/shm (e.g. --shm-size or --ipc=host)."
            ),
            "engine_failed",
            "needs 160 MiB of /dev/shm for what its processes share; 1 MiB are free",
            [],
        ),
        (
            (
                "User-specified max_model_len (100000) is greater than the derived max_model_len "
                "(max_position_embeddings=8192 or model_max_length=None in model's config.json)."
            ),
            "context_too_long",
            "made for 8192",
            [{"max_model_len": 8192}],
        ),
        (
            (
                "Model architectures ['NobodysForCausalLM'] are not supported for now. Supported "
                "architectures: dict_keys([])"
            ),
            "checkpoint_unsupported",
            "NobodysForCausalLM",
            [],
        ),
        (
            (
                "The checkpoint you are trying to load has model type `mystery` but Transformers does not "
                "recognize this "
                "architecture."
            ),
            "checkpoint_unsupported",
            "mystery",
            [],
        ),
        ("Unknown quantization method: hqq9. Must be one of ['awq']", "checkpoint_unsupported", "hqq9", []),
        ("bitsandbytes quantization is currently not supported in cpu.", "checkpoint_unsupported", "bitsandbytes", []),
        (
            (
                "The quantization method fp8 is not supported for the current GPU. Minimum capability: 75. Current "
                "capability: 70."
            ),
            "checkpoint_unsupported",
            "70",
            [],
        ),
        (
            (
                "torch.float32 is not supported for quantization method awq. Supported dtypes: "
                "[torch.float16, torch.bfloat16]"
            ),
            "checkpoint_unsupported",
            "float32",
            [{"dtype": "float16"}, {"dtype": "bfloat16"}],
        ),
        (
            "Total number of attention heads (9) must be divisible by tensor parallel size (4).",
            "parameter_invalid",
            "9 attention heads",
            [{"tensor_parallel_size": 3}],
        ),
        (
            "max_num_batched_tokens (512) is smaller than max_model_len (8192). This effectively limits",
            "parameter_invalid",
            "512",
            [{"enable_chunked_prefill": True}, {"max_num_batched_tokens": 8192}],
        ),
    ],
)
def test_causes_in_vllms_configuration(message: str, kind: str, says: str, parameters: list[dict[str, object]]) -> None:
    error = ValueError(
        f"1 validation error for ModelConfig\n  Value error, {message} [type=value_error, input_value=1]"
    )
    failure = failure_of_load(error, (), Situation({}, "cuda"))
    assert (failure.kind, [action.parameters for action in failure.actions]) == (kind, parameters)
    assert says in failure.message


def test_an_unknown_cause_is_the_childs_own_exception_not_the_wrapper() -> None:
    failure = failure_of_load(GENERIC, records_of((LOGS / "wrapped-worker-failure.log").read_text()), Situation())
    assert failure.kind == "engine_failed"
    assert failure.message == "LoadError: the weight layers.0.mystery has no place in LlamaForCausalLM"


def test_an_unknown_cause_in_the_host_is_its_own_exception() -> None:
    failure = failure_of_load(TypeError("unexpected argument"), (), Situation())
    assert failure.message == "TypeError: unexpected argument"


def test_a_child_that_died_without_a_word_is_admitted() -> None:
    failure = failure_of_load(GENERIC, (), Situation())
    assert "without saying why" in failure.message


def test_our_own_errors_pass_unchanged() -> None:
    failure = failure_of_load(ContextTooLong("Too long.", remedy="Lower it."), (), Situation())
    assert (failure.kind, failure.message, failure.remedy) == ("context_too_long", "Too long.", "Lower it.")


@pytest.mark.parametrize(("oom", "kind"), [(False, "engine_crashed"), (True, "out_of_memory")])
def test_a_killed_child_is_named(oom: bool, kind: str) -> None:
    error = RuntimeError("Engine core initialization failed. Failed core proc(s): {'EngineCore': -9}")
    failure = failure_of_load(error, (), Situation(), oom_killed=oom)
    assert failure.kind == kind
    assert failure.message.startswith("EngineCore was ended by SIGKILL while the model was loading")


def test_an_engine_that_starts_and_cannot_generate_is_asked_for_the_cause() -> None:
    """vLLM reports ready where a kernel is missing, and dies at the first request."""
    said = FirstTokenFailed("EngineCore encountered an issue. See stack trace (above) for the root cause.")
    message = "AttributeError: '_OpNamespace' '_C' object has no attribute 'cpu_gemm_wna16'"
    failure = failure_of_load(said, in_core(message), Situation({}, "cpu"))
    assert failure.kind == "checkpoint_unsupported"
    assert "cpu_gemm_wna16" in failure.message


def test_an_answer_that_is_the_cause_itself_is_kept() -> None:
    failure = failure_of_load(FirstTokenFailed("max_tokens must be at least 2"), (), Situation())
    assert failure.message == "FirstTokenFailed: max_tokens must be at least 2"


def test_allowed_remote_code_is_no_cause() -> None:
    text = "(EngineCore pid=7) INFO 11-29 18:35:12 [core.py:1] Initializing a V1 LLM engine trust_remote_code=True, x"
    failure = failure_of_load(ValueError("mystery"), records_of(text), Situation())
    assert failure.message == "ValueError: mystery"


def test_a_warning_is_no_cause() -> None:
    text = "(EngineCore pid=7) WARNING 11-29 18:35:12 [core.py:1] CUDA out of memory. Tried to allocate 1 GiB. Retrying"
    failure = failure_of_load(ValueError("mystery"), records_of(text), Situation())
    assert failure.kind == "engine_failed"


def test_full_shared_memory_is_recognized_by_its_signal() -> None:
    death = Death(EngineProcess(7, "Worker", 1), signal_name="SIGBUS")
    failure = failure_of_death(death, (), Situation({}, "cuda"), oom_killed=False)
    assert failure.kind == "out_of_memory"
    assert "/dev/shm" in failure.remedy


def test_a_death_with_a_traceback_says_why() -> None:
    death = Death(EngineProcess(7, "EngineCore", 1), exit_code=1)
    text = (
        "(EngineCore pid=7) ERROR 11-29 18:35:12 [core.py:1512] EngineCore encountered a fatal error.\n"
        "(EngineCore pid=7) ERROR 11-29 18:35:12 [core.py:1512] Traceback (most recent call last):\n"
        "(EngineCore pid=7) ERROR 11-29 18:35:12 [core.py:1512] torch.AcceleratorError: CUDA "
        "error: an illegal memory "
        "access was encountered"
    )
    failure = failure_of_death(death, records_of(text), Situation({}, "cuda"), oom_killed=False)
    assert failure.kind == "engine_crashed"
    assert failure.message.startswith("EngineCore (pid 7) exited with code 1: AcceleratorError: CUDA error: an illegal")
    assert failure.remedy


def test_a_long_cause_is_shortened() -> None:
    failure = failure_of_load(ValueError("x" * 5000), (), Situation())
    assert len(failure.message) <= 400
