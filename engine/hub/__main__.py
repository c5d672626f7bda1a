"""`python -m engine.hub`: the hub as a program that speaks JSON lines; it ends with its standard input."""

from __future__ import annotations

import os
import sys

# Before huggingface_hub reads them. Whoever starts this program wants the hub; engines stay offline all the same.
os.environ.pop("HF_HUB_OFFLINE", None)
os.environ.pop("TRANSFORMERS_OFFLINE", None)
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")

from engine.hub.program import Program

if __name__ == "__main__":
    sys.exit(Program(sys.stdin.buffer, sys.stdout.buffer).run())
