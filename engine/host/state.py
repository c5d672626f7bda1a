"""The host's newest state, and the one place that changes and announces it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.domain.lifecycle import HostStatus, Lifecycle, LiveLimits, Phase
from engine.domain.sleepers import Sleepers
from engine.host.vllm_names import installed_version

if TYPE_CHECKING:
    from collections.abc import Callable


class HostState:
    """Lifecycle and limits. `announce` is told the topic and the new value of everything that changes."""

    def __init__(self, version: str, pid: int, address: str, announce: Callable[[str, Any], None]) -> None:
        self._version = version
        self._pid = pid
        self._address = address
        self._announce = announce
        self._vllm_version = installed_version()
        self._lifecycle = Lifecycle(Phase.IDLE)
        self._limits: LiveLimits | None = None
        self.sleepers = Sleepers()

    @property
    def lifecycle(self) -> Lifecycle:
        """The newest state of the engine."""
        return self._lifecycle

    @property
    def phase(self) -> Phase:
        """What the engine is doing."""
        return self._lifecycle.phase

    def status(self) -> HostStatus:
        """Everything that a client which has just connected should know."""
        return HostStatus(
            version=self._version,
            vllm_version=self._vllm_version,
            pid=self._pid,
            address=self._address,
            lifecycle=self._lifecycle,
            limits=self._limits,
        )

    def set_lifecycle(self, lifecycle: Lifecycle) -> None:
        """The engine's state is this now. Limits go with the engine that had them."""
        self._lifecycle = lifecycle
        if lifecycle.phase is not Phase.READY:
            self._limits = None
        self._announce("lifecycle", lifecycle)

    def set_sleepers(self, sleepers: Sleepers) -> None:
        """These engines wait now."""
        self.sleepers = sleepers
        self._announce("sleepers", sleepers)

    def set_limits(self, limits: LiveLimits) -> None:
        """The scheduler has these limits in force."""
        self._limits = limits
        self._announce("limits", limits)
