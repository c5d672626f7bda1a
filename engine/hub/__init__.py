"""Models on a Hugging Face hub: search, read about, download with resume, delete.

`python -m engine.hub` is a program of its own that speaks JSON lines (`program`), because huggingface_hub's imports and
threads have no place in the window's process, and a download has to survive nothing but itself. `client` starts and
follows it; `records` are what both exchange.
"""
