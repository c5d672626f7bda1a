"""What is checked before a load, without vLLM: whatever can be known from files and parameters is said at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.checkpoints.describe import describe
from engine.checkpoints.verdict import judge
from engine.domain.checkpoint import VerdictKind
from engine.domain.errors import CheckpointInvalid, CheckpointUnsupported, ContextTooLong
from engine.parameters.gpu_choice import used_gpus
from engine.parameters.offer import offer
from engine.parameters.rules import Surroundings
from engine.parameters.values import merge, require_valid

if TYPE_CHECKING:
    from engine.checkpoints.description import Description
    from engine.checkpoints.machine import Machine
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.lifecycle import LoadRequest


def preflight(request: LoadRequest, machine: Machine) -> Checkpoint:
    """Check a load before it begins and return the checkpoint. Blocking, milliseconds: call it in a thread.

    Raises CheckpointInvalid (no checkpoint, damaged, incomplete), CheckpointUnsupported (the installed vLLM or this
    machine cannot run it, or it needs a consent that the request lacks), ContextTooLong (max_model_len over the
    model's context) and ParameterInvalid (a value out of range, or against another one).
    """
    description = describe(request.checkpoint)
    checkpoint = judge(description, replace(machine, used=used_gpus(request.parameters, machine.visible)))
    values = merge(request.parameters, device=machine.device)
    dummy = values.get("load_format") == "dummy" and description.configured
    _require_whole(description, dummy=dummy)
    _require_runnable(checkpoint, dummy=dummy)
    _require_consent(checkpoint, request, dummy=dummy)
    _require_context(checkpoint, values.get("max_model_len"))
    require_valid(request.parameters, surroundings_of(checkpoint, machine))
    return checkpoint


def surroundings_of(checkpoint: Checkpoint | None, machine: Machine) -> Surroundings:
    """What the parameters' rules ask about a checkpoint and a machine."""
    return Surroundings(
        device=machine.device,
        gpu_count=len(machine.gpus) if machine.gpus else None,
        max_context=checkpoint.max_context if checkpoint else None,
        num_heads=checkpoint.attention.num_heads if checkpoint else None,
        memory_bytes=machine.memory_bytes,
        quantization=checkpoint.quantization.method if checkpoint else None,
        gpu_uuids=tuple(gpu.uuid for gpu in machine.gpus if gpu.uuid),
        fp8_cache=machine.reads_fp8_cache,
        head_dim=whole_head(checkpoint),
    )


def whole_head(checkpoint: Checkpoint | None) -> int | None:
    """The size of an attention head whose keys and values are kept as they are; None where it is not known."""
    if checkpoint is None or checkpoint.attention.kv_elements_per_layer is not None:
        return None  # latent attention keeps something else
    return checkpoint.attention.head_dim


def loads_pickles(checkpoint: Checkpoint) -> bool:
    """Whether a load would open pickles: only where there are no safetensors to take instead."""
    return checkpoint.weights_bytes is None and bool(checkpoint.pickled_files)


def _require_whole(description: Description, *, dummy: bool) -> None:
    checkpoint = description.checkpoint
    if checkpoint.problem is None or dummy:
        return
    folder = Path(checkpoint.path)
    remedy = "Choose another checkpoint, or download this one again."
    if not folder.exists():
        remedy = "Choose another checkpoint; this one was moved or deleted."
    elif not description.configured:
        remedy = "Choose a folder that holds config.json and the weights, or download it again."
    raise CheckpointInvalid(f"{checkpoint.name}: {checkpoint.problem}", remedy=remedy, details=checkpoint.path)


def _require_runnable(checkpoint: Checkpoint, *, dummy: bool) -> None:
    verdict = checkpoint.verdict
    if verdict.kind is not VerdictKind.REFUSED or (dummy and verdict.reason == checkpoint.problem):
        return
    raise CheckpointUnsupported(
        f"{checkpoint.name} cannot run here. {verdict.reason}",
        remedy="Choose another variant of this model, or another model.",
        details=checkpoint.path,
    )


def _require_consent(checkpoint: Checkpoint, request: LoadRequest, *, dummy: bool) -> None:
    if checkpoint.needs_remote_code and not request.trust_remote_code:
        raise CheckpointUnsupported(
            f"{checkpoint.name} brings program code of its own, which would run with your rights.",
            remedy="Allow it only if you trust where this checkpoint comes from, then load it again.",
            details="trust_remote_code",
        )
    if loads_pickles(checkpoint) and not request.allow_pickle and not dummy:
        first = checkpoint.pickled_files[0]
        raise CheckpointUnsupported(
            f"{checkpoint.name} keeps its weights in pickles ({first}), which can run any code when they are opened.",
            remedy="Allow it only if you trust where this checkpoint comes from, or choose one with safetensors.",
            details="allow_pickle",
        )


def _require_context(checkpoint: Checkpoint, wanted: object) -> None:
    limit = checkpoint.max_context
    if isinstance(wanted, int) and limit is not None and wanted > limit:
        raise ContextTooLong(
            f"max_model_len is {wanted:,} tokens, but {checkpoint.name} was made for {limit:,}.",
            remedy=f"Lower max_model_len to {limit:,} or less.",
            offers=(offer("max_model_len", limit),),
        )
