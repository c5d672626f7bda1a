"""Which checkpoint can guess ahead for which: a draft model with the same vocabulary, a head made for it, its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.checkpoints.config_file import read_object, text_of, text_part, whole
from engine.checkpoints.find import name_of
from engine.checkpoints.weights import read_entries
from engine.domain.errors import CheckpointInvalid
from engine.parameters.speculation import DRAFT, EAGLE, EAGLE3, MTP

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WHOLE_MODEL = "ForConditionalGeneration"  # Eagle2_5_VL is a model that sees, and no head
# How configurations say that the checkpoint has layers of its own that guess the next tokens.
_MTP_KEYS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers", "mtp_num_layers", "n_predict")


@dataclass(frozen=True, slots=True)
class DraftFit:
    """Whether one checkpoint can draft for another. `method` is vLLM's name; `problem` is None where it fits, else a
    sentence with the numbers. `advice` is what would make it slow or is worth knowing."""

    path: str
    method: str
    problem: str | None = None
    advice: str = ""


def draft_fit(target: str | Path, draft: str | Path) -> DraftFit:
    """Hold a draft checkpoint against the one that it would guess for. Reads both configurations, and both tokenizers
    where they are different files: milliseconds to a second, so call it in a thread."""
    path = str(draft)
    try:
        own, other = _config(Path(target)), _config(Path(draft))
    except CheckpointInvalid as error:
        return DraftFit(path, DRAFT, error.message)
    if other is None:
        return DraftFit(path, DRAFT, "There is no config.json in the draft's folder.")
    if own is None:
        return DraftFit(path, DRAFT, "There is no config.json in the model's folder.")
    method = draft_method(other)
    if method == DRAFT and _is_eagle(Path(draft)):
        method = EAGLE
    if method != DRAFT:
        return DraftFit(path, method, _head_problem(own, other))
    return DraftFit(path, method, _vocabulary_problem(Path(target), Path(draft), own, other), _size_advice(own, other))


def draft_method(config: Mapping[str, Any]) -> str:
    """How a checkpoint with this configuration would draft: as a head of the EAGLE kinds, or as a model of its own."""
    names = [str(name) for name in config.get("architectures") or ()]
    return head_method(*names, text_of(config, "model_type")) or DRAFT


def head_method(*names: str | None) -> str | None:
    """The method of the head that has these architectures and model type; None where they are a model's own."""
    known = [name for name in names if name]
    if any(name.endswith(_WHOLE_MODEL) for name in known):
        return None
    lowered = " ".join(known).lower()
    if "eagle3" in lowered:
        return EAGLE3
    return EAGLE if "eagle" in lowered else None


def _is_eagle(draft: Path) -> bool:
    """Whether this is a head whose configuration calls it a plain Llama, as the first ones' do: by its repository's
    name, as vLLM tells them, or by the layer that joins embedding and hidden state."""
    if "eagle" in name_of(str(draft)).lower():
        return True
    try:
        return any(entry.name == "fc.weight" for entry in read_entries(draft, [file.name for file in draft.iterdir()]))
    except (CheckpointInvalid, OSError):
        return False


def own_prediction_layers(target: str | Path) -> int | None:
    """How many layers of the checkpoint itself guess ahead (multi-token prediction); None where it has none."""
    try:
        config = _config(Path(target))
    except CheckpointInvalid:
        return None
    return None if config is None else whole(config, *_MTP_KEYS)


def methods_of(target: str | Path) -> tuple[str, ...]:
    """The methods that this checkpoint itself brings what they need for."""
    return (MTP,) if own_prediction_layers(target) else ()


def fitting_drafts(target: str, candidates: Iterable[str]) -> tuple[DraftFit, ...]:
    """Every candidate held against the target, those that fit first, the smallest of them first."""
    fits = [draft_fit(target, candidate) for candidate in candidates]
    return tuple(sorted(fits, key=lambda fit: (fit.problem is not None, _weight(fit.path), fit.path)))


def _config(folder: Path) -> Mapping[str, Any] | None:
    found = read_object(folder / "config.json")
    return None if found is None else text_part(found)


def _head_problem(own: Mapping[str, Any], head: Mapping[str, Any]) -> str | None:
    wanted = whole(head, "target_hidden_size") or whole(head, "hidden_size")
    hidden = whole(own, "hidden_size")
    if wanted is not None and hidden is not None and wanted != hidden:
        return f"This head was made for a model of width {wanted:,}; this model's is {hidden:,}."
    return None


def _vocabulary_problem(
    target: Path, draft: Path, own: Mapping[str, Any], other: Mapping[str, Any]
) -> str | None:
    sizes = whole(own, "vocab_size"), whole(other, "vocab_size")
    if None not in sizes and sizes[0] != sizes[1]:
        return f"The vocabularies differ: {sizes[0]:,} tokens in the model, {sizes[1]:,} in the draft."
    first, second = _vocabulary(target), _vocabulary(draft)
    if first is None or second is None or first == second:
        return None
    moved = sum(1 for token, number in first.items() if second.get(token) != number)
    return f"The vocabularies differ: {moved:,} of {len(first):,} tokens have another number in the draft, or none."


def _vocabulary(folder: Path) -> dict[str, int] | None:
    path = folder / "tokenizer.json"
    try:
        stat = path.stat()
    except OSError:
        return None
    return _read_vocabulary(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=4)  # the target's is asked for once a candidate
def _read_vocabulary(path: Path, _size: int, _time: int) -> dict[str, int] | None:
    try:
        found = read_object(path)
    except CheckpointInvalid:
        return None
    model = (found or {}).get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    return vocabulary if isinstance(vocabulary, dict) else None


def _size_advice(own: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    ours, theirs = _work(own), _work(other)
    if ours and theirs and theirs * 3 > ours:
        return "The draft is not much smaller than the model: guessing will cost about as much as it saves."
    return ""


def _work(config: Mapping[str, Any]) -> int:
    layers, hidden = whole(config, "num_hidden_layers"), whole(config, "hidden_size")
    return layers * hidden * hidden if layers and hidden else 0


def _weight(path: str) -> int:
    return sum(file.stat().st_size for file in Path(path).glob("*.safetensors"))
