"""A program that works for another one ends with it, however that one ended."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from engine.page.liveness import start_ticks, wait_for_end

if TYPE_CHECKING:
    from collections.abc import Callable


def end_with(parent: int, code: int, last: Callable[[], object] = lambda: None) -> None:
    """End this process with `code`, after `last`, within milliseconds of its parent's end; at once where `parent` is
    its parent no more. Returns at once: a thread waits."""
    ticks = start_ticks(parent)

    def watch() -> None:
        if ticks is not None and os.getppid() == parent:
            wait_for_end(parent, ticks)
        try:
            last()
        finally:
            os._exit(code)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
