"""Whether Ray could start an engine's workers here: installed, recent enough, and its cluster within reach."""

from __future__ import annotations

import importlib.util
import os
import re
import socket
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.errors import EngineMissing, ParameterInvalid
from engine.parameters.offer import offer

if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST = (2, 9)  # the oldest one that vLLM's own code provides for
_REACH_S = 2.0
_HERE = (offer("distributed_executor_backend", "mp"),)
_CURRENT = Path("/tmp/ray/ray_current_cluster")  # noqa: S108 - Ray's own file, which it looks for there itself
_PORT = 6379


def require_ray(environment: Mapping[str, str] | None = None) -> str | None:
    """The address of the cluster that Ray would join; None where it would start one on this machine alone.

    Raises EngineMissing (not installed, too old) or ParameterInvalid (the cluster does not answer). Blocks for up to
    two seconds.
    """
    if importlib.util.find_spec("ray") is None:
        raise EngineMissing(
            "distributed_executor_backend is ray, and Ray is not installed.",
            remedy="Install it into KVDeck's environment (pip install ray), or choose mp for GPUs of this machine.",
            offers=_HERE,
        )
    version = metadata.version("ray")
    match = re.match(r"(\d+)\.(\d+)", version)
    if match is not None and (int(match[1]), int(match[2])) < OLDEST:
        raise EngineMissing(
            f"Ray {version} is installed; vLLM needs {OLDEST[0]}.{OLDEST[1]} or newer.",
            remedy="Update it in KVDeck's environment (pip install -U ray), on every machine of the cluster.",
            offers=_HERE,
        )
    address = cluster_address(os.environ if environment is None else environment)
    if address is not None and not _answers(address):
        raise ParameterInvalid(
            f"The Ray cluster at {address} does not answer.",
            remedy="Start its head (ray start --head), check RAY_ADDRESS and the network, or choose mp.",
            offers=_HERE,
        )
    return address


def cluster_address(environment: Mapping[str, str], current: Path = _CURRENT) -> str | None:
    """host:port of the cluster's head: RAY_ADDRESS, else what `ray start` has left on this machine, else None."""
    named = environment.get("RAY_ADDRESS", "").strip()
    if named in ("", "auto"):
        try:
            named = current.read_text(encoding="utf-8").strip()
        except OSError:
            return None
    named = named.rpartition("://")[2]
    return named or None if named != "local" else None


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    number = int(port) if port.isdigit() else _PORT
    try:
        with socket.create_connection((host.strip("[]") or address, number), timeout=_REACH_S):
            return True
    except OSError:
        return False
