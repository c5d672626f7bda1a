"""What a load asks for beside the checkpoint itself, held against this machine before anything is ended for it."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.checkpoints.drafts import draft_fit, own_prediction_layers
from engine.checkpoints.ray_ready import require_ray
from engine.domain.errors import CheckpointUnsupported, EngineMissing, ParameterInvalid
from engine.parameters.gpu_choice import PARALLEL, worker_count
from engine.parameters.offer import ngram_speculation, offer, without_speculation
from engine.parameters.speculation import DRAFT, EAGLE, EAGLE3, MTP, NEED_DRAFT, read_speculation

if TYPE_CHECKING:
    from engine.checkpoints.machine import Machine
    from engine.domain.lifecycle import LoadRequest
    from engine.parameters.offer import Offer
    from engine.parameters.speculation import Speculation

_HEADS = {EAGLE: (EAGLE, EAGLE3), EAGLE3: (EAGLE3,), DRAFT: (DRAFT,)}


def require_choices(request: LoadRequest, machine: Machine) -> tuple[str, ...]:
    """Check speculation and the executor of a load; returns what the user should know of one that will work.

    Raises ParameterInvalid, CheckpointUnsupported or EngineMissing. Blocks for up to some seconds (a tokenizer is
    read, a cluster asked).
    """
    notes: list[str] = []
    by_ray = request.parameters.get("distributed_executor_backend") == "ray"
    if by_ray and machine.device == "cpu":
        raise ParameterInvalid(
            "vLLM starts workers by Ray on GPUs only; this engine runs on the CPU.",
            remedy="Choose mp.",
            offers=(offer("distributed_executor_backend", "mp"),),
        )
    if by_ray and require_ray() is None:
        notes.append("There is no Ray cluster: Ray starts one on this machine alone.")
    _require_cores(worker_count(request.parameters), machine.device)
    copies = request.parameters.get("data_parallel_size")
    if isinstance(copies, int) and copies > 1:
        shown = f"Of {copies} engines the window shows one, chosen above the block map;"
        notes.append(f"{shown} prefixes are those of the first.")
    found = read_speculation(request.parameters.get("speculative_config"))
    if found is not None:
        notes += _require_speculation(request.checkpoint, found, machine.device)
    return tuple(notes)


def _require_cores(workers: int, device: str) -> None:
    cores = len(os.sched_getaffinity(0))
    if device == "cpu" and workers > cores:
        raise ParameterInvalid(
            f"{workers} workers (tensor × pipeline × data parallel) need a core each, and there are {cores}.",
            remedy="Lower the parallel sizes.",
            offers=(("Use one worker", dict.fromkeys(PARALLEL, 1)),),
        )


def _require_speculation(checkpoint: str, found: Speculation, device: str) -> list[str]:
    if device == "cpu" and found.method == "ngram_gpu":
        message = "The method ngram_gpu looks n-grams up on a GPU."
        raise ParameterInvalid(message, remedy="Choose ngram.", offers=_otherwise())
    if found.method == "suffix" and importlib.util.find_spec("arctic_inference") is None:
        raise EngineMissing(
            "The method suffix needs Arctic Inference, which is not installed.",
            remedy="Install it into KVDeck's environment (pip install arctic-inference), or choose ngram.",
            offers=_otherwise(),
        )
    if found.method == MTP and found.model is None and not own_prediction_layers(checkpoint):
        raise ParameterInvalid(
            "This checkpoint has no layers that predict several tokens (MTP).",
            remedy="Choose ngram, or a draft model.",
            offers=_otherwise(),
        )
    if found.method not in NEED_DRAFT or found.model is None:
        return []
    return _require_draft(checkpoint, found)


def _otherwise() -> tuple[Offer, ...]:
    """What works without the draft, or the layers, that are not there."""
    return ngram_speculation(), without_speculation()


def _require_draft(checkpoint: str, found: Speculation) -> list[str]:
    assert found.model is not None
    name = Path(found.model).name
    if not Path(found.model).is_dir():
        message = f"The draft checkpoint {found.model} is not there."
        raise ParameterInvalid(message, remedy="Choose one from the library.", offers=_otherwise())
    fit = draft_fit(checkpoint, found.model)
    if found.others.get("use_heterogeneous_vocab") is True and fit.method == DRAFT:
        return []
    if fit.method not in _HEADS.get(found.method, ()):
        what = "a model of its own" if fit.method == DRAFT else f"a head for the method {fit.method}"
        raise ParameterInvalid(
            f"{name} is {what}, and the method is {found.method}.",
            remedy=f"Choose the method {fit.method}.",
            offers=(
                (f"Choose the method {fit.method}", {"speculative_config": replace(found, method=fit.method).text()}),
                without_speculation(),
            ),
        )
    if fit.problem is not None:
        raise CheckpointUnsupported(
            f"{name} cannot draft for this model. {fit.problem}",
            remedy="Choose a draft of the same family, or the method ngram.",
            offers=_otherwise(),
        )
    return [fit.advice] if fit.advice else []
