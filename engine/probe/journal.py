"""What the scheduler did since the last publication, in the order in which it did it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Journal:
    """While the scheduler works, things are only noted; what they mean is worked out when a picture is published.

    The scheduler's own work drives this code out of the processor's caches between any two calls, so that each call in
    its path costs microseconds, however little it does; all at once it is done in a fraction of that.

    `note` takes a call as a tuple of a callable and its arguments, or a block of vLLM's pool, which was handed out:
    vLLM's loop tells of each of those, and so does it without a function of ours.
    """

    def __init__(self) -> None:
        self._notes: list[Any] = []
        self.note: Callable[[Any], None] = self._notes.append

    def replay(self, take: Callable[[Sequence[Any]], None]) -> None:
        """Do what was noted, in order; `take` gets the blocks that were handed out one after the other."""
        taken: list[Any] = []
        for note in self._notes:
            if note.__class__ is not tuple:
                taken.append(note)
                continue
            if taken:
                take(taken)
                taken.clear()
            act, arguments = note
            act(*arguments)
        if taken:
            take(taken)
        self._notes.clear()
