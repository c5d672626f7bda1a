"""A started engine: vLLM's client of it, its OpenAI application, its processes, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import logging
import multiprocessing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.domain.lifecycle import SwitchCheck
from engine.host.asgi import post
from engine.host.facts import gpu_uuids
from engine.host.openai_errors import say_deaths_plainly, use_openai_shape
from engine.host.processes import (
    OutOfMemoryWatch,
    death_of,
    kill,
    reap_adopted,
    remove_segments,
    shared_segments,
    wait_gone,
)
from engine.page.ranks import pages_of_others

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.domain.lifecycle import EngineProcess
    from engine.host.asgi import App
    from engine.host.family import Family
    from engine.host.launch import Plan
    from engine.host.memory import MemoryMeter
    from engine.host.processes import Death
    from engine.host.vllm_names import VllmNames

log = logging.getLogger(__name__)

# vLLM's own shutdown waits 5 s for an EngineCore that on the CPU never ends by itself: its memory is gone long before.
_GRACE_S = {"cpu": 1.0, "cuda": 5.0}
_GONE_S = 10.0
_PROMPT = (1, 2, 3, 4, 5, 6, 7)


class FirstTokenFailed(Exception):
    """The engine started and could not generate; what it answered. The cause is in its log, if not in the answer."""


class _ServerFlag:
    """What vLLM's exception handlers tell to stop when the engine dies. Ours does not stop: the host goes on."""

    should_exit = False


def _take_cors_out(app: Any) -> None:
    """vLLM lets pages of any origin in, and looks at each piece of each answer for it. The gate lets none in: there is
    nothing left to allow."""
    app.user_middleware = [each for each in app.user_middleware if each.cls.__name__ != "CORSMiddleware"]
    app.middleware_stack = None  # is built of the list, anew with the first request


def clean_up(
    living: Callable[[], Iterable[EngineProcess]],
    segments: Iterable[str],
    files: Iterable[Path],
    known: Iterable[EngineProcess] = (),
) -> tuple[EngineProcess, ...]:
    """Kill what is left of one engine, then remove the shared memory and files it leaves behind.

    `living` lists its processes as they are now, `known` those that it had. Returns what would not die. Blocks.
    """
    everything = {process.pid: process for process in (*known, *living())}.values()
    kill(everything)
    left = wait_gone(everything, _GONE_S)
    children = [child.pid for child in multiprocessing.active_children() if child.pid is not None]
    reap_adopted(everything, children)
    remove_segments(segments)
    for path in files:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    return left


