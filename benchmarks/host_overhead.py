"""Tokens/s through the engine host, with probe, page, events and a painting window, against `vllm serve` alone.

    python -m benchmarks.host_overhead CHECKPOINT [--streams 1,16,256,512] [--input 128] [--output 256]
        [--set name=value ...] [--rounds 4] [--still] [--chat] [--threads] [--pin] [--profile FOLDER] [--json FILE]

Both sides run at the same time with the same arguments and get the same load by turns, from client processes of its
own; so each needs less than a half of the GPU: give --set gpu_memory_utilization=0.42, and kv_cache_memory_bytes to
have both started at once. By turns, since the very same server was seen at 14,500 and at 19,800 tokens/s in two rounds,
wherever the system had put its two busiest processes. Prints the tokens/s of each, the median of the turns' ratios with
their range, and the ratio of the best; 1.00 is vLLM alone. Below it, what a token cost in the HTTP process and a step
in the EngineCore, in µs of processor time: of many streams the HTTP process's one thread is the limit on both sides.
--still tells what the painting itself takes, --threads which threads work. --pin gives the two busiest threads of both
sides the same two cores by turns, which takes that chance out. --profile adds a turn of each side in which py-spy looks
where the EngineCore's main thread is.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.children import child, end_in_order, wait_until
from benchmarks.pinning import pin_others
from benchmarks.thread_times import child_with
from benchmarks.turns import Side, measure, write_report

if TYPE_CHECKING:
    from collections.abc import Iterator


_LOAD_S = 550


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(url: str, token: str, body: dict[str, Any] | None = None) -> Any:
    """GET, or POST `body` as JSON; the answer's JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers), timeout=60) as answer:
        return json.loads(answer.read() or b"null")


@contextlib.contextmanager
def vllm_alone(checkpoint: str, values: dict[str, str], log: Path) -> Iterator[tuple[str, str]]:
    """vLLM's own server with these arguments; yields its address and (empty) token."""
    port = free_port()
    words = [word for name, value in values.items() for word in flag(name, value)]
    # `vllm serve` itself asks for a distribution named vllm, which the CPU build is not; this is the same server.
    server_module = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", checkpoint]
    command = [*server_module, "--port", str(port), "--served-model-name", "bench"]
    command += ["--disable-uvicorn-access-log", *words]
    environment = dict(os.environ, VLLM_NO_USAGE_STATS="1", VLLM_WORKER_MULTIPROC_METHOD="spawn")
    gib = values.get("cpu_kvcache_space_gib")
    if gib:
        environment["VLLM_CPU_KVCACHE_SPACE"] = str(int(float(gib)))
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        return bool(urllib.request.urlopen(f"{url}/health", timeout=5).status == 200)

    try:
        with child(command, log, environment) as server:
            wait_until(answers, _LOAD_S, "vllm serve", server)
            yield url, "none"
    except RuntimeError as error:
        raise RuntimeError(f"{error}\n{log.read_text(errors='replace')[-2000:]}") from error


def flag(name: str, value: str) -> list[str]:
    """One parameter as vLLM's command line spells it."""
    if name == "cpu_kvcache_space_gib":
        return []
    option = "--" + name.replace("_", "-")
    if value == "true":
        return [option]
    if value == "false":
        return ["--no-" + option[2:]]
    return [option, value]


@contextlib.contextmanager
def idle_host(folder: Path, *words: str) -> Iterator[tuple[str, str]]:
    """An engine host with these words on its command line; yields address and token as soon as it answers."""
    file = folder / "host.json"
    environment = dict(os.environ, KVDECK_HOME=str(folder / "home"))
    command = [sys.executable, "-m", "engine.host", "--port", "0", "--address-file", str(file)]
    command += ["--parent-pid", str(os.getpid()), *words]
    log = folder / "host.log"
    try:
        with child(command, log, environment) as host:
            wait_until(file.exists, 60, "engine host", host)
            known = json.loads(file.read_text())
            yield known["address"], known["token"]
    except Exception as error:
        error.add_note(log.read_text(errors="replace")[-4000:])
        raise


