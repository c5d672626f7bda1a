"""Background work of the window that is ended before it has had a turn."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine

    import qasync

    from app.bridge.tasks import Tasks


def test_what_is_ended_before_its_first_step_leaves_nothing_unawaited(tasks: Tasks, loop: qasync.QEventLoop) -> None:
    async def inner() -> None:
        raise AssertionError("it never came to that")

    async def outer(work: Coroutine[Any, Any, None]) -> None:
        await work

    works = [inner()]
    works.append(outer(works[0]))

    async def steps() -> None:
        tasks.start(works[1], "outer", inner=works[0])
        await tasks.stop()

    loop.run_until_complete(steps())
    assert [inspect.getcoroutinestate(work) for work in works] == [inspect.CORO_CLOSED] * 2
