"""LoRA adapters of the running engine: loaded, listed and unloaded while it serves."""

from __future__ import annotations

import asyncio
import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from engine.checkpoints.adapters import adapter_problem, read_adapter
from engine.domain.adapter import EngineAdapters, LoadedAdapter
from engine.domain.errors import (
    CheckpointInvalid,
    CheckpointUnsupported,
    EngineBusy,
    EngineCrashed,
    KVDeckError,
    ParameterInvalid,
)
from engine.parameters.offer import Offer, offer
from engine.parameters.rows_execution import LORA_RANKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.domain.adapter import Adapter, LoadAdapterRequest, UnloadAdapterRequest
    from engine.host.engine_run import EngineRun

log = logging.getLogger(__name__)

# vLLM wraps what a worker says; the traceback is in the log.
_WORKERS_ERROR = re.compile(r"Worker failed with error '(.*)', please check", re.DOTALL)


class AdapterCommands:
    """Carries adapters to the present engine. `running` gives it, or None. What vLLM keeps of them is the truth."""

    def __init__(self, running: Callable[[], EngineRun | None]) -> None:
        self._running = running
        self._lock = asyncio.Lock()
        # By engine, since one may be put to sleep and woken: what each name was last loaded from.
        self._known: WeakKeyDictionary[EngineRun, dict[str, Adapter]] = WeakKeyDictionary()
        self._left_out: WeakKeyDictionary[EngineRun, tuple[str, ...]] = WeakKeyDictionary()
        # By checkpoint: name and folder of what its next engine is to have again.
        self._wanted: dict[str, dict[str, str]] = {}
        self._beginning: EngineRun | None = None  # what `bring_back` is at work on

    def list(self) -> EngineAdapters:
        """What is loaded; `enabled` False where the engine has no room for any, or none runs."""
        run = self._running()
        if run is None:
            return EngineAdapters(False)
        config, left_out = run.plan.config.lora_config, self._left_out.get(run, ())
        if config is None:
            return EngineAdapters(False, left_out=left_out)
        loaded = tuple(self._loaded(run, request) for request in run.adapters.lora_requests.values())
        ranks, at_once = int(config.max_lora_rank), int(config.max_loras)
        return EngineAdapters(True, loaded, ranks, at_once, run.adapter_requests(), left_out)

    async def load(self, wanted: LoadAdapterRequest) -> EngineAdapters:
        """Load one. Raises CheckpointInvalid or CheckpointUnsupported (what is wrong with it, or that it is another
        model's), ParameterInvalid (its name), EngineBusy (no engine, no room, requests that hold an older one's cache).
        """
        async with self._lock:
            run = self._engine()
            adapter = await asyncio.to_thread(read_adapter, Path(wanted.path))
            name = wanted.name.strip() or adapter.name
            self._require_name(run, name)
            await asyncio.to_thread(_require_fit, adapter, run)
            await self._forget_prefixes(run, name)
            await self._add(run, name, adapter)
            self._wanted.setdefault(run.plan.request.checkpoint, {})[name] = adapter.path
            return self.list()

    async def bring_back(self, run: EngineRun) -> None:
        """Load into an engine that is about to serve what its checkpoint's last one had. Never raises: what could not
        be loaded again is in the list's `left_out`."""
        wanted = self._wanted.get(run.plan.request.checkpoint, {})
        said = []
        async with self._lock:
            self._beginning = run
            for name, path in list(wanted.items()):
                try:
                    await self._again(run, name, path)
                except KVDeckError as error:
                    said.append(f"The adapter {name} was not loaded again. {error.message}")
                    if run.given_up:  # nor ever: each engine would die of it
                        del wanted[name]
                        break
            self._beginning = None
        for each in said:
            log.warning("%s", each)
        self._left_out[run] = tuple(said)

    def forget(self, checkpoint: str) -> None:
        """The next engine of this checkpoint begins without adapters."""
        self._wanted.pop(checkpoint, None)

    async def unload(self, wanted: UnloadAdapterRequest) -> EngineAdapters:
        """Unload one; requests that run with it finish first with what they hold. Raises ParameterInvalid."""
        async with self._lock:
            run = self._engine()
            known = run.adapters.lora_requests.get(wanted.name)
            if known is None:
                raise ParameterInvalid(
                    f"No adapter named {wanted.name!r} is loaded.", remedy="Choose one of those that are."
                )
            self._wanted.get(run.plan.request.checkpoint, {}).pop(wanted.name, None)
            del run.adapters.lora_requests[wanted.name]  # from here on no request finds it
            try:
                await run.remove_adapter(int(known.lora_int_id))
            except Exception as error:
                raise self._failed(run, error, wanted.name) from error
            return self.list()

    async def _add(self, run: EngineRun, name: str, adapter: Adapter) -> None:
        try:
            await run.add_adapter(name, adapter.path)
        except Exception as error:
            raise self._failed(run, error, name) from error
        self._known.setdefault(run, {})[name] = adapter

    async def _again(self, run: EngineRun, name: str, path: str) -> None:
        if run.plan.config.lora_config is None:
            raise EngineBusy("This engine was loaded without room for adapters.")
        adapter = await asyncio.to_thread(read_adapter, Path(path))
        await asyncio.to_thread(_require_fit, adapter, run)
        await self._add(run, name, adapter)

    def _failed(self, run: EngineRun, error: Exception, name: str) -> KVDeckError:
        if run.given_up or (self._running() is not run and self._beginning is not run):
            return EngineCrashed("The engine died meanwhile.", remedy="Start the engine again.")
        text = str(error).partition(" method failed: ")[2] or str(error)
        inner = _WORKERS_ERROR.search(text)
        text = (inner[1] if inner else text).rstrip(". ") + "."
        return CheckpointUnsupported(
            f"vLLM does not take the adapter {name}: {text}",
            remedy="The engine goes on without it. Check that it was made for this model.",
        )

    async def _forget_prefixes(self, run: EngineRun, name: str) -> None:
        """vLLM 0.26 knows an adapter's cached prefixes by its name alone, and later releases by name and path: files
        that changed under both would answer with the old one's keys and values."""
        if name not in self._known.get(run, {}):
            return
        if not await run.reset_prefix_cache():
            raise EngineBusy(
                f"An adapter named {name} was loaded before, and its cached prefixes are in use.",
                remedy="Wait until no request runs, or load this one under another name.",
            )

    def _require_name(self, run: EngineRun, name: str) -> None:
        if name == run.plan.served_model_name:
            raise ParameterInvalid(f"{name} is the model's own name.", remedy="Load the adapter under another name.")
        if name in run.adapters.lora_requests:
            raise ParameterInvalid(
                f"An adapter named {name} is loaded already.", remedy="Unload it first, or choose another name."
            )

    def _loaded(self, run: EngineRun, request: Any) -> LoadedAdapter:
        facts = self._known.get(run, {}).get(request.lora_name)
        number = int(request.lora_int_id)
        if facts is None:  # one that was loaded by vLLM's own route
            return LoadedAdapter(request.lora_name, request.lora_path, number)
        return LoadedAdapter(request.lora_name, facts.path, number, facts.rank, facts.targets, facts.size_bytes)

    def _engine(self) -> EngineRun:
        run = self._running()
        if run is None:
            raise EngineBusy("No engine is running.", remedy="Load a checkpoint first.")
        if run.plan.config.lora_config is None:
            raise EngineBusy(
                "This engine was loaded without room for adapters.",
                remedy="Switch enable_lora on, and reload.",
                offers=(offer("enable_lora", True),),
            )
        return run


def _require_fit(adapter: Adapter, run: EngineRun) -> None:
    if adapter.problem is not None:
        raise CheckpointInvalid(
            f"{adapter.name} cannot be loaded. {adapter.problem}",
            remedy="Choose another adapter, or download this one again.",
            details=adapter.path,
        )
    problem = adapter_problem(adapter, run.plan.request.checkpoint, int(run.plan.config.lora_config.max_lora_rank))
    if problem is not None:
        remedy, offers = "Choose an adapter that was made for this model.", tuple[Offer, ...]()
        if "max_lora_rank" in problem:
            remedy = f"Reload with max_lora_rank {adapter.rank} or more, or choose another adapter."
            above = (each for each in LORA_RANKS if each >= (adapter.rank or 0))
            offers = tuple(offer("max_lora_rank", each) for each in list(above)[:1])
        message = f"{adapter.name} does not fit. {problem}"
        raise CheckpointUnsupported(message, remedy=remedy, details=adapter.path, offers=offers)
