"""Commands as users paste them: out of scripts, with redirections, in compose files; whatever stands around them."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.domain.errors import ParameterInvalid
from engine.parameters.command_line import export_command, import_command
from engine.parameters.interchange import import_text
from engine.parameters.pasted import command_in

_WANTED = {"max_num_seqs": 8}


_SCRIPT = """#!/bin/bash
set -e
export HF_TOKEN=hf_secret
source .venv/bin/activate
exec vllm serve a/b --max-num-seqs=8
"""
_COMPOSE = """services:
  web: {image: nginx}
  vllm:
    image: vllm/vllm-openai:v0.26.0
    command: --model a/b --max-num-seqs 8
"""
_COMPOSE_OF_WORDS = """services:
  llm:
    image: docker.io/vllm/vllm-openai
    command: [--model, a/b, --max-num-seqs, 8]
    environment: {HF_TOKEN: hf_secret}
"""
_COMPOSE_WITH_FOLDERS = """services:
  llm:
    image: vllm/vllm-openai
    entrypoint: [vllm, serve]
    command: /models/x --max-num-seqs 8
    volumes: ['a:/models/x:ro', {type: bind, source: /y, target: /z}]
    environment: [HF_TOKEN=hf_secret]
"""


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve a/b --max-num-seqs 8; echo done",
        "vllm serve a/b --max-num-seqs 8 && curl localhost:8000",
        "nohup vllm serve a/b --max-num-seqs 8 > log.txt 2>&1 &",
        "vllm serve a/b --max-num-seqs 8 &> log.txt",
        "vllm serve a/b --max-num-seqs 8 2>/dev/null | tee log.txt",
        "# the small one\nvllm serve a/b \\\n  --max-num-seqs 8  # not more",
        "MODEL=a/b\nN=8\nvllm serve $MODEL --max-num-seqs ${N}",
        "uv run --with vllm vllm serve a/b --max-num-seqs 8",
        "sudo -E /opt/venv/bin/vllm serve a/b --max-num-seqs 8",
        "kubectl exec -it pod -- vllm serve a/b --max-num-seqs 8",
        "(cd /srv && python3 -m vllm.entrypoints.openai.api_server --model a/b --max-num-seqs 8)",
        "docker run --gpus all -p 8000:8000 vllm/vllm-openai --model a/b --max-num-seqs 8 > log 2>&1 &",
        _SCRIPT,
        _COMPOSE,
        _COMPOSE_OF_WORDS,
        _COMPOSE_WITH_FOLDERS,
    ],
)
def test_what_stands_around_a_command_is_left_out(text: str) -> None:
    found = import_text(text)
    assert found.values == _WANTED
    assert found.checkpoint in ("a/b", "a"), found.checkpoint
    assert "secret" not in repr(found)


def test_variables_of_a_script_reach_the_command_that_follows() -> None:
    text = "export VLLM_CPU_KVCACHE_SPACE=4\nCUDA_VISIBLE_DEVICES=GPU-1 vllm serve a/b"
    assert import_text(text).values == {"cpu_kvcache_space_gib": 4.0, "gpu_uuids": "GPU-1"}


@pytest.mark.parametrize(
    "text",
    [
        "echo vllm",
        "services:\n  web: {image: nginx}\n",
        "services: 3\n",
        'services:\n  x: {image: vllm/a, command: "\'"}\n',
    ],
)
def test_what_holds_no_command_is_refused_or_told(text: str) -> None:
    with contextlib.suppress(ParameterInvalid):
        found = import_text(text)
        assert found.left_out
        assert found.values == {}


def test_operators_inside_of_quotation_marks_end_nothing() -> None:
    config = '{"method": "ngram", "num_speculative_tokens": 4, "note": "a > b; c && d # e"}'
    assert import_text(f"vllm serve a --speculative-config '{config}' > log").values == {"speculative_config": config}


_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "max_num_seqs": st.integers(1, 512),
        "gpu_memory_utilization": st.integers(5, 95).map(lambda each: each / 100),
        "enforce_eager": st.just(True),
        "enable_prefix_caching": st.booleans(),
        "speculative_config": st.just('{"method": "ngram", "num_speculative_tokens": 3}'),
    },
)
_PATHS = st.text("ab/ '\"$&;#>|()\\é", min_size=1, max_size=12).map(lambda each: "/m" + each)
_AROUND = st.sampled_from(
    ["{}", "{} > log 2>&1 &", "# first\n{}\n", "nohup {} &", "set -e; {}; echo", "time {} | tee x"]
)


@settings(deadline=None, max_examples=150)
@given(_PATHS, _VALUES, _AROUND)
@example("/m #b", {"max_num_seqs": 2}, "{} > log")
def test_an_exported_command_is_found_in_any_surroundings(path: str, values: dict[str, object], around: str) -> None:
    command = export_command(path, values, "cuda")  # type: ignore[arg-type]
    found = command_in(around.format("{}").replace("{}", command))
    assert found is not None
    assert import_command(found) == import_command(command)


@settings(deadline=None, max_examples=200)
@given(st.text("vllm serve -\n'\"\\;&|<>()#$ab=:[]{}", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ParameterInvalid):
        import_text(text)
