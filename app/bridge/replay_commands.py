"""The commands of a window that replays: there is no engine, and each of them says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge.store import Notice
from engine.client.engine import ChatDelta
from engine.domain.errors import EngineBusy

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from app.bridge.store import Store
    from engine.client.engine import ChatMessage, ChatOptions
    from engine.domain.lifecycle import LimitsRequest, LoadRequest, ParameterValue


class ReplayCommands(QObject):
    """Implements `app.bridge.commands.Commands` by refusing, in words, whatever would need an engine."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    def load(self, checkpoint: str) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def load_as(self, request: LoadRequest) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def reload(self, changes: dict[str, ParameterValue] | None = None, *, end_sleepers: bool = False) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def reach_host(self, *, any_port: bool = False) -> None:  # noqa: ARG002 - named as the protocol names it
        """Refused: a replay needs no host."""
        self._refuse()

    def cancel_load(self) -> None:
        """Refused: the load is past."""
        self._refuse()

    def unload(self) -> None:
        """Refused."""
        self._refuse()

    def put_to_sleep(self) -> None:
        """Refused."""
        self._refuse()

    def wake(self, checkpoint: str) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def end_sleeper(self, checkpoint: str = "") -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def measure_sleepers(self) -> None:
        """Nothing waits in a recording."""

    def show_engine(self, rank: int) -> None:
        """Nothing: a recording holds what its window showed."""

    def apply_limits(self, request: LimitsRequest) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def edit(self, name: str, value: ParameterValue) -> None:  # noqa: ARG002
        """Refused; the table keeps what was recorded."""
        self._refuse()

    def revert_edits(self) -> None:
        """There are none."""

    def apply_preset(self, key: str) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def set_priority(self, request_id: str, priority: int) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def abort(self, request_id: str) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def reset_prefix_cache(self) -> None:
        """Refused."""
        self._refuse()

    def read_prefix_tree(self) -> None:
        """Nothing: what was recorded of it comes by itself."""

    def explain_prefix(self, request_id: str) -> None:
        """Nothing: choosing a request is no wish for an engine."""

    def read_prefix_text(self, key: str, blocks: int) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def keep_prefix_tokens(self, *, on: bool) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def read_block_times(self) -> None:
        """Nothing: what was recorded of them comes by itself."""

    def build_starter(self, variants: Sequence[str] = ()) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def cancel_starter(self) -> None:
        """Nothing is being built."""

    def add_folder(self, path: str) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def remove_folder(self, path: str) -> None:  # noqa: ARG002
        """Refused."""
        self._refuse()

    def rescan(self) -> None:
        """Refused."""
        self._refuse()

    def chat(
        self, messages: Sequence[ChatMessage], options: ChatOptions, *, request_id: str | None = None  # noqa: ARG002
    ) -> AsyncGenerator[ChatDelta, None]:
        """The iterator raises EngineBusy."""
        return _raising(EngineBusy(self._reason(), remedy=self._remedy()))

    def _refuse(self) -> None:
        self._store.publish(Notice("info", self._reason(), self._remedy()))

    def _reason(self) -> str:
        return self.tr("This window replays a recording; no engine runs behind it.")

    def _remedy(self) -> str:
        return self.tr("Open KVDeck without a recording to run a model.")


async def _raising(*errors: EngineBusy) -> AsyncGenerator[ChatDelta, None]:
    for error in errors:
        raise error
    yield ChatDelta("", "")
