"""`python -m engine.baseline --checkpoint FOLDER`: serve a checkpoint with transformers, one request at a time."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import Any

from engine.domain.whole_file import write_whole
from engine.page.parent_end import end_with

FOLDER_PREFIX = "kvdeck-baseline-"


def main() -> int:
    """Serve until SIGTERM, SIGINT or the end of the parent."""
    options = _parser().parse_args()
    began = time.monotonic()
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        os.environ.setdefault(name, "1")
    if options.parent_pid is not None:
        end_with(options.parent_pid, 0, lambda: _remove_folder(options.address_file))
    from engine.baseline.generator import Generator  # seconds of torch: after the arguments were understood

    generator = Generator(options.checkpoint)
    asyncio.run(_serve(generator, options, began))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine.baseline", description=__doc__)
    parser.add_argument("--checkpoint", required=True, help="the checkpoint's folder")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--address-file", type=Path, required=True, help="written when it answers")
    parser.add_argument("--parent-pid", type=int, help="end when this process has ended")
    return parser


async def _serve(generator: Any, options: argparse.Namespace, began: float) -> None:
    from aiohttp import web

    from engine.baseline.server import BaselineServer

    token = secrets.token_urlsafe(24)
    server = BaselineServer(generator, Path(options.checkpoint).name, token)
    runner = web.AppRunner(server.application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", options.port)
    await site.start()
    port = runner.addresses[0][1]
    told = {
        "pid": os.getpid(),
        "address": f"http://127.0.0.1:{port}",
        "token": token,
        "load_s": time.monotonic() - began,
        "weights_bytes": generator.weights_bytes,
        "gpu_bytes": generator.gpu_bytes,
        "device": generator.device,
    }
    write_whole(options.address_file, json.dumps(told).encode(), mode=0o600)
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    await runner.cleanup()


def _remove_folder(address_file: Path) -> None:
    """The address file holds a key, and nobody else removes it and its folder now."""
    with contextlib.suppress(OSError):
        address_file.unlink(missing_ok=True)
        if address_file.parent.name.startswith(FOLDER_PREFIX):
            address_file.parent.rmdir()


if __name__ == "__main__":
    sys.exit(main())
