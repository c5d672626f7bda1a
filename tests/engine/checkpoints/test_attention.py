"""Attention kinds and context lengths, from the configurations that models really have."""

import pytest

from engine.checkpoints.attention import attention_shape
from engine.checkpoints.context import max_context

GQA = {"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "hidden_size": 4096}


@pytest.mark.parametrize(
    ("config", "kind", "heads", "head_dim"),
    [
        (GQA, "GQA", 8, 128),
        ({**GQA, "num_key_value_heads": 32}, "MHA", 32, 128),
        ({**GQA, "num_key_value_heads": None}, "MHA", 32, 128),
        ({**GQA, "head_dim": 256}, "GQA", 8, 256),
        ({"n_layer": 40, "n_head": 48, "n_embd": 6144, "multi_query": True}, "MQA", 1, 128),
        ({"num_layers": 28, "num_attention_heads": 32, "multi_query_group_num": 2, "hidden_size": 4096,
          "kv_channels": 128}, "GQA", 2, 128),
        ({"n_layers": 24, "n_heads": 16, "d_model": 2048, "attn_config": {"kv_n_heads": 8}}, "GQA", 8, 128),
        ({}, "unknown", None, None),
    ],
)  # fmt: skip
def test_heads(config, kind, heads, head_dim):
    shape = attention_shape(config)
    assert (shape.kind, shape.num_kv_heads, shape.head_dim) == (kind, heads, head_dim)


def test_latent_attention_stores_one_vector_for_all_heads():
    shape = attention_shape({"num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
                             "kv_lora_rank": 512, "qk_rope_head_dim": 64, "hidden_size": 7168})  # fmt: skip
    assert shape.kind == "MLA"
    assert shape.elements_per_layer == 576


@pytest.mark.parametrize(
    ("more", "window", "sliding"),
    [
        ({"sliding_window": 4096}, 4096, 32),
        ({"sliding_window": None}, None, 0),
        ({"sliding_window": 4096, "use_sliding_window": False}, None, 0),
        ({"model_type": "qwen2", "sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 28}, 4096, 4),
        ({"model_type": "gemma2", "sliding_window": 4096}, 4096, 16),
        ({"model_type": "gemma3_text", "sliding_window": 1024}, 1024, 27),
        ({"sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"] * 16}, 128, 16),
        ({"sliding_window": 4096, "sliding_window_pattern": 4}, 4096, 24),
    ],
)
def test_sliding_windows(more, window, sliding):
    shape = attention_shape({**GQA, **more})
    assert (shape.sliding_window, shape.sliding_layers) == (window, sliding)


@pytest.mark.parametrize(
    ("more", "keeping"),
    [
        ({"full_attention_interval": 4}, 8),
        ({"layer_types": ["linear_attention"] * 24 + ["full_attention"] * 8}, 8),
        ({"attn_layer_period": 8, "attn_layer_offset": 4}, 4),
        ({"attn_layer_indices": [9, 18, 27]}, 3),
        ({"hybrid_override_pattern": "M-M*-M-M*-"}, 2),
        ({"layers_block_type": ["mamba"] * 30 + ["hybrid"] * 2}, 2),
        ({"model_type": "falcon_h1", "mamba_d_state": 256}, 32),
        ({"kv_lora_rank": 512, "qk_rope_head_dim": 64,
          "linear_attn_config": {"full_attn_layers": [4, 8, 12, 16, 20, 24, 28, 32]}}, 8),
    ],
)  # fmt: skip
def test_hybrids_keep_a_cache_in_some_layers_only(more, keeping):
    shape = attention_shape({**GQA, **more})
    assert (shape.kind, shape.layers_with_cache) == ("hybrid", keeping)


def test_pure_mamba_has_a_state_and_no_cache():
    shape = attention_shape({"model_type": "mamba", "num_hidden_layers": 24, "hidden_size": 768, "state_size": 16,
                             "conv_kernel": 4, "intermediate_size": 1536})  # fmt: skip
    assert (shape.kind, shape.layers_with_cache) == ("Mamba", 0)
    assert shape.state_bytes == 24 * 2 * (1536 * 3 + 1536 * 16)


@pytest.mark.parametrize(
    ("config", "tokenizer", "length"),
    [
        ({"max_position_embeddings": 8192}, {}, 8192),
        ({"max_position_embeddings": 8192}, {"model_max_length": 4096}, 4096),
        ({"max_position_embeddings": 8192}, {"model_max_length": 1000000000000000019884624838656}, 8192),
        ({"n_positions": 1024}, {}, 1024),
        ({"max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 4.0}}, {}, 16384),
        ({"max_position_embeddings": 4096, "rope_parameters": {"rope_type": "dynamic", "factor": 2}}, {}, 8192),
        ({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, {}, 131072),
        ({"max_position_embeddings": 32768, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, {}, 32768),
        ({"max_position_embeddings": 131072, "model_type": "gemma3_text",
          "rope_scaling": {"rope_type": "linear", "factor": 8.0}}, {}, 131072),
        ({"text_config": {"max_position_embeddings": 512}}, {}, 512),
        ({}, {}, None),
        ({"max_position_embeddings": "many", "rope_scaling": {"rope_type": "linear", "factor": "x"}}, {}, None),
    ],
)  # fmt: skip
def test_context(config, tokenizer, length):
    assert max_context(config, tokenizer) == length
