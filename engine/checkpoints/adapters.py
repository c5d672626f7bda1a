"""LoRA adapters on disk: what each is, and whether it fits a model. Reads headers and configurations only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.checkpoints.config_file import object_of, read_object, text_of, text_part, whole
from engine.checkpoints.find import name_of
from engine.checkpoints.folder import look
from engine.checkpoints.safetensors_header import read_header
from engine.domain.adapter import Adapter
from engine.domain.errors import CheckpointInvalid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from engine.checkpoints.places import Place
    from engine.checkpoints.safetensors_header import SafetensorsHeader

CONFIG, WEIGHTS, PICKLE = "adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"
_DEEPEST = 8
_PAIR = re.compile(r"(?P<module>.+?)\.lora_(?P<side>A|B|embedding_A|embedding_B)(\.\w+)?(\.weight)?$")


def find_adapters(places: Iterable[Place], cancelled: Callable[[], bool] = lambda: False) -> tuple[Adapter, ...]:
    """Every adapter in these places, by name. Blocking: call it in a thread."""
    found: dict[Path, Adapter] = {}
    for place in places:
        for folder in _walk(place.path, 0, cancelled):
            real = folder.resolve()
            if real not in found:
                found[real] = read_adapter(folder)
    return tuple(sorted(found.values(), key=lambda each: (each.name.casefold(), each.path)))


def read_adapter(folder: Path) -> Adapter:
    """What the folder holds. Never raises: what is wrong with it is its `problem`."""
    path, name = str(folder), name_of(str(folder))
    try:
        config = read_object(folder / CONFIG)
    except CheckpointInvalid as error:
        return Adapter(path, name, "", None, (), None, error.message)
    if config is None:
        return Adapter(path, name, "", None, (), None, f"There is no {CONFIG} in this folder.")
    base = text_of(config, "base_model_name_or_path") or ""
    ranks = [whole(config, "r"), *(value for value in object_of(config, "rank_pattern").values())]
    rank = max((value for value in ranks if isinstance(value, int)), default=None)
    targets = _targets(config)
    try:
        header = _header(folder)
    except CheckpointInvalid as error:
        return Adapter(path, name, base, rank, targets, None, error.message)
    found = Adapter(path, name, base, rank, targets or _modules(header), header.actual_bytes)
    problem = _unsupported(config) or _rank_problem(rank, header)
    return found if problem is None else Adapter(path, name, base, rank, found.targets, found.size_bytes, problem)


def adapter_problem(adapter: Adapter, checkpoint: str | Path, max_rank: int | None) -> str | None:
    """Why this adapter cannot be loaded over this checkpoint, with the numbers; None where it can."""
    if adapter.problem is not None:
        return adapter.problem
    if adapter.rank is not None and max_rank is not None and adapter.rank > max_rank:
        return f"Its rank is {adapter.rank}; this engine has room for rank {max_rank} (max_lora_rank)."
    return _shape_problem(Path(adapter.path), Path(checkpoint))


def _walk(folder: Path, depth: int, cancelled: Callable[[], bool]) -> Iterator[Path]:
    if cancelled() or depth > _DEEPEST:
        return
    facts = look(folder)
    if CONFIG in facts.files:
        yield folder
        return
    for name in facts.subfolders:
        if name not in (".git", "__pycache__", "blobs"):
            yield from _walk(folder / name, depth + 1, cancelled)


def _header(folder: Path) -> SafetensorsHeader:
    path = folder / WEIGHTS
    if not path.exists():
        if (folder / PICKLE).exists():
            raise CheckpointInvalid(f"Its weights are in {PICKLE}, a pickle, which can run any code when it is opened.")
        raise CheckpointInvalid(f"There is no {WEIGHTS} in this folder.")
    header = read_header(path)
    if header.is_cut_short:
        raise CheckpointInvalid(
            f"{WEIGHTS} is cut short: {header.actual_bytes:,} of {header.expected_bytes:,} bytes are there."
        )
    return header


def _targets(config: Mapping[str, Any]) -> tuple[str, ...]:
    value = config.get("target_modules")
    if isinstance(value, str):
        return (value,)
    return tuple(sorted(str(each) for each in value)) if isinstance(value, list) else ()


def _modules(header: SafetensorsHeader) -> tuple[str, ...]:
    matches = (_PAIR.match(tensor.name) for tensor in header.tensors)
    return tuple(sorted({match["module"].rpartition(".")[2] for match in matches if match}))


def _unsupported(config: Mapping[str, Any]) -> str | None:
    kind = text_of(config, "peft_type")
    if kind is not None and kind.upper() != "LORA":
        return f"It is an adapter of the kind {kind}; vLLM loads LoRA only."
    if config.get("use_dora"):
        return "It uses DoRA, which vLLM does not load."
    if config.get("modules_to_save"):
        return "It brings whole modules beside the low-rank ones (modules_to_save), which vLLM does not load."
    if text_of(config, "bias") not in (None, "none"):
        return "It changes biases, which vLLM does not load."
    return None


def _rank_problem(rank: int | None, header: SafetensorsHeader) -> str | None:
    for tensor in header.tensors:
        match = _PAIR.match(tensor.name)
        if match is None or len(tensor.shape) != 2:
            continue
        own = tensor.shape[0] if match["side"] == "A" else tensor.shape[1]
        if rank is not None and match["side"] in "AB" and own > rank:
            return f"Its configuration says rank {rank}, its weights have {own} ({match['module'].rpartition('.')[2]})."
    return None if any(_PAIR.match(tensor.name) for tensor in header.tensors) else "It holds no LoRA weights."


def _shape_problem(adapter: Path, checkpoint: Path) -> str | None:
    """The first module whose width is not the model's, or that the model does not have."""
    try:
        config = read_object(checkpoint / "config.json")
        header = read_header(adapter / WEIGHTS)
    except CheckpointInvalid as error:
        return error.message
    if config is None:
        return None
    widths, layers = _widths(text_part(config)), whole(text_part(config), "num_hidden_layers")
    for tensor in header.tensors:
        match = _PAIR.match(tensor.name)
        if match is None or len(tensor.shape) != 2:
            continue
        layer = re.search(r"\.layers\.(\d+)\.", match["module"])
        if layer and layers and int(layer[1]) >= layers:
            return f"It changes layer {layer[1]}; this model has the layers 0 to {layers - 1}."
        module, side = match["module"].rpartition(".")[2], match["side"]
        wanted = widths.get(module, (None, None))[0 if side == "A" else 1]
        own = tensor.shape[1] if side == "A" else tensor.shape[0]
        if wanted is not None and own != wanted:
            return f"It was made for another model: its {module} has width {own:,}, this model's {wanted:,}."
    return None


def _widths(config: Mapping[str, Any]) -> dict[str, tuple[int | None, int | None]]:
    """Input and output width of the usual modules; None where the configuration does not say."""
    hidden, middle = whole(config, "hidden_size"), whole(config, "intermediate_size")
    heads = whole(config, "num_attention_heads")
    keys = whole(config, "num_key_value_heads") or heads
    each = whole(config, "head_dim") or (hidden // heads if hidden and heads else None)
    query = heads * each if heads and each else None
    key = keys * each if keys and each else None
    if whole(config, "kv_lora_rank") or whole(config, "num_experts", "num_local_experts", "n_routed_experts"):
        return {}  # latent attention and experts have widths of their own
    return {
        "q_proj": (hidden, query),
        "k_proj": (hidden, key),
        "v_proj": (hidden, key),
        "o_proj": (query, hidden),
        "gate_proj": (hidden, middle),
        "up_proj": (hidden, middle),
        "down_proj": (middle, hidden),
    }
