"""The starter model's source: a GGUF file inside a Python package, read into Hugging Face names and shapes."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from gguf import GGUFReader, ReaderTensor
    from torch import Tensor

    from engine.checkpoints.starter_recipe import Source

_GLOBAL_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}
_LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_SPECIAL_TOKEN = 3  # GGUF's token type of a control token


def find_source(source: Source) -> Path:
    """The GGUF file in the installed package, which is not imported: it would drag in another engine.

    Raises CheckpointInvalid when the package is not installed or the file is not the one that the recipe knows.
    """
    spec = importlib.util.find_spec(source.module)
    if spec is None or not spec.submodule_search_locations:
        raise CheckpointInvalid(
            f"The starter model's source, the Python package {source.package}, is not installed.",
            remedy=f"Run: {source.install_command}",
        )
    path = Path(spec.submodule_search_locations[0]) / source.file
    if not path.is_file():
        raise CheckpointInvalid(
            f"The package {source.package} has no file {source.file}.", remedy=f"Run: {source.install_command}"
        )
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != source.sha256:
        raise CheckpointInvalid(
            f"{source.file} is damaged or of another version (SHA-256 {found[:12]}…, expected {source.sha256[:12]}…).",
            remedy=f"Run: {source.install_command} --force-reinstall",
        )
    return path


class GgufModel:
    """A Llama model in a GGUF file, as a Hugging Face checkpoint's parts. `layers` limits how many layers are kept."""

    def __init__(self, path: Path, layers: int) -> None:
        from gguf import GGUFReader  # late: seconds that other commands need not pay

        self._reader: GGUFReader = GGUFReader(path)
        self._layers = layers
        self.config = self._config()

    def _field(self, name: str) -> Any:
        field = self._reader.get_field(name)
        if field is None:
            raise CheckpointInvalid(f"The GGUF file says nothing of {name}.", remedy="Install the source again.")
        return field.contents()

    def _config(self) -> dict[str, Any]:
        theta = float(self._field("llama.rope.freq_base"))
        return {
            "architectures": ["LlamaForCausalLM"],
            "attention_bias": False,
            "attention_dropout": 0.0,
            "bos_token_id": int(self._field("tokenizer.ggml.bos_token_id")),
            "eos_token_id": int(self._field("tokenizer.ggml.eos_token_id")),
            "pad_token_id": int(self._field("tokenizer.ggml.padding_token_id")),
            "head_dim": int(self._field("llama.rope.dimension_count")),
            "hidden_act": "silu",
            "hidden_size": int(self._field("llama.embedding_length")),
            "initializer_range": 0.02,
            "intermediate_size": int(self._field("llama.feed_forward_length")),
            "max_position_embeddings": int(self._field("llama.context_length")),
            "mlp_bias": False,
            "model_type": "llama",
            "num_attention_heads": int(self._field("llama.attention.head_count")),
            "num_hidden_layers": min(self._layers, int(self._field("llama.block_count"))),
            "num_key_value_heads": int(self._field("llama.attention.head_count_kv")),
            "rms_norm_eps": round(float(self._field("llama.attention.layer_norm_rms_epsilon")), 9),
            # Twice: transformers 4 reads the first, transformers 5 the second.
            "rope_theta": theta,
            "rope_parameters": {"rope_theta": theta, "rope_type": "default"},
            "tie_word_embeddings": True,
            "torch_dtype": "bfloat16",
            "use_cache": True,
            "vocab_size": int(self._field("llama.vocab_size")),
        }

    def tensors(self) -> dict[str, Tensor]:
        """Every weight as bfloat16, in Hugging Face's names and row order."""
        from gguf import dequantize

        result = {}
        for tensor in self._reader.tensors:
            name = self._name(tensor)
            if name is not None:
                dense = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())
                result[name] = self._reorder(tensor.name, dense).to(torch.bfloat16)
        return result

    def _name(self, tensor: ReaderTensor) -> str | None:
        parts = tensor.name.removesuffix(".weight").split(".")
        if parts[0] != "blk":
            return f"{_GLOBAL_NAMES[parts[0]]}.weight"
        if int(parts[1]) >= self._layers:
            return None
        return f"model.layers.{parts[1]}.{_LAYER_NAMES[parts[2]]}.weight"

    def _reorder(self, name: str, dense: Tensor) -> Tensor:
        """Undo GGUF's order of the query and key rows, which pairs rotary channels side by side, not by halves."""
        heads = {"attn_q": "num_attention_heads", "attn_k": "num_key_value_heads"}.get(name.split(".")[-2])
        if heads is None:
            return dense
        return dense.unflatten(0, (self.config[heads], -1, 2)).transpose(1, 2).flatten(0, 2)

    def tokenizer_json(self) -> str:
        """The tokenizer in the `tokenizers` library's format: byte-level BPE, every digit a token of its own."""
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

        if self._field("tokenizer.ggml.pre") != "smollm":
            raise CheckpointInvalid(
                "The GGUF file has a tokenizer of another kind.", remedy="Install the source again."
            )
        tokens = self._field("tokenizer.ggml.tokens")
        merges = [tuple(merge.split(" ")) for merge in self._field("tokenizer.ggml.merges")]
        tokenizer = Tokenizer(models.BPE(vocab={token: index for index, token in enumerate(tokens)}, merges=merges))
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level])
        tokenizer.decoder = decoders.ByteLevel()
        types = self._field("tokenizer.ggml.token_type")
        special = [token for token, kind in zip(tokens, types, strict=True) if kind == _SPECIAL_TOKEN]
        tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
        return str(tokenizer.to_str(pretty=False))

    def text_files(self) -> dict[str, str]:
        """Every file of the checkpoint but the weights: configuration, tokenizer, chat template, sampling defaults."""
        tokens = self._field("tokenizer.ggml.tokens")
        tokenizer_config = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": tokens[self.config["bos_token_id"]],
            "eos_token": tokens[self.config["eos_token_id"]],
            "pad_token": tokens[self.config["pad_token_id"]],
            "unk_token": tokens[int(self._field("tokenizer.ggml.unknown_token_id"))],
            "clean_up_tokenization_spaces": False,
            "model_max_length": self.config["max_position_embeddings"],
        }
        ids = {name: self.config[name] for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
        # What the model's authors sample with; at temperature 1 so small a model wanders off.
        sampling = {"do_sample": True, "temperature": 0.2, "top_p": 0.9}
        return {
            "config.json": _json(self.config),
            "generation_config.json": _json(ids | sampling),
            "tokenizer.json": self.tokenizer_json(),
            "tokenizer_config.json": _json(tokenizer_config),
            "chat_template.jinja": str(self._field("tokenizer.chat_template")),
        }


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
