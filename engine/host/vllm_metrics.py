"""vLLM's Prometheus collectors: one engine's at a time can be registered, and /metrics shows that one."""

from __future__ import annotations

from typing import Any


def registered() -> tuple[Any, ...]:
    """The collectors of vLLM's engine that are registered now: those of the engine made last."""
    from prometheus_client import REGISTRY  # comes with vLLM, which is imported late

    return tuple(each for each in list(REGISTRY._collector_to_names) if _is_of_vllm(each))  # noqa: SLF001 - vLLM's own way


def show(collectors: tuple[Any, ...]) -> None:
    """Register these in place of whichever are there: a new vLLM engine takes away those of the one before."""
    from prometheus_client import REGISTRY

    present = registered()
    if present == collectors:
        return
    for each in present:
        REGISTRY.unregister(each)
    for each in collectors:
        REGISTRY.register(each)


def _is_of_vllm(collector: Any) -> bool:
    return str(getattr(collector, "_name", "")).startswith("vllm:")
