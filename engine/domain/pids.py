"""Process ids that a file names: whether anybody has one."""

from __future__ import annotations

import os


def is_taken(pid: int) -> bool:
    """Whether some process has this id, be it another user's. Raises OverflowError for what can be no id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
