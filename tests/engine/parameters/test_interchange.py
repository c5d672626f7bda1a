"""The forms that users keep parameters in, both ways."""

from __future__ import annotations

import contextlib
import shlex

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import KVDeckError, ParameterInvalid
from engine.parameters.interchange import Form, export, import_text

_VALUES = {"max_num_seqs": 64, "enable_chunked_prefill": False, "max_model_len": 8192, "gpu_memory_utilization": 0.8}


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("checkpoint", ["org/model", "/data/My Models/Llama-3.1-8B"])
def test_what_is_exported_comes_back(form: Form, checkpoint: str) -> None:
    text = export(form, checkpoint, _VALUES, "cuda", served_model_name="gpt", vllm_version="0.26.0")
    command = import_text(text)
    assert command.values == _VALUES
    assert command.checkpoint == checkpoint
    assert command.served_model_name == "gpt"
    assert command.left_out == ()


def test_the_configuration_file_is_one_that_vllm_reads() -> None:
    spec = '{"method": "ngram", "num_speculative_tokens": 4}'
    text = export(Form.YAML, "org/model", _VALUES | {"speculative_config": spec}, "cuda")
    content = yaml.safe_load(text)
    assert content["model"] == "org/model"
    assert content["max-num-seqs"] == 64
    assert content["enable-chunked-prefill"] is False
    assert import_text(text).values["speculative_config"] == spec


def test_the_docker_command_is_safe_and_complete() -> None:
    words = shlex.split(export(Form.DOCKER, "/data/Llama", _VALUES, "cuda", vllm_version="0.26.0+cu130"))
    assert "127.0.0.1:8000:8000" in words
    assert "/data/Llama:/models/Llama:ro" in words
    assert "vllm/vllm-openai:v0.26.0" in words
    assert "all" not in shlex.split(export(Form.DOCKER, "org/m", {}, "cpu"))


def test_a_docker_command_as_users_paste_it() -> None:
    command = import_text(
        """sudo docker run --runtime nvidia --gpus all -it --rm \\
             -v ~/.cache/huggingface:/root/.cache/huggingface -v /data/models:/m \\
             --env "HF_TOKEN=hf_secret" -e VLLM_CPU_KVCACHE_SPACE=8 -e VLLM_USE_V1=1 -p 8000:8000 --ipc=host \\
             vllm/vllm-openai:latest --model /m/Llama --max-model-len 16k --port 8000"""
    )
    assert command.checkpoint == "/data/models/Llama"
    assert command.values == {"max_model_len": 16_000, "cpu_kvcache_space_gib": 8.0}
    assert any("VLLM_USE_V1" in line for line in command.left_out)
    assert any("--port" in line for line in command.left_out)
    assert "hf_secret" not in str(command)
    serve = import_text("docker run --gpus=all some/vllm-cpu-env:1 vllm serve a/b --max-num-seqs 8")
    assert (serve.checkpoint, serve.values) == ("a/b", {"max_num_seqs": 8})


def test_a_configuration_file_as_users_write_it() -> None:
    command = import_text("# mine\nmodel: a/b\nmax_num_seqs: 8\nenforce-eager: true\nmax-model-len: null\nport: 9000\n")
    assert command.checkpoint == "a/b"
    assert command.values == {"max_num_seqs": 8, "enforce_eager": True, "max_model_len": None}
    assert any("--port" in line for line in command.left_out)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a vLLM command"),
        ("hello there", "neither"),
        ("- a\n- b", "neither"),
        ("a: [", "line"),
        ("a: &x [1, 1]\nb: *x", "line 2"),
        ("docker run ubuntu ls", "does not run an image of vLLM"),
        ("docker ps", "does not run an image of vLLM"),
        ('docker run "vllm', "cannot be read"),
        ("model: a\nmax-num-seqs: many", "is a number"),
    ],
)
def test_what_cannot_be_taken_over_says_why(text: str, words: str) -> None:
    with pytest.raises(ParameterInvalid, match=words) as refused:
        import_text(text)
    assert refused.value.remedy


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200) | st.text("docker run vllm:-= \n-e", max_size=80).map(lambda each: f"docker {each}"))
def test_any_text_is_read_or_refused_in_good_order(text: str) -> None:
    with contextlib.suppress(KVDeckError):  # any other exception fails
        import_text(text)
