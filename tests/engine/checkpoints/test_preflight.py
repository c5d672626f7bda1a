"""Bad input, refused before a load with cause and remedy."""

import os

import pytest

from engine.checkpoints.machine import GpuTraits, Machine
from engine.checkpoints.preflight import preflight
from engine.domain.errors import CheckpointInvalid, CheckpointUnsupported, ContextTooLong, ParameterInvalid
from engine.domain.lifecycle import LoadRequest


def refused(machine, path, error, words, parameters=None, **consent):
    with pytest.raises(error, match=words) as caught:
        preflight(LoadRequest(str(path), parameters or {}, **consent), machine)
    assert caught.value.remedy
    return caught.value


def test_a_good_load_passes(checkpoint, cpu):
    assert preflight(LoadRequest(str(checkpoint()), {"max_model_len": 1024}), cpu).problem is None


def test_what_is_no_checkpoint(tmp_path, checkpoint, cpu):
    assert "moved or deleted" in refused(cpu, tmp_path / "gone", CheckpointInvalid, "does not exist").remedy
    refused(cpu, tmp_path, CheckpointInvalid, "no config.json")
    path = checkpoint()
    (path / "config.json").write_text('{"architectures": [')
    refused(cpu, path, CheckpointInvalid, "ends too early")


def test_weights_cut_short(checkpoint, cpu):
    path = checkpoint()
    os.truncate(path / "model.safetensors", 1000)
    refused(cpu, path, CheckpointInvalid, "cut short")


def test_dummy_weights_ask_for_none_on_disk(checkpoint, cpu):
    path = checkpoint()
    (path / "model.safetensors").unlink()
    refused(cpu, path, CheckpointInvalid, "no weights")
    preflight(LoadRequest(str(path), {"load_format": "dummy"}), cpu)
    (path / "config.json").write_text("{")
    refused(cpu, path, CheckpointInvalid, "ends too early", {"load_format": "dummy"})


def test_what_the_engine_cannot_run(checkpoint, cpu):
    path = checkpoint(config={"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}})
    refused(cpu, path, CheckpointUnsupported, "no CPU kernel for bitsandbytes")


def test_consent_for_code_and_pickles(checkpoint, cpu):
    path = checkpoint(config={"auto_map": {"AutoConfig": "c.C"}})
    assert refused(cpu, path, CheckpointUnsupported, "program code of its own").details == "trust_remote_code"
    preflight(LoadRequest(str(path), trust_remote_code=True), cpu)
    pickled = checkpoint("P")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    assert refused(cpu, pickled, CheckpointUnsupported, "pickles").details == "allow_pickle"
    preflight(LoadRequest(str(pickled), allow_pickle=True), cpu)


def test_pickles_beside_safetensors_are_not_opened(checkpoint, cpu):
    path = checkpoint()
    (path / "pytorch_model.bin").write_bytes(b"x")
    preflight(LoadRequest(str(path)), cpu)


def test_parameters_against_the_model(checkpoint, cpu, ampere):
    path = checkpoint()
    long = refused(cpu, path, ContextTooLong, "made for 2,048", {"max_model_len": 4096})
    assert long.offers == (("Set max_model_len to 2048", {"max_model_len": 2048}),)
    refused(cpu, path, ParameterInvalid, "no parameter named", {"swap_space": 4})
    refused(cpu, path, ParameterInvalid, "multiple of 32", {"block_size": 48})
    refused(ampere, path, ParameterInvalid, "attention heads|1 GPU", {"tensor_parallel_size": 3})


def test_the_gpus_that_the_load_uses_are_asked(checkpoint):
    old, new = GpuTraits("GT 1030", (6, 1), 24 << 30, "GPU-old"), GpuTraits("RTX 4090", (8, 9), 24 << 30, "GPU-new")
    both = Machine("cuda", (old, new), 64 << 30, visible=("GPU-old", "GPU-new"))
    awq = {"quant_method": "awq", "bits": 4, "group_size": 32}
    path = checkpoint("awq", {"quantization_config": awq})
    assert "Choose another" in refused(both, path, CheckpointUnsupported, "the GT 1030 has 6.1").remedy
    preflight(LoadRequest(str(path), {"gpu_uuids": "GPU-new"}), both)
    refused(both, path, CheckpointUnsupported, "GT 1030", {"tensor_parallel_size": 2})
