"""What went wrong between here and the hub, as errors that name the cause and the remedy."""

from __future__ import annotations

import errno
from typing import Any

from engine.domain.errors import DiskFull, KVDeckError


class HubUnreachable(KVDeckError):
    """No answer from the hub."""

    kind = "hub_unreachable"


class HubRefused(KVDeckError):
    """The hub wants a token, another one, or its terms agreed to."""

    kind = "hub_refused"


class HubNotFound(KVDeckError):
    """There is no such repository, revision or file; or the token may not see it."""

    kind = "hub_not_found"


class HubBusy(KVDeckError):
    """Too many requests (429), or the hub itself is in trouble (5xx)."""

    kind = "hub_busy"


class ChecksumWrong(KVDeckError):
    """What arrived is not what the hub says the file is."""

    kind = "checksum_wrong"


KINDS = {error.kind: error for error in (HubUnreachable, HubRefused, HubNotFound, HubBusy, ChecksumWrong, DiskFull)}

_TOKEN = "Agree to its terms on its page, then give a token that may read it (Hub > Token)."


def explained(error: BaseException, repo: str = "") -> KVDeckError:
    """The error of huggingface_hub or of the network as ours. `repo` is what was asked for."""
    if isinstance(error, KVDeckError):
        return error
    what = repo or "the hub"
    names = {base.__name__ for base in type(error).__mro__}
    if "LocalEntryNotFoundError" in names and error.__cause__ is not None:
        return explained(error.__cause__, repo)  # "not in the cache, and could not be fetched", because of
    status = getattr(getattr(error, "response", None), "status_code", None)
    details = f"{type(error).__name__}: {error}"
    if "GatedRepoError" in names:
        return HubRefused(f"{what} is gated, and the hub refused it ({status}).", remedy=_TOKEN, details=details)
    if status == 401:
        return HubRefused(
            f"The hub does not know the token, or {what} does not exist (401).",
            remedy="Check the name, and give a valid token if the model is private or gated (Hub > Token).",
            details=details,
        )
    if status == 403:
        return HubRefused(f"The token may not read {what} (403).", remedy=_TOKEN, details=details)
    if names & {"RepositoryNotFoundError", "RevisionNotFoundError", "EntryNotFoundError"} or status == 404:
        return HubNotFound(f"The hub has no {what}, or not this file of it.", remedy="Check the name.", details=details)
    if status == 429:
        return HubBusy(
            "The hub answers that there were too many requests (429).",
            remedy="Wait a few minutes and go on; with a token the limit is higher.",
            details=details,
        )
    if status is not None and status >= 500:
        return HubBusy(f"The hub is in trouble ({status}).", remedy="Try again in a few minutes.", details=details)
    return _of_the_system(error, names, what, details)


def _of_the_system(error: BaseException, names: set[str], what: str, details: str) -> KVDeckError:
    number: Any = getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull("The disk is full.", remedy="Free some space and go on; nothing is lost.", details=details)
    if "OfflineModeIsEnabled" in names:
        return HubUnreachable("HF_HUB_OFFLINE is set.", remedy="Unset it to reach the hub.", details=details)
    if names & {"ConnectError", "TimeoutException", "TransportError", "ConnectionError", "RequestError", "Timeout"}:
        return HubUnreachable(
            f"The connection to the hub failed while asking for {what}.",
            remedy="Check the network (and HF_ENDPOINT, where a mirror is used) and go on; nothing is lost.",
            details=details,
        )
    if isinstance(error, OSError) and number is not None:
        message = f"{error.strerror} ({error.filename})."
        return KVDeckError(message, remedy="Check the rights of that folder.", details=details)
    return KVDeckError(f"The hub could not be used: {error}", remedy="See the details; try again.", details=details)
