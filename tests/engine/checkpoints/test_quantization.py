"""Every layout in which checkpoints say how they are quantized, and how many weights are in packed tensors."""

import pytest

from engine.checkpoints.describe import describe

QUANT = "quantization_config"
CT = {"quant_method": "compressed-tensors"}


def group(bits, kind="int", *, form=None, inputs=None, **weights):
    found = {"targets": ["Linear"], "weights": {"num_bits": bits, "type": kind, "symmetric": True, **weights}}
    found["input_activations"] = inputs
    return {**CT, "format": form, "config_groups": {"group_0": found}}


CASES = [
    ("awq", {"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True, "version": "gemm"}, "AWQ",
     "4 bit, group 32, zero point, gemm"),
    ("awq", {"quant_method": "awq", "w_bit": 4, "q_group_size": 128, "version": "GEMV"}, "AWQ",
     "4 bit, group 128, zero point, gemv"),
    ("gptq", {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": True, "sym": True}, "GPTQ",
     "4 bit, group 128, symmetric, activation order"),
    ("gptq", {"quant_method": "gptq", "bits": 8, "group_size": -1, "desc_act": False, "sym": False,
              "checkpoint_format": "gptq_v2"}, "GPTQ 8-bit", "8 bit, per channel, asymmetric, gptq_v2"),
    ("fp8", {"quant_method": "fp8", "activation_scheme": "static"}, "FP8", "static activation scales"),
    ("fp8", {"quant_method": "fp8", "weight_block_size": [128, 128]}, "FP8",
     "dynamic activation scales, blocks 128 × 128"),
    ("compressed-tensors", group(4, strategy="group", group_size=128, form="pack-quantized"), "INT4",
     "W4A16, group 128, symmetric"),
    ("compressed-tensors", group(4, strategy="group", group_size=64, actorder="group", form="marlin-24"), "INT4",
     "W4A16, group 64, symmetric, activation order, 2:4 sparse"),
    ("compressed-tensors", group(8, strategy="channel", inputs={"num_bits": 8, "type": "int", "dynamic": True}), "INT8",
     "W8A8, per channel, symmetric, dynamic activations"),
    ("compressed-tensors", group(8, "float", strategy="channel", inputs={"num_bits": 8, "dynamic": True}), "FP8",
     "W8A8, per channel, dynamic activations"),
    ("compressed-tensors", group(8, "float", strategy="block", block_structure=[128, 128]), "FP8",
     "W8A16, blocks 128 × 128"),
    ("compressed-tensors", group(4, "float", strategy="tensor_group", group_size=16, form="nvfp4-pack-quantized",
                                 inputs={"num_bits": 4, "dynamic": "local"}), "NVFP4",
     "W4A4, group 16, dynamic activations"),
    ("compressed-tensors", group(4, "float", strategy="group", group_size=32, form="mxfp4-pack-quantized"), "MXFP4",
     "W4A16, group 32"),
    ("bitsandbytes", {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4",
                      "bnb_4bit_use_double_quant": True}, "BNB 4-bit", "NF4, nested scales"),
    ("bitsandbytes", {"load_in_8bit": True}, "BNB 8-bit", "LLM.int8()"),
    ("mxfp4", {"quant_method": "mxfp4"}, "MXFP4", "blocks of 32"),
    ("modelopt_fp4", {"quant_method": "modelopt", "quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}, "NVFP4",
     "ModelOpt, group 16, KV cache FP8"),
    ("modelopt", {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}, "FP8", "ModelOpt, static"),
    ("inc", {"quant_method": "auto-round", "bits": 4, "group_size": 128, "packing_format": "auto_round:auto_gptq"},
     "INT4", "AutoRound, 4 bit, group 128, auto_gptq"),
    ("torchao", {"quant_method": "torchao", "quant_type": "int4_weight_only"}, "TorchAO", "4 bit"),
    ("hqq", {"quant_method": "hqq", "weight_bits": 4, "group_size": 64}, "HQQ", "4 bit, group 64"),
    ("spqr", {"quant_method": "spqr", "bits": 3}, "spqr", "3 bit"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "raw", "label", "details"), CASES)
def test_methods_are_named_as_users_and_vllm_name_them(checkpoint, method, raw, label, details):
    found = describe(checkpoint(config={QUANT: raw})).checkpoint.quantization
    assert (found.method, found.label, found.details) == (method, label, details)


def test_old_side_files_of_gptq_awq_and_modelopt(checkpoint):
    gptq = checkpoint("old-gptq", quantize_config={"bits": 4, "group_size": 128, "desc_act": True, "sym": True})
    assert describe(gptq).checkpoint.quantization.label == "GPTQ"
    assert describe(gptq).scheme.desc_act
    awq = checkpoint("old-awq", quant_config={"w_bit": 4, "q_group_size": 128, "zero_point": True})
    assert describe(awq).checkpoint.quantization.label == "AWQ"
    hf = {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "group_size": 16}}
    assert describe(checkpoint("opt", hf_quant_config=hf)).checkpoint.quantization.method == "modelopt_fp4"


def test_the_text_part_of_a_multimodal_model_counts(checkpoint):
    nested = {"text_config": {QUANT: {"quant_method": "fp8"}, "num_hidden_layers": 7}, "num_hidden_layers": 99}
    found = describe(checkpoint(config=nested)).checkpoint
    assert found.quantization.label == "FP8"
    assert found.attention.num_layers == 7


def test_mixed_schemes_and_a_quantized_cache_are_all_named(checkpoint):
    raw = group(4, strategy="group", group_size=128)
    raw["config_groups"]["group_1"] = group(8, strategy="channel")["config_groups"]["group_0"]
    raw["kv_cache_scheme"] = {"num_bits": 8, "type": "float"}
    found = describe(checkpoint(config={QUANT: raw})).checkpoint.quantization
    assert found.label == "INT4 + INT8"
    assert found.details.endswith("KV cache FP8")


@pytest.mark.parametrize(("dtype", "label"), [("bfloat16", "BF16"), ("float16", "FP16"), ("float32", "FP32")])
def test_an_unquantized_model_is_named_for_its_weights(checkpoint, dtype, label):
    found = describe(checkpoint(tensors={"model.embed_tokens.weight": (dtype, [8, 8])})).checkpoint
    assert (found.quantization.label, found.quantization.method, found.weight_dtype) == (label, None, dtype)


EMBED = {"model.embed_tokens.weight": ("bfloat16", [256, 64])}
P = "model.layers.0.mlp.down_proj."
PACKED = [
    # 128 inputs and 64 outputs: 8,192 weights, in each layout
    ({"quant_method": "awq", "bits": 4, "group_size": 32},
     {P + "qweight": ("int32", [128, 8]), P + "qzeros": ("int32", [4, 8]), P + "scales": ("float16", [4, 64])}),
    ({"quant_method": "gptq", "bits": 4, "group_size": 32},
     {P + "qweight": ("int32", [16, 64]), P + "qzeros": ("int32", [4, 8]), P + "scales": ("float16", [4, 64]),
      P + "g_idx": ("int32", [128])}),
    ({"quant_method": "gptq", "bits": 3, "group_size": 32},
     {P + "qweight": ("int32", [12, 64]), P + "qzeros": ("int32", [4, 6]), P + "scales": ("float16", [4, 64])}),
    (group(4, strategy="group", group_size=32),
     {P + "weight_packed": ("int32", [64, 16]), P + "weight_scale": ("bfloat16", [64, 4]),
      P + "weight_shape": ("int64", [2])}),
    (group(4, "float", form="nvfp4-pack-quantized"),
     {P + "weight_packed": ("uint8", [64, 64]), P + "weight_scale": ("float8_e4m3fn", [64, 8]),
      P + "weight_global_scale": ("float32", [1]), P + "input_global_scale": ("float32", [1])}),
    ({"quant_method": "modelopt", "quant_algo": "NVFP4"},
     {P + "weight": ("uint8", [64, 64]), P + "weight_scale": ("float8_e4m3fn", [64, 8]),
      P + "weight_scale_2": ("float32", [1]), P + "input_scale": ("float32", [1])}),
    ({"quant_method": "mxfp4"}, {P + "gate_up_proj_blocks": ("uint8", [64, 4, 16]),
                                 P + "gate_up_proj_scales": ("uint8", [64, 4])}),
    ({"load_in_4bit": True},
     {P + "weight": ("uint8", [4096, 1]), P + "weight.absmax": ("uint8", [128]),
      P + "weight.quant_map": ("float32", [16]), P + "weight.nested_absmax": ("float32", [1]),
      P + "weight.nested_quant_map": ("float32", [256]),
      P + "weight.quant_state.bitsandbytes__nf4": ("uint8", [80])}),
    ({"load_in_8bit": True}, {P + "weight": ("int8", [64, 128]), P + "SCB": ("float32", [64])}),
    ({"quant_method": "fp8"},
     {P + "weight": ("float8_e4m3fn", [64, 128]), P + "weight_scale_inv": ("float32", [1, 1])}),
    (group(8), {P + "weight": ("int8", [64, 128]), P + "weight_scale": ("bfloat16", [64, 1])}),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "tensors"), PACKED)
def test_the_logical_number_of_parameters_is_counted_in_every_layout(checkpoint, raw, tensors):
    found = describe(checkpoint(config={QUANT: raw}, tensors={**EMBED, **tensors})).checkpoint
    assert found.parameters == 256 * 64 + 128 * 64


def test_tied_embeddings_and_buffers_are_not_counted_twice(checkpoint):
    tensors = {
        **EMBED,
        "lm_head.weight": ("bfloat16", [256, 64]),
        "model.rotary_emb.inv_freq": ("float32", [32]),
        "transformer.h.0.attn.bias": ("uint8", [1, 1, 64, 64]),
    }
    found = describe(checkpoint(tensors=tensors)).checkpoint
    assert found.parameters == 256 * 64
    assert found.weights_bytes == 2 * 2 * 256 * 64 + 128 + 4096, "the size is of all that is stored"
    untied = describe(checkpoint("b", {"tie_word_embeddings": False}, tensors)).checkpoint
    assert untied.parameters == 2 * 256 * 64
