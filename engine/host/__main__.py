"""`python -m engine.host`: one engine behind one address, with or without a window."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError, ParameterInvalid
from engine.domain.lifecycle import LoadRequest
from engine.domain.sleepers import PATIENCE_S
from engine.host.journal import Journal
from engine.host.listen import listen
from engine.host.output import OutputCapture
from engine.host.parent import ParentWatch
from engine.host.places import require_places
from engine.host.processes import adopt_orphans, engine_processes, kill
from engine.host.security import make_token
from engine.parameters.values import spec_of

if TYPE_CHECKING:
    import socket

    from engine.domain.lifecycle import ParameterValue

# Exit codes: 2 is argparse's own for a wrong command line.
EXIT_PORT_IN_USE = 3
EXIT_CANNOT_START = 4
# Objects that a collection waits for. Of Python's 700, hundreds of streams make three collections for each thousand
# tokens: 2 % of the one thread that everything goes through, and none of them found anything (vLLM frees by counting).
_COLLECT_AT = (50_000, 20, 10)


@dataclass(frozen=True, slots=True)
class Options:
    """The command line."""

    address: str
    port: int
    parent_pid: int | None
    address_file: Path | None
    load: LoadRequest | None
    wake_timeout_s: float = PATIENCE_S


_EPILOG = """\
The key that every request needs is made anew at each start. To know it, have it written, or give your own:
  python -m engine.host --load ~/models/SmolLM2 --address-file host.json     # {"pid", "address", "token"}
  KVDECK_TOKEN_FILE=key python -m engine.host --port 8000                    # key: 16 ASCII characters or more

what answers     /v1/... and /metrics are vLLM's, /kvdeck/... ours (GET /kvdeck/status), /health needs no key
who can use it   kvdeck --address URL --token-file key, kvdeck bench and kvdeck lab --address-file host.json, any client
                 of OpenAI's (Authorization: Bearer KEY)
exit status      0 told to end (Ctrl+C too), 2 the options are wrong, 3 the port is taken,
                 4 its key, or a place where it has to write, cannot be used
"""


def parse_options(arguments: list[str]) -> Options:
    """Read the command line; ends the program with code 2 where it cannot be understood."""
    parser = argparse.ArgumentParser(
        prog="python -m engine.host", description="One engine behind one address, with or without a window.",
        usage="python -m engine.host [OPTIONS]", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument(
        "--address", default="127.0.0.1", metavar="IP", help="the address to listen on (default: %(default)s)"
    )
    parser.add_argument(
        "--port", type=int, default=8000, metavar="N", help="the port, 0 for a free one (default: %(default)s)"
    )
    parser.add_argument("--parent-pid", type=int, metavar="PID", help="end when this process has ended")
    parser.add_argument(
        "--address-file", type=Path, metavar="FILE", help="write pid, address and key here, readable by you alone"
    )
    parser.add_argument("--load", metavar="FOLDER", help="load this checkpoint at once")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter for --load; repeatable"
    )
    parser.add_argument(
        "--wake-timeout",
        type=float,
        default=PATIENCE_S,
        metavar="SECONDS",
        help="how long an engine may take to fall asleep, to wake, or to answer then (default: %(default)g)",
    )
    found = parser.parse_args(arguments)
    if found.set and not found.load:
        parser.error("--set needs --load")
    try:
        values = dict(_assignment(text) for text in found.set)
    except KVDeckError as error:
        parser.error(str(error))
    load = LoadRequest(str(Path(found.load).resolve()), values) if found.load else None
    return Options(found.address, found.port, found.parent_pid, found.address_file, load, found.wake_timeout)


def _assignment(text: str) -> tuple[str, ParameterValue]:
    """ "name=value" with the value in the parameter's type. Raises ParameterInvalid."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ParameterInvalid(f"{text!r} is not NAME=VALUE.", remedy="Write for example max_model_len=4096.")
    spec = spec_of(name)
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = value
    return name, spec.check(parsed if isinstance(parsed, bool | int | float) or parsed is None else value)


def _configure_logging() -> None:
    """Our own loggers write lines of vLLM's shape, so that one parser reads both."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        logging.Formatter(
            "(Host pid=%(process)d) %(levelname)s %(asctime)s [%(filename)s:%(lineno)d] %(message)s", "%m-%d %H:%M:%S"
        )
    )
    for name in ("engine", "uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO if name == "engine" else logging.WARNING)
        logger.propagate = False


def _fail(error: KVDeckError, code: int) -> int:
    body = {"kind": error.kind, "message": error.message, "remedy": error.remedy, "details": error.details}
    sys.stderr.write(json.dumps({"error": body}) + "\n")
    sys.stderr.flush()
    return code


def main(arguments: list[str] | None = None) -> int:
    """Run the host until it is told to end; returns the exit code."""
    options = parse_options(sys.argv[1:] if arguments is None else arguments)
    try:
        sockets = listen(options.address, options.port)
    except KVDeckError as error:
        return _fail(error, EXIT_PORT_IN_USE)
    try:
        token = make_token()
    except (OSError, ValueError) as error:
        return _fail(KVDeckError(f"No token: {error}.", remedy="Correct KVDECK_TOKEN_FILE."), EXIT_CANNOT_START)
    try:
        require_places(options.address_file)
    except KVDeckError as error:
        return _fail(error, EXIT_CANNOT_START)
    return _serve(options, sockets, token)


def _serve(options: Options, sockets: list[socket.socket], token: str) -> int:
    import uvloop  # only the host has it

    from engine.host.server import HostServer  # uvicorn and the rest, after the port is sure

    gc.set_threshold(*_COLLECT_AT)
    adopt_orphans()
    journal = Journal()
    capture = OutputCapture(journal.write)
    capture.start()
    _configure_logging()
    server = HostServer(
        options.address, sockets, token, options.address_file, journal, options.wake_timeout_s, options.parent_pid
    )
    if options.parent_pid is not None:
        ParentWatch(options.parent_pid, server.remove_files).start()
    code = 1
    try:
        # Not closed: closing waits for threads, and one may be importing vLLM for another ten seconds.
        asyncio.Runner(loop_factory=uvloop.new_event_loop).run(server.run(options.load))
        code = 0
    except Exception:
        logging.getLogger(__name__).exception("The host failed")
    finally:
        kill(engine_processes())
        server.remove_files()
        server.dismiss_guard()
        capture.stop()
    sys.stdout.flush()
    # Not `return`: vLLM's objects die badly at interpreter exit, and a thread of its may still hold on.
    os._exit(code)


if __name__ == "__main__":
    raise SystemExit(main())
