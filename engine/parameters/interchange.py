"""Parameters to and from the forms that users keep them in: a command, vLLM's YAML configuration file, docker."""

from __future__ import annotations

import json
import re
import shlex
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import yaml

from engine.domain.errors import ParameterInvalid
from engine.parameters.arguments import engine_arguments
from engine.parameters.command_line import ServeCommand, export_command, import_command
from engine.parameters.compose import vllm_service
from engine.parameters.gpu_choice import chosen_gpus, gpu_environment
from engine.parameters.pasted import command_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.domain.lifecycle import ParameterValue

_IMAGE = re.compile(r"(^|/)vllm[-\w]*(/[-\w]+)?(:[\w.-]+)?(@sha256:\w+)?$")
_INSIDE = "/models"  # where an exported docker command mounts the checkpoint
# docker run's options that take no value; every other one with two dashes takes one.
_DOCKER_BARE = frozenset(
    {"rm", "detach", "interactive", "tty", "init", "privileged", "read-only", "no-healthcheck", "publish-all", "quiet"}
)


class Form(StrEnum):
    """How parameters are written outside KVDeck."""

    COMMAND = "command"
    YAML = "yaml"
    DOCKER = "docker"


def export(
    form: Form,
    checkpoint: str,
    values: Mapping[str, ParameterValue],
    device: str,
    *,
    served_model_name: str | None = None,
    vllm_version: str | None = None,
    port: int = 8000,
) -> str:
    """The same engine in that form. Raises ParameterInvalid where a value does not fit its row.

    The docker command binds to 127.0.0.1, mounts the checkpoint read-only, and names the release that runs.
    """
    if form is Form.COMMAND:
        return export_command(checkpoint, values, device, served_model_name=served_model_name)
    if form is Form.YAML:
        return _yaml(checkpoint, values, device, served_model_name)
    return _docker(checkpoint, values, device, served_model_name, vllm_version, port)


def import_text(text: str) -> ServeCommand:
    """Read whatever of the three a user pastes: a command, also out of a script, vLLM's file, or docker's, also a
    compose file. Raises ParameterInvalid with what it is not, or what is wrong in it."""
    stripped = text.strip().removeprefix("$").strip()
    looks_like_yaml = re.match(r"(#[^\n]*\n|---\s*\n|\s)*[\w-]+:(\s|$)", stripped) is not None
    found = None if looks_like_yaml else command_in(stripped)
    if re.match(r"(docker|podman|nerdctl)\s", found or ""):
        return _from_docker(found or "")
    if found is not None:
        return import_command(found)
    if re.match(r"(sudo\s+)?(docker|podman|nerdctl)\s", stripped):
        return _from_docker(stripped)
    if re.match(r"([A-Z_][A-Z0-9_]*=\S*\s+)*(vllm\s|\S*python[\d.]*\s|uv\s)", stripped) or not stripped:
        return import_command(text)
    return _from_yaml(text)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # yaml has no types
    """Reads no aliases: vLLM's files have none, and nested ones grow without bound when they are written out."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.composer.ComposerError(None, None, "an alias", mark)
        return super().compose_node(parent, index)


def _yaml(checkpoint: str, values: Mapping[str, ParameterValue], device: str, served: str | None) -> str:
    content: dict[str, object] = {"model": checkpoint}
    if served is not None:
        content["served-model-name"] = served
    for name, value in engine_arguments(values, device).items():
        content[name.replace("_", "-")] = json.dumps(value) if isinstance(value, dict) else value
    gpus = gpu_environment(values.get("gpu_uuids")) if device == "cuda" else {}
    head = f"# {''.join(f'{name}={text} ' for name, text in gpus.items())}vllm serve --config THIS-FILE\n"
    return head + str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=False))


def _docker(
    checkpoint: str,
    values: Mapping[str, ParameterValue],
    device: str,
    served: str | None,
    version: str | None,
    port: int,
) -> str:
    is_path = checkpoint.startswith(("/", "~", "."))
    inside = f"{_INSIDE}/{PurePath(checkpoint).name}" if is_path else checkpoint
    words = ["docker", "run", "--rm"]
    chosen = chosen_gpus(values.get("gpu_uuids"))
    which = f'"device={",".join(chosen)}"' if chosen else "all"  # docker wants these quotation marks itself
    words += ["--gpus", which] if device == "cuda" else []
    words += ["--ipc=host", "-p", f"127.0.0.1:{port}:8000"]
    if is_path:
        words += ["-v", f"{checkpoint}:{inside}:ro"]
    tag = f"v{version.split('+')[0]}" if version else "latest"
    words.append(f"vllm/vllm-openai:{tag}")
    inner = {name: value for name, value in values.items() if name != "gpu_uuids"}
    options = shlex.split(export_command(inside, inner, device, served_model_name=served))[3:]
    return shlex.join([*words, "--model", inside, *options])


def _from_yaml(text: str) -> ServeCommand:
    try:
        content: Any = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader that does less
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        raise ParameterInvalid(
            f"This is neither a vLLM command nor a YAML file that can be read{where}.",
            remedy="Paste a command that begins with vllm serve or docker run, or vLLM's configuration file.",
        ) from None
    if not isinstance(content, dict) or not content:
        raise ParameterInvalid(
            "This is neither a vLLM command nor vLLM's configuration file.",
            remedy="Paste a command that begins with vllm serve or docker run, or a file with lines like: model: NAME.",
        )
    try:
        service = vllm_service(content)
    except ValueError as error:
        raise ParameterInvalid(
            f"The command cannot be read: {str(error).lower()}.", remedy="Check its quotation marks."
        ) from None
    if service is not None:
        return _outside(_in_container(list(service.words), _no_tokens(service.variables)), service.mounts)
    return import_command(shlex.join(["vllm", "serve", *_as_words(content)]))


def _as_words(content: Mapping[object, object]) -> list[str]:
    words: list[str] = []
    for key, value in content.items():
        option = "--" + str(key).replace("_", "-")
        if isinstance(value, bool):
            words.append(option if value else "--no-" + option[2:])
        elif value is None:
            words.append(f"{option}=None")
        elif isinstance(value, dict | list):
            words.append(f"{option}={json.dumps(value)}")
        else:
            words.append(f"{option}={value}")
    return words


def _from_docker(text: str) -> ServeCommand:
    try:
        words = shlex.split(text.replace("\\\r\n", " ").replace("\\\n", " "), comments=True)
    except ValueError as error:
        raise ParameterInvalid(
            f"The command cannot be read: {str(error).lower()}.", remedy="Check its quotation marks."
        ) from None
    position = _image_at(words)
    inside = words[position + 1 :]
    environment, mounts = _environment(words[:position]), _mounts(words[:position])
    return _outside(_in_container(inside, environment), mounts)


def _in_container(words: list[str], environment: list[str]) -> ServeCommand:
    """What a container of vLLM's image runs with these words after its name: they are options of `vllm serve`."""
    if words[:1] == ["serve"]:
        words = ["vllm", *words]
    elif words[:2] != ["vllm", "serve"] and "-m" not in words[:2]:
        words = ["vllm", "serve", *words]
    return import_command(shlex.join([*environment, *words]))


