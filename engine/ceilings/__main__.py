"""`python -m engine.ceilings`: measure how many bytes and operations a second this machine's devices can do at most."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

from engine.domain.errors import Cancelled, KVDeckError
from engine.domain.roofline import Ceilings
from engine.gpu.ceilings_file import CeilingsFolder
from engine.page.parent_end import end_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from engine.ceilings.devices import Device

_FAILED, _CANCELLED = 1, 143
_DTYPES = {
    "cpu": ("bfloat16", "float32", "float16", "int8"),
    "cuda": ("bfloat16", "float16", "float8_e4m3fn", "int8", "float32"),
}


def main(arguments: list[str] | None = None) -> int:
    """Measure and keep the result; 0 when all is well, 1 after an error, 143 when cancelled (SIGTERM, SIGINT)."""
    options = _parser().parse_args(arguments)
    if options.parent_pid is not None:
        end_with(options.parent_pid, _CANCELLED)
    signal.signal(signal.SIGTERM, _cancel)
    signal.signal(signal.SIGINT, _cancel)
    emit = _emit_json if options.json else _emit_text
    try:
        _measure(options, emit)
    except Cancelled:
        emit({"event": "cancelled"})
        return _CANCELLED
    except KVDeckError as error:
        emit({"event": "error", "kind": error.kind, "message": error.message, "remedy": error.remedy})
        return _FAILED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine.ceilings", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--device", default="auto", help="cpu, a GPU's UUID, or auto: all GPUs, else the CPU")
    parser.add_argument("--threads", type=int, help="threads on the CPU (default: as many as the engine takes)")
    parser.add_argument("--disturbed", action="store_true", help="note that an engine is loaded meanwhile")
    parser.add_argument("--parent-pid", type=int, help="end when this process has ended")
    return parser


def _measure(options: argparse.Namespace, emit: Callable[[dict[str, Any]], None]) -> None:
    import torch  # late: it takes seconds, and a signal must not wait

    from engine.ceilings.devices import chosen_devices

    devices = chosen_devices(options.device, options.threads)
    for place, device in enumerate(devices):

        def tell(share: float, step: str, place: int = place) -> None:
            emit({"event": "progress", "progress": (place + share) / len(devices), "step": step})

        if device.threads is not None:
            torch.set_num_threads(device.threads)
        try:
            found = _one(device, str(torch.__version__), tell, disturbed=options.disturbed)
        except torch.OutOfMemoryError as error:
            raise _no_room(device, error) from error
        CeilingsFolder().write(found)
        emit({"event": "result", **_described(found)})


def _one(device: Device, version: str, tell: Callable[[float, str], None], *, disturbed: bool) -> Ceilings:
    from engine.ceilings.measure import Bench

    bench = Bench(device.torch_name, device.free_bytes)
    dtypes = _DTYPES[device.kind]
    count = len(dtypes) + 2
    tell(0.0, "copy")
    copy = bench.copy_bytes_per_s()
    tell(1 / count, "read")
    read = bench.read_bytes_per_s()
    rates: dict[str, float] = {}
    for number, dtype in enumerate(dtypes, 2):
        tell(number / count, dtype)
        rate = bench.flops_per_s(dtype)
        if rate is not None:
            rates[dtype] = rate
    return Ceilings(
        device.key, device.kind, device.name, time.time(), read, copy, rates, device.threads, version, disturbed
    )


def _no_room(device: Device, error: Exception) -> KVDeckError:
    from engine.domain.errors import OutOfMemory

    return OutOfMemory(
        f"{device.name} has {device.free_bytes / 1e9:.1f} GB free, too little for a measurement.",
        remedy="Unload the model, then measure again.",
        details=str(error),
    )


def _cancel(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise Cancelled("The measurement was cancelled.", remedy="Measure again at any time.")


def _described(found: Ceilings) -> dict[str, Any]:
    return {name: getattr(found, name) for name in Ceilings.__slots__}


def _emit_json(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _emit_text(line: dict[str, Any]) -> None:
    event = line["event"]
    if event == "progress":
        text = f"{line['progress'] * 100:3.0f} %  {line['step']}"
    elif event == "result":
        rates = ", ".join(f"{name} {rate / 1e9:,.0f}" for name, rate in line["flops_per_s"].items())
        text = (
            f"{line['key']} ({line['name']}): reads {line['read_bytes_per_s'] / 1e9:,.1f} GB/s, copies "
            f"{line['copy_bytes_per_s'] / 1e9:,.1f} GB/s; GFLOP/s: {rates}"
        )
    elif event == "error":
        text = f"{line['message']} {line['remedy']}".strip()
    else:
        text = event
    stream = sys.stderr if event == "error" else sys.stdout
    stream.write(text + "\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
