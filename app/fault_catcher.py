"""What nobody has caught: logged and shown, and the window stays."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QtMsgType, Signal, qInstallMessageHandler

from app.bridge.store import Notice

if TYPE_CHECKING:
    import asyncio
    from types import TracebackType

    from PySide6.QtCore import QMessageLogContext

    from app.bridge.store import Store

log = logging.getLogger(__name__)
_qt_log = logging.getLogger("qt")

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class FaultCatcher(QObject):
    """Takes the hooks of Python, its threads, the event loop and Qt; `release` gives them back."""

    _caught = Signal(object)

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._caught.connect(store.publish)
        self._before = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._exception
        threading.excepthook = self._thread_exception
        self._qt_before = qInstallMessageHandler(_qt_message)

    def watch_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take the exceptions that the event loop finds without an owner."""
        loop.set_exception_handler(self._loop_exception)

    def release(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook = self._before
        qInstallMessageHandler(self._qt_before)

    def _exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None, /) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before[0](kind, error, trace)
            return
        log.error("An error that nobody handled", exc_info=(kind, error, trace))
        self._tell(error)

    def _thread_exception(self, arguments: threading.ExceptHookArgs, /) -> None:
        error = arguments.exc_value
        if error is not None and not isinstance(error, SystemExit):
            log.error("An error in a thread", exc_info=error)
            self._tell(error)

    def _loop_exception(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        whose = context.get("task") or context.get("future") or context.get("handle") or ""
        log.error("The event loop reports: %s %s", context.get("message", ""), whose, exc_info=error)
        if error is not None:
            self._tell(error)

    def _tell(self, error: BaseException) -> None:
        message = self.tr("Something went wrong in the window: {error}").format(error=error or type(error).__name__)
        with contextlib.suppress(RuntimeError):  # the window is gone already: then the log alone has it
            self._caught.emit(Notice("error", message, self.tr("The log has the details.")))


def _qt_message(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    _qt_log.log(_LEVELS.get(kind, logging.WARNING), "%s", message)