def _image_at(words: list[str]) -> int:
    """Where the image's name stands: after `run` and docker's own options."""
    index = words.index("run") + 1 if "run" in words else len(words)
    while index < len(words):
        word = words[index]
        if not word.startswith("-"):
            if _IMAGE.search(word):
                return index
            break
        index += 2 if _takes_value(word) else 1
    raise ParameterInvalid(
        "This docker command does not run an image of vLLM.",
        remedy="Paste one like: docker run … vllm/vllm-openai --model NAME, then options.",
    )


def _takes_value(word: str) -> bool:
    """Whether an option of docker's own has its value in the next word."""
    if "=" in word:
        return False
    name = word.lstrip("-")
    return name not in _DOCKER_BARE if word.startswith("--") else name[-1:] not in "ditqP"


def _environment(words: list[str]) -> list[str]:
    found: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in ("-e", "--env") and "=" in following:
            found.append(following)
        elif word.startswith(("--env=", "-e=")):
            found.append(word.partition("=")[2])
    return _no_tokens(found)


def _no_tokens(variables: Iterable[str]) -> list[str]:
    """Without those that are nobody's parameter, and not to be shown in what was left out."""
    return [each for each in variables if not re.match(r"(HF_TOKEN|HUGGING_FACE_HUB_TOKEN|VLLM_API_KEY)=", each)]


def _mounts(words: list[str]) -> dict[str, str]:
    """Folders of the container by where they are outside."""
    found: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        value = following if word in ("-v", "--volume") else ""
        if word.startswith("--volume="):
            value = word.partition("=")[2]
        parts = value.split(":")
        if len(parts) >= 2:
            found[parts[1].rstrip("/")] = parts[0]
    return found


def _outside(command: ServeCommand, mounts: Mapping[str, str]) -> ServeCommand:
    """The checkpoint's path as it is on this machine."""
    path = command.checkpoint or ""
    for inside, outside in sorted(mounts.items(), key=lambda each: -len(each[0])):
        if path == inside or path.startswith(inside + "/"):
            path = outside.rstrip("/") + path[len(inside) :]
            break
    return ServeCommand(
        path or None, command.values, command.served_model_name, command.trust_remote_code, command.left_out
    )
