"""From a LoadRequest to a started engine: arguments, environment, vLLM's own configuration, the engine."""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.checkpoints.describe import describe
from engine.checkpoints.find import name_of
from engine.checkpoints.verdict import is_packed_four_bit
from engine.domain.paths import runtime_dir
from engine.host.cpu_defaults import fill_in, read_traits, thread_binding
from engine.host.fair_turns import take_turns
from engine.parameters.arguments import engine_arguments
from engine.parameters.gpu_choice import ORDER, ORDER_BY_BUS, VISIBLE, gpu_environment, worker_count
from engine.quantize.native import cpu_kernels
from engine.quantize.unpack import FORCE_UNPACK

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, MutableMapping

    from engine.domain.lifecycle import LoadRequest, ParameterValue
    from engine.host.vllm_names import VllmNames

log = logging.getLogger(__name__)

SCHEDULER = "engine.probe.scheduler.make_scheduler"

# Ours to decide, whatever the shell had: the CPU's KV-cache size comes from the parameters (vLLM lets this variable
# win over them), and the token check is the host's.
_OVERRULED = ("VLLM_CPU_KVCACHE_SPACE", "VLLM_API_KEY")
# Keys that a shell has for other programs. An engine needs none, and may run code that came with a checkpoint.
_SECRET = re.compile(r"(_TOKEN|_API_?KEY|_SECRET|_SECRET_(ACCESS_)?KEY|_PASSWORD|_PASSPHRASE|_CREDENTIALS?)$")


@dataclass(frozen=True, slots=True)
class Plan:
    """A load that vLLM's own configuration has accepted. `values` are the parameters in force before vLLM's defaults.

    `arguments` is the namespace of vLLM's parser, which the OpenAI app wants; `config` is vLLM's VllmConfig.
    """

    request: LoadRequest
    served_model_name: str
    device: str
    values: dict[str, ParameterValue]
    arguments: argparse.Namespace
    engine_args: Any
    config: Any
    environment: dict[str, str]


def prepare_environment(environment: MutableMapping[str, str]) -> None:
    """Set what every engine process inherits. Call it once, before vLLM is imported."""
    for name in [each for each in environment if each in _OVERRULED or _SECRET.search(each)]:
        del environment[name]
    environment["KVDECK_HOST_PID"] = str(os.getpid())
    environment["VLLM_WORKER_MULTIPROC_METHOD"] = "spawn"
    environment["PYTHONUNBUFFERED"] = "1"
    # Checkpoints are folders on this machine; nothing here may go and ask a hub, or report usage.
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "VLLM_NO_USAGE_STATS", "DO_NOT_TRACK"):
        environment.setdefault(name, "1")
    environment.setdefault("TOKENIZERS_PARALLELISM", "false")
    environment[ORDER] = ORDER_BY_BUS  # vLLM asks NVML by this number, so the two have to count alike
    environment.setdefault("VLLM_LOGGING_COLOR", "0")
    if importlib.util.find_spec("flashinfer") is None:
        environment.setdefault("VLLM_USE_FLASHINFER_SAMPLER", "0")


def page_path() -> Path:
    """Where the next engine's telemetry page goes: a name nobody else uses."""
    return Path(page_prefix(os.getpid()) + secrets.token_hex(6))


def page_prefix(host_pid: int) -> str:
    """How the paths of this host's telemetry pages begin."""
    return str(runtime_dir() / f"page-{host_pid}-")


def pages_of(host_pid: int) -> list[Path]:
    """The telemetry pages of this host's engines: of the one that serves, and of those that wait."""
    return sorted(runtime_dir().glob(f"{Path(page_prefix(host_pid)).name}*"))


