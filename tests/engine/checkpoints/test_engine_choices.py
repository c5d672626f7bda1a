"""Drafts held against a model, Ray looked for, GPUs told to CUDA."""

import json
import socket
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.checkpoints.drafts import draft_fit, fitting_drafts, head_method, methods_of
from engine.checkpoints.ray_ready import cluster_address, require_ray
from engine.domain.errors import EngineMissing, ParameterInvalid
from engine.parameters.command_line import export_command, import_command
from engine.parameters.gpu_choice import chosen_gpus, gpu_environment
from engine.parameters.interchange import Form, export
from engine.parameters.speculation import read_speculation

MODEL = {"architectures": ["LlamaForCausalLM"], "vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 8}


def write(folder, vocabulary=("a", "b", "c"), **config):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(MODEL | config))
    numbers = {token: number for number, token in enumerate(vocabulary)}
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": numbers}}))
    return str(folder)


def test_drafts_are_ordered_by_whether_they_fit(tmp_path):
    target = write(tmp_path / "target")
    small = write(tmp_path / "small", num_hidden_layers=1)
    other = write(tmp_path / "other", vocabulary=("a", "c", "b"))
    wide = write(tmp_path / "wide", vocab_size=200)
    fits = fitting_drafts(target, [other, wide, small])
    assert fits[0].path == small
    assert (fits[0].problem, fits[0].advice) == (None, "")
    problems = {fit.path: fit.problem for fit in fits}
    assert "2 of 3 tokens" in problems[other]
    assert "100 tokens in the model, 200 in the draft" in problems[wide]
    assert "not much smaller" in draft_fit(target, write(tmp_path / "same")).advice
    assert "no config.json" in draft_fit(target, tmp_path).problem


def test_heads_and_own_layers_are_told_by_the_configuration(tmp_path):
    target = write(tmp_path / "target")
    head = write(tmp_path / "head", architectures=["LlamaForCausalLMEagle3"], vocab_size=7)
    assert (draft_fit(target, head).method, draft_fit(target, head).problem) == ("eagle3", None)
    write(tmp_path / "small", num_hidden_layers=1)
    wide = write(tmp_path / "wide", architectures=["EagleLlamaForCausalLM"], hidden_size=128)
    assert (draft_fit(target, wide).method, "width 128" in draft_fit(target, wide).problem) == ("eagle", True)
    first = write(tmp_path / "first" / "models--org--EAGLE-LLaMA3-8B" / "snapshots" / "1a2b", num_hidden_layers=1)
    assert (draft_fit(target, first).method, draft_fit(target, first).problem) == ("eagle", None)
    save_file({"fc.weight": np.zeros((64, 128), np.float16)}, tmp_path / "small" / "model.safetensors")
    assert draft_fit(target, tmp_path / "small").method == "eagle"
    assert head_method("Eagle2_5_VLForConditionalGeneration", "eagle_2_5_vl") is None
    assert methods_of(target) == ()
    assert methods_of(write(tmp_path / "mtp", num_nextn_predict_layers=1)) == ("mtp",)


def test_what_an_editor_reads_it_writes_back():
    text = '{"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 4, "attention_backend": "x"}'
    assert json.loads(read_speculation(text).text()) == json.loads(text)
    assert read_speculation('{"model": "[ngram]", "num_speculative_tokens": 2}').method == "ngram"
    for wrong in ('{"method": "ngram", "num_speculative_tokens": 0}', '{"method": 3}', "[]", "{"):
        with pytest.raises(ParameterInvalid):
            read_speculation(wrong)


def test_ray_is_looked_for_before_a_load(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(EngineMissing, match="not installed"):
        require_ray({})
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(__spec__=SimpleNamespace(name="ray")))
    monkeypatch.setattr("engine.checkpoints.ray_ready.metadata.version", lambda _name: "2.5.0")
    with pytest.raises(EngineMissing, match="2\\.5\\.0 is installed"):
        require_ray({})
    monkeypatch.setattr("engine.checkpoints.ray_ready.metadata.version", lambda _name: "2.50.1")
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
        assert require_ray({"RAY_ADDRESS": address}) == address
    with pytest.raises(ParameterInvalid, match="does not answer"):
        require_ray({"RAY_ADDRESS": f"ray://{address}"})


def test_the_cluster_is_the_named_one_or_the_one_that_runs_here(tmp_path):
    current = tmp_path / "ray_current_cluster"
    assert cluster_address({}, current) is None
    current.write_text("10.0.0.7:6379\n")
    assert cluster_address({}, current) == "10.0.0.7:6379"
    assert cluster_address({"RAY_ADDRESS": "auto"}, current) == "10.0.0.7:6379"
    assert cluster_address({"RAY_ADDRESS": "local"}, current) is None


def test_gpus_go_into_every_form_and_come_back():
    values = {"gpu_uuids": "GPU-b, GPU-a", "tensor_parallel_size": 2}
    assert chosen_gpus(values["gpu_uuids"]) == ("GPU-b", "GPU-a")
    assert gpu_environment(None) == {}
    command = export_command("/m", values, "cuda")
    assert command.startswith("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=GPU-b,GPU-a vllm serve /m")
    found = import_command(command)
    assert (found.values, found.left_out) == ({"gpu_uuids": "GPU-b,GPU-a", "tensor_parallel_size": 2}, ())
    assert "numbers change" in import_command("CUDA_VISIBLE_DEVICES=1 vllm serve /m").left_out[0]
    assert "CUDA" not in export_command("/m", values, "cpu")
    docker = export(Form.DOCKER, "/m", values, "cuda")
    assert """--gpus '"device=GPU-b,GPU-a"'""" in docker
    assert "--model /models/m --tensor-parallel-size 2" in docker
    assert "CUDA_VISIBLE_DEVICES=GPU-b,GPU-a" in export(Form.YAML, "/m", values, "cuda")
