"""Notices a host that is there and says nothing: hung, stopped, or too busy to answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.bridge.store import HostSilence
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.store import Store

# In these phases a host reports twice a second. While it loads it may be importing vLLM, which holds it up for long.
_PATIENCE_S = {Phase.READY: 5.0, Phase.LOADING: 30.0}
_LOOK_EVERY_MS = 1000
_ASK_S = 3.0  # of silence in a phase that is told twice a second: time to ask the host another way
_LATE_S = 2.5  # between two looks: the window itself was held up, and what was said meanwhile is not read yet


class SilenceWatch(QObject):
    """Publishes how long a followed host has been silent, once that is longer than its phase explains.

    `clock` gives seconds that only grow. `ask` is called now and then while a host is silent that should not be.
    """

    def __init__(
        self,
        store: Store,
        parent: QObject | None = None,
        clock: Callable[[], float] = time.monotonic,
        ask: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._clock = clock
        self._ask = ask
        self._heard_s = self._looked_s = clock()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        """A host is followed from now on."""
        self._heard_s = self._looked_s = self._clock()
        self._timer.start()

    def stop(self) -> None:
        """Nobody is followed any more."""
        self._timer.stop()
        self._tell(None)

    def heard(self) -> None:
        """The host has said something."""
        self._heard_s = self._clock()
        if self._store.silence.seconds is not None:
            self._tell(None)

    @property
    def silent_s(self) -> float:
        """For how long nothing was heard."""
        return self._clock() - self._heard_s

    def look(self) -> None:
        """Compare the silence with what the present phase explains."""
        now = self._clock()
        late_s, self._looked_s = now - self._looked_s, now
        if late_s > _LATE_S:
            self._heard_s += late_s - _LOOK_EVERY_MS / 1000
        phase, silent_s = self._store.lifecycle.phase, self.silent_s
        patience = _PATIENCE_S.get(phase)
        if phase is Phase.READY and silent_s > _ASK_S:
            self._ask()
        self._tell(int(silent_s) if patience is not None and silent_s > patience else None)

    def _tell(self, seconds: int | None) -> None:
        if seconds != self._store.silence.seconds:
            self._store.publish(HostSilence(seconds))
