"""A GGUF file, which carries its configuration in its own header, becomes a Checkpoint value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.checkpoints.description import Description, Scheme, broken_description
from engine.checkpoints.family import family_name
from engine.checkpoints.folder import FileFacts, FolderFacts
from engine.checkpoints.gguf_header import GgufHeader, read_gguf
from engine.domain.checkpoint import AttentionShape, Checkpoint, Quantization
from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from pathlib import Path


def describe_gguf(file: Path, source: str, name: str, *, whole_folder: FolderFacts | None = None) -> Description:
    """Describe the GGUF model in `file`; with `whole_folder`, its other files (further parts) count as its size.

    Never raises: a damaged file becomes the checkpoint's `problem`.
    """
    facts = whole_folder or FolderFacts({file.name: _file_facts(file)}, ())
    try:
        header = read_gguf(file)
    except CheckpointInvalid as error:
        return broken_description(file, facts, source, name, error.message)
    form, bits = header.file_type
    quantization = Quantization("gguf", f"GGUF {form}", bits, form)
    architecture = header.metadata.get("general.architecture")
    checkpoint = Checkpoint(
        path=str(file),
        name=name,
        family=family_name(name),
        source=source,
        architecture=None,
        model_type=architecture if isinstance(architecture, str) else None,
        quantization=quantization,
        parameters=header.parameters or None,
        size_bytes=facts.size_bytes,
        weights_bytes=facts.size_bytes,
        weight_dtype=form.lower(),
        max_context=header.number("context_length"),
        attention=_attention(header),
        has_chat_template=bool(header.metadata.get("tokenizer.chat_template")),
        needs_remote_code=False,
        pickled_files=(),
    )
    return Description(checkpoint, Scheme(quantization))


def _attention(header: GgufHeader) -> AttentionShape:
    layers, heads = header.number("block_count"), header.number("attention.head_count")
    kv_heads = header.number("attention.head_count_kv") or heads
    width = header.number("embedding_length")
    head_dim = header.number("attention.key_length") or (width // heads if width and heads else None)
    if heads is None or kv_heads is None:
        return AttentionShape("unknown", layers, heads, kv_heads, head_dim)
    kind = "MHA" if kv_heads == heads else ("MQA" if kv_heads == 1 else "GQA")
    return AttentionShape(kind, layers, heads, kv_heads, head_dim)


def _file_facts(file: Path) -> FileFacts:
    try:
        status = file.stat()
    except OSError:
        return FileFacts(0, 0, broken=True)
    return FileFacts(status.st_size, status.st_mtime_ns)
