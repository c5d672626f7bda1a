"""A `vllm serve` command from catalog values, and catalog values from such a command."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.errors import ParameterInvalid
from engine.parameters.arguments import engine_arguments
from engine.parameters.catalog import CATALOG
from engine.parameters.gpu_choice import ORDER, VISIBLE, gpu_environment
from engine.parameters.preset import replaced_arguments
from engine.parameters.spec import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue

_ALIASES = {"tp": "tensor_parallel_size", "pp": "pipeline_parallel_size", "dp": "data_parallel_size"}
_ALIASES |= {"ep": "enable_expert_parallel", "q": "quantization", "sc": "speculative_config"}
_SPELLINGS = {"half": "float16", "float": "float32"}
# Options of the server that take no value, so that a model's name after one is not taken for it.
_BARE_OPTIONS = frozenset(
    {
        "trust_remote_code",
        "disable_log_stats",
        "disable_log_requests",
        "enable_log_requests",
        "enable_auto_tool_choice",
        "disable_uvicorn_access_log",
        "enable_prompt_tokens_details",
        "enable_server_load_tracking",
        "enable_lora",
        "disable_custom_all_reduce",
        "skip_tokenizer_init",
        "enable_reasoning",
        "headless",
    }
)
_SUFFIXES = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True, slots=True)
class ServeCommand:
    """What a command line says. `left_out` names each option that was not taken over, and why, in a sentence."""

    checkpoint: str | None
    values: dict[str, ParameterValue]
    served_model_name: str | None = None
    trust_remote_code: bool = False
    left_out: tuple[str, ...] = ()


def export_command(
    checkpoint: str,
    values: Mapping[str, ParameterValue],
    device: str,
    *,
    served_model_name: str | None = None,
    trust_remote_code: bool = False,
) -> str:
    """The `vllm serve` command that starts the same engine, quoted for a POSIX shell, on one line.

    Raises ParameterInvalid where a value does not fit its row.
    """
    gpus = gpu_environment(values.get("gpu_uuids")) if device == "cuda" else {}
    words = [*(f"{name}={text}" for name, text in gpus.items()), "vllm", "serve", checkpoint]
    for name, value in engine_arguments(values, device).items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            words.append(option if value else "--no-" + option[2:])
        elif isinstance(value, dict):
            words += [option, json.dumps(value)]
        else:
            words += [option, str(value)]
    if served_model_name is not None:
        words += ["--served-model-name", served_model_name]
    if trust_remote_code:
        words.append("--trust-remote-code")
    return shlex.join(words)


def import_command(text: str) -> ServeCommand:
    """Read a `vllm serve` command (or one of the older `python -m vllm.entrypoints...` kind) as a user pastes it.

    Accepts line continuations, environment assignments in front, vLLM's short options, underscores for dashes,
    numbers like 16k and dotted JSON options. Raises ParameterInvalid where it is no such command, or a value does not
    fit its row; options that KVDeck has no row for are reported in `left_out`, never dropped in silence.
    """
    return _Reader(_words(text)).read()


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text.replace("\\\r\n", " ").replace("\\\n", " "), comments=True)
    except ValueError as error:
        raise ParameterInvalid(
            f"The command cannot be read: {str(error).lower()}.", remedy="Check its quotation marks."
        ) from None
    return words[1:] if words[:1] == ["$"] else words


@dataclass(slots=True)
class _Reader:
    """Consumes the words of one command from the left."""

    words: list[str]
    checkpoint: str | None = None
    served: str | None = None
    trust: bool = False
    values: dict[str, ParameterValue] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    nested: dict[str, object] = field(default_factory=dict)

    def read(self) -> ServeCommand:
        self._environment()
        self._program()
        while self.words:
            word = self.words.pop(0)
            if word.startswith("-") and word != "-":
                self._option(word)
            elif self.checkpoint is None:
                self.checkpoint = word
            else:
                self.left_out.append(f"{word}: nothing in front of it asks for a value.")
        if self.nested:
            self._take("speculative_config", json.dumps(self.nested))
        values = {name: self.values[name] for name in CATALOG if name in self.values}
        return ServeCommand(self.checkpoint, values, self.served, self.trust, tuple(self.left_out))

    def _environment(self) -> None:
        while self.words and re.match(r"[A-Za-z_][A-Za-z0-9_]*=", self.words[0]):
            name, _, value = self.words.pop(0).partition("=")
            if name == "VLLM_CPU_KVCACHE_SPACE" and value:
                self._take("cpu_kvcache_space_gib", value)
            elif name == VISIBLE and value.startswith(("GPU-", "MIG-")):
                self._take("gpu_uuids", value)
            elif name == VISIBLE:
                self.left_out.append(f"{name}={value}: numbers change with the machine; choose the GPUs in the table.")
            elif name == ORDER:
                continue  # KVDeck's engines always count in the bus's order
            else:
                self.left_out.append(f"{name}: an environment variable, which KVDeck does not set.")

    def _program(self) -> None:
        words = self.words
        if words[:2] == ["vllm", "serve"]:
            del words[:2]
            return
        for position, word in enumerate(words[:4]):
            if word.startswith("vllm.entrypoints."):
                del words[: position + 1]
                return
        raise ParameterInvalid(
            "This is not a vLLM command.", remedy="Paste one that begins with: vllm serve MODEL, then options."
        )

    def _option(self, word: str) -> None:
        option, equals, value = word.partition("=")
        inline = value if equals else None
        name = option.lstrip("-")
        if name.startswith(("speculative-config.", "speculative_config.", "sc.")):
            self._nest(name.split(".")[1:], self._value(inline))
            return
        name = name.replace("-", "_")
        name = _ALIASES.get(name, name) if not option.startswith("--") else name
        negated = name.startswith("no_")
        base = name[3:] if negated else name
        if base in CATALOG and CATALOG[base].kind is Kind.BOOL:
            self.values[base] = not negated if inline is None else inline.lower() in ("true", "1", "yes")
        elif name in CATALOG:
            self._take(name, self._value(inline))
        else:
            self._other(option, name, inline)

    def _other(self, option: str, name: str, inline: str | None) -> None:
        if name == "trust_remote_code":
            self.trust = True
            return
        value = inline if inline is not None or name in _BARE_OPTIONS else self._optional_value()
        if name == "model" and value is not None:
            self.checkpoint = value
        elif name == "served_model_name" and value is not None:
            self.served = value
        elif name in replaced_arguments():
            self.left_out.append(replaced_arguments()[name])
        else:
            self.left_out.append(f"{option}: KVDeck has no parameter of this name.")

    def _value(self, inline: str | None) -> str:
        if inline is not None:
            return inline
        return self.words.pop(0) if self.words else ""

    def _optional_value(self) -> str | None:
        if self.words and not re.match(r"-[A-Za-z-]", self.words[0]):
            return self.words.pop(0)
        return None

    def _nest(self, keys: list[str], text: str) -> None:
        target = self.nested
        for key in keys[:-1]:
            inner = target.setdefault(key.replace("-", "_"), {})
            if not isinstance(inner, dict):
                return
            target = inner
        try:
            target[keys[-1].replace("-", "_")] = json.loads(text)
        except (ValueError, RecursionError):
            target[keys[-1].replace("-", "_")] = text

    def _take(self, name: str, text: str) -> None:
        row = CATALOG[name]
        if name == "max_model_len" and text in ("auto", "-1"):
            self.left_out.append("max_model_len auto: KVDeck shows what fits and leaves the choice to you.")
            return
        value: ParameterValue
        if row.optional and text in ("None", "none"):
            value = None
        elif row.kind in (Kind.INT, Kind.FLOAT):
            value = _number(name, text)
        else:
            value = _SPELLINGS.get(text, text) if name == "dtype" else text
        self.values[name] = row.check(value)


def _number(name: str, text: str) -> int | float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgGtT])", text.strip())
    try:
        if match:
            return int(float(match[1]) * _SUFFIXES[match[2]])
        return int(text) if re.fullmatch(r"[+-]?\d+", text.strip()) else float(text)
    except (ValueError, OverflowError):
        raise ParameterInvalid(
            f"{name} is a number, not {text!r}.", remedy=f"Correct --{name.replace('_', '-')}."
        ) from None
