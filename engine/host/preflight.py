"""What can be known before a load, without an engine: the checkpoint's files, the parameters, the user's consent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.checkpoints.describe import describe
from engine.domain.errors import (
    CheckpointInvalid,
    CheckpointUnsupported,
    ContextTooLong,
    KVDeckError,
    OutOfMemory,
)
from engine.domain.lifecycle import Failure, RemedyAction
from engine.parameters.rules import Surroundings
from engine.parameters.values import require_valid

if TYPE_CHECKING:
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.lifecycle import LoadRequest

_GIB = 1 << 30


class LoadRefused(KVDeckError):
    """A load that cannot work, found before anything was started; `failure` has the ways out."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message, remedy=failure.remedy, details="\n".join(failure.log_tail))
        self.kind = failure.kind
        self.failure = failure


def with_actions(error: KVDeckError, *actions: RemedyAction) -> LoadRefused:
    """`error` together with the buttons that would help."""
    return LoadRefused(Failure(error.kind, error.message, error.remedy, actions=actions))


def check_files(request: LoadRequest, device: str) -> Checkpoint:
    """Look at the folder and the parameters; returns what the checkpoint is.

    Raises CheckpointInvalid, CheckpointUnsupported, ParameterInvalid, ContextTooLong, OutOfMemory or LoadRefused.
    Blocks for milliseconds (headers of large checkpoints): call it in a thread. `device` may be "" for unknown.
    """
    path = Path(request.checkpoint)
    if not path.is_absolute():
        raise CheckpointInvalid(f"{request.checkpoint!r} is no absolute path.", remedy="Give the folder's full path.")
    description = describe(path)
    checkpoint = description.checkpoint
    if checkpoint.problem is not None and not _may_ignore(checkpoint, request):
        raise CheckpointInvalid(checkpoint.problem, remedy=_remedy(checkpoint))
    _check_consent(checkpoint, request)
    surroundings = Surroundings(
        device=device,
        max_context=None,  # checked below, with a button that sets what fits
        num_heads=checkpoint.attention.num_heads,
        memory_bytes=psutil.virtual_memory().total,
        quantization=checkpoint.quantization.method,
    )
    _check_context(checkpoint, request)
    require_valid(request.parameters, surroundings)
    if device == "cpu":
        _check_memory(checkpoint)
    return checkpoint


def _may_ignore(checkpoint: Checkpoint, request: LoadRequest) -> bool:
    """Invented weights need no files, only a configuration that could be read."""
    return request.parameters.get("load_format") == "dummy" and checkpoint.architecture is not None


def _remedy(checkpoint: Checkpoint) -> str:
    if checkpoint.architecture is None:
        return "Choose a folder with a model's config.json and its weights."
    return "Download the checkpoint again, or choose another one."


def _check_consent(checkpoint: Checkpoint, request: LoadRequest) -> None:
    format_ = request.parameters.get("load_format")
    only_pickles = bool(checkpoint.pickled_files) and checkpoint.weights_bytes is None
    if (only_pickles or format_ == "pt") and not request.allow_pickle and format_ != "dummy":
        first = checkpoint.pickled_files[0] if checkpoint.pickled_files else "this format"
        raise CheckpointUnsupported(
            f"The weights are pickled Python objects ({first}), which can run code when they are read.",
            remedy="Allow pickled weights for this checkpoint if you trust where it comes from, or use safetensors.",
        )


def _check_context(checkpoint: Checkpoint, request: LoadRequest) -> None:
    wanted, limit = request.parameters.get("max_model_len"), checkpoint.max_context
    if isinstance(wanted, int) and limit is not None and wanted > limit:
        error = ContextTooLong(
            f"max_model_len is {wanted} tokens, and the model was made for {limit}.",
            remedy=f"Set max_model_len to {limit} or less.",
        )
        raise with_actions(error, RemedyAction(f"Set max_model_len to {limit}", {"max_model_len": limit}))


def _check_memory(checkpoint: Checkpoint) -> None:
    total, needed = psutil.virtual_memory().total, checkpoint.weights_bytes
    if needed is not None and needed > total:
        raise OutOfMemory(
            f"The weights take {needed / _GIB:.1f} GiB, and this machine has {total / _GIB:.1f} GiB of memory.",
            remedy="Choose a smaller or a quantized checkpoint.",
        )
