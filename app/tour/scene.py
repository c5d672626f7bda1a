"""What the tour works with, and the waits that all of its steps share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.tour.robot import StepFailed
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.frame_clock import FrameClock
    from app.bridge.store import Store
    from app.main_window import MainWindow
    from app.tour.report import TourReport
    from app.tour.robot import Robot
    from engine.domain.checkpoint import Checkpoint

_BROKEN = (Phase.FAILED, Phase.CRASHED, Phase.OFFLINE)


SOURCE = "bf16"


@dataclass(frozen=True, slots=True)
class TourOptions:
    """What the command line chooses: where the pictures and the report go, and the variants to switch to in turn.

    With `models`, folders of checkpoints, these take the starter's place: the first is loaded, the others switched to.
    `streams` requests run while a limit changes. With `keep` the switches leave the old engine asleep, and each model
    is woken in turn at the end. After `limit_s` seconds the tour ends with what it has.
    """

    folder: Path
    variants: tuple[str, ...] = ("awq",)
    models: tuple[Path, ...] = ()
    streams: int = 16
    keep: bool = False
    limit_s: float = 1500.0

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that is loaded, in this order: keys of the starter's variants, or the models' folders."""
        return tuple(str(model.resolve()) for model in self.models) or (SOURCE, *self.variants)


@dataclass(frozen=True, slots=True)
class Scene:
    """The window and what is behind it, as the steps see it."""

    window: MainWindow
    store: Store
    clock: FrameClock
    robot: Robot
    report: TourReport
    options: TourOptions

    async def client(self) -> RemoteEngine:
        """A client of its own, as any user's program would be: by the address and the key of the title bar."""
        address = self.store.address
        if address is None:
            raise StepFailed("The window shows no address of a server.")
        engine = RemoteEngine(HostAddress(0, address.url, address.token))
        await engine.start()
        return engine

    def checkpoint(self, name: str) -> Checkpoint | None:
        """One of the options' `names` ("bf16", "awq", ..., or a folder) as the library has it, if there and whole."""
        library, starter, path = self.store.library, self.store.starter, name
        if library is None:
            return None
        if not self.options.models:
            built = () if starter is None else starter.variants
            path = next((variant.path or "" for variant in built if variant.key == name), "")
        found = (each for each in library.checkpoints if each.path == path and each.problem is None)
        return next(found, None)

    async def until_ready(self, checkpoint: str, timeout_s: float) -> float:
        """Wait until this checkpoint is ready; returns the seconds. Raises StepFailed with the engine's own words."""
        before = self.store.lifecycle

        def is_ready() -> bool:
            lifecycle = self.store.lifecycle
            if lifecycle is not before and lifecycle.phase in _BROKEN:
                failure = lifecycle.failure
                raise StepFailed(f"The load ended as {lifecycle.phase}: {failure.message if failure else 'no reason'}")
            return lifecycle.phase is Phase.READY and lifecycle.checkpoint == checkpoint

        return await self.robot.until(is_ready, timeout_s, f"{checkpoint} is ready")
