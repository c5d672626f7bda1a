"""Keeps a seeded request from ending an engine on the CPU: vLLM rewinds its random generator as a GPU's is rewound.

A step that computes a prompt only in part (chunked prefill, or a preempted request computed again) samples a token all
the same, throws it away, and sets the request's own generator back by what the sampling drew, with `set_offset`. A
generator on the CPU has no offset: torch raises "CPU Generator does not use offset", and the EngineCore dies of it with
every request. Any request with a seed and a temperature whose prompt goes over the step's token budget does that.
Seen in 0.32; the same line is in the sources of 0.26 and 0.33. Told by what is there, not by the release.
"""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logging.getLogger(__name__)
_METHODS = ("_sample", "_bookkeeping_sync")
_MENDED = "_kvdeck_rewinds_seeds"


def install() -> None:
    """Mend this process's vLLM where it needs it; a second call does nothing."""
    from vllm.platforms import current_platform  # late: the GUI's environment has no vLLM

    if not current_platform.is_cpu() or _generators_have_offsets():
        return
    from vllm.v1.worker.cpu_model_runner import CPUModelRunner

    if not all(hasattr(CPUModelRunner, name) for name in _METHODS):
        _log.warning("A request with a seed and a long prompt may end this engine: this vLLM samples in another place.")
        return
    mend(CPUModelRunner)


def mend(runner: Any) -> None:
    """Let this class of vLLM's model runners take a discarded row's generator back to where it was."""
    if hasattr(runner, _MENDED):
        return
    setattr(runner, _MENDED, True)
    runner._sample = _rewinding(runner._sample)  # noqa: SLF001 - vLLM has no public name for it
    runner._bookkeeping_sync = _out_of_sight(runner._bookkeeping_sync)  # noqa: SLF001


def _generators_have_offsets() -> bool:
    import torch

    try:
        torch.Generator().get_offset()
    except RuntimeError:
        return False
    return True


def _discarded(runner: Any) -> dict[int, Any]:
    """The generators, by row, whose request's prompt is not whole yet: what is sampled for it now is thrown away."""
    batch = runner.input_batch
    if not batch.generators:
        return {}
    unfinished = runner.discard_request_mask.np[: batch.num_reqs]
    return {row: generator for row, generator in batch.generators.items() if unfinished[row]}


def _rewinding(sample: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(sample)
    def sample_and_rewind(self: Any, *arguments: Any, **named: Any) -> Any:
        before = [(generator, generator.get_state()) for generator in _discarded(self).values()]
        sampled = sample(self, *arguments, **named)
        for generator, state in before:
            generator.set_state(state)
        return sampled

    return sample_and_rewind


def _out_of_sight(keep_books: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(keep_books)
    def keep_books_without(self: Any, *arguments: Any, **named: Any) -> Any:
        hidden = _discarded(self)
        for row in hidden:
            del self.input_batch.generators[row]
        try:
            return keep_books(self, *arguments, **named)
        finally:
            self.input_batch.generators.update(hidden)

    return keep_books_without
