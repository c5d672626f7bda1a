"""One request of a run, as the client saw it and as the server told."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Outcome(StrEnum):
    """How a request ended. Figures are over the successful ones; the others are counted apart."""

    SUCCESSFUL = "successful"  # the stream ended in good order
    INCOMPLETE = "incomplete"  # we cut it: the run was stopped, or its time was over
    FAILED = "failed"  # refused, cut by the server, or too late


class Sample(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request. Times are seconds on the run's clock (0: the run's first request was due); None: did not happen.

    `due_s` is when the arrival asked for it, `sent_s` when it was sent. `first_token_s` and `last_token_s` are the
    arrivals of the first and the last piece with a token. `gaps` holds the times between pieces, in order, as
    little-endian float32 seconds (`gaps_s` reads them). `output_tokens` and `cached_tokens` are the server's counts
    where it gives them. `queue_s`, `prefill_s` and `decode_s` are the server's own times for this request (vLLM's
    per-request metrics), None where it does not tell. `client` counts the closed loop's clients or the conversation,
    `turn` the place in it. `reason` is the finish reason, or what went wrong.
    """

    number: int
    request_id: str
    outcome: Outcome
    due_s: float
    sent_s: float
    ended_s: float
    first_token_s: float | None = None
    last_token_s: float | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    wanted_tokens: int | None = None
    queue_s: float | None = None
    prefill_s: float | None = None
    decode_s: float | None = None
    client: int = 0
    turn: int = 0
    reason: str = ""
    gaps: bytes = b""

    @property
    def ttft_s(self) -> float | None:
        """First token minus sending."""
        return None if self.first_token_s is None else self.first_token_s - self.sent_s

    @property
    def e2e_s(self) -> float | None:
        """Last token minus sending, as `vllm bench serve` takes it."""
        return None if self.last_token_s is None else self.last_token_s - self.sent_s

    @property
    def tpot_s(self) -> float | None:
        """(last - first) / (n - 1): vLLM's definition, which leaves the first token out. None below two tokens."""
        if self.first_token_s is None or self.last_token_s is None or not self.output_tokens or self.output_tokens < 2:
            return None
        return (self.last_token_s - self.first_token_s) / (self.output_tokens - 1)

    @property
    def tpot_with_first_s(self) -> float | None:
        """E2E / n: GuideLLM's definition, which counts the first token and so the prefill in."""
        e2e = self.e2e_s
        return e2e / self.output_tokens if e2e is not None and self.output_tokens else None

    @property
    def gaps_s(self) -> NDArray[np.float32]:
        """Times between pieces of the answer in seconds (ITL), in order; read-only."""
        return np.frombuffer(self.gaps, dtype="<f4")
