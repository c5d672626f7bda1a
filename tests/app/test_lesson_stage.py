"""A lesson puts back what it changed, and does not keep a closing window where the host no longer answers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.lessons import stage as stage_module
from app.lessons.stage import LessonStage
from engine.domain.errors import EngineBusy
from engine.domain.lifecycle import LimitsRequest, LiveLimits

if TYPE_CHECKING:
    import qasync

    from app.bridge.engine_commands import EngineCommands
    from app.bridge.store import Store

_LIMITS = LiveLimits(1, 8, 8, 512, 512)


class _Host:
    """What the host makes of a wish for limits: it follows at once, until it hangs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.hangs = False
        self.asked: list[int | None] = []
        store.publish(_LIMITS)

    def apply_limits(self, request: LimitsRequest) -> None:
        """Follow, or not."""
        self.asked.append(request.max_num_seqs)
        if not self.hangs:
            self._store.publish(replace(_LIMITS, max_num_seqs=request.max_num_seqs or 8))


@pytest.fixture
def host(store: Store, commands: EngineCommands, monkeypatch: pytest.MonkeyPatch) -> _Host:
    """A host behind the real commands."""
    host = _Host(store)
    monkeypatch.setattr(commands, "apply_limits", host.apply_limits)
    monkeypatch.setattr(stage_module, "_LEAVING_S", 0.05)
    return host


def test_the_limit_is_put_back(store: Store, commands: EngineCommands, host: _Host, loop: qasync.QEventLoop) -> None:
    async def lesson() -> None:
        with LessonStage(store, commands, print) as stage:
            async with stage.limited(1):
                assert stage.limits.max_num_seqs == 1
            assert stage.limits.max_num_seqs == 8

    loop.run_until_complete(lesson())
    assert host.asked == [1, 8]


@pytest.mark.parametrize("how", ["cancelled", "failed"])
def test_a_hung_host_does_not_keep_the_window(
    store: Store, commands: EngineCommands, host: _Host, loop: qasync.QEventLoop, how: str
) -> None:
    begun = asyncio.Event()

    async def lesson() -> None:
        with LessonStage(store, commands, print) as stage:
            async with stage.limited(1):
                host.hangs = True
                begun.set()
                if how == "failed":
                    raise EngineBusy("It does not go on.")
                await asyncio.Event().wait()

    async def leave() -> None:
        task = asyncio.ensure_future(lesson())
        await begun.wait()
        if how == "cancelled":
            task.cancel()
        with pytest.raises(asyncio.CancelledError if how == "cancelled" else EngineBusy):
            await asyncio.wait_for(asyncio.shield(task), 10)

    loop.run_until_complete(leave())
    assert host.asked == [1, 8]
