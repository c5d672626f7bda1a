"""What this vLLM does with a request that can never fit, and whether KVDeck says so at once.

    python -m benchmarks.never_fits [--checkpoint FOLDER] [--blocks 20,128] [--set NAME=VALUE ...]

Starts an engine host of its own and loads a small shape with random weights (or CHECKPOINT) whose cache has fewer
blocks than one request of max_model_len 2048 needs: far fewer, and then just the one that vLLM keeps back for itself
(128 of 16 tokens). vLLM 0.32 refuses both at the load, which is then what is printed. Releases before load the one or
the other, and a prompt larger than the cache waits for good: the script sends one, prints how long after it the
telemetry page told of it, aborts it, and asks a short question to see that the queue goes on. Exit status 0 if each
load was refused in words, or the request was told of within a second and the queue went on.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
import urllib.error
from pathlib import Path
from typing import Any

from benchmarks.children import end_in_order
from benchmarks.host_overhead import ask, idle_host
from benchmarks.window_frames import load_request

_LOAD_S = 280.0
_TOLD_S = 1.0
_PATIENCE_S = 20.0
_MOST_TOKENS = 2048


def _lifecycle(url: str, token: str) -> dict[str, Any]:
    found: dict[str, Any] = ask(f"{url}/kvdeck/status", token)["lifecycle"]
    return found


def _loaded(url: str, token: str) -> dict[str, Any]:
    """The lifecycle once the load has ended."""
    deadline = time.monotonic() + _LOAD_S
    while time.monotonic() < deadline:
        found = _lifecycle(url, token)
        if found["phase"] in ("ready", "failed", "crashed"):
            return found
        time.sleep(0.2)
    raise TimeoutError("the load")


def _send(url: str, token: str, model: str, prompt: int) -> threading.Thread:
    body = {"model": model, "prompt": [5] * prompt, "max_tokens": 1}

    def wait() -> None:
        try:
            ask(f"{url}/v1/completions", token, body)
        except (urllib.error.URLError, OSError) as error:
            print(f"the long request ended: {error}")

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def _provoke(url: str, token: str, page: str, prompt: int) -> bool:
    from engine.domain.cache_events import NeverFits
    from engine.page.reader import PageReader

    model = ask(f"{url}/v1/models", token)["data"][0]["id"]
    reader = PageReader(Path(page))
    began = time.monotonic()
    _send(url, token, model, prompt)
    told: NeverFits | None = None
    while told is None and time.monotonic() < began + _PATIENCE_S:
        told = next((one for one in reader.events_since(0) if isinstance(one, NeverFits)), None)
        time.sleep(0.005)
    after = time.monotonic() - began
    reader.close()
    if told is None:
        print(f"no word of it in {_PATIENCE_S:g} s")
        return False
    print(f"told after {after * 1000:.0f} ms: {told.prompt_tokens} tokens need {told.needed_blocks} blocks, "
          f"there are {told.pool_blocks}")  # fmt: skip
    ask(f"{url}/kvdeck/abort", token, {"request_id": told.request_id})
    answer = ask(f"{url}/v1/completions", token, {"model": model, "prompt": [5] * 8, "max_tokens": 2})
    went_on = bool(answer["usage"]["completion_tokens"])
    print("aborted; the queue went on" if went_on else "aborted; the next request got no token")
    return after <= _TOLD_S and went_on


def main() -> int:
    """Try and print."""
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--blocks", type=lambda text: [int(part) for part in text.split(",")], default=[20, 128])
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    options.streams = 4
    held = [_try(options, blocks) for blocks in options.blocks]
    return int(not all(held))


def _try(options: argparse.Namespace, blocks: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="kvdeck-never-fits-") as name:
        folder = Path(name)
        load = load_request(argparse.Namespace(**{**vars(options), "blocks": blocks}), folder)
        load["parameters"] |= {"max_model_len": _MOST_TOKENS, "max_num_seqs": 4, "num_gpu_blocks_override": blocks}
        with idle_host(folder) as (url, token):
            ask(f"{url}/kvdeck/load", token, load)
            found = _loaded(url, token)
            if found["phase"] != "ready":
                failure = found["failure"] or {}
                print(f"{blocks} blocks: refused at the load: {failure.get('message')} {failure.get('remedy')}")
                return bool(failure.get("message"))
            print(f"{blocks} blocks: loaded")
            return _provoke(url, token, found["facts"]["page_path"], _MOST_TOKENS - 1)


if __name__ == "__main__":
    sys.exit(main())
