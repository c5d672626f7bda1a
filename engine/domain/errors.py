"""The one tree of errors. Each says what happened and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.domain.lifecycle import ParameterValue


class KVDeckError(Exception):
    """Something failed in a way that a user can understand and act on.

    `message` is one sentence with the cause and its numbers; `remedy` is one sentence that says what to do;
    `details` is whatever a log or an expert would want to see (many lines are fine). `offers` are changes of parameters
    that would help a refused load, each with its label.
    """

    kind = "error"

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        details: str = "",
        offers: tuple[tuple[str, dict[str, ParameterValue]], ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.details = details
        self.offers = offers

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class CheckpointInvalid(KVDeckError):
    """A folder is no checkpoint, or one that is damaged or incomplete."""

    kind = "checkpoint_invalid"


class CheckpointUnsupported(KVDeckError):
    """A checkpoint is whole, but the installed engine or this hardware cannot run it."""

    kind = "checkpoint_unsupported"


class ParameterInvalid(KVDeckError):
    """A parameter's value is of the wrong type, out of range, or contradicts another one."""

    kind = "parameter_invalid"


class OutOfMemory(KVDeckError):
    """Weights, KV cache or activations need more memory than there is."""

    kind = "out_of_memory"


class ContextTooLong(KVDeckError):
    """max_model_len, or a conversation, is longer than the KV cache or the model allows."""

    kind = "context_too_long"


class PortInUse(KVDeckError):
    """The server's port belongs to another program."""

    kind = "port_in_use"


class EngineFailed(KVDeckError):
    """The engine could not start; `message` is the root cause found in its log."""

    kind = "engine_failed"


class EngineCrashed(KVDeckError):
    """An engine that was ready has died."""

    kind = "engine_crashed"


class EngineMissing(KVDeckError):
    """vLLM is not installed, or of a release that KVDeck does not know."""

    kind = "engine_missing"


class EngineBusy(KVDeckError):
    """The command cannot be carried out in the engine's present state."""

    kind = "engine_busy"


class HostUnreachable(KVDeckError):
    """The engine host does not answer, or has ended."""

    kind = "host_unreachable"


class PageInvalid(KVDeckError):
    """A telemetry page cannot be read: wrong version, cut short, or never finished."""

    kind = "page_invalid"


class RecordingInvalid(KVDeckError):
    """A recording cannot be read: no recording, of another version, cut short or damaged."""

    kind = "recording_invalid"

    @classmethod
    def damaged(cls, how: str) -> RecordingInvalid:
        """The file is a recording, but what is in it cannot be right: `how` is a clause that says where."""
        return cls(
            f"The recording is damaged: {how}.",
            remedy="Copy the file again from where it was made, or record anew.",
        )


class DiskFull(KVDeckError):
    """There is no room for what had to be written."""

    kind = "disk_full"


class Cancelled(KVDeckError):
    """The user stopped it."""

    kind = "cancelled"
