"""Commands as users paste them."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import KVDeckError, ParameterInvalid
from engine.parameters.command_line import export_command, import_command


def test_a_pasted_command_with_everything():
    command = import_command(
        """$ VLLM_CPU_KVCACHE_SPACE=4 vllm serve org/model -tp 2 --max-model-len 16k \\
             --max_num_seqs=64 --no-enable-chunked-prefill --kv-cache-memory-bytes 2G --dtype half \\
             --speculative-config.method ngram --speculative-config.num_speculative_tokens 4 \\
             --served-model-name gpt --trust-remote-code --host 0.0.0.0 --swap-space 4  # a comment"""
    )
    assert command.checkpoint == "org/model"
    assert command.values == {
        "max_num_seqs": 64,
        "enable_chunked_prefill": False,
        "cpu_kvcache_space_gib": 4.0,
        "kv_cache_memory_bytes": 2 << 30,
        "max_model_len": 16_000,
        "dtype": "float16",
        "speculative_config": '{"method": "ngram", "num_speculative_tokens": 4}',
        "tensor_parallel_size": 2,
    }
    assert command.served_model_name == "gpt"
    assert command.trust_remote_code
    assert any("swap_space is gone" in line for line in command.left_out)
    assert any("--host" in line for line in command.left_out)


def test_the_older_program_and_flags_before_the_model():
    command = import_command("python3 -m vllm.entrypoints.openai.api_server --model a/b --enforce-eager")
    assert (command.checkpoint, command.values) == ("a/b", {"enforce_eager": True})
    assert import_command("vllm serve --disable-log-requests a/b").checkpoint == "a/b"
    assert import_command("vllm serve a --max-model-len auto").values == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a vLLM command"),
        ("ls -l", "not a vLLM command"),
        ('vllm serve "a', "cannot be read"),
        ("vllm serve a --max-num-seqs many", "is a number"),
        ("vllm serve a --max-num-seqs 0", "max_num_seqs cannot be 0"),
        ("vllm serve a --dtype int3", "dtype cannot be 'int3'"),
        ("vllm serve a --max-num-seqs", "is a number"),
    ],
)
def test_what_cannot_be_taken_over_says_why(text, words):
    with pytest.raises(ParameterInvalid, match=words):
        import_command(text)


def test_paths_and_values_are_quoted():
    text = export_command("/my models/it's", {"max_num_seqs": 4}, "cuda", trust_remote_code=True)
    assert import_command(text).checkpoint == "/my models/it's"
    assert import_command(text).trust_remote_code


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_in_our_own_words(text):
    for candidate in (text, "vllm serve " + text):
        with contextlib.suppress(KVDeckError):
            import_command(candidate)