class Launcher:
    """Plans and starts engines. Everything here blocks for seconds: call it in a thread."""

    def __init__(self, names: VllmNames, shell: dict[str, str]) -> None:
        self._names = names
        self._shell = shell  # the environment as it was before `prepare_environment`

    @property
    def device(self) -> str:
        """ "cuda" or "cpu", as vLLM sees this machine."""
        return str(self._names.platform.device_type)

    def plan(self, request: LoadRequest, *, sleepable: bool = False) -> Plan:
        """Let vLLM configure the load; raises what vLLM (or our own table) has against it.

        `sleepable`: with vLLM's sleep mode, where it has one here and the request does not say otherwise.
        """
        device = self.device
        values = dict(request.parameters)
        environment: dict[str, str] = {}
        if device == "cpu":
            traits = read_traits()
            values = fill_in(values, traits, self._shell, packed=_runs_packed(request.checkpoint))
            binding = thread_binding(traits, worker_count(values))
            if binding and "VLLM_CPU_OMP_THREADS_BIND" not in self._shell:
                environment["VLLM_CPU_OMP_THREADS_BIND"] = binding
        if device == "cuda":
            environment |= gpu_environment(values.get("gpu_uuids"))
            self._show_gpus(environment)
        if sleepable and device != "cpu" and self._names.platform.is_sleep_mode_available():
            values.setdefault("enable_sleep_mode", True)
        keywords = engine_arguments(values, device)
        if device == "cpu" and "dtype" in values:
            keywords["dtype"] = values["dtype"]
        name = name_of(request.checkpoint)
        arguments = self._namespace(request, name, keywords)
        engine_args = self._names.engine_args.from_cli_args(arguments)
        log.info("Configuring %s with %s", name, keywords or "vLLM's defaults")
        # The variables are vLLM's way of being told; they are the process's, and one load runs at a time.
        os.environ.update(environment)
        config = engine_args.create_engine_config(usage_context=_server_context())
        return Plan(
            request=request,
            served_model_name=name,
            device=device,
            values=values,
            arguments=arguments,
            engine_args=engine_args,
            config=config,
            environment=environment,
        )

    def start(self, plan: Plan, page: Path, stat_logger: Any) -> Any:
        """Start the engine's processes and wait until they are ready; raises what vLLM raises."""
        if "VLLM_CPU_OMP_THREADS_BIND" not in self._shell:
            os.environ.pop("VLLM_CPU_OMP_THREADS_BIND", None)
        self._show_gpus(plan.environment)
        os.environ.update(plan.environment)
        os.environ["KVDECK_PAGE"] = str(page)
        engine = self._names.engine.from_vllm_config(
            vllm_config=plan.config,
            usage_context=_server_context(),
            stat_loggers=[stat_logger],
            enable_log_requests=False,
            disable_log_stats=False,
        )
        take_turns(engine)
        return engine

    def _show_gpus(self, environment: Mapping[str, str]) -> None:
        """Let this process's children see the chosen GPUs, or again those that the shell had shown us.

        What vLLM has noted of "GPU 0" is of the one that was first before.
        """
        shown = environment.get(VISIBLE, self._shell.get(VISIBLE))
        if shown == os.environ.get(VISIBLE):
            return
        if shown is None:
            del os.environ[VISIBLE]
        else:
            os.environ[VISIBLE] = shown
        for name in ("get_device_capability", "has_device_capability", "get_device_name", "get_device_total_memory"):
            forget = getattr(getattr(self._names.platform, name, None), "cache_clear", None)
            if forget is not None:
                forget()

    def _namespace(self, request: LoadRequest, name: str, keywords: dict[str, object]) -> argparse.Namespace:
        """vLLM's own parser's namespace, with our values over its defaults."""
        parser = self._names.make_arg_parser(self._names.argument_parser(prog="vllm"))
        arguments: argparse.Namespace = parser.parse_args(["--model", request.checkpoint])
        ours: dict[str, object] = {
            "served_model_name": [name],
            "scheduler_cls": SCHEDULER,
            "trust_remote_code": request.trust_remote_code,
            "enable_prompt_tokens_details": True,
            "disable_uvicorn_access_log": True,
            **keywords,
        }
        if hasattr(arguments, "enable_per_request_metrics"):  # newer vLLM: each answer tells its queue and prefill time
            ours["enable_per_request_metrics"] = True
        for key, value in ours.items():
            if not hasattr(arguments, key):
                raise AttributeError(f"vLLM {self._names.version} has no argument {key!r}")
            setattr(arguments, key, value)
        self._names.validate_args(arguments)
        return arguments


def _runs_packed(checkpoint: str) -> bool:
    """Whether this CPU computes with these weights in their four bits. Where it has no kernel they are unpacked."""
    if os.environ.get(FORCE_UNPACK) == "1" or not is_packed_four_bit(describe(checkpoint).checkpoint.quantization):
        return False
    return cpu_kernels().four_bit


def _server_context() -> Any:
    from vllm.usage.usage_lib import UsageContext  # vLLM is imported late on purpose

    return UsageContext.OPENAI_API_SERVER
