"""The client's view of an engine: what a panel, the tour and a benchmark may ask of one, local or remote."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from engine.domain.lifecycle import (
    HostStatus,
    Lifecycle,
    LimitsRequest,
    LiveLimits,
    LoadRequest,
    LogRecord,
    ServingStats,
)
from engine.domain.sleepers import Sleepers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from engine.domain.adapter import EngineAdapters
    from engine.domain.block_times import BlockTimes
    from engine.domain.prefixes import PrefixReason, PrefixText, PrefixTree
    from engine.domain.sleepers import KeepPolicy


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message as the OpenAI chat route takes it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Sampling options of one request; None leaves the model's own default. `extra` is passed through as JSON."""

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatDelta:
    """A piece of a streamed answer. Text may be empty; the last delta carries the whole usage and the finish reason.

    The counts are of the answer up to this piece where the server counts as it goes (vLLM does), else None until the
    last one; `cached_tokens` is always told last.

    `request_id` is the OpenAI id ("chatcmpl-..."), the prefix of the engine's internal id.
    """

    request_id: str
    text: str
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


Event = HostStatus | Lifecycle | LiveLimits | LogRecord | ServingStats | Sleepers


class EngineClient(Protocol):
    """Everything that may be asked of an engine host. All methods raise KVDeckError subclasses."""

    @property
    def address(self) -> str:
        """`http://127.0.0.1:8000`, the same through switches; empty before `start`."""

    @property
    def token(self) -> str:
        """The bearer token that the host's routes and the OpenAI routes ask for."""

    def take_any_port(self) -> None:
        """From the next `start` on, a host of our own serves on a free port."""

    async def start(self) -> HostStatus:
        """Bring the host up (or connect to it) and return its status. Raises HostUnreachable, PortInUse."""

    async def status(self) -> HostStatus:
        """The host's present status, asked anew."""

    def events(self) -> AsyncIterator[Event]:
        """Everything the host reports, newest state first; ends when the host does (with HostUnreachable)."""

    async def reopen_events(self) -> None:
        """Open the streams of `events` anew: they go on with the host's status, and no log line comes twice."""

    async def load(self, request: LoadRequest) -> None:
        """Begin to load (or switch to) a checkpoint; progress comes by event. Raises on what preflight finds."""

    async def cancel_load(self) -> None:
        """Stop the present load; leaves no process behind."""

    async def unload(self) -> None:
        """End the engine and verify that its processes and memory are gone."""

    async def restart(self) -> None:
        """Load again what was loaded last, with the same parameters."""

    async def sleepers(self) -> Sleepers:
        """The engines that wait, measured anew."""

    async def keep(self, policy: KeepPolicy) -> Sleepers:
        """Keep outgoing engines by this policy from now on."""

    async def sleep(self) -> None:
        """Put the engine that serves to rest, with none in its place."""

    async def wake(self, checkpoint: str) -> None:
        """Switch to the engine of this checkpoint that waits."""

    async def end_sleeper(self, checkpoint: str = "") -> Sleepers:
        """End the engine of this checkpoint that waits, or all of them; returns who waits then."""

    async def set_limits(self, request: LimitsRequest) -> LiveLimits:
        """Change live limits; returns what the scheduler then has in force, and since which step."""

    async def set_priority(self, request_id: str, priority: int, by: str = "") -> int:
        """Give one request (OpenAI or internal id) another priority; returns how many it was. Lower runs earlier."""

    async def abort(self, request_id: str) -> None:
        """Abort one request in the engine, by its OpenAI or internal id."""

    async def reset_prefix_cache(self) -> bool:
        """Drop every reusable prefix; False where running requests held some of it."""

    async def prefix_tree(self, limit: int = 500) -> PrefixTree:
        """The cached prefixes now, as a tree of at most `limit` nodes. The engine stands still while it is walked."""

    async def prefix_reason(self, request_id: str) -> PrefixReason:
        """Why a request (by internal id) found what it found. Raises ParameterInvalid where it is long gone."""

    async def prefix_text(self, key: str, blocks: int) -> PrefixText:
        """The text of the `blocks` blocks that end with this node, where a live request holds them or they are kept."""

    async def keep_prefix_tokens(self, *, on: bool) -> bool:
        """Keep token ids of cached prefixes in the engine from now on, or forget them; returns what holds then."""

    async def block_times(self) -> BlockTimes:
        """How long blocks lived, lay unused and waited to be found again, since the engine started."""

    async def adapters(self) -> EngineAdapters:
        """The LoRA adapters of the running engine."""

    async def load_adapter(self, path: str, name: str = "") -> EngineAdapters:
        """Load the adapter in this folder, under a name (its folder's own when empty); requests name it as model."""

    async def unload_adapter(self, name: str) -> EngineAdapters:
        """Unload an adapter; returns what is loaded then."""

    def chat(
        self, messages: Sequence[ChatMessage], options: ChatOptions, *, request_id: str | None = None
    ) -> AsyncIterator[ChatDelta]:
        """Stream one answer. Closing the iterator (or cancelling its task) aborts the request in the engine."""

    async def close(self) -> None:
        """Disconnect; a host that this client started is ended with all its processes."""