@contextlib.contextmanager
def host_with_window(
    checkpoint: str, values: dict[str, str], folder: Path, *, window: bool
) -> Iterator[tuple[str, str]]:
    """The engine host, the same arguments, and a window that paints; yields address and token."""
    words = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    with idle_host(folder, "--load", checkpoint, *words) as (url, token):
        wait_until(lambda: _is_ready(url, token), _LOAD_S, "load")
        with _painting(url, token, folder) if window else contextlib.nullcontext():
            yield url, token


def _is_ready(url: str, token: str) -> bool:
    lifecycle = ask(f"{url}/kvdeck/status", token)["lifecycle"]
    if lifecycle["phase"] in ("failed", "crashed"):
        raise RuntimeError(f"the load failed: {lifecycle['failure']}")
    return bool(lifecycle["phase"] == "ready")


@contextlib.contextmanager
def _painting(url: str, token: str, folder: Path) -> Iterator[None]:
    """A window of its own on this host, four seconds after its start."""
    key = folder / "token"
    key.write_text(token)
    environment = dict(os.environ, KVDECK_HOME=str(folder / "home"), QT_QPA_PLATFORM="offscreen")
    words = [sys.executable, "-m", "app", "--address", url, "--token-file", str(key)]
    log = folder / "window.log"
    with child(words, log, environment) as painter:
        time.sleep(4)
        if painter.poll() is not None:
            raise RuntimeError(f"the window ended: {log.read_text()[-2000:]}")
        yield


def start_both(
    stack: contextlib.ExitStack, options: argparse.Namespace, values: dict[str, str], folder: Path
) -> list[tuple[str, str]]:
    """Address and token of vLLM's own server and of the host.

    At once where the KV cache's size is given: an engine that measures how much memory is left may not be disturbed.
    """
    sides = [
        vllm_alone(options.checkpoint, values, folder / "alone.log"),
        host_with_window(options.checkpoint, values, folder, window=not options.no_window),
    ]
    if "kv_cache_memory_bytes" not in values:
        return [stack.enter_context(side) for side in sides]
    with ThreadPoolExecutor(len(sides)) as pool:
        starts = [pool.submit(stack.enter_context, side) for side in sides]
    return [start.result() for start in starts]


def main() -> int:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument(
        "--streams", type=lambda text: [int(part) for part in text.split(",")], default=[1, 16, 256, 512]
    )
    parser.add_argument("--input", type=int, default=128)
    parser.add_argument("--output", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--no-window", action="store_true")
    parser.add_argument("--still", action="store_true", help="turns of the host with the window stopped, too")
    parser.add_argument("--chat", action="store_true", help="through the chat route")
    parser.add_argument("--clients", type=int, default=4, help="client processes (4)")
    parser.add_argument("--threads", action="store_true", help="name the busiest threads of both sides, too")
    parser.add_argument("--pin", action="store_true", help="the same two cores for both sides' busiest threads")
    parser.add_argument("--profile", type=Path, metavar="FOLDER", help="where py-spy's stacks go, by side and streams")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.still and options.no_window:
        parser.error("--still stops the window, which --no-window leaves out")
    values = dict(item.split("=", 1) for item in options.set)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            with contextlib.ExitStack() as stack:
                (url, token), (ours, key) = start_both(stack, options, values, folder)
                model = ask(f"{ours}/v1/models", key)["data"][0]["id"]
                what = "probe, page, events" + ("" if options.no_window else ", painting window")
                print(f"the engine host with {what} / vLLM's own server, {options.rounds} turns each", flush=True)
                alone = Side("vLLM alone", url, token, "bench", child_with("api_server"))
                host = Side("host", ours, key, model, child_with("engine.host"))
                sides = [alone, host]
                if options.still:
                    sides.append(replace(host, name="host, window stopped", stopped=child_with("-m app")))
                if options.pin:
                    pin_others(*(() if options.no_window else (child_with("-m app"),)))
                found = measure(sides, options)
        except (RuntimeError, TimeoutError) as error:
            print(error)
            for log in sorted(folder.glob("*.log")):
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")
            return 1
    write_report(found, options)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
