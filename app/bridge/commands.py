"""What a panel may ask for. The one implementation (`app.bridge.engine_commands`) talks to the engine client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from engine.client.engine import ChatDelta, ChatMessage, ChatOptions
    from engine.domain.lifecycle import LimitsRequest, LoadRequest, ParameterValue


class Commands(Protocol):
    """Commands return at once; their effect comes back through the Store. Errors become notices or failures.

    `chat` alone is awaited by its caller, since it streams.
    """

    def load(self, checkpoint: str) -> None:
        """Load or switch to a checkpoint with the saved and edited parameters."""

    def load_as(self, request: LoadRequest) -> None:
        """Load exactly this: a change that was offered when a load was refused."""

    def reload(self, changes: dict[str, ParameterValue] | None = None, *, end_sleepers: bool = False) -> None:
        """Load the present (or last) checkpoint again, with these changes on top of what runs or failed.

        `end_sleepers`: the engines that wait end first.
        """

    def reach_host(self, *, any_port: bool = False) -> None:
        """Bring the engine host up where none is there; `any_port`: on a free port, where the usual one is taken."""

    def cancel_load(self) -> None:
        """Stop the load in progress."""

    def unload(self) -> None:
        """End the engine."""

    def put_to_sleep(self) -> None:
        """Put the engine that serves to rest, with none in its place."""

    def wake(self, checkpoint: str) -> None:
        """Switch to the engine of this checkpoint that waits."""

    def end_sleeper(self, checkpoint: str = "") -> None:
        """End the engine of this checkpoint that waits, or all of them."""

    def measure_sleepers(self) -> None:
        """Measure anew what the waiting engines hold."""

    def show_engine(self, rank: int) -> None:
        """Show this one of several data-parallel engines; says so where it publishes nothing."""

    def apply_limits(self, request: LimitsRequest) -> None:
        """Change the live limits."""

    def edit(self, name: str, value: ParameterValue) -> None:
        """Edit one parameter in the table; raises ParameterInvalid at once, changes nothing then."""

    def revert_edits(self) -> None:
        """Forget all edits that are not yet in force."""

    def apply_preset(self, key: str) -> None:
        """Put a preset's values ("throughput", "latency", "defaults") into the edits."""

    def set_priority(self, request_id: str, priority: int) -> None:
        """Give one request another priority (less is earlier); says so where the policy does not look at it."""

    def abort(self, request_id: str) -> None:
        """Abort one request in the engine."""

    def reset_prefix_cache(self) -> None:
        """Drop every reusable prefix."""

    def read_prefix_tree(self) -> None:
        """Read the cached prefixes as a tree, into the Store."""

    def explain_prefix(self, request_id: str) -> None:
        """Ask why this live request found what it found in the prefix cache; the reason comes to the Store."""

    def read_prefix_text(self, key: str, blocks: int) -> None:
        """Decode a stretch of the prefix tree, into the Store."""

    def keep_prefix_tokens(self, *, on: bool) -> None:
        """Keep token ids of cached prefixes in the engine, or forget them; the tree says what holds then."""

    def read_block_times(self) -> None:
        """Read how long blocks live, lie unused and wait to be found again, into the Store."""

    def build_starter(self, variants: Sequence[str] = ()) -> None:
        """Build the starter model's variants (all when empty), resuming what is half done."""

    def cancel_starter(self) -> None:
        """Stop the starter's build; what is done stays."""

    def add_folder(self, path: str) -> None:
        """Look for checkpoints in one more folder, now and from now on."""

    def remove_folder(self, path: str) -> None:
        """Look there no longer."""

    def rescan(self) -> None:
        """Look at all folders again."""

    def chat(
        self, messages: Sequence[ChatMessage], options: ChatOptions, *, request_id: str | None = None
    ) -> AsyncIterator[ChatDelta]:
        """Stream an answer from the running engine; closing the iterator aborts the request."""
