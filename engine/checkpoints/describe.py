"""A folder on disk becomes a Checkpoint value: config.json, small JSON files and the weights' headers, no more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.checkpoints.attention import attention_shape
from engine.checkpoints.config_file import object_of, read_object, text_of, text_part
from engine.checkpoints.context import max_context
from engine.checkpoints.describe_gguf import describe_gguf
from engine.checkpoints.description import Description, broken_description
from engine.checkpoints.family import family_name
from engine.checkpoints.folder import FolderKind, look
from engine.checkpoints.quantization import describe_scheme, find_raw
from engine.checkpoints.step_widths import step_widths
from engine.checkpoints.weights import Weights, read_weights
from engine.domain.checkpoint import Checkpoint
from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.checkpoints.folder import FolderFacts

_CARD_CHARACTERS = 8192
_TEMPLATE_FILES = ("chat_template.jinja", "tekken.json")


def describe(path: Path | str, *, source: str = "folder", name: str | None = None) -> Description:
    """Describe the checkpoint in the folder `path` (or the single .gguf file).

    Never raises for what is on disk: what is wrong with it is the checkpoint's `problem`. `name` defaults to the
    folder's. Blocking (a few milliseconds a checkpoint): call it in a thread.
    """
    folder = Path(path)
    title = name or folder.name
    if folder.suffix.lower() == ".gguf" and folder.is_file():
        return describe_gguf(folder, source, name or folder.stem)
    facts = look(folder)
    if facts.kind is FolderKind.GGUF:
        first = min(file for file in facts.files if file.lower().endswith(".gguf"))
        return describe_gguf(folder / first, source, name or Path(first).stem, whole_folder=facts)
    if facts.kind is not FolderKind.CHECKPOINT:
        return _without_config(folder, facts, source, title)
    try:
        config = read_object(folder / "config.json")
    except CheckpointInvalid as error:
        return broken_description(folder, facts, source, title, error.message)
    if config is None:
        return broken_description(
            folder, facts, source, title, "config.json leads nowhere: the download is incomplete."
        )
    return _from_config(folder, facts, config, source, title)


def _from_config(folder: Path, facts: FolderFacts, config: Mapping[str, Any], source: str, name: str) -> Description:
    text = text_part(config)
    raw = find_raw(config, folder)
    scheme = describe_scheme(raw, None)
    tied = config.get("tie_word_embeddings") is True or text.get("tie_word_embeddings") is True
    usable = [file for file, found in facts.files.items() if not found.broken]
    weights = read_weights(folder, usable, scheme.pack_bits, tied=tied)
    if not raw:
        scheme = describe_scheme({}, weights.dtype)
    tokenizer = _tolerant(folder / "tokenizer_config.json")
    remote = _remote_classes(config) + _remote_classes(tokenizer)
    architectures = config.get("architectures")
    architecture = architectures[0] if isinstance(architectures, list) and architectures else None
    quantized = scheme.quantization.method is not None
    checkpoint = Checkpoint(
        path=str(folder),
        name=name,
        family=family_name(name, card=_card(folder, facts), quantized=quantized),
        source=source,
        architecture=architecture if isinstance(architecture, str) else None,
        model_type=text_of(config, "model_type"),
        quantization=scheme.quantization,
        parameters=weights.parameters,
        size_bytes=facts.size_bytes,
        weights_bytes=weights.num_bytes,
        weight_dtype=weights.dtype_name(scheme.quantization.bits) or _config_dtype(text),
        max_context=max_context(config, tokenizer),
        attention=attention_shape(config),
        has_chat_template=_has_template(folder, facts, tokenizer),
        needs_remote_code=bool(remote),
        pickled_files=facts.pickles,
        problem=_problem(facts, weights, config, architecture),
        widths=step_widths(config),
    )
    return Description(checkpoint, scheme, remote, configured=architecture is not None)


def _problem(facts: FolderFacts, weights: Weights, config: Mapping[str, Any], architecture: object) -> str | None:
    if weights.problem is not None:
        return weights.problem
    if facts.broken_links:
        first, more = facts.broken_links[0], len(facts.broken_links) - 1
        lead = f"{first} and {more} more lead" if more else f"{first} leads"
        return f"{lead} nowhere: the download is incomplete."
    going = next((name for name in facts.files if name.endswith(".aria2")), None)  # beside a file of its full size
    if going is not None:
        return f"{going.removesuffix('.aria2')} is a download that has not finished."
    partial = next((name for name in facts.files if name.endswith((".incomplete", ".part", ".crdownload"))), None)
    if weights.num_bytes is None and partial is not None:
        return f"{partial} is a download that has not finished."
    if weights.num_bytes is None and not facts.pickles:
        return "There are no weights beside config.json: the download is incomplete."
    if architecture is None and text_of(config, "model_type") is None:
        return "config.json names neither an architecture nor a model type: this is no language model's configuration."
    return None


def _without_config(folder: Path, facts: FolderFacts, source: str, name: str) -> Description:
    reasons = {
        FolderKind.MISTRAL: "It is in Mistral's own layout (params.json), without a config.json for Hugging Face.",
        FolderKind.ADAPTER: "This is a LoRA adapter, which needs its base model.",
        FolderKind.PIPELINE: "This is a diffusers pipeline, not a language model.",
        FolderKind.WEIGHTS_ONLY: "config.json is missing: the download is incomplete, or this is no whole checkpoint.",
    }
    fallback = "This folder is no checkpoint: it has no config.json."
    if not folder.exists():
        fallback = f"{folder} does not exist."
    elif not folder.is_dir():
        fallback = f"{folder.name} is a file, not a checkpoint's folder."
    return broken_description(folder, facts, source, name, reasons.get(facts.kind, fallback))


def _tolerant(path: Path) -> Mapping[str, Any]:
    try:
        return read_object(path) or {}
    except CheckpointInvalid:
        return {}  # a damaged side file costs its facts, not the checkpoint: vLLM names it when it loads the tokenizer


def _remote_classes(config: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(key) for key, value in object_of(config, "auto_map").items() if value)


def _config_dtype(text: Mapping[str, Any]) -> str | None:
    return text_of(text, "dtype") or text_of(text, "torch_dtype")


def _has_template(folder: Path, facts: FolderFacts, tokenizer: Mapping[str, Any]) -> bool:
    """Whether any of the places that transformers reads holds a chat template."""
    if tokenizer.get("chat_template") or any(facts.files.get(name) for name in _TEMPLATE_FILES):
        return True
    for name in ("chat_template.json", "processor_config.json"):
        if name in facts.files and _tolerant(folder / name).get("chat_template"):
            return True
    more = "additional_chat_templates"
    return more in facts.subfolders and any(name.endswith(".jinja") for name in look(folder / more).files)


def _card(folder: Path, facts: FolderFacts) -> str:
    if "README.md" not in facts.files:
        return ""
    try:
        with (folder / "README.md").open(encoding="utf-8", errors="replace") as file:
            text = file.read(_CARD_CHARACTERS)
    except OSError:
        return ""
    return text.partition("\n---")[0] if text.startswith("---") else ""