class EngineRun:
    """One engine, from its processes' start to their end."""

    def __init__(
        self, plan: Plan, client: Any, page: Path, names: VllmNames, meter: MemoryMeter, family: Family
    ) -> None:
        self.plan = plan
        self.page = page
        self._client = client
        self._names = names
        self._meter = meter
        self._family = family
        self._lifespan: Any = None
        self.adapters: Any = None  # vLLM's OpenAIServingModels: what its OpenAI routes know of adapters
        self.processes = family.present()
        self._segments = set(shared_segments(self.processes))
        self._scratch = pages_of_others(page, int(plan.config.parallel_config.data_parallel_size))
        self._oom = OutOfMemoryWatch()
        self._gpu_uuids = gpu_uuids(plan, names)

    def add_scratch(self, files: Iterable[str]) -> None:
        """Files to remove at the end, beside the page."""
        self._scratch |= {Path(path) for path in files}

    async def build_app(self) -> App:
        """vLLM's own OpenAI application over this engine, with its lifespan begun."""
        client, arguments = self._client, self.plan.arguments
        tasks = await client.get_supported_tasks()
        app = await asyncio.to_thread(self._names.build_app, arguments, tasks, client.model_config)
        _take_cors_out(app)
        use_openai_shape(app, self.plan.served_model_name)
        say_deaths_plainly()
        await self._names.init_app_state(client, app.state, arguments, tasks)
        app.state.server = _ServerFlag()
        self.adapters = app.state.openai_serving_models
        self._lifespan = app.router.lifespan_context(app)
        await self._lifespan.__aenter__()
        application: App = app
        return application

    @property
    def client(self) -> Any:
        """vLLM's AsyncLLM."""
        return self._client

    async def first_token(self, app: App) -> tuple[int, ...] | None:
        """Generate one token, greedily, through the OpenAI application; returns its id, None from a model that does
        not generate. Raises FirstTokenFailed with what it answered.

        The prompt is always the same, and shorter than any block, so that it is computed each time.
        """
        if "generate" not in await self._client.get_supported_tasks():
            return None
        body: dict[str, object] = {"model": self.plan.served_model_name, "prompt": list(_PROMPT), "max_tokens": 1}
        body |= {"temperature": 0, "return_token_ids": True}
        try:
            status, answer = await post(app, "/v1/completions", msgspec.json.encode(body))
        except Exception as error:
            raise FirstTokenFailed(str(error)) from error
        if status != 200:
            try:
                message = msgspec.json.decode(answer)["error"]["message"]
            except (msgspec.DecodeError, KeyError, TypeError):
                message = answer.decode(errors="replace")[:500]
            raise FirstTokenFailed(message)
        try:
            return tuple(msgspec.json.decode(answer)["choices"][0]["token_ids"])
        except (msgspec.DecodeError, KeyError, IndexError, TypeError):
            return None  # it has answered; the token is only for comparing

    async def call(self, name: str, *arguments: Any) -> Any:
        """Call a utility method in the EngineCore; its errors come back as exceptions."""
        return await self._client.engine_core.call_utility_async(name, *arguments)

    async def decode(self, tokens: Sequence[int]) -> str:
        """The text of these tokens, by the model's own tokenizer."""
        tokenizer = self._client.get_tokenizer()
        if inspect.isawaitable(tokenizer):  # as older releases have it
            tokenizer = await tokenizer
        return str(await asyncio.to_thread(tokenizer.decode, list(tokens)))

    async def add_adapter(self, name: str, path: str) -> None:
        """Load a LoRA adapter and let requests name it as their model; raises what vLLM has against it."""
        number = self.adapters.lora_id_counter.inc(1)
        request = self._names.lora_request(lora_name=name, lora_int_id=number, lora_path=path)
        await self._client.add_lora(request)
        self.adapters.lora_requests[name] = request

    def adapter_requests(self) -> dict[str, str]:
        """Live requests that use an adapter: internal id and the adapter's name."""
        states = self._client.output_processor.request_states
        return {name: state.lora_name for name, state in list(states.items()) if state.lora_name is not None}

    async def remove_adapter(self, number: int) -> None:
        """Take an adapter's weights out of the workers."""
        await self._client.remove_lora(number)

    @property
    def given_up(self) -> bool:
        """Whether the EngineCore has said that it failed; its processes may live on for seconds."""
        return self._client is not None and bool(self._client.errored)

    @property
    def oom_killed(self) -> bool:
        """Whether the system has killed a process for want of memory since this engine started."""
        return self._oom.struck

    @property
    def unfinished(self) -> int:
        """How many requests the engine has not finished."""
        return len(self._client.output_processor.request_states)

    async def abort(self, request_id: str) -> int:
        """Abort the requests of this OpenAI or internal id; returns how many there were."""
        ids = self.ids_of(request_id)
        if ids:
            await self._client.abort(ids, internal=True)
        return len(ids)

    def ids_of(self, request_id: str) -> list[str]:
        """The internal ids of the live requests of this OpenAI or internal id."""
        states = self._client.output_processor.request_states
        # The internal id is the OpenAI id and a suffix: "-0" of a completion's prompts, then vLLM's random one.
        return [each for each in list(states) if each == request_id or each.startswith(f"{request_id}-")]

    async def reset_prefix_cache(self) -> bool:
        """Drop every reusable prefix; False where running requests held some of it."""
        return await self._client.reset_prefix_cache() is not False

    async def death_of(self, process: EngineProcess) -> Death:
        """How this process ended; vLLM's own monitor may be collecting its status at the same moment."""
        death = death_of(process)
        if death.signal_name is None and death.exit_code is None:
            for _ in range(10):
                code = self._exit_code(process.pid)
                if code is not None:
                    return death_of(process, code)
                await asyncio.sleep(0.02)
        return death

    def _exit_code(self, pid: int) -> int | None:
        with contextlib.suppress(AttributeError):
            for child in self._client.engine_core.resources.engine_manager.processes:
                if child.pid == pid:
                    return None if child.exitcode is None else int(child.exitcode)
        return None

    async def stop(self, grace_s: float | None = None, *, last: bool = False) -> SwitchCheck:
        """End the engine; returns what was verified of its end. Never raises.

        `grace_s` is how long it may take to end by itself; None is what its device usually needs. After the `last` one
        the host ends, too: nobody waits for what memory came back.
        """
        device, uuids = self.plan.device, self._gpu_uuids
        present = {process.pid: process for process in (*self.processes, *self._family.of(self))}
        processes = tuple(present.values())
        before = None if last else await asyncio.to_thread(self._meter.held, device, processes, uuids)
        self._segments |= await asyncio.to_thread(shared_segments, processes)
        await self._close_lifespan()
        await asyncio.to_thread(self._shut_down, _GRACE_S.get(device, 5.0) if grace_s is None else grace_s)
        files, living = (self.page, *self._scratch), partial(self._family.of, self)
        left = await asyncio.to_thread(clean_up, living, self._segments, files, processes)
        self._family.rejoin(self)
        after = None if last else await asyncio.to_thread(self._meter.held, device, processes, uuids)
        self._client = None
        if not last:
            # vLLM freezes its start-up objects out of the collector's sight; the old engine's must become collectable.
            gc.unfreeze()
            await asyncio.to_thread(gc.collect)
        return SwitchCheck(
            processes_left=left,
            memory_before_bytes=before,
            memory_after_bytes=after,
            page_removed=not self.page.exists(),
        )

    async def _close_lifespan(self) -> None:
        if self._lifespan is not None:
            try:
                await self._lifespan.__aexit__(None, None, None)
            except Exception:
                log.exception("vLLM's application did not end cleanly")
            self._lifespan = None

    def _shut_down(self, grace: float) -> None:
        try:
            if "timeout" in inspect.signature(self._client.shutdown).parameters:
                self._client.shutdown(timeout=grace)
            else:
                self._client.shutdown()
        except Exception:
            log.exception("vLLM's shutdown failed; the engine's processes are killed")
