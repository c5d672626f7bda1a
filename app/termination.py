"""SIGINT and SIGTERM end the window in good order, as closing it does."""

from __future__ import annotations

import signal
import socket
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSocketNotifier, Signal

if TYPE_CHECKING:
    from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Termination(QObject):
    """Emits `asked` on the window's thread when a signal has come. Construct it in the main thread.

    Python runs its handlers only between bytecodes, which an idle Qt loop never reaches; the wake-up socket does.
    """

    asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reading, self._writing = socket.socketpair()
        self._reading.setblocking(False)
        self._writing.setblocking(False)
        self._wakeup_before = signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _noted) for number in _SIGNALS}
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def release(self) -> None:
        """Give the signals back."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._reading.close()
        self._writing.close()

    def _read(self) -> None:
        if any(number in _SIGNALS for number in self._reading.recv(64)):
            self.asked.emit()


def _noted(_number: int, _frame: FrameType | None) -> None:
    """Nothing: the wake-up socket has the number."""
