"""The log as one ring of records: every line that the host and the engine's processes write."""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from engine.domain.lifecycle import LogRecord

if TYPE_CHECKING:
    from collections.abc import Callable

_CAPACITY = 5000
_PROGRESS_EVERY_S = 0.5

# "(EngineCore pid=12) INFO 11-29 18:35:02 [core.py:133] text", from vLLM and from the host's own loggers. 0.26 leaves
# the process's name away where it is the host's.
_LINE = re.compile(
    r"^(?:\((?P<source>[\w .:-]+?)(?: pid=(?P<pid>\d+))?\)\s+)?"
    r"(?:(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)\s+\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\s+"
    r"(?:\[[\w./<>-]+:\d+\]\s?)?)?"
    r"(?P<text>.*)$",
    re.DOTALL,
)
_LOOKS_BAD = re.compile(r"^(Traceback \(most recent call last\)|[\w.]*(Error|Exception)\b)")
_OURS = {"MainProcess": "host", "APIServer": "host", "Host": "host"}


def is_progress(line: str) -> bool:
    """Whether a line is a progress bar's, which is rewritten many times a second."""
    return "%|" in line or "% Completed" in line


def parse_line(line: str) -> tuple[str, str, str]:
    """Level, source and text of one raw line; what carries no prefix is INFO of "output"."""
    match = _LINE.match(line)
    if match is None:
        return "INFO", "output", line
    text = match["text"]
    level = match["level"] or ("ERROR" if _LOOKS_BAD.match(text) else "INFO")
    source = match["source"]
    return level, _OURS.get(source, source) if source else "output", text


class Journal:
    """Keeps the newest records and tells its listeners of each line. Safe to write from any thread.

    Listeners are called in the writing thread and must be quick.
    """

    def __init__(self, wall_clock: Callable[[], float] = time.time, capacity: int = _CAPACITY) -> None:
        self._wall_clock = wall_clock
        self._records: deque[LogRecord] = deque(maxlen=capacity)
        self._sequence = 0
        self._lock = threading.Lock()
        self._record_listeners: list[Callable[[LogRecord], None]] = []
        self._line_listeners: list[Callable[[str], None]] = []
        self._bars: dict[str, float] = {}

    def on_record(self, listener: Callable[[LogRecord], None]) -> None:
        """Call `listener` with every record that is kept."""
        self._record_listeners.append(listener)

    def on_line(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the text of every line, each redraw of a progress bar among them."""
        self._line_listeners.append(listener)

    def write(self, line: str) -> None:
        """Take in one raw line. Redraws of one progress bar are kept at most twice a second."""
        line = line.rstrip()
        if not line:
            return
        level, source, text = parse_line(line)
        for listen in self._line_listeners:
            listen(text)
        now = self._wall_clock()
        if is_progress(text) and self._is_too_soon(text, now):
            return
        with self._lock:
            self._sequence += 1
            record = LogRecord(self._sequence, now, level, source, text)
            self._records.append(record)
        for tell in self._record_listeners:
            tell(record)

    def after(self, sequence: int) -> tuple[LogRecord, ...]:
        """The records kept that are newer than `sequence`, oldest first."""
        with self._lock:
            return tuple(record for record in self._records if record.sequence > sequence)

    @property
    def last_sequence(self) -> int:
        """The newest record's sequence number, 0 before the first."""
        return self._sequence

    def _is_too_soon(self, text: str, now: float) -> bool:
        title = text.split(":", 1)[0]
        if "100%" in text:
            # A finished bar is drawn twice by tqdm; one record is enough.
            return self._bars.pop(title, None) is None
        if now - self._bars.get(title, 0.0) < _PROGRESS_EVERY_S:
            return True
        if len(self._bars) > 64:
            self._bars.clear()
        self._bars[title] = now
        return False
