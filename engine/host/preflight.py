"""What is known before a load: the checkpoint's files, the parameters, the machine, the user's consent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.checkpoints.engine_choices import require_choices
from engine.checkpoints.machine import read_machine
from engine.checkpoints.preflight import preflight
from engine.domain.checkpoint import VerdictKind
from engine.domain.errors import KVDeckError
from engine.parameters.gpu_choice import used_gpus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.checkpoints.installed_vllm import InstalledVllm
    from engine.domain.lifecycle import Failure, LoadRequest, ParameterValue
    from engine.gpu.nvml import Nvml


class LoadRefused(KVDeckError):
    """A load that cannot work, found before anything was ended for it; `failure` has the numbers and the ways out."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message, remedy=failure.remedy, details="\n".join(failure.log_tail))
        self.kind = failure.kind
        self.failure = failure


class Preflight:
    """Checks a request against this machine and what is known of the installed vLLM, without an engine."""

    def __init__(self, nvml: Nvml, vllm: InstalledVllm, shell: Mapping[str, str]) -> None:
        """`shell` is the environment as it was before an engine was told which GPUs to use."""
        self._nvml = nvml
        self._vllm = vllm
        self._shell = shell

    def device_bytes(self, values: Mapping[str, ParameterValue]) -> int | None:
        """The memory of the smallest GPU that a load with these values uses; None where it is not known."""
        machine = read_machine(self._nvml, self._vllm.known(), self._shell)
        used = used_gpus(values, machine.visible)
        return min((gpu.total_bytes for gpu in machine.gpus if gpu.uuid in used and gpu.total_bytes), default=None)

    def check(self, request: LoadRequest) -> tuple[str, ...]:
        """Raise what speaks against the load; returns what the user should know of one that will work.

        Raises CheckpointInvalid, CheckpointUnsupported, ContextTooLong, ParameterInvalid or EngineMissing. Blocks for
        milliseconds, and for some seconds where a draft's vocabulary or a Ray cluster has to be looked at.
        """
        machine = read_machine(self._nvml, self._vllm.known(), self._shell)
        verdict = preflight(request, machine).verdict
        notes = require_choices(request, machine)
        return (verdict.reason, *notes) if verdict.kind is VerdictKind.RUNS_UNPACKED and verdict.reason else notes
