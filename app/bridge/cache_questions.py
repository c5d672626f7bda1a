"""What the window asks the engine about its cache: the prefix tree, its text, reasons, and how long blocks live."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from engine.domain.errors import ParameterInvalid

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine
    from typing import Any

    from app.bridge.store import Store
    from engine.client.engine import EngineClient
    from engine.domain.block_times import BlockTimes
    from engine.domain.prefixes import PrefixText, PrefixTree


class CacheQuestions(QObject):
    """The part of EngineCommands whose answers come to the Store. They are read on demand, never in a step."""

    _store: Store
    _engine: EngineClient

    def read_prefix_tree(self) -> None:
        """Read the cached prefixes as a tree, into the Store."""
        self._start(self._publish(self._engine.prefix_tree()), self.tr("Read the prefix tree"))

    def explain_prefix(self, request_id: str) -> None:
        """Ask why this request found what it found in the prefix cache; one that is long gone is passed over."""
        self._start(self._explain_prefix(request_id), self.tr("Explain the prefix cache"))

    async def _explain_prefix(self, request_id: str) -> None:
        with contextlib.suppress(ParameterInvalid):
            self._store.publish(await self._engine.prefix_reason(request_id))

    def read_prefix_text(self, key: str, blocks: int) -> None:
        """Decode a stretch of the prefix tree, into the Store."""
        self._start(self._publish(self._engine.prefix_text(key, blocks)), self.tr("Read a prefix"))

    def keep_prefix_tokens(self, *, on: bool) -> None:
        """Keep token ids of cached prefixes in the engine, or forget them; the tree says what holds then."""
        self._start(self._keep_prefix_tokens(on=on), self.tr("Keep token ids"))

    async def _keep_prefix_tokens(self, *, on: bool) -> None:
        await self._engine.keep_prefix_tokens(on=on)
        self._store.publish(await self._engine.prefix_tree())

    def read_block_times(self) -> None:
        """Read how long blocks live, lie unused and wait to be found again, into the Store."""
        self._start(self._publish(self._engine.block_times()), self.tr("Read the times of blocks"))

    def read_for_recording(self) -> None:
        """Read what a recording keeps of all this."""
        self.read_prefix_tree()
        self.read_block_times()

    async def _publish(self, answer: Awaitable[PrefixTree | PrefixText | BlockTimes]) -> None:
        self._store.publish(await answer)

    def _start(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        raise NotImplementedError
